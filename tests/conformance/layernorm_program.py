# SPDX-License-Identifier: Apache-2.0
"""Host side of the stock layernorm kernels, which normalise by the root mean square too, and the bound of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.conformance.error_bounds import Array, assert_within
from tests.conformance.programs import ALL_CORES, TILE, as_float64, output_like
from tests.conformance.row_program import RowKernel, run_rows
from tests.conformance.running_error import Approximation, Datapath, exact
from tilewright import ttnn

SMALL, LARGE = "small", "large"  # a row in L1, or streamed once per use
TILED, ROW_MAJOR = "tile", "row_major"  # layouts of gamma and beta
EPSILON = 2.0**-10  # the reader keeps its upper 16 bits
PADDING = 1e4  # finite: a partial last tile is multiplied by zeros, not skipped


@dataclass(frozen=True)
class Case:
    """One way to run the kernels; ``weights`` is the layout of gamma and beta."""

    rms: bool = False
    form: str = SMALL
    gamma: bool = True
    beta: bool = True
    weights: str = TILED
    dtype: ttnn.DataType = ttnn.bfloat16
    wide_dst: bool = False
    cores: ttnn.CoreRangeSet = field(default=ALL_CORES)

    @property
    def block(self) -> int:
        """Tiles half of DST holds."""
        return 4 if self.wide_dst else 8

    @property
    def defines(self) -> dict[str, str]:
        chosen = {"RMSNORM": self.rms, "FUSE_GAMMA": self.gamma, "FUSE_BETA": self.beta}
        return {name: "1" for name, on in chosen.items() if on}


def weights_on_device(values: Array, case: Case, device: ttnn.Device) -> ttnn.Tensor:
    """One row: as tiles whose other rows are poison, or row-major with 32 elements per page."""
    if case.weights == TILED:
        return ttnn.from_numpy(
            values[None].astype(np.float32),
            dtype=case.dtype,
            layout=ttnn.TILE_LAYOUT,
            device=device,
            pad_value=np.nan,
        )
    padded = np.pad(values, (0, -len(values) % TILE), constant_values=PADDING)
    return ttnn.from_numpy(
        padded.reshape(-1, TILE).astype(np.float32), dtype=case.dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device
    )


def run(case: Case, x: ttnn.Tensor, weights: dict[str, ttnn.Tensor], kernels: Path) -> ttnn.Tensor:
    height, width = x.shape[-2], x.shape[-1]
    width_tiles = -(-width // TILE)
    y = output_like((height, width), case.dtype, x.device())
    by_tile = case.weights == ROW_MAJOR  # that reader counts its start in tiles, the other two in rows of tiles
    reader = RowKernel(
        kernels / f"dataflow/reader_unary_interleaved_ln{_reader_suffix(case)}.cpp",
        produces=("in", "scaler", "eps", "gamma", "beta"),
        tensors={"src": x} | weights,
        compile_time={"block_size": case.block, "W": width},
        runtime={
            "NCHt": lambda rows, start: rows,
            "Wt": lambda rows, start: width_tiles,
            "reader_start": lambda rows, start: start * width_tiles if by_tile else start,
            "eps": lambda rows, start: int(np.float32(EPSILON).view(np.uint32)),
        },
        defines=case.defines,
    )
    inner = ("xmm", "xmm2", "ex", "ex2", "ex2pe", "fusion", "accumulate")
    compute = RowKernel(
        kernels / f"compute/layernorm{'' if case.form == SMALL else '_large_tensor'}.cpp",
        consumes=(*reader.produces, *inner),
        produces=(*inner, "out"),
        compile_time={
            "Wt": width_tiles,
            "block_size": case.block,
            "do_gamma": int(case.gamma),
            "do_beta": int(case.beta),
            "fp32_dest_acc_en": int(case.wide_dst),
            "float32_reduction": int(case.wide_dst),
            "W": width,
            "tile_width": TILE,
        },
        runtime={"NCHt": lambda rows, start: rows},
        defines=case.defines,
    )
    writer = RowKernel(
        kernels / "dataflow/writer_unary_interleaved_start_id_blocked.cpp",
        consumes=("out",),
        tensors={"dst": y},
        compile_time={"block_size": case.block},
        runtime={
            "Wt": lambda rows, start: width_tiles,
            "num_tile_rows": lambda rows, start: rows,
            "writer_start": lambda rows, start: start * width_tiles,
        },
    )
    buffers = _buffer_sizes(case, width_tiles)
    run_rows(reader, compute, writer, buffers, case.cores, -(-height // TILE), wide_dst=case.wide_dst)
    return y


def _reader_suffix(case: Case) -> str:
    if case.form == LARGE:
        return "_large_tensor"
    return "_rm_gb" if case.weights == ROW_MAJOR else ""


def _buffer_sizes(case: Case, width_tiles: int) -> dict[str, tuple[ttnn.DataType, int]]:
    """Whole blocks everywhere. In L1 a row has to fit its buffers; streamed, two blocks are enough."""
    block = case.block
    row = -(-width_tiles // block) * block if case.form == SMALL else 2 * block
    between = ttnn.float32 if case.wide_dst else ttnn.bfloat16
    sizes = {
        "in": (case.dtype, row),
        "out": (case.dtype, 2 * block),
        "scaler": (ttnn.bfloat16, 2),
        "eps": (ttnn.bfloat16, 1),
        "xmm": (between, row),
        "xmm2": (between, row),
        "ex": (between, 1),
        "ex2": (between, 1),
        "ex2pe": (between, 2),
        "fusion": (between, 2 * block),
    }
    if case.form == LARGE:
        sizes["accumulate"] = (between, 1)
    for name, wanted in (("gamma", case.gamma), ("beta", case.beta)):
        if wanted:
            sizes[name] = (case.dtype, row)
    return sizes


def expected(case: Case, x: Array, gamma: Array | None, beta: Array | None) -> Approximation:
    """The kernels' steps with what each can lose."""
    tensors = Datapath(wide_dst=case.wide_dst, float32_buffers=case.dtype == ttnn.float32)
    # With 32-bit DST the buffers between the steps are float32, whatever the tensors are.
    path = Datapath(wide_dst=case.wide_dst, float32_buffers=case.wide_dst)
    width = x.shape[-1]
    given = tensors.through_src(exact(x))
    centred = given
    if not case.rms:
        mean = path.stored(path.row_sum(given).scaled(1 / width))  # the vector unit multiplies by 1 / width
        centred = path.subtract(given, mean)
    variance = path.stored(_variance_sum(case, path, _squared(case, path, centred)).scaled(1 / width))
    scale = path.reciprocal_square_root(path.add(variance, exact(EPSILON)))
    if case.form == LARGE:
        scale = path.through_src(scale)  # spread over its tile by a step of its own
    result = path.multiply(centred, scale)
    if gamma is not None:
        result = path.multiply(result, exact(gamma))
    if beta is not None:
        result = path.add(result, exact(beta))
    return tensors.packed(result)


