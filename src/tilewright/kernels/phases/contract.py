# SPDX-License-Identifier: Apache-2.0
"""Contracts of phases about their circular buffers, in a form that programs can read.

Page counts are expressions over the phase's own parameters, such as ``"0 if keep else num_tiles"``.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tilewright.kernels._kernel_function import KernelFunction
from tilewright.kernels._parameters import ParameterKind


class Region(enum.Enum):
    """Which part of a page holds data; the rest may hold anything, NaN too.

    ``ANY`` in `needs`: element by element, so every part will do. In `gives`: where the operands hold data.
    """

    TILE = "whole tile"
    COLUMN_0 = "column 0"
    ROW_0 = "row 0"
    ELEMENT = "element [0,0]"
    SCALER = "row 0 of each face"
    ROWS = "row-major rows"
    ANY = "any part"

    def holds(self, needed: Region) -> bool:
        """Whether a page with data here has data in ``needed``."""
        return needed is self or needed is Region.ANY or needed in _PARTS.get(self, ())

    def common(self, other: Region) -> Region:
        """Where both hold data."""
        if self.holds(other):
            return other
        return self if other.holds(self) else Region.ELEMENT


_PARTS = {
    Region.TILE: (Region.COLUMN_0, Region.ROW_0, Region.ELEMENT, Region.SCALER),
    Region.COLUMN_0: (Region.ELEMENT,),
    Region.ROW_0: (Region.ELEMENT,),
    Region.SCALER: (Region.ROW_0, Region.ELEMENT),
}


@dataclasses.dataclass(frozen=True)
class Traffic:
    """Pages by CB parameter, for given arguments. ``waits`` is what must be at the front at once."""

    waits: dict[str, int]
    pops: dict[str, int]
    pushes: dict[str, int]


@dataclasses.dataclass(frozen=True)
class Contract:
    """Pages that a phase waits for, pops and pushes, and their content.

    Example::

        >>> from tilewright.kernels.phases import copy
        >>> copy.contract.evaluate(num_tiles=4, keep=True)
        Traffic(waits={'cb_in': 4}, pops={'cb_in': 0}, pushes={'cb_out': 4})

    Attributes:
        waits, pops, pushes: expressions over the parameters, by CB parameter.
        needs: the region of each page it reads that must hold data.
        gives: the region of each page it pushes that then holds data.
        defaults: values of parameters that a caller may leave out.
    """

    name: str
    waits: Mapping[str, str]
    pops: Mapping[str, str]
    pushes: Mapping[str, str]
    needs: Mapping[str, Region]
    gives: Mapping[str, Region]
    defaults: Mapping[str, int]

    @property
    def arguments(self) -> frozenset[str]:
        """Parameters that the expressions depend on."""
        expressions = [*self.waits.values(), *self.pops.values(), *self.pushes.values()]
        return frozenset(name for each in expressions for name in _names(each))

    def evaluate(self, **arguments: int) -> Traffic:
        """The numbers of pages for these arguments; arguments that no number depends on are ignored.

        Raises:
            TypeError: an argument is missing.
        """
        values = {**self.defaults, **arguments}
        missing = sorted(self.arguments - values.keys())
        if missing:
            raise TypeError(f"{self.name}: {', '.join(missing)} missing; the contract depends on {_listed(self)}")

        def numbers(expressions: Mapping[str, str]) -> dict[str, int]:
            return {cb: _number(ast.parse(each, mode="eval").body, values) for cb, each in expressions.items()}

        return Traffic(numbers(self.waits), numbers(self.pops), numbers(self.pushes))

    def regions(self, **operands: Region) -> dict[str, Region]:
        """Where the pushed pages hold data, given where the pages it reads do: ``regions(cb_in=Region.COLUMN_0)``.

        Raises:
            TypeError: a buffer is missing or not read by this phase.
            ValueError: a buffer does not hold data where the phase needs it; the text says which.
        """
        if operands.keys() != self.needs.keys():
            raise TypeError(f"{self.name} reads {', '.join(self.needs) or 'no buffer'}, given {', '.join(operands)}")
        everywhere = Region.TILE
        for cb, needed in self.needs.items():
            if not operands[cb].holds(needed):
                raise ValueError(
                    f"{self.name} needs data in {needed.value} of {cb}, which has it in {operands[cb].value}"
                )
            if needed is Region.ANY:
                everywhere = everywhere.common(operands[cb])
        return {cb: everywhere if given is Region.ANY else given for cb, given in self.gives.items()}


def _listed(contract: Contract) -> str:
    return ", ".join(sorted(contract.arguments)) or "nothing"


def _names(expression: str) -> set[str]:
    return {each.id for each in ast.walk(ast.parse(expression, mode="eval")) if isinstance(each, ast.Name)}


def _number(node: ast.expr, values: Mapping[str, int]) -> int:
    match node:
        case ast.Constant():
            return int(str(node.value))
        case ast.Name():
            return int(values[node.id])
        case ast.IfExp():
            return _number(node.body if _number(node.test, values) else node.orelse, values)
        case ast.BinOp():
            left, right = _number(node.left, values), _number(node.right, values)
            return left + right if isinstance(node.op, ast.Add) else left * right
    raise AssertionError(ast.unparse(node))  # _check_expression lets nothing else through


def _check_expression(name: str, node: ast.expr) -> None:
    match node:
        case ast.Constant(value=int()) | ast.Name():
            return
        case ast.IfExp():
            parts = [node.test, node.body, node.orelse]
        case ast.BinOp(op=ast.Add() | ast.Mult()):
            parts = [node.left, node.right]
        case _:
            allowed = "numbers, parameters, +, * and `a if b else c`"
            raise TypeError(f"{name}: a contract is made of {allowed}, not {ast.unparse(node)}")
    for part in parts:
        _check_expression(name, part)


class Phase(KernelFunction):
    """A kernel function that is one step of an operation, with its contract."""

    def __init__(self, function: Callable[..., Any], contract: Contract) -> None:
        super().__init__(function)
        self.contract = contract


def phase(
    *,
    waits: Mapping[str, str] | None = None,
    pops: Mapping[str, str] | None = None,
    pushes: Mapping[str, str] | None = None,
    needs: Mapping[str, Region] | None = None,
    gives: Mapping[str, Region] | None = None,
) -> Callable[[Callable[..., Any]], Phase]:
    """Makes a function a phase: ``@phase(waits={"cb_in": "num_tiles"}, ...)``.

    Raises:
        TypeError: the contract speaks of something that is no parameter of the function, or is incomplete.
    """

    def decorate(function: Callable[..., Any]) -> Phase:
        signature = inspect.signature(function).parameters
        defaults = {n: int(p.default) for n, p in signature.items() if p.default is not inspect.Parameter.empty}
        contract = Contract(
            function.__name__, waits or {}, pops or {}, pushes or {}, needs or {}, gives or {}, defaults
        )
        made = Phase(function, contract)
        _check(made)
        return made

    return decorate


def _check(made: Phase) -> None:
    contract, parameters = made.contract, {each.name: each.kind for each in made.parameters}
    buffers = {name for name, kind in parameters.items() if kind is ParameterKind.CB}
    for what in ("waits", "pops", "pushes", "needs", "gives"):
        for cb in getattr(contract, what):
            if cb not in buffers:
                raise TypeError(
                    f"{made.name}: {what} names {cb}, but its CB parameters are {', '.join(sorted(buffers))}"
                )
    unknown = contract.arguments - (parameters.keys() - buffers)
    if unknown:
        raise TypeError(f"{made.name}: the contract names {', '.join(sorted(unknown))}, which is no parameter")
    for expression in (*contract.waits.values(), *contract.pops.values(), *contract.pushes.values()):
        _check_expression(made.name, ast.parse(expression, mode="eval").body)
    if contract.needs.keys() != contract.waits.keys() or contract.gives.keys() != contract.pushes.keys():
        raise TypeError(f"{made.name}: `needs` says what each CB of `waits` holds, `gives` each of `pushes`")
    if contract.pops.keys() != contract.waits.keys():
        raise TypeError(f"{made.name}: `pops` says how much of each CB of `waits` is popped, 0 where none is")
