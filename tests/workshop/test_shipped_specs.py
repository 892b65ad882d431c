# SPDX-License-Identifier: Apache-2.0
"""The specs of the operations are true: buffers, refusals, phases and references are those of the code beside them."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import ttnn
from tilewright.kernels import KernelFunction
from tilewright.kernels.phases import Phase
from tilewright.ops import OPERATIONS, Operation, Strategy
from tilewright.workshop.cases import run_case
from tilewright.workshop.spec import Spec, read_spec
from tilewright.workshop.spec.calls import Call, resolve_calls
from tilewright.workshop.spec.schedule import BlockLoop, Release, Schedule, Step, resident_schedule
from tilewright.workshop.spec.sense import plan_buffers
from tilewright.workshop.spec.streaming import streaming_schedule


def module(operation: Operation, name: str) -> Any:
    return importlib.import_module(f"tilewright.ops.{operation.name}.{name}")


@pytest.fixture(params=OPERATIONS, scope="module")
def operation(request: pytest.FixtureRequest) -> Operation:
    return OPERATIONS[request.param]


@pytest.fixture(scope="module")
def spec(operation: Operation) -> Spec:
    return read_spec(Path(module(operation, "op").__file__).parent)


def test_what_it_is(operation: Operation, spec: Spec) -> None:
    assert spec.name == operation.name
    assert spec.formula == operation.formula
    assert spec.torch == operation.torch_reference
    assert [each.name for each in spec.vectors] == list(operation.vectors)
    assert spec.has_epsilon == operation.has_epsilon
    shape = (2, 3, 5)
    assert operation.output_shape(shape) == ((2, 3, 1) if spec.output.is_column else shape)


def test_buffers(operation: Operation, spec: Spec) -> None:
    assert plan_buffers(spec) == operation.buffers


def test_refusals(operation: Operation, spec: Spec) -> None:
    wording = module(operation, "op").WORDING
    assert {each.property: each.error for each in spec.requirements} == vars(wording)


def test_passes(operation: Operation, spec: Spec) -> None:
    assert operation.kernels[Strategy.STREAMING].num_passes == spec.work.passes


# Phases: both sides as nested lists of what is called, with which buffers, and what is kept.


def of_schedule(schedule: Schedule) -> list[Any]:
    return [*_steps(schedule.once), ["rows", *_steps(schedule.row)]]


def _steps(steps: tuple[Step, ...]) -> Iterator[Any]:
    for step in steps:
        if isinstance(step, BlockLoop):
            yield ["blocks", *_steps(step.body)]
        elif isinstance(step, Release):
            yield ("cb_pop_front", step.buffer)
        else:
            yield _called(step)


def _called(call: Call) -> tuple[Any, ...]:
    flags = {name for name in call.arguments if name.startswith("keep") and ast.unparse(call.arguments[name]) == "True"}
    return (call.function, tuple(call.buffers.items()), frozenset(flags), _factor(call.arguments.get("factor_bits")))


def _factor(tree: ast.expr | None) -> str:
    """The name of a factor; numbers have none."""
    return tree.id if isinstance(tree, ast.Name) and tree.id.endswith("_bits") else ""


def of_kernel(kernel: KernelFunction) -> list[Any]:
    """The same from the kernel's text; of `if`s both sides, and nothing twice in a row."""
    return _without_repetitions(list(_statements(kernel, kernel.tree.body)))


def _statements(function: KernelFunction, body: list[ast.stmt]) -> Iterator[Any]:
    for statement in body:
        match statement:
            case ast.For():
                counts = {"range(num_tile_rows)": "rows", "range(num_blocks)": "blocks"}
                inside = _statements(function, statement.body)
                yield [counts[ast.unparse(statement.iter)], *inside]
            case ast.If():
                yield from _statements(function, statement.body)
            case ast.Expr(value=ast.Call(func=ast.Name()) as call):
                yield from _call(function, call)


def _call(function: KernelFunction, call: ast.Call) -> Iterator[Any]:
    assert isinstance(call.func, ast.Name)
    called = function.look_up(call.func.id)
    if call.func.id == "cb_pop_front":
        yield ("cb_pop_front", _buffer(call.args[0]))
    if not isinstance(called, KernelFunction):
        return
    given = dict(zip((each.name for each in called.parameters), call.args, strict=False))
    given.update({str(each.arg): each.value for each in call.keywords})
    if isinstance(called, Phase):
        buffers = {name: _buffer(given[name]) for name in given if name.startswith("cb")}
        flags = {name for name in given if name.startswith("keep") and ast.unparse(given[name]) == "True"}
        yield (called.name, tuple(buffers.items()), frozenset(flags), _factor(given.get("factor_bits")))
    else:
        yield from _statements(called, called.tree.body)


def _buffer(tree: ast.expr) -> str:
    return ast.unparse(tree).rpartition(".")[2]


def _without_repetitions(steps: list[Any]) -> list[Any]:
    result: list[Any] = []
    for step in steps:
        step = [step[0], *_without_repetitions(step[1:])] if isinstance(step, list) else step
        if step not in result or step[0] == "cb_pop_front":
            result.append(step)
    return result


def test_phases_are_those_of_the_kernel(operation: Operation, spec: Spec) -> None:
    calls, findings = resolve_calls(spec)
    assert findings == []
    assert of_schedule(resident_schedule(spec, calls)) == of_kernel(operation.kernels[Strategy.RESIDENT].compute)


def test_streamed_phases_are_those_of_the_kernel(operation: Operation, spec: Spec) -> None:
    calls, _ = resolve_calls(spec)
    if any(each.library is None for each in calls):
        pytest.skip("its own phases need a streaming kernel that was written by hand")
    derived = streaming_schedule(spec, calls)
    kernel = of_kernel(operation.kernels[Strategy.STREAMING].compute)
    written = [["rows", *_without_repetitions(of_schedule(derived.schedule)[-1][1:])]]
    assert written == kernel


def test_own_phases_have_the_contracts_of_the_code(operation: Operation, spec: Spec) -> None:
    calls, _ = resolve_calls(spec)
    for call in calls:
        if call.library is None:
            assert call.contract == getattr(module(operation, "kernels"), call.function).contract


def test_the_last_reference_is_the_operations(operation: Operation, spec: Spec) -> None:
    generator = np.random.default_rng(5)
    x = generator.standard_normal((2, 40, 100))
    known: dict[str, Any] = {"x": x, "np": np, "epsilon": 1e-5}
    known |= {each.name: generator.standard_normal(100) for each in spec.vectors}
    for phase in spec.phases:
        known[phase.name] = eval(phase.reference, known)
    exact = operation.reference(x, *(known[each.name] for each in spec.vectors), epsilon=1e-5)
    # One phase of layernorm lifts its factor by 2^-10, which the reference of its result does not.
    np.testing.assert_allclose(known[spec.phases[-1].name], exact, rtol=1e-12, atol=1e-12)


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=31, grid=(2, 2))
    yield device
    ttnn.close_device(device)


def test_its_cases_pass(operation: Operation, spec: Spec, device: ttnn.Device) -> None:
    for case in spec.tests:
        result = run_case(operation, spec, case, device)
        assert result.share <= 1, result.text