def _squared(case: Case, path: Datapath, x: Approximation) -> Approximation:
    """In L1 the matrix unit multiplies, streamed the vector unit squares what is in DST."""
    return path.multiply(x, x) if case.form == SMALL else path.stored(x * x)


def _variance_sum(case: Case, path: Datapath, squares: Approximation) -> Approximation:
    """The streaming form takes its running sum through a buffer after each block.

    From 16-bit DST and back that is exact; a float32 loses TF32's bits every time it comes back.
    """
    if case.form == SMALL or not case.wide_dst:
        return path.row_sum(squares)
    columns = case.block * TILE
    total = exact(0.0)
    for start in range(0, squares.value.shape[-1], columns):
        part = squares.columns(slice(start, start + columns))
        total = path.through_src(total) + path.row_sum(part)
    return total


def check(case: Case, shape: tuple[int, int], device: ttnn.Device, operations: Path) -> float:
    """Runs and compares; returns the largest error as a share of its bound."""
    rng = np.random.default_rng(shape[1])
    width = shape[1]
    x = ttnn.from_numpy(
        (2 * rng.standard_normal(shape) + 0.5).astype(np.float32),
        dtype=case.dtype,
        layout=ttnn.TILE_LAYOUT,
        device=device,
        pad_value=PADDING,
    )
    weights = {}
    if case.gamma:
        weights["gamma"] = weights_on_device(rng.uniform(0.5, 1.5, width), case, device)
    if case.beta:
        weights["beta"] = weights_on_device(rng.standard_normal(width), case, device)
    y = as_float64(run(case, x, weights, operations / "normalization/layernorm/device/kernels"))
    held = {name: as_float64(tensor).reshape(1, -1)[:, :width] for name, tensor in weights.items()}
    bounded = expected(case, as_float64(x), held.get("gamma"), held.get("beta"))
    return assert_within(y, bounded.value, bounded.error, f"{case}")
