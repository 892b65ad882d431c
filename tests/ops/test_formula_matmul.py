# SPDX-License-Identifier: Apache-2.0
"""Matmul in a formula: matrices that are not square, both layouts, and what is refused with what to write instead."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright import BroadcastTensor, Column, Matrix, Row, Rows, Scalar, operation, ttnn
from tilewright._tensor.paper_device import paper_device
from tilewright.check._check_program import check_program
from tilewright.formula import FormulaError, Value, log, matmul, mean, relu, rsqrt, silu, softmax, square, where
from tilewright.ops import Operation, OperationError, Options
from tilewright.ops._accuracy import held, judge, zeros_pass


@operation
def linear_relu(x: Rows, weights: Matrix, bias: Row) -> Value:
    """relu(x @ weights + bias)."""
    return relu(matmul(x, weights) + bias)


def tensors_of(
    shapes: dict[str, tuple[int, ...]], device: ttnn.Device, dtype: ttnn.DataType, layout: ttnn.Layout
) -> dict[str, ttnn.Tensor]:
    generator = np.random.default_rng(1)
    return {
        name: ttnn.from_numpy(generator.standard_normal(shape), dtype, layout=layout, device=device)
        for name, shape in shapes.items()
    }


@pytest.mark.parametrize(
    ("sizes", "dtype", "layout"),
    [
        ((70, 100, 150), ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT),
        ((33, 200, 5), ttnn.float32, ttnn.ROW_MAJOR_LAYOUT),
        ((40, 64, 170), ttnn.bfloat16, ttnn.TILE_LAYOUT),
    ],
    ids=["rows", "float32", "tiles"],
)
def test_matrices_of_any_shape(
    device: ttnn.Device, sizes: tuple[int, int, int], dtype: ttnn.DataType, layout: ttnn.Layout
) -> None:
    rows, inner, columns = sizes
    shapes = {"x": (2, rows, inner), "weights": (inner, columns), "bias": (1, columns)}
    tensors = tensors_of(shapes, device, dtype, layout)
    for strategy in linear_relu.variants(linear_relu.form(dtype, layout)):
        blocks = 1 if strategy.keeps_lines else 2
        outcome = linear_relu.launch(tensors, Options(strategy=strategy, block_tiles=blocks))
        assert tuple(outcome.output.shape) == (2, rows, columns)
        accuracy = judge([outcome.output.to_numpy()], linear_relu.bounds(outcome.plan, held(tensors)))
        assert accuracy.is_within_bound, accuracy.text
        program = linear_relu.program(outcome.plan, {**tensors, "output": outcome.output})
        assert check_program([*tensors.values(), outcome.output], program).findings == []


@operation
def gated(x: Rows, gate: Rows, scale: Row, weights: Matrix, *, factor: float = 0.5) -> Value:
    """softmax((x * silu(gate * factor) * scale) @ weights * factor): something before the product and after it."""
    return softmax(matmul(x * silu(gate * factor) * scale, weights) * factor)


@pytest.mark.parametrize(
    ("inner", "dtypes", "layouts"),
    [
        (70, [ttnn.bfloat16, ttnn.float32, ttnn.bfloat16, ttnn.bfloat16], [ttnn.ROW_MAJOR_LAYOUT] * 4),
        (64, [ttnn.bfloat8_b, ttnn.bfloat16, ttnn.float32, ttnn.bfloat16], [ttnn.TILE_LAYOUT] * 4),
    ],
    ids=["rows", "tiles"],
)
def test_operand_of_a_matmul_may_be_computed(
    device: ttnn.Device, inner: int, dtypes: list[ttnn.DataType], layouts: list[ttnn.Layout]
) -> None:
    shapes = {"x": (2, 40, inner), "gate": (2, 40, inner), "scale": (inner,), "weights": (inner, 100)}
    generator = np.random.default_rng(4)
    tensors = {
        name: ttnn.from_numpy(generator.standard_normal(shape), dtype, layout=layout, device=device)
        for (name, shape), dtype, layout in zip(shapes.items(), dtypes, layouts, strict=True)
    }
    for strategy in gated.variants(gated.form(dtypes, layouts)):
        outcome = gated.launch(tensors, Options(strategy=strategy, block_tiles=2), parameters={"factor": 0.75})
        wanted = gated.bounds(outcome.plan, held(tensors), {"factor": 0.75})
        accuracy = judge([outcome.output.to_numpy()], wanted)
        assert accuracy.is_within_bound, accuracy.text
        assert not zeros_pass(wanted)
    program = gated.program(outcome.plan, {**tensors, "output": outcome.output})
    assert check_program([*tensors.values(), outcome.output], program).findings == []


@operation
def attention(scores: Rows, slope: Column, shift: Scalar, values: Matrix, *, factor: float = 0.5) -> Value:
    """softmax(scores * slope * factor + shift) @ values, normalised once more: reductions on both sides."""
    taken = matmul(softmax(scores * slope * factor + shift), values)
    return taken - mean(taken)


@operation
def rms_linear(scores: Rows, gamma: Row, values: Matrix, *, factor: float = 1e-6) -> Value:
    """rms_norm(scores) @ values, of which rows are multiplied as they are beside a tile's edge."""
    return matmul(scores * rsqrt(mean(square(scores)) + factor) * gamma, values)


