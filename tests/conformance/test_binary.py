# SPDX-License-Identifier: Apache-2.0
"""Stock add, subtract and multiply of tensors of one shape, with the older kernels and binary_ng's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conformance.binary_program import (
    ADD,
    MUL,
    NO_BROADCAST,
    OPERATIONS,
    SUB,
    Operation,
    run_binary_ng,
    run_older_binary,
)
from tests.conformance.error_bounds import BFLOAT16_NEAREST, FLOAT32_STEP, assert_within, rounded
from tests.conformance.programs import ALL_CORES, ONE_CORE, SHAPES, as_float64, on_device
from tilewright import ttnn

DTYPES = [ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b]
DTYPE_NAMES = ["bf16", "fp32", "bfp8"]
CORES = [ONE_CORE, ALL_CORES]
CORE_NAMES = ["1core", "64cores"]


def _operands(shape: tuple[int, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    generator = np.random.default_rng(11)
    return generator.normal(0, 3, shape).astype(np.float32), generator.normal(0, 3, shape).astype(np.float32)


@pytest.mark.parametrize("dtype", DTYPES, ids=DTYPE_NAMES)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_older_kernels(operation: Operation, dtype: ttnn.DataType, operations: Path, device: ttnn.Device) -> None:
    a, b = (on_device(each, dtype, device) for each in _operands((96, 160)))
    operation.check(run_older_binary(operations, operation, a, b, ALL_CORES), a, b)


@pytest.mark.parametrize("dtype", DTYPES, ids=DTYPE_NAMES)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_binary_ng(operation: Operation, dtype: ttnn.DataType, operations: Path, device: ttnn.Device) -> None:
    a, b = (on_device(each, dtype, device) for each in _operands((96, 160)))
    result = run_binary_ng(operations, operation, NO_BROADCAST, a, b, (96, 160), ALL_CORES)
    operation.check(result, a, b)


@pytest.mark.parametrize("cores", CORES, ids=CORE_NAMES)
@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 50, 80)], ids=str)
def test_sizes_and_cores(
    shape: tuple[int, ...], cores: ttnn.CoreRangeSet, operations: Path, device: ttnn.Device
) -> None:
    """The last shape has padding, which holds poison."""
    for dtype in (ttnn.bfloat16, ttnn.float32):
        a, b = (on_device(each, dtype, device) for each in _operands(shape))
        ADD.check(run_older_binary(operations, ADD, a, b, cores), a, b, f"older {shape}")
        SUB.check(run_binary_ng(operations, SUB, NO_BROADCAST, a, b, shape, cores), a, b, f"ng {shape}")


@pytest.mark.parametrize("shape", [(32, 32), (1024, 1024)], ids=str)
def test_bfloat8_sizes(shape: tuple[int, int], operations: Path, device: ttnn.Device) -> None:
    a, b = (on_device(each, ttnn.bfloat8_b, device) for each in _operands(shape))
    MUL.check(run_older_binary(operations, MUL, a, b, ALL_CORES), a, b, f"{shape}")


# Published results of mul_tiles on a Wormhole: 1.3125 x 7.96875 is 10.458984375, and each fidelity phase adds its part
# of the product to 16-bit DST. Both results are exact expectations.
@pytest.mark.parametrize(
    ("fidelity", "expected"),
    [(ttnn.MathFidelity.HiFi2, 10.4375), (ttnn.MathFidelity.HiFi4, 10.5)],
    ids=["HiFi2", "HiFi4"],
)
def test_fidelity_as_on_a_card(
    fidelity: ttnn.MathFidelity, expected: float, operations: Path, device: ttnn.Device
) -> None:
    a = on_device(np.full((32, 32), 1.3125, np.float32), ttnn.bfloat16, device)
    b = on_device(np.full((32, 32), 7.96875, np.float32), ttnn.bfloat16, device)
    result = run_older_binary(operations, MUL, a, b, ONE_CORE, fidelity=fidelity)
    assert_within(as_float64(result), np.full((32, 32), expected), 0.0, str(fidelity))


def test_low_fidelity_loses_bits(operations: Path, device: ttnn.Device) -> None:
    a, b = (on_device(each, ttnn.bfloat16, device) for each in _operands((96, 160)))
    result = run_older_binary(operations, MUL, a, b, ALL_CORES, fidelity=ttnn.MathFidelity.LoFi)
    expected = as_float64(a) * as_float64(b)
    # One phase takes 5 bits of SrcA and 7 of SrcB: what is left out is below 2^-4 and 2^-6 of them.
    bound = rounded(expected, 2.0**-4 + 2.0**-6 + BFLOAT16_NEAREST)
    share = assert_within(as_float64(result), expected, bound, "LoFi")
    assert share > 0.5, "LoFi is more precise than its multiplier"


def test_several_tiles_at_once(operations: Path, device: ttnn.Device) -> None:
    a, b = (on_device(each, ttnn.bfloat16, device) for each in _operands((512, 512)))
    SUB.check(run_older_binary(operations, SUB, a, b, ALL_CORES, tiles_at_once=4), a, b, "4 tiles in DST")


def test_function_after_add(operations: Path, device: ttnn.Device) -> None:
    a, b = (on_device(each, ttnn.bfloat16, device) for each in _operands((96, 160)))
    chain = [("SFPU_OP_CHAIN_0", "sigmoid_tile_init(); sigmoid_tile(i);")]
    result = run_older_binary(operations, ADD, a, b, ALL_CORES, defines=chain)
    total = as_float64(a) + as_float64(b)
    expected = 1 / (1 + np.exp(-total))
    # DST rounds the sum; the slope of the sigmoid is s (1 - s) <= 1/4. Then DST rounds the result.
    slope = expected * (1 - expected)
    from_sum = rounded(total, BFLOAT16_NEAREST)
    # A step of d in the argument changes s by at most exp(d) - 1 of its slope.
    bound = slope * np.expm1(from_sum) + rounded(expected, BFLOAT16_NEAREST * (1 + 2.0**-6) + 4 * FLOAT32_STEP)
    assert_within(as_float64(result), expected, bound, "sigmoid(a + b)")


def test_functions_before_multiply(operations: Path, device: ttnn.Device) -> None:
    """The operands go through DST and circular buffers of their own first."""
    a, b = (on_device(each, ttnn.bfloat16, device) for each in _operands((96, 160)))
    before = [
        ("SFPU_OP_INIT_PRE_IN0_0", "abs_tile_init();"),
        ("SFPU_OP_FUNC_PRE_IN0_0", "abs_tile(i);"),
        ("SFPU_OP_INIT_PRE_IN1_0", "negative_tile_init();"),
        ("SFPU_OP_FUNC_PRE_IN1_0", "negative_tile(i);"),
    ]
    result = run_older_binary(operations, MUL, a, b, ALL_CORES, defines=before, buffers=(3, 4))
    left, right = np.abs(as_float64(a)), -as_float64(b)
    assert_within(as_float64(result), left * right, MUL.bound(left, right, ttnn.bfloat16), "|a| * -b")


def test_relu_in_the_packer(operations: Path, device: ttnn.Device) -> None:
    a, b = (on_device(each, ttnn.bfloat16, device) for each in _operands((96, 160)))
    result = run_older_binary(operations, SUB, a, b, ALL_CORES, defines=[("PACK_RELU", "1")])
    left, right = as_float64(a), as_float64(b)
    bound = SUB.bound(left, right, ttnn.bfloat16)
    assert_within(as_float64(result), np.maximum(left - right, 0), bound, "relu(a - b)")


def test_binary_ng_activations(operations: Path, device: ttnn.Device) -> None:
    a, b = (on_device(each, ttnn.bfloat16, device) for each in _operands((96, 160)))
    activations = [("LHS", "relu_tile_init(); relu_tile(i);"), ("POST", "negative_tile_init(); negative_tile(i);")]
    kernels = NO_BROADCAST.with_buffers(3)
    result = run_binary_ng(operations, ADD, kernels, a, b, (96, 160), ALL_CORES, activations)
    left, right = np.maximum(as_float64(a), 0), as_float64(b)
    bound = ADD.bound(left, right, ttnn.bfloat16)
    assert_within(as_float64(result), -(left + right), bound, "-(relu(a) + b)")
