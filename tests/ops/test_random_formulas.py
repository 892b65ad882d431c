# SPDX-License-Identifier: Apache-2.0
"""Random formulas: planned, they are right against float64 within their own bound, in every plan; or refused."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from tilewright import ttnn
from tilewright.check.check_program import check_program
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

# Each takes a second or two of compiling; 500 are run by hand when the planner changes.
NUM_RUN = int(os.environ.get("TILEWRIGHT_RANDOM_FORMULAS", "2"))
KINDS = {"x": Extent.FULL, "y": Extent.FULL, "row": Extent.ROW, "column": Extent.COLUMN}
# Inputs that have a place beside reductions over a dimension.
DIMENSIONS = {-1: ("x", "y", "row", "column"), -2: ("x", "y", "row"), (-2, -1): ("x", "y")}
UNARY = (
    "abs", "square", "sqrt", "rsqrt", "reciprocal", "exp", "exp2", "expm1", "log", "log1p", "sigmoid", "tanh", "gelu",
    "silu", "erf", "relu", "sign", "sin", "cos",
)  # fmt: skip
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "gt", "le", "ne")


@some.composite
def recipes(draw: some.DrawFn, depth: int = 8) -> tuple[object, ...]:
    """A formula as nested tuples, which can be built again and again."""
    if depth == 0 or draw(some.integers(0, 4)) == 0:
        return ("leaf", draw(some.sampled_from([*KINDS, "number"])), draw(some.floats(0.25, 4)))
    kind = draw(some.sampled_from(["unary", "unary", "binary", "binary", "reduce", "where", "limit"]))
    if kind == "unary":
        return (kind, draw(some.sampled_from(UNARY)), draw(recipes(depth - 1)))
    if kind == "reduce":
        return (kind, draw(some.sampled_from(["sum", "mean", "max", "min", "var"])), draw(recipes(depth - 1)))
    if kind == "limit":
        return (kind, draw(some.sampled_from(["clamp", "power"])), draw(recipes(depth - 1)))
    if kind == "where":
        return (kind, draw(recipes(0)), draw(recipes(depth - 1)), draw(recipes(depth - 2 if depth > 1 else 0)))
    return (kind, draw(some.sampled_from(BINARY)), draw(recipes(depth - 1)), draw(recipes(depth - 1)))


def built(recipe: tuple[object, ...], names: dict[str, Value], dim: object) -> Value | float:
    kind, *rest = recipe
    if kind == "leaf":
        return names.get(str(rest[0]), float(rest[1]))  # type: ignore[arg-type]
    operands = [built(each, names, dim) for each in rest if isinstance(each, tuple)]
    if kind == "where":
        return formula.where(formula.as_value(operands[0]) > 1, *operands[1:])
    if kind == "reduce":
        # Only what has something to reduce over.
        value = formula.as_value(operands[0])
        return getattr(formula, str(rest[0]))(value, dim) if value.extent is Extent.FULL else value
    if kind == "unary":
        return getattr(formula, str(rest[0]))(operands[0])
    if kind == "limit":
        return formula.clamp(operands[0], -2, 3) if rest[0] == "clamp" else formula.power(formula.abs(operands[0]), 1.5)
    a, b = (formula.as_value(each) for each in operands)
    known = {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b, "gt": a > b, "le": a <= b, "ne": a != b}
    return known[str(rest[0])] if rest[0] in known else getattr(formula, str(rest[0]))(a, b)


def operation_of(recipe: tuple[object, ...], dim: object) -> Operation:
    def random_formula(x: Value, y: Value, row: Value | None = None, column: Value | None = None) -> Value:
        # Every input is used, whatever the recipe says.
        given = {"x": x, "y": y, "row": row, "column": column}
        inputs = {name: value for name, value in given.items() if value is not None}
        all_of_them = functools.reduce(lambda a, b: a * b, inputs.values())
        return (built(recipe, inputs, dim) + inputs["x"]) * 1.0 + all_of_them

    inputs = [Input(name, KINDS[name]) for name in DIMENSIONS[dim]]  # type: ignore[index]
    return Operation(random_formula, inputs, (), Choices(), Wording())


def planned(operation: Operation) -> tuple[dict[Strategy, Variant], str]:
    """What it has for each strategy; nothing, and why, if it is refused."""
    try:
        return operation.variants(operation.form(ttnn.bfloat16)), ""
    except CannotPlanError as error:
        return {}, str(error)


@pytest.fixture(scope="module")
def devices() -> Iterator[tuple[ttnn.Device, ttnn.Device]]:
    opened = [ttnn.open_device(9 + i, arch, grid=(1, 1)) for i, arch in enumerate(("wormhole_b0", "blackhole"))]
    yield opened[0], opened[1]
    for device in opened:
        ttnn.close_device(device)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(recipes(), some.sampled_from(list(DIMENSIONS)))
def test_every_formula_has_kernels_for_every_plan_or_is_refused(recipe: tuple[object, ...], dim: object) -> None:
    operation = operation_of(recipe, dim)
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


@settings(max_examples=NUM_RUN, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(recipe=recipes(), dim=some.sampled_from(list(DIMENSIONS)), is_blackhole=some.booleans())
def test_results_are_within_their_bound_in_every_plan(
    devices: tuple[ttnn.Device, ttnn.Device], recipe: tuple[object, ...], dim: object, is_blackhole: bool
) -> None:
    operation = operation_of(recipe, dim)
    device = devices[is_blackhole]
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
    for strategy in planned(operation)[0]:
        blocks = 1 if strategy is Strategy.RESIDENT else 2
        outcome = operation.launch(tensors, Options(strategy=strategy, block_tiles=blocks))
        accuracy = judge([outcome.output.to_numpy()], operation.bounds(outcome.plan, held(tensors)))
        assert accuracy.is_within_bound, f"{operation.formula}: {accuracy.text}"
        output = dict(zip(operation.output_names, outcome.outputs, strict=True))
        program = operation.program(outcome.plan, {**tensors, **output})
        assert check_program([*tensors.values(), outcome.output], program).findings == [], operation.formula
