# SPDX-License-Identifier: Apache-2.0
"""Expression graphs of formulas.

A :class:`Value` is a node: a function of other values. Python's operators and the functions of this package make new
ones, so calling the function of a declaration once gives the whole graph. From it follow the exact result (evaluated in
float64), the shapes, and how a chip computes it; there is no second description to keep equal.

Extents. A value has one number for every element of a tensor (``FULL``), for every row of it (``COLUMN``: one number a
row, in a column), for every column (``ROW``), or one alone (``SCALAR``). Functions of several operands broadcast the
smaller ones, as NumPy does. A reduction over the last dimension makes a column of a full tensor, one over the dimension
before it makes a row, one over both a scalar.
"""

from __future__ import annotations

import enum
import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from tilewright.formula._own_phase import OwnPhase


class FormulaError(TypeError):
    """An expression that has no meaning; the message shows it and says what to write instead."""


class Extent(enum.Enum):
    """Along which dimensions a value differs: (from row to row, from column to column)."""

    FULL = (True, True)
    COLUMN = (True, False)
    ROW = (False, True)
    SCALAR = (False, False)

    @property
    def per_row(self) -> bool:
        return self.value[0]

    @property
    def per_column(self) -> bool:
        return self.value[1]

    def broadcast_with(self, other: Extent) -> Extent:
        """Of a function of values of both extents."""
        return Extent((self.per_row or other.per_row, self.per_column or other.per_column))


class Along(enum.Enum):
    """The dimensions that a reduction combines."""

    ROWS = "the last dimension"
    COLUMNS = "the dimension before the last"
    BOTH = "the last two dimensions"

    def reduced(self, extent: Extent) -> Extent:
        per_row = extent.per_row and self is Along.ROWS
        return Extent((per_row, extent.per_column and self is Along.COLUMNS))


