# SPDX-License-Identifier: Apache-2.0
"""Formulas that need several programs: where they are split, what they compute, and that every part is clean."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright import BroadcastTensor, Column, Matrix, OwnTolerance, Positive, Row, Rows, operation, ttnn
from tilewright.check._check_program import check_program
from tilewright.formula import (
    FormulaError,
    Value,
    cast,
    exp,
    max,
    mean,
    relu,
    rsqrt,
    silu,
    softmax,
    square,
    sum,
    transpose,
    var,
)
from tilewright.ops import Operation, OperationError, Options, Strategy
from tilewright.ops._accuracy import held, judge, zeros_pass
from tilewright.ops._declaration import DeclarationError


@operation
def gated_mlp(x: Rows, gate: Matrix, up: Matrix, down: Matrix) -> Value:
    """(silu(x @ gate) * (x @ up)) @ down."""
    hidden = silu(x @ gate) * (x @ up)
    return hidden @ down


@operation
def mlp(x: Rows, gamma: Row, first: Matrix, bias: Row, second: Matrix, *, epsilon: Positive = 1e-6) -> Value:
    """x + relu(rms_norm(x) @ first + bias) @ second."""
    normal = x * rsqrt(mean(square(x)) + epsilon) * gamma
    return x + relu(normal @ first + bias) @ second


@operation
def both_ways(x: Rows, gamma: Row, *, epsilon: Positive = 1e-5) -> Value:
    """Columns are centred, then rows divided by the root of their mean square."""
    centred = x - mean(x, dim=-2)
    return centred * rsqrt(mean(square(centred)) + epsilon) * gamma


@operation
def whole_slab(x: Rows) -> Value:
    """A statistic of the slab beside one of the rows."""
    return softmax(x - max(x, dim=(-2, -1)))


@operation
def outer(x: Rows) -> tuple[Value, Value]:
    """A column times a row, and the row by itself: both results of what one part leaves."""
    down = mean(x, dim=-2)
    return down * mean(x), down


@operation
def down_then_matrix(x: Rows, weights: Matrix) -> Value:
    """A reduction down columns before a matmul, one down the product's columns after it."""
    product = (x - mean(x, dim=-2)) @ weights
    return product * rsqrt(mean(square(product), dim=-2) + 1e-3)


@operation
def masked(x: Rows, mask: BroadcastTensor, weights: Matrix, others: Matrix) -> Value:
    """A mask that serves several slabs, in the middle of two matmuls."""
    return softmax(x @ weights + mask) @ others


@operation
def whole_numbers(x: Rows) -> Value:
    """A result with a dtype of its own."""
    return cast(x * 8.0 - sum(x, dim=-2) + sum(x), "int32")


@operation
def attention(q: Rows, k: Rows, v: Rows, bias: Row, *, scale: Positive = 0.125) -> Value:
    """A matrix for each slab, one of them transposed; keys are more than queries."""
    return softmax(q @ transpose(k) * scale + bias) @ v


@operation
def computed_matrix(x: Rows, keys: Rows) -> Value:
    """What rows are multiplied by is computed."""
    return x @ transpose(relu(keys) + 0.5) + 1.0


@operation
def tied(x: Rows, weights: Matrix) -> Value:
    """One matrix, as it is and transposed."""
    return relu(x @ weights) @ transpose(weights)


@operation
def of_sides(x: Rows, bias: Column) -> tuple[Value, Value]:
    """Rows of a statistic and a column alone, and a result of the column."""
    return mean(x, dim=-2) + bias, relu(bias)


@operation
def crossed(x: Rows, y: Rows) -> tuple[Value, Value]:
    """Two results, each of a statistic of the other's tensor."""
    return y - sum(y + mean(x, dim=-2)), x - max(x + max(y), dim=-2)


_SHAPES: dict[str, tuple[int, ...]] = {"x": (2, 40, 70), "gamma": (70,), "mask": (40, 100), "bias": (100,)}
_MATRICES: dict[Operation, dict[str, tuple[int, ...]]] = {
    gated_mlp: {"gate": (70, 100), "up": (70, 100), "down": (100, 33)},
    mlp: {"first": (70, 100), "second": (100, 70)},
    down_then_matrix: {"weights": (70, 33)},
    masked: {"weights": (70, 100), "others": (100, 33)},
    attention: {"q": (2, 2, 40, 70), "k": (2, 2, 50, 70), "v": (2, 2, 50, 33), "bias": (50,)},
    computed_matrix: {"keys": (2, 90, 70)},
    tied: {"weights": (70, 100)},
    of_sides: {"bias": (2, 40, 1)},
}
_ALL = (
    gated_mlp, mlp, both_ways, whole_slab, outer, down_then_matrix, masked, whole_numbers, attention, computed_matrix,
    tied, of_sides,
)  # fmt: skip