@pytest.mark.parametrize(
    ("declared", "inner", "dtype", "layout"),
    [
        (attention, 70, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT),
        (attention, 64, ttnn.float32, ttnn.TILE_LAYOUT),
        (rms_linear, 33, ttnn.float32, ttnn.ROW_MAJOR_LAYOUT),
    ],
    ids=["softmax", "softmax-tiles", "rms"],
)
def test_reductions_and_columns_before_a_matmul(
    device: ttnn.Device, declared: Operation, inner: int, dtype: ttnn.DataType, layout: ttnn.Layout
) -> None:
    shapes = {
        "scores": (2, 40, inner),
        "slope": (2, 40, 1),
        "shift": (1, 1),
        "gamma": (1, inner),
        "values": (inner, 70),
    }
    generator = np.random.default_rng(6)
    tensors = {
        each.name: ttnn.from_numpy(
            # Rows far below zero: exp of the zeros beside them is no number, and must not meet the matrix.
            generator.standard_normal(shapes[each.name]) - (300 if each.name == "scores" and inner == 70 else 0),
            dtype, layout=layout, device=device,
        )
        for each in declared.inputs
    }  # fmt: skip
    if "slope" in tensors:
        tensors["slope"] = ttnn.from_numpy(np.full((2, 40, 1), 0.5), dtype, layout=layout, device=device)
    for strategy in declared.variants(declared.form(dtype, layout)):
        outcome = declared.launch(tensors, Options(strategy=strategy, block_tiles=1))
        wanted = declared.bounds(outcome.plan, held(tensors))
        accuracy = judge([outcome.output.to_numpy()], wanted)
        assert accuracy.is_within_bound, accuracy.text
        assert np.isfinite(outcome.output.to_numpy()).all()
        program = declared.program(outcome.plan, {**tensors, "output": outcome.output})
        assert check_program([*tensors.values(), outcome.output], program).findings == []
    assert inner == 70 or not zeros_pass(wanted)


