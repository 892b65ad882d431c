# SPDX-License-Identifier: Apache-2.0
"""Trace a Python function into a formula.

Names of the function's local variables become the names of the values they hold when it returns; circular buffers,
phases and messages are called after them. What is written down twice is computed once.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilewright.formula._evaluate import Float64, evaluate_all
from tilewright.formula._graph import FormulaError, Value, as_value, check_transposes, expression_text, nodes_of


@dataclasses.dataclass(frozen=True)
class Formula:
    """The formula of an operation.

    Attributes:
        inputs: its tensors, in the order of the parameters.
        parameters: the numbers it takes at each call.
        outputs: its results.
        names: of values that have one, by id.
    """

    inputs: tuple[Value, ...]
    parameters: tuple[Value, ...]
    outputs: tuple[Value, ...]
    names: Mapping[int, str]

    @property
    def nodes(self) -> list[Value]:
        return nodes_of(self.outputs)

    def name_of(self, value: Value) -> str:
        """The name of a value; empty if it has none."""
        return self.names.get(id(value), "")

    def text(self) -> str:
        """The results, each as one expression."""
        return ", ".join(expression_text(each) for each in self.outputs)

    def lines(self) -> list[str]:
        """One line for each value with a name, then the results."""
        lines, known = [], {id(each): each.name for each in (*self.inputs, *self.parameters)}
        for node in self.nodes:
            if id(node) in self.names and not node.is_leaf:
                lines.append(f"{self.names[id(node)]} = {expression_text(node, known)}")
                known[id(node)] = self.names[id(node)]
        results = ", ".join(expression_text(each, known) for each in self.outputs)
        return [*lines, f"return {results}"]

    def reference(self, names: Mapping[str, Any]) -> tuple[Float64, ...]:
        """The exact results in float64, for arrays of the inputs and numbers of the parameters."""
        values = evaluate_all(self.outputs, names)
        return tuple(values[id(each)] for each in self.outputs)


def trace(function: Callable[..., Any], inputs: Sequence[Value], parameters: Sequence[Value]) -> Formula:
    """Calls the function once and keeps what it wrote down.

    Raises:
        FormulaError: it gives something that is no value, or does not depend on its inputs.
    """
    variables: dict[str, Any] = {}
    given = {each.name: each for each in (*inputs, *parameters)}
    result = _called(function, given, variables)
    several = result if isinstance(result, tuple) else (result,)
    if result is None or not several:
        raise FormulaError(f"{function.__name__} returns nothing: end it with `return` and its result")
    written = tuple(as_value(each) for each in several)
    merged = _merged(written)
    outputs = tuple(merged[id(each)] for each in written)
    check_transposes(outputs)
    reached = {id(each) for each in nodes_of(outputs)}
    for each in inputs:
        if id(each) not in reached:
            raise FormulaError(f"{function.__name__} does not use {each.name}: leave the parameter out, or use it")
    for output in outputs:
        if not any(node.function == "input" for node in nodes_of([output])):
            raise FormulaError(f"a result of {function.__name__}, `{output}`, depends on no tensor")
    held = {name: value for name, value in variables.items() if isinstance(value, Value) and not value.is_leaf}
    names = {id(merged.get(id(value), value)): name for name, value in held.items()}
    return Formula(tuple(inputs), tuple(parameters), outputs, names)


def _merged(outputs: Sequence[Value]) -> dict[int, Value]:
    """Values by the id they were written down with; what is written down twice is one value."""
    known: dict[tuple[object, ...], Value] = {}
    made: dict[int, Value] = {}
    for node in nodes_of(outputs):
        operands = [made[id(each)] for each in node.operands]
        own = (node.function, node.name, node.numbers, node.along, id(node.own))
        key = (*own, *(id(each) for each in operands))
        if key not in known:
            same = all(new is old for new, old in zip(operands, node.operands, strict=True))
            known[key] = node if same else node.with_operands(operands, node.extent)
        made[id(node)] = known[key]
    return made


def _called(function: Callable[..., Any], given: Mapping[str, Value], variables: dict[str, Any]) -> Any:
    """The return value of a function; its local variables, as they are then, go into ``variables``."""
    before = sys.getprofile()

    def look(frame: Any, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is function.__code__:
            variables.update(frame.f_locals)

    sys.setprofile(look)
    try:
        return function(**given)
    finally:
        sys.setprofile(before)
