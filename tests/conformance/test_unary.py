# SPDX-License-Identifier: Apache-2.0
"""Element-wise functions of the vector unit through the stock unary chain (eltwise_sfpu.cpp)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from tests.conformance.error_bounds import (
    BFLOAT16_NEAREST,
    BFLOAT16_TRUNCATED,
    FLOAT32_STEP,
    Array,
    assert_within,
    packed,
    rounded,
    through_src,
)
from tests.conformance.named_bindings import named_kernel
from tests.conformance.programs import ALL_CORES, ONE_CORE, SHAPES, as_float64, on_device
from tests.conformance.sfpu_functions import BY_NAME, EVALUATED, EXACT, FUNCTIONS, Function
from tests.conformance.unary_program import (
    ComputeKernel,
    Work,
    compute_config,
    float_bits,
    run_unary,
    sfpu_chain,
    sfpu_kernel,
)
from tilewright import ttnn


def _every_bfloat16(function: Function) -> Array:
    """All bfloat16 numbers of the function's domain, over and over, as a square of 64 tiles; no denormals."""
    words = np.arange(1 << 16, dtype=np.uint32) << 16
    exponents = words >> 23 & 0xFF
    regular = (exponents < 0xFF) & ((exponents > 0) | (words << 1 == 0))
    codes = words[regular].view(np.float32).astype(np.float64)
    return np.resize(codes[function.domain(codes)], (256, 256))


def _random_inputs(function: Function, shape: tuple[int, ...]) -> NDArray[np.float32]:
    generator = np.random.default_rng(7)
    candidates = generator.uniform(-8, 8, 4 * int(np.prod(shape))).astype(np.float32)
    return np.resize(candidates[function.domain(candidates.astype(np.float64))], shape)


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_every_bfloat16(function: Function, operations: Path, device: ttnn.Device) -> None:
    source = on_device(_every_bfloat16(function).astype(np.float32), ttnn.bfloat16, device)
    compute = sfpu_kernel(operations, function.defines(), compute_config())
    result = run_unary(operations, source, ttnn.bfloat16, ALL_CORES, compute)
    expected = function.reference(as_float64(source))
    # The input is exact, 16-bit DST takes the result in the output's own format, packing it is exact.
    assert_within(as_float64(result), expected, function.bound_in_dst(expected, wide=False), function.name)


@pytest.mark.parametrize(
    "name", ["exp", "log", "sqrt", "rsqrt", "recip", "sin", "tanh", "sigmoid", "gelu", "erf", "relu", "floor"]
)
def test_float32_unpacked_to_dest(name: str, operations: Path, device: ttnn.Device) -> None:
    function = BY_NAME[name]
    source = on_device(_random_inputs(function, (96, 160)), ttnn.float32, device)
    config = compute_config(wide_dst=True, unpack_to_dest=[0])
    result = run_unary(
        operations, source, ttnn.float32, ALL_CORES, sfpu_kernel(operations, function.defines(True), config)
    )
    expected = function.reference(as_float64(source))
    # 32-bit DST and a float32 output take all bits: only the evaluation is left.
    assert_within(as_float64(result), expected, function.bound_in_dst(expected, wide=True), function.name)


@pytest.mark.parametrize("name", ["exp", "sqrt", "relu", "floor"])
def test_float32_through_src(name: str, operations: Path, device: ttnn.Device) -> None:
    function = BY_NAME[name]
    source = on_device(_random_inputs(function, (96, 160)), ttnn.float32, device)
    compute = sfpu_kernel(operations, function.defines(True), compute_config(wide_dst=True))
    result = run_unary(operations, source, ttnn.float32, ALL_CORES, compute)
    x = as_float64(source)
    expected = function.reference(x)
    # copy_tile moves the data through SrcA, which keeps 11 bits of each.
    cut = through_src(function.reference, x)
    bound = cut + function.bound_in_dst(np.abs(expected) + cut, wide=True)
    assert_within(as_float64(result), expected, bound, function.name)
    assert np.any(as_float64(result) != function.reference(x).astype(np.float32)), "nothing was cut in Src"


@pytest.mark.parametrize("wide_dst", [False, True], ids=["dst16", "dst32"])
@pytest.mark.parametrize("name", ["exp", "sqrt", "relu"])
def test_bfloat8(name: str, wide_dst: bool, operations: Path, device: ttnn.Device) -> None:
    function = BY_NAME[name]
    source = on_device(_random_inputs(function, (96, 160)), ttnn.bfloat8_b, device)
    compute = sfpu_kernel(operations, function.defines(), compute_config(wide_dst=wide_dst))
    result = run_unary(operations, source, ttnn.bfloat8_b, ALL_CORES, compute)
    expected = function.reference(as_float64(source))
    in_dst = function.bound_in_dst(expected, wide=wide_dst)
    bound = in_dst + packed(expected, ttnn.bfloat8_b, wide_dst=wide_dst, already=in_dst)
    assert_within(as_float64(result), expected, bound, function.name)


