# SPDX-License-Identifier: Apache-2.0
"""Casts, integers, and results of another dtype than the tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright import Column, Matrix, Row, Rows, operation, ttnn
from tilewright.formula import FormulaError, Value, cast, matmul, max, maximum, minimum, square, sum
from tilewright.ops import Operation, OperationError
from tilewright.ops._accuracy import held, judge


@operation
def scores(x: Rows, y: Rows) -> tuple[Value, Value, Value]:
    """How many of a row are above zero, the largest of another, and a product with a number cut on the way."""
    return cast(sum(x > 0), ttnn.int32), max(y), cast(x * 1.5, "int32") * y


@operation
def wider(x: Rows, offset: Row) -> tuple[Value, Value]:
    """A sum in float32, and rounded to bfloat16."""
    return cast(x + offset, "float32"), cast(x + offset, ttnn.bfloat16)


@operation
def transformed(x: Rows, weights: Matrix) -> Value:
    """A product."""
    return matmul(x, weights)


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(11, grid=(2, 1))
    yield device
    ttnn.close_device(device)


def run(made: Operation, device: ttnn.Device, *dtypes: ttnn.DataType, layout: Any = ttnn.ROW_MAJOR_LAYOUT):
    generator = np.random.default_rng(3)
    tensors = {}
    for each, dtype in zip(made.inputs, dtypes, strict=True):
        values = generator.standard_normal(each.shape_of((40, 70)))
        # Integers that float32 cannot hold: reading them rounds.
        array = (values * 2**26).astype(np.int32) if dtype is ttnn.int32 else values
        tensors[each.name] = ttnn.from_numpy(array, dtype, layout=layout, device=device)
    outcome = made.launch(tensors)
    accuracy = judge([each.to_numpy() for each in outcome.outputs], made.bounds(outcome.plan, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text
    return outcome.outputs, held(tensors)


def test_integers_go_in_and_come_out(device):
    (count, largest, product), given = run(scores, device, ttnn.int32, ttnn.int32)
    assert [count.dtype, largest.dtype, product.dtype] == [ttnn.int32, ttnn.float32, ttnn.float32]
    np.testing.assert_array_equal(count.to_numpy(), (given["x"] > 0).sum(-1, keepdims=True))


def clamped(y: Value) -> Value:
    return minimum(maximum(y, -46_340), 46_340)


@operation
def whole(x: Rows, y: Rows) -> tuple[Value, Value, Value, Value]:
    """Results that are made of integers only, and one that is not."""
    return (
        cast(maximum(x, y) - 3 * minimum(x, 16_777_217) + 1, "int32"),
        cast(-square(clamped(y)) + x * 5, "int32"),
        cast(x, "int32"),
        cast(x * 0.5, "int32"),
    )


@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT])
def test_arithmetic_of_integers_is_exact(device, layout):
    (first, second, same, half), given = run(whole, device, ttnn.int32, ttnn.int32, layout=layout)
    x, y = (given[name].astype(np.int64) for name in ("x", "y"))
    np.testing.assert_array_equal(same.to_numpy(), x)
    for found, exact in (
        (first, np.maximum(x, y) - 3 * np.minimum(x, 16_777_217) + 1),
        (second, -(np.clip(y, -46_340, 46_340) ** 2) + x * 5),
    ):
        fits = np.abs(exact) < 2**31
        assert fits.mean() > 0.5
        assert (np.abs(exact) > 2**24).any()
        np.testing.assert_array_equal(found.to_numpy()[fits], exact[fits])
    assert (half.to_numpy() != np.trunc(x * 0.5)).any(), "this one is computed in float32, and its bound is float32's"


def test_integers_beside_floats_in_tiles(device):
    outputs, _ = run(scores, device, ttnn.bfloat16, ttnn.int32, layout=ttnn.TILE_LAYOUT)
    assert [each.dtype for each in outputs] == [ttnn.int32, ttnn.bfloat16, ttnn.bfloat16]


def test_a_cast_result_has_its_own_dtype(device):
    (whole, rounded), given = run(wider, device, ttnn.bfloat16, ttnn.bfloat16)
    assert [whole.dtype, rounded.dtype] == [ttnn.float32, ttnn.bfloat16]
    exact = given["x"] + given["offset"]
    np.testing.assert_allclose(whole.to_numpy(), exact, rtol=2**-22)
    assert np.abs(rounded.to_numpy() - exact).max() > 2**-12


@operation
def handed_through(x: Rows, column: Column) -> tuple[Value, Value]:
    """A column as it came, and where the matrix unit reads it."""
    return column, x + column


def test_operand_of_the_matrix_unit_is_rounded(device):
    run(handed_through, device, ttnn.float32, ttnn.float32)


def test_integers_are_refused_by_float_functions(device):
    x, row, square = (ttnn.from_numpy(np.ones(s, np.int32), ttnn.int32, device=device) for s in ((2, 4), (4,), (4, 4)))
    with pytest.raises(OperationError, match="Offset must be BFLOAT16, FLOAT32 or BFLOAT8_B, got INT32"):
        wider(x, row)
    with pytest.raises(OperationError, match="X must be BFLOAT16, FLOAT32 or BFLOAT8_B, as it is multiplied"):
        transformed(x, ttnn.from_numpy(np.ones((4, 4), np.float32), ttnn.bfloat16, device=device))
    with pytest.raises(OperationError, match="Weights must be"):
        transformed(ttnn.from_numpy(np.ones((2, 4), np.float32), ttnn.bfloat16, device=device), square)


def test_cast_error_names_the_possible_dtypes():
    with pytest.raises(FormulaError, match=r"cast\(x, 'uint8'\): the dtype must be one of bfloat16, float32, int32"):

        @operation
        def wrong(x: Rows) -> Value:
            return cast(x, "uint8")