def test_tensor_broadcasts_before_a_matmul(device: ttnn.Device) -> None:
    @operation
    def masked(x: Rows, mask: BroadcastTensor, weights: Matrix) -> Value:
        """Rows of a mask serve several slabs; they are as wide as x, not as the product."""
        return matmul(where(mask > 0, x, 0.25), weights)

    shapes = {"x": (2, 3, 40, 70), "mask": (3, 40, 70), "weights": (70, 50)}
    tensors = tensors_of(shapes, device, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
    outcome = masked.launch(tensors)
    accuracy = judge([outcome.output.to_numpy()], masked.bounds(outcome.plan, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text


def test_nan_in_padding_of_rows_does_not_reach_the_matrix(device: ttnn.Device) -> None:
    @operation
    def logarithms(x: Rows, weights: Matrix) -> Value:
        """log(0) times a zero is no zero."""
        return matmul(log(x), weights)

    values = np.full((2, 40), 2.0)
    x = ttnn.from_numpy(values, ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    tensors = {"x": x, **tensors_of({"weights": (40, 8)}, device, ttnn.float32, ttnn.ROW_MAJOR_LAYOUT)}
    outcome = logarithms.launch(tensors)
    accuracy = judge([outcome.output.to_numpy()], logarithms.bounds(outcome.plan, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text


@operation
def block(x: Rows, scale: Column, gamma: Row, weights: Matrix) -> Value:
    """The beginning of a transformer's layer: tensors before the product are needed after it, too."""
    normal = x * rsqrt(mean(square(x)) + 1e-6) * gamma
    return x + matmul(normal * scale, weights) * scale + mean(x)


@operation
def shifted(x: Rows, weights: Matrix) -> Value:
    """A tensor that is multiplied as it is, and added."""
    return matmul(x, weights) + x


@pytest.mark.parametrize("declared", [block, shifted], ids=["block", "shifted"])
def test_tensor_is_used_before_and_after_a_matmul(device: ttnn.Device, declared: Operation) -> None:
    usual = {"x": (2, 40, 70), "scale": (2, 40, 1), "gamma": (70,), "weights": (70, 70)}
    shapes = {each.name: usual[each.name] for each in declared.inputs}
    tensors = tensors_of(shapes, device, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
    for strategy in declared.variants(declared.form(ttnn.bfloat16)):
        outcome = declared.launch(tensors, Options(strategy=strategy, block_tiles=1))
        wanted = declared.bounds(outcome.plan, held(tensors))
        accuracy = judge([outcome.output.to_numpy()], wanted)
        assert accuracy.is_within_bound, accuracy.text
        assert not zeros_pass(wanted)
        program = declared.program(outcome.plan, {**tensors, "output": outcome.output})
        assert check_program([*tensors.values(), outcome.output], program).findings == []
    wide = tensors_of({"weights": (70, 96)}, device, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
    with pytest.raises(OperationError, match="X is needed before a matmul and after it, so weights must be square"):
        declared.launch({**tensors, **wide})


def test_bound_of_softmax_is_finite_where_errors_of_its_operand_decide() -> None:
    @operation
    def chosen(x: Rows, weights: Matrix) -> Value:
        """Weights of large products."""
        return softmax(x @ weights)

    generator = np.random.default_rng(0)
    operands = {"x": generator.standard_normal((64, 96)) * 30, "weights": generator.standard_normal((96, 96))}
    plan = chosen.plan((64, 96), ttnn.bfloat16, paper_device("wormhole_b0"))
    (allowed,) = chosen.bounds(plan, operands).allowed
    assert np.all(allowed < 1000)


def test_shapes_that_do_not_go_together(device: ttnn.Device) -> None:
    def call(**shapes: tuple[int, ...]) -> None:
        usual: dict[str, tuple[int, ...]] = {"x": (32, 64), "weights": (64, 96), "bias": (96,)}
        linear_relu.launch(tensors_of({**usual, **shapes}, device, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT))

    with pytest.raises(OperationError, match=r"Weights must be a matrix of 64 rows, .* got shape \[32, 96\]"):
        call(weights=(32, 96))
    with pytest.raises(OperationError, match="Bias last dimension 64 must match input last dimension 96"):
        call(bias=(64,))
    x = tensors_of({"x": (32, 40)}, device, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
    rest = tensors_of({"weights": (40, 96), "bias": (1, 96)}, device, ttnn.bfloat16, ttnn.TILE_LAYOUT)
    with pytest.raises(OperationError, match="Weights must be in ROW_MAJOR layout: 40 products"):
        linear_relu.launch({**x, **rest})


def test_matrix_outside_a_matmul_is_refused() -> None:
    with pytest.raises(FormulaError, match="`weights` is a Matrix, which has a place in matmul"):

        @operation
        def added(x: Rows, weights: Matrix) -> Value:
            """A matrix elsewhere."""
            return x + weights