class Value:
    """A node of a formula.

    Attributes:
        function: name of what makes it: ``input``, ``parameter``, ``constant``, or a function such as ``add``.
        operands: what it is made of.
        extent: along which dimensions it differs.
        numbers: constants of the function: the value of a constant, the bounds of ``clamp`` ...
        name: of an input or a parameter.
        along: of a reduction.
        is_matrix: whether it is an input that rows are multiplied by.
        own: of a phase of one's own (:mod:`tilewright.formula._own_phase`).
    """

    def __init__(
        self,
        function: str,
        operands: Sequence[Value] = (),
        extent: Extent = Extent.SCALAR,
        *,
        numbers: Sequence[float] = (),
        name: str = "",
        along: Along | None = None,
        is_matrix: bool = False,
        own: OwnPhase | None = None,
    ) -> None:
        self.function = function
        self.operands = tuple(operands)
        self.extent = extent
        self.numbers = tuple(numbers)
        self.name = name
        self.along = along
        self.is_matrix = is_matrix
        self.own = own

    def with_operands(self, operands: Sequence[Value], extent: Extent) -> Value:
        """The same function of other operands."""
        return Value(
            self.function, operands, extent, numbers=self.numbers, name=self.name, along=self.along, own=self.own
        )

    @property
    def is_leaf(self) -> bool:
        return not self.operands

    @property
    def is_constant(self) -> bool:
        return self.function == "constant"

    def __repr__(self) -> str:
        return expression_text(self)

    def __add__(self, other: Operand) -> Value:
        return binary("add", self, other)

    def __radd__(self, other: Operand) -> Value:
        return binary("add", other, self)

    def __sub__(self, other: Operand) -> Value:
        return binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Value:
        return binary("sub", other, self)

    def __mul__(self, other: Operand) -> Value:
        return binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Value:
        return binary("mul", other, self)

    def __truediv__(self, other: Operand) -> Value:
        return binary("div", self, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return binary("div", other, self)

    def __matmul__(self, other: Operand) -> Value:
        return matmul(self, other)

    def __pow__(self, exponent: float) -> Value:
        return power(self, exponent)

    def __neg__(self) -> Value:
        return unary("neg", self)

    def __abs__(self) -> Value:
        return unary("abs", self)

    def __lt__(self, other: Operand) -> Value:
        return binary("lt", self, other)

    def __le__(self, other: Operand) -> Value:
        return binary("le", self, other)

    def __gt__(self, other: Operand) -> Value:
        return binary("gt", self, other)

    def __ge__(self, other: Operand) -> Value:
        return binary("ge", self, other)

    __hash__ = object.__hash__

    # Python compares with anything; `binary` refuses what is no operand.

    def __eq__(self, other: object) -> Any:
        """``x == y`` is a value too: 1 where they are equal, 0 elsewhere."""
        return binary("eq", self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Any:
        return binary("ne", self, other)  # type: ignore[arg-type]

    def __bool__(self) -> NoReturn:
        raise FormulaError(
            f"`{self}` is not known when the formula is written down, so it cannot decide an if, and, or, while; "
            "write where(condition, a, b)"
        )

    def __float__(self) -> NoReturn:
        raise FormulaError(f"`{self}` is no number yet: use the functions of tilewright.formula, not those of math")

    def __iter__(self) -> NoReturn:
        raise FormulaError(f"`{self}` has no parts to loop over; a formula is about whole tensors")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise FormulaError(f"`{self}` is no array: use the functions of tilewright.formula, not NumPy's")


Operand = Value | float


def as_value(given: Any) -> Value:
    """A value; a number becomes a constant."""
    if isinstance(given, Value):
        return given
    if isinstance(given, numbers.Real) and not isinstance(given, bool):
        return Value("constant", numbers=(float(given),))
    raise FormulaError(f"{given!r} has no place in a formula: write values and numbers")


# What a cast rounds to, by the dtype it names.
CASTS = {"bfloat16": "to_bfloat16", "float32": "to_float32", "int32": "to_int32"}
REDUCTIONS = ("sum", "mean", "max")


def unary(function: str, operand: Operand) -> Value:
    value = as_value(operand)
    if value.is_matrix:
        raise FormulaError(f"`{value.name}` is a Matrix, which has a place in matmul(x, {value.name}) only")
    return Value(function, (value,), value.extent)


def binary(function: str, left: Operand, right: Operand) -> Value:
    a, b = as_value(left), as_value(right)
    for each in (a, b):
        if each.is_matrix:
            raise FormulaError(f"`{each.name}` is a Matrix, which has a place in matmul(x, {each.name}) only")
    if function == "mul" and a is b:
        return unary("square", a)
    return Value(function, (a, b), a.extent.broadcast_with(b.extent))


def transpose(operand: Operand) -> Value:
    """The last two dimensions exchanged, as the second operand of a matmul: ``q @ transpose(k)``."""
    value = as_value(operand)
    if value.extent is not Extent.FULL or value.function == "transpose":
        raise FormulaError(f"transpose({value}): it takes Rows, a Matrix, or what has a number for every element")
    return Value("transpose", (value,), Extent.FULL)


def check_transposes(outputs: Sequence[Value]) -> None:
    """Refuse a transpose that no matmul takes as its second operand."""
    for node in nodes_of(outputs):
        for index, each in enumerate(node.operands):
            if each.function == "transpose" and (node.function, index) != ("matmul", 1):
                raise FormulaError(f"`{each}` has a place as the second operand of a matmul only: x @ {each}")
    for each in outputs:
        if each.function == "transpose":
            raise FormulaError(f"the result `{each}` has a place as the second operand of a matmul only")


def matmul(left: Operand, right: Operand) -> Value:
    """Rows of a tensor times a matrix, or times one for each slab: ``matmul(x, weights)``, ``q @ transpose(k)``."""
    a, b = as_value(left), as_value(right)
    if b.extent is not Extent.FULL:
        raise FormulaError(f"matmul({a}, {b}): the second operand must be a Matrix, Rows or a value computed from them")
    if a.extent is not Extent.FULL or a.is_matrix:
        raise FormulaError(f"matmul({a}, {b}): the first operand must have a number for every element, such as Rows")
    return Value("matmul", (a, b), Extent.FULL)


def rebuilt(node: Value, operands: Sequence[Value]) -> Value:
    """The same function of other operands, with the extent that follows from theirs; itself, if they are its own."""
    if all(new is old for new, old in zip(operands, node.operands, strict=True)):
        return node
    if node.along is not None:
        return node.with_operands(operands, node.along.reduced(operands[0].extent))
    if node.function in ("matmul", "transpose"):
        return node.with_operands(operands, Extent.FULL)
    extent = operands[0].extent
    for each in operands[1:]:
        extent = extent.broadcast_with(each.extent)
    return node.with_operands(operands, extent)


def power(base: Operand, exponent: float) -> Value:
    """``base ** exponent``, the exponent a number."""
    value = as_value(base)
    if not isinstance(exponent, numbers.Real):
        raise FormulaError(f"`{value}` to the power of {exponent!r}: an exponent is a number")
    known = {0.5: "sqrt", -0.5: "rsqrt", 1.0: "", 2.0: "square", -1.0: "reciprocal"}
    if float(exponent) in known:
        function = known[float(exponent)]
        return unary(function, value) if function else value
    return Value("power", (value,), value.extent, numbers=(float(exponent),))


def reduction(function: str, operand: Operand, dim: Any, cluster_axis: int | None = None) -> Value:
    """A reduction of a value over its last dimension, the one before it, or both; not over the chips of a mesh."""
    value = as_value(operand)
    if cluster_axis is not None:
        raise FormulaError(
            f"{function}({value}, cluster_axis={cluster_axis!r}): a formula is computed on each chip of a mesh by "
            "itself; reduce over chips with ttnn.all_reduce or ttnn.reduce_scatter of the result"
        )
    along = _along(function, value, dim)
    needed = {
        Along.ROWS: value.extent.per_column,
        Along.COLUMNS: value.extent.per_row,
        Along.BOTH: value.extent is Extent.FULL,
    }
    if not needed[along]:
        raise FormulaError(f"{function}({value}) over {along.value}: it has one number there; leave {function} out")
    return Value(function, (value,), along.reduced(value.extent), along=along)


def _along(function: str, value: Value, dim: Any) -> Along:
    known = {-1: Along.ROWS, -2: Along.COLUMNS, (-2, -1): Along.BOTH, (-1, -2): Along.BOTH}
    try:
        return known[dim]
    except (KeyError, TypeError):
        raise FormulaError(f"{function}({value}, dim={dim!r}): dim must be -1, -2 or (-2, -1)") from None


def nodes_of(outputs: Sequence[Value]) -> list[Value]:
    """Every node once, operands before what is made of them."""
    ordered: dict[int, Value] = {}
    stack = [(each, False) for each in reversed(outputs)]
    while stack:
        node, is_expanded = stack.pop()
        if id(node) in ordered:
            continue
        if is_expanded:
            ordered[id(node)] = node
        else:
            stack.append((node, True))
            stack.extend((each, False) for each in reversed(node.operands))
    return list(ordered.values())


_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
_STRENGTH = {"lt": 1, "le": 1, "gt": 1, "ge": 1, "eq": 1, "ne": 1, "add": 2, "sub": 2, "mul": 3, "div": 3, "neg": 4}


def expression_text(value: Value, names: dict[int, str] | None = None) -> str:
    """A value as a formula; values in ``names`` (by id) stand there by their names."""
    return _text(value, names or {}, 0)


def _text(value: Value, names: dict[int, str], strength: int) -> str:
    if id(value) in names:
        return names[id(value)]
    if value.is_constant:
        return number_text(value.numbers[0])
    if value.is_leaf:
        return value.name
    own = _STRENGTH.get(value.function, 9)
    if value.function in _SYMBOLS:
        left, right = _text(value.operands[0], names, own), _text(value.operands[1], names, own + 1)
        text = f"{left} {_SYMBOLS[value.function]} {right}"
    elif value.function in CASTS.values():
        return f"cast({_text(value.operands[0], names, 0)}, {value.function.removeprefix('to_')})"
    elif value.function == "neg":
        text = f"-{_text(value.operands[0], names, own)}"
    else:
        arguments = [_text(each, names, 0) for each in value.operands] + [number_text(each) for each in value.numbers]
        if value.along not in (None, Along.ROWS):
            arguments.append("dim=-2" if value.along is Along.COLUMNS else "dim=(-2, -1)")
        name = value.function if value.own is None else value.own.phase.name
        return f"{name}({', '.join(arguments)})"
    return f"({text})" if own < strength else text


def number_text(number: float) -> str:
    """``5`` for 5.0, ``1e-05`` for 0.00001."""
    return str(int(number)) if math.isfinite(number) and number == int(number) and abs(number) < 1e6 else repr(number)


def levels(outputs: Sequence[Value]) -> dict[int, int]:
    """How many reductions lie one behind the other before each node is known, by id."""
    found: dict[int, int] = {}
    for node in nodes_of(outputs):
        below = max((found[id(each)] for each in node.operands), default=0)
        found[id(node)] = below + (node.function in REDUCTIONS)
    return found