def tensors_of(
    declared: Operation, device: ttnn.Device, dtype: ttnn.DataType, layout: ttnn.Layout = ttnn.ROW_MAJOR_LAYOUT
) -> dict[str, ttnn.Tensor]:
    generator = np.random.default_rng(3)
    arrays = {}
    for each in declared.inputs:
        shape = _MATRICES.get(declared, {}).get(each.name) or _SHAPES[each.name]
        arrays[each.name] = generator.standard_normal(shape) / (shape[0] ** 0.5 if each.is_matrix else 1.0)
    return {name: ttnn.from_numpy(each, dtype, layout=layout, device=device) for name, each in arrays.items()}


@pytest.mark.parametrize("declared", _ALL, ids=lambda each: each.name)
def test_split_formula_is_right_and_every_part_is_clean(device: ttnn.Device, declared: Operation) -> None:
    tensors = tensors_of(declared, device, ttnn.bfloat16)
    outcome = declared.launch(tensors)
    wanted = declared.outcome_bounds(outcome, held(tensors))
    accuracy = judge([each.to_numpy() for each in outcome.outputs], wanted)
    assert accuracy.is_within_bound, accuracy.text
    assert not zeros_pass(wanted)
    for exact, reference in zip(wanted.exact, declared.reference(held(tensors)), strict=True):
        np.testing.assert_array_equal(exact, reference)
    assert len(outcome.parts) == len(declared.parts) > 1
    for each in outcome.parts:
        assert check_program([*each.tensors.values()], each.program).findings == []


def test_parts_that_would_wait_for_each_other_are_not_merged() -> None:
    assert [each.makes for each in crossed.parts][-1] == ("output_0",)
    made = [name for each in crossed.parts for name in each.makes]
    for index, each in enumerate(crossed.parts):
        before = [name for other in crossed.parts[:index] for name in other.makes]
        assert {given.name for given in each.inputs} <= {"x", "y", *before}
    assert {"output_0", "output_1"} <= {*made}


def test_parts_of_different_widths_are_not_merged() -> None:
    @operation
    def two_widths(x: Rows, first: Matrix, second: Matrix) -> tuple[Value, Value]:
        """A product of two matrices, and rows as wide as the tensor."""
        return x @ first @ second, x * 2.0

    assert all(len(each.makes) == 1 for each in two_widths.parts)


def test_result_without_rows_is_refused_by_name() -> None:
    @operation
    def of_gamma(x: Rows, gamma: Row) -> tuple[Value, Value]:
        """A result of gamma alone beside one of both directions."""
        return max(x) + mean(x, dim=-2) * gamma, relu(gamma)

    with pytest.raises(OperationError, match=r"the result `relu\(gamma\)` is the same for all rows"):
        len(of_gamma.parts)


