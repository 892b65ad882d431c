# SPDX-License-Identifier: Apache-2.0
"""Random formulas: planned, they are right against float64 within their own bound, in every plan; or refused."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as some

from tilewright import ttnn
from tilewright.formula import Extent, Value
from tilewright.formula import functions as formula
from tilewright.ops import Operation, Options, Strategy
from tilewright.ops.accuracy import held, judge
from tilewright.ops.direction import CannotPlanError
from tilewright.ops.operation import Input
from tilewright.ops.plan import Variant
from tilewright.ops.planner.model import Choices
from tilewright.ops.validation import Wording
from tilewright.tensor.paper_device import paper_device

INPUTS = (
    Input("x", Extent.FULL),
    Input("y", Extent.FULL),
    Input("row", Extent.ROW),
    Input("column", Extent.COLUMN),
)
UNARY = ("abs", "square", "sqrt", "rsqrt", "reciprocal", "exp", "log", "sigmoid", "tanh", "gelu", "silu", "erf", "relu")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "gt")


@some.composite
def recipes(draw: some.DrawFn, depth: int = 8) -> tuple[object, ...]:
    """A formula as nested tuples, which can be built again and again."""
    if depth == 0 or draw(some.integers(0, 4)) == 0:
        return ("leaf", draw(some.sampled_from(["x", "y", "row", "column", "number"])), draw(some.floats(0.25, 4)))
    kind = draw(some.sampled_from(["unary", "binary", "binary", "reduce", "where"]))
    if kind == "unary":
        return (kind, draw(some.sampled_from(UNARY)), draw(recipes(depth - 1)))
    if kind == "reduce":
        return (kind, draw(some.sampled_from(["sum", "mean", "max", "min"])), draw(recipes(depth - 1)))
    if kind == "where":
        return (kind, draw(recipes(0)), draw(recipes(depth - 1)), draw(recipes(depth - 2 if depth > 1 else 0)))
    return (kind, draw(some.sampled_from(BINARY)), draw(recipes(depth - 1)), draw(recipes(depth - 1)))


def built(recipe: tuple[object, ...], names: dict[str, Value]) -> Value | float:
    kind, *rest = recipe
    if kind == "leaf":
        return names.get(str(rest[0]), float(rest[1]))  # type: ignore[arg-type]
    operands = [built(each, names) for each in rest if isinstance(each, tuple)]
    if kind == "where":
        return formula.where(formula.as_value(operands[0]) > 1, *operands[1:])
    if kind == "reduce":
        # Only what has something to reduce over.
        value = formula.as_value(operands[0])
        return getattr(formula, str(rest[0]))(value) if value.extent is Extent.FULL else value
    if kind == "unary":
        return getattr(formula, str(rest[0]))(operands[0])
    a, b = (formula.as_value(each) for each in operands)
    known = {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b, "gt": a > b}
    return known[str(rest[0])] if rest[0] in known else getattr(formula, str(rest[0]))(a, b)


def operation_of(recipe: tuple[object, ...]) -> Operation:
    def random_formula(x: Value, y: Value, row: Value, column: Value) -> Value:
        # Every input is used, whatever the recipe says.
        names = {"x": x, "y": y, "row": row, "column": column}
        return (built(recipe, names) + x) * 1.0 + (y + row) * column

    return Operation(random_formula, INPUTS, (), Choices(), Wording())


def planned(operation: Operation) -> tuple[dict[Strategy, Variant], str]:
    """What it has for each strategy; nothing, and why, if it is refused."""
    try:
        return operation.variants(operation.form(ttnn.bfloat16)), ""
    except CannotPlanError as error:
        return {}, str(error)


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=9, grid=(1, 1))
    yield device
    ttnn.close_device(device)


@settings(max_examples=40, deadline=None, derandomize=True)  # 500 take 80 s of processor time, and pass
@given(recipes())
def test_every_formula_has_kernels_for_every_plan_or_is_refused(recipe: tuple[object, ...]) -> None:
    operation = operation_of(recipe)
    for arch in ("wormhole_b0", "blackhole"):
        variants, refusal = planned(operation)
        if refusal:
            assert "`" in refusal or "circular buffers" in refusal
            return
        for strategy, variant in variants.items():
            plan = operation.plan((64, 100), ttnn.bfloat16, paper_device(arch), strategy=strategy)
            assert plan.l1_bytes <= plan.l1_budget
            for kernel in variant.kernels:
                assert "void kernel_main() {" in kernel.cpp_source()


@settings(max_examples=3, deadline=None, derandomize=True)
@given(recipe=recipes())
def test_results_are_within_their_bound_in_every_plan(device: ttnn.Device, recipe: tuple[object, ...]) -> None:
    operation = operation_of(recipe)
    strategies, _ = planned(operation)
    generator = np.random.default_rng(0)
    shape = (40, 70)
    tensors = {
        each.name: ttnn.from_numpy(
            np.abs(generator.standard_normal(each.shape_of(shape))) + 0.25,
            ttnn.bfloat16,
            layout=ttnn.ROW_MAJOR_LAYOUT,
            device=device,
        )
        for each in operation.inputs
    }
    for strategy in strategies:
        blocks = 1 if strategy is Strategy.RESIDENT else 2
        outcome = operation.launch(tensors, Options(strategy=strategy, block_tiles=blocks))
        accuracy = judge([outcome.output.to_numpy()], operation.bounds(outcome.plan, held(tensors)))
        assert accuracy.is_within_bound, f"{operation.formula}: {accuracy.text}"