@pytest.mark.parametrize("cores", [ONE_CORE, ALL_CORES], ids=["1core", "64cores"])
@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 50, 70)], ids=str)
@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=["bf16", "fp32"])
def test_sizes_and_cores(
    dtype: ttnn.DataType, shape: tuple[int, ...], cores: ttnn.CoreRangeSet, operations: Path, device: ttnn.Device
) -> None:
    """The last shape has padding, which holds poison: the function runs over it, the result must not show it."""
    function = BY_NAME["exp"]
    wide = dtype == ttnn.float32
    source = on_device(_random_inputs(function, shape), dtype, device)
    config = compute_config(wide_dst=wide, unpack_to_dest=[0] if wide else [])
    result = run_unary(operations, source, dtype, cores, sfpu_kernel(operations, function.defines(wide), config))
    expected = function.reference(as_float64(source))
    assert_within(as_float64(result), expected, function.bound_in_dst(expected, wide=wide), f"exp {shape}")


@pytest.mark.parametrize("shape", [(32, 32), (1024, 1024)], ids=str)
def test_bfloat8_sizes(shape: tuple[int, int], operations: Path, device: ttnn.Device) -> None:
    function = BY_NAME["relu"]
    source = on_device(_random_inputs(function, shape), ttnn.bfloat8_b, device)
    compute = sfpu_kernel(operations, function.defines(), compute_config())
    result = run_unary(operations, source, ttnn.bfloat8_b, ALL_CORES, compute)
    expected = function.reference(as_float64(source))
    # The values fit their old exponent; dropping the negative ones can only lower it, which loses nothing.
    assert_within(as_float64(result), expected, EXACT, f"relu {shape}")


def test_bfloat16_in_float32_out(operations: Path, device: ttnn.Device) -> None:
    function = BY_NAME["exp"]
    source = on_device(_random_inputs(function, (96, 160)), ttnn.bfloat16, device)
    compute = sfpu_kernel(operations, function.defines(), compute_config(wide_dst=True))
    result = run_unary(operations, source, ttnn.float32, ALL_CORES, compute)
    expected = function.reference(as_float64(source))
    assert_within(as_float64(result), expected, function.bound_in_dst(expected, wide=True), "exp bf16 -> fp32")


# --- kernels with a file of their own, which find their arguments by name ---


def _named(
    operations: Path,
    file: str,
    *,
    compile_time: Mapping[str, int] | None = None,
    scalars: Sequence[float] = (),
    defines: Sequence[tuple[str, str]] = (),
    config: ttnn.ComputeConfigDescriptor | None = None,
) -> ComputeKernel:
    def constant(value: float) -> Callable[[int, int], int]:
        bits = int(float_bits(value).rstrip("u"), 16)
        return lambda count, start: bits

    runtime = {"num_tiles": lambda count, start: count}
    runtime |= {f"packed_scalar{i}": constant(value) for i, value in enumerate(scalars, 1)}

    def build(cores: ttnn.CoreRangeSet, work: Work) -> ttnn.KernelDescriptor:
        return named_kernel(
            operations / "eltwise/unary/device/kernels/compute" / file,
            cores,
            config or compute_config(),
            work,
            compile_time=compile_time,
            runtime=runtime,
            buffers={"in": 0, "tmp0": 1, "out": 2},
            defines=defines,
        )

    return build


def _run_named(
    compute: ComputeKernel, values: Array, operations: Path, device: ttnn.Device, dtype: ttnn.DataType = ttnn.bfloat16
) -> tuple[Array, Array]:
    """Input as the tensor holds it, and result."""
    source = on_device(values.astype(np.float32), dtype, device)
    result = run_unary(operations, source, dtype, ALL_CORES, compute, extra_buffers=[(1, dtype)])
    return as_float64(source), as_float64(result)


def _uniform(low: float, high: float) -> Array:
    return np.random.default_rng(5).uniform(low, high, (96, 160))


def test_identity(operations: Path, device: ttnn.Device) -> None:
    x, y = _run_named(_named(operations, "eltwise_identity_kernel.cpp"), _uniform(-5, 5), operations, device)
    assert_within(y, x, EXACT, "identity")


def test_chain_with_named_arguments(operations: Path, device: ttnn.Device) -> None:
    function = BY_NAME["tanh"]
    compute = _named(operations, "eltwise_sfpu_metal2.cpp", defines=function.defines())
    x, y = _run_named(compute, _uniform(-5, 5), operations, device)
    expected = np.tanh(x)
    assert_within(y, expected, function.bound_in_dst(expected, wide=False), "tanh")


