# SPDX-License-Identifier: Apache-2.0
"""Every tensor of a call has its own dtype and layout, block floats in tiles among them."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright import Column, Row, Rows, operation, ttnn
from tilewright.formula import Value, exp, mean
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
