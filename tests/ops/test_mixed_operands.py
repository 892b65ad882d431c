# SPDX-License-Identifier: Apache-2.0
"""Every tensor of a call has its own dtype and layout, block floats in tiles among them."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright import Column, Matrix, Row, Rows, operation, ttnn
from tilewright.check import check_program
from tilewright.formula import Value, exp, mean, relu, transpose
from tilewright.formula._validation import OperationError
from tilewright.ops import Operation
from tilewright.ops._accuracy import held, judge

ROWS, TILES = ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT


@operation
def mixed(x: Rows, y: Rows, gamma: Row, scale: Column) -> Value:
    """Two tensors of rows, a row and a column."""
    return (x - mean(x)) * gamma + exp(y) * scale


@pytest.mark.parametrize(
    "forms",
    [
        ((ttnn.bfloat16, ROWS), (ttnn.float32, ROWS), (ttnn.float32, ROWS), (ttnn.bfloat16, ROWS)),
        ((ttnn.float32, ROWS), (ttnn.bfloat16, TILES), (ttnn.bfloat16, ROWS), (ttnn.float32, TILES)),
        ((ttnn.bfloat8_b, TILES), (ttnn.bfloat16, ROWS), (ttnn.bfloat16, TILES), (ttnn.float32, ROWS)),
        ((ttnn.bfloat16, TILES), (ttnn.bfloat8_b, TILES), (ttnn.float32, ROWS), (ttnn.bfloat16, ROWS)),
    ],
    ids=["dtypes", "layouts", "block floats first", "block floats second"],
)
def test_operands_of_all_kinds(device: ttnn.Device, forms: tuple[tuple[ttnn.DataType, ttnn.Layout], ...]) -> None:
    generator = np.random.default_rng(5)
    tensors = {}
    for each, (dtype, layout) in zip(mixed.inputs, forms, strict=True):
        shape = each.shape_of((2, 40, 70))
        array = generator.standard_normal(shape if len(shape) > 1 else (1, *shape))
        tensors[each.name] = ttnn.from_numpy(array, dtype, layout=layout, device=device)
    outcome = mixed.launch(tensors)
    first = forms[0][0]
    assert outcome.output.dtype is (ttnn.bfloat16 if first is ttnn.bfloat8_b else first)
    accuracy = judge([outcome.output.to_numpy()], mixed.bounds(outcome.plan, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text


@operation
def layer(x: Rows, w: Matrix) -> Value:
    """A layer without bias."""
    return relu(x @ w)


@operation
def scores(x: Rows, w: Rows) -> Value:
    """Rows times other rows, slab by slab."""
    return x @ transpose(w)


@pytest.mark.parametrize(("operation", "right"), [(layer, (64, 80)), (scores, (2, 40, 64))])
@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b])
def test_weights_of_four_bits(
    device: ttnn.Device, operation: Operation, right: tuple[int, ...], dtype: ttnn.DataType
) -> None:
    """The bound is that of the weights as they are held: rounding them to four bits is the caller's."""
    generator = np.random.default_rng(6)
    x, w = generator.standard_normal((2, 40, 64)), generator.standard_normal(right)
    tensors = {
        "x": ttnn.from_numpy(x, dtype, layout=TILES, device=device),
        "w": ttnn.from_numpy(w, ttnn.bfloat4_b, layout=TILES, device=device),
    }
    outcome = operation.launch(tensors)
    accuracy = judge([outcome.output.to_numpy()], operation.bounds(outcome.plan, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text
    again = operation.launch(tensors)
    assert check_program([*tensors.values(), again.output], again.program).findings == []


def test_four_bits_are_for_weights_only(device: ttnn.Device) -> None:
    w, x = (ttnn.from_numpy(np.ones((64, 64)), dtype, layout=TILES, device=device)
            for dtype in (ttnn.bfloat4_b, ttnn.bfloat16))  # fmt: skip
    with pytest.raises(OperationError, match="x must be BFLOAT16, FLOAT32, BFLOAT8_B or INT32, got BFLOAT4_B"):
        layer(w, x)
    with pytest.raises(OperationError, match="W must be BFLOAT16, FLOAT32, BFLOAT8_B or BFLOAT4_B, got INT32"):
        layer(x, ttnn.from_numpy(np.ones((64, 64)), ttnn.int32, layout=TILES, device=device))