def test_result_in_tiles_serves_other_parts_as_rows(device: ttnn.Device) -> None:
    tensors = tensors_of(outer, device, ttnn.bfloat16, ttnn.TILE_LAYOUT)
    outcome = outer.launch(tensors)
    assert {each.layout for each in outcome.outputs} == {ttnn.TILE_LAYOUT}
    accuracy = judge([each.to_numpy() for each in outcome.outputs], outer.outcome_bounds(outcome, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text


def test_float32_and_other_strategies_of_parts(device: ttnn.Device) -> None:
    tensors = tensors_of(both_ways, device, ttnn.float32)
    for strategy in (None, Strategy.STREAMING):
        outcome = both_ways.launch(tensors, Options(strategy=strategy), parameters={"epsilon": 0.5})
        wanted = both_ways.outcome_bounds(outcome, held(tensors), {"epsilon": 0.5})
        accuracy = judge([outcome.output.to_numpy()], wanted)
        assert accuracy.is_within_bound, accuracy.text
    assert [each.plan.strategy.value for each in outcome.parts] == ["blocked", "streaming"]


def test_matrices_in_tiles_for_each_slab(device: ttnn.Device) -> None:
    shapes = {"q": (2, 40, 64), "k": (2, 96, 64), "v": (2, 96, 33), "bias": (1, 96)}
    generator = np.random.default_rng(5)
    tensors = {
        name: ttnn.from_numpy(generator.standard_normal(each), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        for name, each in shapes.items()
    }
    outcome = attention.launch(tensors)
    accuracy = judge([outcome.output.to_numpy()], attention.outcome_bounds(outcome, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text
    for each in outcome.parts:
        assert check_program([*each.tensors.values()], each.program).findings == []
    short = ttnn.from_numpy(np.ones((2, 40, 32)), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(
        OperationError, match=r"K must have shape \[2, N, 64\], a matrix for each slab, got \[2, 40, 32\]"
    ):
        attention.launch({**tensors, "k": short})


def test_transpose_outside_a_matmul_is_refused() -> None:
    with pytest.raises(FormulaError, match=r"`transpose\(x\)` has a place as the second operand of a matmul only"):

        @operation
        def turned(x: Rows) -> Value:
            """No second operand."""
            return transpose(x) + 1.0


def test_tensors_in_tiles_leave_results_in_tiles(device: ttnn.Device) -> None:
    tensors = tensors_of(both_ways, device, ttnn.bfloat16, ttnn.TILE_LAYOUT)
    outcome = both_ways.launch(tensors)
    assert outcome.output.layout is ttnn.TILE_LAYOUT
    accuracy = judge([outcome.output.to_numpy()], both_ways.outcome_bounds(outcome, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text


def test_split_is_at_the_cheapest_place() -> None:
    """Between two matmuls the operand of the second is left, in the dtype of the results; statistics, not rows."""

    def made(declared: Operation) -> list[tuple[str, str]]:
        return [
            (name, dtype.name)
            for part in declared.parts
            for name, dtype in zip(part.makes, part.output_dtypes(ttnn.bfloat16), strict=True)
        ]

    assert made(mlp) == [("relu", "BFLOAT16"), ("output", "BFLOAT16")]
    assert made(gated_mlp)[-2:] == [("hidden", "BFLOAT16"), ("output", "BFLOAT16")]
    assert made(both_ways) == [("mean", "FLOAT32"), ("output", "BFLOAT16")]
    assert made(masked) == [("mul", "BFLOAT16"), ("output", "BFLOAT16")]


def test_arrays_and_results_of_a_call() -> None:
    x = np.random.default_rng(0).standard_normal((64, 96)).astype(np.float32)
    centred = x - x.mean(-2, keepdims=True)
    wanted = centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + 1e-5)
    result = both_ways(x, np.ones(96, np.float32))
    # The matrix unit takes 10 mantissa bits of a float32.
    np.testing.assert_allclose(result, wanted, rtol=2**-8, atol=2**-8)


def test_overrides_are_refused_for_several_programs(device: ttnn.Device) -> None:
    with pytest.raises(DeclarationError, match="split_buffers: buffers are of one program, and this formula needs"):

        @operation(buffers={"hidden": 5})
        def split_buffers(x: Rows, first: Matrix, second: Matrix) -> Value:
            """Two matmuls."""
            hidden = relu(x @ first)
            return hidden @ second

    with pytest.raises(OperationError, match="both_ways runs as 2 programs, both_ways_mean, both_ways_output: name"):
        both_ways.plan((32, 32), ttnn.bfloat16, device)
    with pytest.raises(OperationError, match="block_tiles and deeper are of one plan"):
        both_ways.launch(tensors_of(both_ways, device, ttnn.bfloat16), Options(block_tiles=2))


def test_own_tolerance_takes_the_place_of_the_bound(device: ttnn.Device) -> None:
    @operation(tolerance=OwnTolerance(absolute=0.25, reason="for the test"))
    def rough(x: Rows) -> Value:
        """Variances in both directions."""
        return exp(-var(x)) - var(x, dim=-2)

    tensors = {"x": ttnn.from_numpy(np.ones((33, 40)), ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)}
    wanted = rough.outcome_bounds(rough.launch(tensors), held(tensors))
    assert (wanted.allowed[0] == 0.25).all()
