# SPDX-License-Identifier: Apache-2.0
"""Tensors that broadcast to others: over leading dimensions, rows, columns, both, in both layouts and directions."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright import BroadcastTensor, Rows, operation, ttnn
from tilewright.check._check_program import check_program
from tilewright.formula import Value, mean, softmax
from tilewright.ops import Operation, OperationError
from tilewright.ops._accuracy import held, judge

SHAPE = (2, 3, 40, 70)


@operation
def masked(x: Rows, mask: BroadcastTensor) -> Value:
    """A softmax with something added before."""
    return softmax(x + mask)


@operation
def weighted(x: Rows, weights: BroadcastTensor) -> Value:
    """A mean of columns."""
    return mean(x * weights, dim=-2)


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(12, grid=(2, 1))
    yield device
    ttnn.close_device(device)


def run(made: Operation, shape: tuple[int, ...], layout: ttnn.Layout, device: ttnn.Device, check: bool = False) -> None:
    generator = np.random.default_rng(2)
    shapes = dict(zip([each.name for each in made.inputs], (SHAPE, shape), strict=True))
    tensors = {
        name: ttnn.from_numpy(generator.standard_normal(each), ttnn.bfloat16, layout=layout, device=device)
        for name, each in shapes.items()
    }
    outcome = made.launch(tensors)
    accuracy = judge([outcome.output.to_numpy()], made.bounds(outcome.plan, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text
    if check:
        program = made.program(outcome.plan, {**tensors, "output": outcome.output})
        assert check_program([*tensors.values(), outcome.output], program).findings == []


@pytest.mark.parametrize("shape", [SHAPE, (2, 1, 40, 70), (3, 40, 70), (2, 1, 1, 70), (3, 40, 1), (70,)])
def test_row_major_tensors_broadcast(device, shape):
    run(masked, shape, ttnn.ROW_MAJOR_LAYOUT, device, check=shape == (2, 1, 1, 70))


def test_tensors_in_tiles_broadcast(device):
    run(masked, (2, 1, 40, 70), ttnn.TILE_LAYOUT, device)
    with pytest.raises(OperationError, match="Mask must be in ROW_MAJOR layout: it has one row for each slab"):
        run(masked, (2, 1, 1, 70), ttnn.TILE_LAYOUT, device)


def test_tensors_broadcast_with_reductions_over_columns(device):
    run(weighted, (2, 1, 40, 70), ttnn.ROW_MAJOR_LAYOUT, device)
    run(weighted, (40, 70), ttnn.TILE_LAYOUT, device)


def test_shape_that_does_not_broadcast_is_refused(device):
    with pytest.raises(OperationError, match=r"Mask must broadcast to \[2, 3, 40, 70\], .* got \[2, 40, 70\]"):
        run(masked, (2, 40, 70), ttnn.ROW_MAJOR_LAYOUT, device)
    x, mask = (ttnn.zeros(shape, ttnn.bfloat16, device=device) for shape in ((2, 3, 2, 4, 4), (2, 1, 2, 4, 4)))
    with pytest.raises(OperationError, match="Mask must not broadcast between dimensions that it has"):
        masked(x, mask)


def test_the_first_tensor_is_looked_at_first(device):
    with pytest.raises(OperationError, match="x must have at least 2 dimensions, got rank 1"):
        masked(*(ttnn.zeros((64,), ttnn.bfloat16, device=device) for _ in range(2)))
