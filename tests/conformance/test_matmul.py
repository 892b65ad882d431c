# SPDX-License-Identifier: Apache-2.0
"""Stock matmuls on one core and on many: output tiles split over cores, blocks, and blocks with multicast."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.conformance.accumulation import FACE, Step, accumulated, exact_in_eights, phases, rounded_sum, seen
from tests.conformance.error_bounds import Array, assert_within, packed
from tests.conformance.matmul_program import Blocks, Matmul
from tests.conformance.multicast_matmul import Multicast
from tests.conformance.programs import ALL_CORES, ONE_CORE, TILE, as_float64, on_device
from tilewright import ttnn

LOFI, HIFI2, HIFI3, HIFI4 = (getattr(ttnn.MathFidelity, name) for name in ("LoFi", "HiFi2", "HiFi3", "HiFi4"))
PHASES = {LOFI: 1, HIFI4: 4}
FORMATS = {
    "bfloat16": (ttnn.bfloat16, False),
    "bfloat16, 32-bit DST": (ttnn.bfloat16, True),
    "float32": (ttnn.float32, True),
    "bfloat8_b": (ttnn.bfloat8_b, False),
}


def steps_of(in0: Array, in1: Array, fidelity: ttnn.MathFidelity) -> Iterator[Step]:
    """in0 is SrcB, in1 SrcA. Tile by tile along K; in a tile phase by phase, each over two steps of 16 products."""
    for first in range(0, in0.shape[1], TILE):
        for a, b in phases(in1[first : first + TILE], in0[:, first : first + TILE], fidelity):
            for face in (slice(0, FACE), slice(FACE, TILE)):
                columns, rows = b[:, face], a[face]
                groups = columns[:, :8] @ rows[:8], columns[:, 8:] @ rows[8:]
                yield Step(groups, np.abs(columns) @ np.abs(rows))


def steps_together(in0: Array, in1: Array, fidelity: ttnn.MathFidelity, inner: int) -> Iterator[Step]:
    """The same with all steps of ``inner`` columns of in0 taken together: a wider bound, for large matrices."""
    for first in range(0, in0.shape[1], inner):
        columns, rows = in0[:, first : first + inner], in1[first : first + inner]
        roundings = inner // FACE * PHASES[fidelity]
        yield Step((seen(rows, columns, fidelity), np.zeros(())), np.abs(columns) @ np.abs(rows), roundings)


def operands(shape: tuple[int, int, int], dtype: ttnn.DataType, device: ttnn.Device) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    rng = np.random.default_rng(2)
    rows, inner, columns = shape
    arrays = [rng.standard_normal(extent).astype(np.float32) for extent in ((rows, inner), (inner, columns))]
    return on_device(arrays[0], dtype, device), on_device(arrays[1], dtype, device)


def check(matmul: Matmul, result: ttnn.Tensor, together: int = 0) -> None:
    """Against float64, within: bits the multiplier never sees, roundings of DST, the packer."""
    in0, in1 = as_float64(matmul.in0), as_float64(matmul.in1)
    exact = in0 @ in1
    steps = steps_together(in0, in1, matmul.fidelity, together) if together else steps_of(in0, in1, matmul.fidelity)
    value, error = accumulated(steps, wide_dst=matmul.wide_dst)
    # LoFi takes 5 significant bits of in1 and 7 of in0. HiFi4 takes 10 and 11: all 8 of a bfloat16.
    lost = {LOFI: 2.0**-4 + 2.0**-6, HIFI4: 2.0**-9 + 2.0**-10 if matmul.in0.dtype == ttnn.float32 else 2.0**-40}
    unseen = np.abs(value - exact)
    assert np.all(unseen <= lost[matmul.fidelity] * (np.abs(in0) @ np.abs(in1)))
    error = unseen + error
    error = error + packed(exact, matmul.output_dtype, wide_dst=matmul.wide_dst, already=error)
    assert_within(as_float64(result), exact, error, "matmul")


@pytest.mark.parametrize("formats", FORMATS)
@pytest.mark.parametrize("fidelity", [LOFI, HIFI4], ids=["LoFi", "HiFi4"])
@pytest.mark.parametrize("shape", [(32, 32, 32), (96, 160, 64)], ids=str)
def test_one_core(shape, fidelity, formats, operations, device):
    dtype, wide = FORMATS[formats]
    matmul = Matmul(*operands(shape, dtype, device), dtype, wide, fidelity)
    check(matmul, matmul.run_output_tiles(ONE_CORE, operations, device))


@pytest.mark.parametrize("formats", FORMATS)
def test_output_tiles_over_all_cores(formats, operations, device):
    dtype, wide = FORMATS[formats]
    inner = 1024 if wide else 256
    matmul = Matmul(*operands((1024, inner, 1024), dtype, device), dtype, wide)
    check(matmul, matmul.run_output_tiles(ALL_CORES, operations, device), together=inner if wide else TILE)


def test_poisoned_padding_is_zeroed_by_the_reader(operations, device):
    """K = 70: the stock reader zeroes in0's columns 70 to 95; in1's rows there are poison and meet only zeros."""
    matmul = Matmul(*operands((50, 70, 90), ttnn.bfloat16, device), ttnn.bfloat16, wide_dst=False)
    result = as_float64(matmul.run_output_tiles(ALL_CORES, operations, device))
    padding = ((0, 0), (0, 26))
    in0, in1 = np.pad(as_float64(matmul.in0), padding), np.pad(as_float64(matmul.in1), padding[::-1])
    expected, error = accumulated(steps_of(in0, in1, HIFI4), wide_dst=False)
    assert_within(result, expected, error, "matmul")


@pytest.mark.parametrize("fidelity", [LOFI, HIFI2, HIFI3, HIFI4], ids=lambda each: each.name)
@pytest.mark.parametrize("shape", [(64, 1024, 64), (1024, 32, 1024)], ids=str)
def test_narrow_dst_rounds_after_every_step(shape, fidelity, operations, device):
    """To the bit: sums of 8 products are exact for these numbers, so only the documented roundings are left."""
    in0, in1 = exact_in_eights(shape[:2]), exact_in_eights(shape[1:], seed=6)
    tensors = [on_device(each.astype(np.float32), ttnn.bfloat16, device) for each in (in0, in1)]
    matmul = Matmul(*tensors, ttnn.bfloat16, wide_dst=False, fidelity=fidelity)  # type: ignore[call-arg, misc]
    result = as_float64(matmul.run_output_tiles(ALL_CORES, operations, device))
    assert_within(result, rounded_sum(steps_of(in0, in1, fidelity)), 0.0, "matmul")


@pytest.mark.parametrize("fidelity", [LOFI, HIFI2, HIFI3, HIFI4], ids=lambda each: each.name)
@pytest.mark.parametrize("scale", [2.0**-90, 2.0**105], ids=["small", "large"])
def test_narrow_dst_rounds_alike_at_every_scale(scale, fidelity, operations, device):
    """To the bit: a power of two more or less changes no rounding, however the processor multiplies.

    With exponents about zero it may multiply bfloat16s in pairs; with these exponents it multiplies floats.
    """
    rng = np.random.default_rng(9)
    in0, in1 = (rng.standard_normal(shape) * rng.choice([0.0, 1.0, 2.0**-7], shape) for shape in ((96, 512), (512, 64)))
    results = []
    for factor in (1.0, scale):
        left, right = (on_device(each.astype(np.float32), ttnn.bfloat16, device) for each in (in0 * factor, in1))
        matmul = Matmul(left, right, ttnn.bfloat16, wide_dst=False, fidelity=fidelity)
        results.append(as_float64(matmul.run_output_tiles(ALL_CORES, operations, device)) / factor)
    assert_within(results[1], results[0], 0.0, "matmul")


def test_narrow_dst_with_a_large_number_in_it(operations, device):
    """2^118 and more from the first tile of K, which the ones of the second cannot move: to the bit."""
    in0, in1 = exact_in_eights((64, 64)), exact_in_eights((64, 64), seed=6)
    in0[:, :TILE] *= 2.0**60
    in1[:TILE] *= 2.0**58
    left, right = (on_device(each.astype(np.float32), ttnn.bfloat16, device) for each in (in0, in1))
    matmul = Matmul(left, right, ttnn.bfloat16, wide_dst=False)
    result = as_float64(matmul.run_output_tiles(ONE_CORE, operations, device))
    assert_within(result, rounded_sum(steps_of(in0, in1, HIFI4)), 0.0, "matmul")


def whole_numbers(
    shape: tuple[int, int, int], dtype: ttnn.DataType, device: ttnn.Device
) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    """-7 to 7: three bits, so even LoFi and bfloat8_b have the products, and 32-bit DST the sums, exactly."""
    rng = np.random.default_rng(4)
    arrays = [rng.integers(-7, 8, extent).astype(np.float32) for extent in (shape[:2], shape[1:])]
    return on_device(arrays[0], dtype, device), on_device(arrays[1], dtype, device)


@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.bfloat8_b], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("way", ["own readers", "multicast", "multicast, packer adds"])
def test_blocks_of_whole_numbers(way, dtype, operations, device):
    """1024 x 1024 on 4 x 8 cores, K in four blocks with partial sums between them: any tile out of place shows."""
    matmul = Matmul(*whole_numbers((1024, 1024, 1024), dtype, device), ttnn.float32, wide_dst=True, fidelity=LOFI)
    blocks = Blocks(matmul, grid_rows=4, grid_columns=8, inner=8, subblock=(2, 2))
    if way == "own readers":
        result = blocks.run(operations, device)
    else:
        result = Multicast(blocks, device, packer_adds=way.endswith("packer adds")).run(operations)
    assert_within(as_float64(result), as_float64(matmul.in0) @ as_float64(matmul.in1), 0.0, "matmul")


@pytest.mark.parametrize("formats", FORMATS)
def test_multicast(formats, operations, device):
    """Partial sums go out to L1 and back between blocks of K in DST's own format, so nothing more is lost. In
    bfloat8_b they would have the output's format and be rounded: K is one block there.
    """
    dtype, wide = FORMATS[formats]
    matmul = Matmul(*operands((128, 192, 192), dtype, device), dtype, wide)
    inner = 6 if dtype == ttnn.bfloat8_b else 3
    blocks = Blocks(matmul, grid_rows=2, grid_columns=3, inner=inner, subblock=(2, 1))
    check(matmul, Multicast(blocks, device).run(operations))