def test_logsigmoid(operations: Path, device: ttnn.Device) -> None:
    x, y = _run_named(_named(operations, "logsigmoid_kernel.cpp"), _uniform(-20, 20), operations, device)
    expected = special.log_expit(x)
    # exp(-x) is rounded into DST; log1p is no steeper than linear, so that stays a relative error. Then the store.
    assert_within(y, expected, rounded(expected, BFLOAT16_NEAREST + BFLOAT16_TRUNCATED + EVALUATED), "logsigmoid")


def test_hardswish(operations: Path, device: ttnn.Device) -> None:
    compute = _named(operations, "hardswish_kernel.cpp", compile_time={"is_float32": 0, "is_int": 0})
    x, y = _run_named(compute, _uniform(-8, 8), operations, device)
    expected = x * np.clip(x / 6 + 0.5, 0, 1)
    # hardsigmoid is cut when stored, with a float32 error of its sum; then four phases of the matrix unit round.
    factor = BFLOAT16_TRUNCATED + 4 * BFLOAT16_NEAREST * (1 + 2.0**-5)
    assert_within(y, expected, rounded(expected, factor) + rounded(x, FLOAT32_STEP), "hardswish")


def test_logit(operations: Path, device: ttnn.Device) -> None:
    compute = _named(operations, "logit_kernel.cpp", compile_time={"do_clamp": 1}, scalars=(0.125, 0.875))
    x, y = _run_named(compute, _uniform(0, 1), operations, device)
    clamped = np.clip(x, 0.125, 0.875)
    expected = np.log(clamped / (1 - clamped))
    # 1 - x is rounded and the quotient at worst cut: relative errors that log turns into absolute ones.
    argument = (1 + 2.0**-6) * (BFLOAT16_NEAREST + BFLOAT16_TRUNCATED)
    assert_within(y, expected, argument + rounded(np.abs(expected) + argument, BFLOAT16_NEAREST + EVALUATED), "logit")


def test_where_with_two_numbers(operations: Path, device: ttnn.Device) -> None:
    compute = _named(operations, "where_tss_kernel.cpp", scalars=(3.5, -2.0))
    # The condition is tested as a bit pattern: a negative zero would count as true on a card.
    x, y = _run_named(compute, np.round(_uniform(-2, 2)) + 0.0, operations, device)
    assert_within(y, np.where(x != 0, 3.5, -2.0), EXACT, "where")


def test_multiply_and_add_numbers(operations: Path, device: ttnn.Device) -> None:
    chain = sfpu_chain("mac_tile_init<DataFormat::Float16_b>();", "mac_tile<DataFormat::Float16_b>(0, 1, 2, 0);")
    compute = _named(operations, "mac_tss_kernel.cpp", scalars=(1.5, -0.75), defines=chain)
    x, y = _run_named(compute, _uniform(-5, 5), operations, device)
    expected = x * 1.5 - 0.75
    # Product and sum of bfloat16 numbers of like size are exact in float32; the store rounds, or cuts at worst.
    assert_within(y, expected, rounded(expected, BFLOAT16_TRUNCATED), "mac")


def test_log_gamma(operations: Path, device: ttnn.Device) -> None:
    config = compute_config(wide_dst=True, unpack_to_dest=[0])
    compute = _named(operations, "lgamma_kernel.cpp", config=config)
    x, y = _run_named(compute, _uniform(0.6, 20), operations, device, ttnn.float32)
    expected = special.gammaln(x)
    # The kernel's own formula is Stirling's series up to 1 / (1680 x^7): an alternating series is off by less than the
    # first term left out. The result is a difference of terms as large as x log x and x.
    terms = x * np.abs(np.log(x)) + x + 1
    assert_within(y, expected, terms * EVALUATED + 1 / (1188 * x**9), "lgamma")


@pytest.mark.parametrize("exponent", [0, 1, 3, 6])
def test_integer_power(exponent: int, operations: Path, device: ttnn.Device) -> None:
    formats = {"exponent": exponent, "data_format": ttnn.int32.data_format.value}
    compute = _named(operations, "eltwise_pow_int.cpp", compile_time=formats, config=compute_config(wide_dst=True))
    values = np.random.default_rng(5).integers(-35, 36, (96, 160), dtype=np.int32)
    source = ttnn.from_numpy(values, dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT, device=device)
    result = run_unary(operations, source, ttnn.int32, ALL_CORES, compute)
    assert np.array_equal(ttnn.to_numpy(result), values**exponent)
