# SPDX-License-Identifier: Apache-2.0
"""Typed C++ expressions and their parentheses."""

from __future__ import annotations

import dataclasses

from tilewright.kernels._types import BOOL, FLOAT32, INT32, INTEGERS, UINT32, UINT64, Type

PRIMARY, UNARY, CONDITIONAL = 20, 14, 2
PRECEDENCE = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<": 9, "<=": 9, ">": 9, ">=": 9,
    "==": 8, "!=": 8, "&": 7, "^": 6, "|": 5, "&&": 4, "||": 3,
}  # fmt: skip
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
# Beside these, C++'s own order surprises readers: their operands get parentheses.
_SURPRISING = frozenset({"<<", ">>", "&", "^", "|", "||"})
_SUM_PRECEDENCE = PRECEDENCE["+"]
_LARGEST_INT = 0x7FFFFFFF
LARGEST_FLOAT = (2 - 2**-23) * 2.0**127


@dataclasses.dataclass(frozen=True)
class Expression:
    """An expression.

    Attributes:
        is_constant: known to the C++ compiler, so it may be a template argument.
        literal: the number itself where it was written as one; it takes the type of what it meets.
        number: the number a named constant stands for, where that is known.
        is_signed: a uint32 of the kernel that is an int in C++, which must not be compared with an unsigned one.
    """

    text: str
    type: Type
    precedence: int = PRIMARY
    is_constant: bool = False
    literal: int | float | bool | None = None
    is_signed: bool = False
    number: int | float | None = None

    @property
    def known_number(self) -> int | float | None:
        """The value, if it follows from the text of the kernel."""
        return self.literal if self.literal is not None else self.number

    @property
    def is_flexible(self) -> bool:
        """A plain number, which fits more than one type."""
        return self.literal is not None and not isinstance(self.literal, bool)

    def inside(self, precedence: int) -> str:
        """The text as an operand of something that binds this tightly."""
        return self.text if self.precedence >= precedence else f"({self.text})"


def integer(number: int, text: str | None = None) -> Expression:
    """A number as written; ``text`` keeps a spelling such as 0x3f80."""
    if not -(2**31) <= number < 2**64:
        raise ValueError(f"{number} fits neither int32 nor uint64")
    type_ = INT32 if number < 0 else UINT32 if number <= 0xFFFFFFFF else UINT64
    shown = text if text is not None else str(number)
    if number > _LARGEST_INT and not shown.lower().startswith("0x"):
        shown += "u" if number <= 0xFFFFFFFF else "ull"
    return Expression(shown, type_, UNARY if number < 0 else PRIMARY, True, number)


def real(number: float) -> Expression:
    if not abs(number) <= LARGEST_FLOAT:  # nor is NaN
        raise ValueError(f"{number} is no float32")
    shown = repr(number)
    if "e" in shown:
        mantissa, exponent = shown.split("e")
        shown = f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent)}"
    return Expression(shown + "f", FLOAT32, UNARY if number < 0 else PRIMARY, True, number)


def boolean(truth: bool) -> Expression:
    return Expression("true" if truth else "false", BOOL, PRIMARY, True, truth)


def binary(
    operator: str, left: Expression, right: Expression, type_: Type, literal: int | float | None = None
) -> Expression:
    precedence = PRECEDENCE[operator]
    if operator in _COMPARISONS and left.is_signed != right.is_signed:
        left, right = _unsigned_beside(left, right), _unsigned_beside(right, left)
    text = f"{_operand(left, operator)} {operator} {_operand(right, operator, is_right=True)}"
    is_int = [each.is_signed or each.is_flexible for each in (left, right)]
    is_signed = type_ == UINT32 and literal is None and all(is_int)
    return Expression(text, type_, precedence, left.is_constant and right.is_constant, literal, is_signed)


def _unsigned_beside(value: Expression, other: Expression) -> Expression:
    """``value`` as it must be written to be compared with ``other``."""
    if not value.is_signed or other.is_flexible:
        return value
    return Expression(f"static_cast<uint32_t>({value.text})", UINT32, is_constant=value.is_constant)


def _operand(value: Expression, operator: str, is_right: bool = False) -> str:
    precedence = PRECEDENCE[operator]
    if operator in _COMPARISONS and CONDITIONAL < value.precedence < _SUM_PRECEDENCE:
        return f"({value.text})"
    if operator in _SURPRISING and value.precedence < UNARY:
        same = value.precedence == precedence and not is_right and operator not in ("<<", ">>")
        comparison = operator == "||" and PRECEDENCE["&&"] < value.precedence
        return value.text if same or comparison else f"({value.text})"
    return value.inside(precedence + 1 if is_right else precedence)


def converted(value: Expression, type_: Type) -> Expression | None:
    """``value`` where ``type_`` is wanted, if that loses nothing; None if it does."""
    if value.type == type_:
        return value
    if not value.is_flexible:
        return dataclasses.replace(value, type=UINT64) if (value.type, type_) == (UINT32, UINT64) else None
    number = value.literal
    if type_ == FLOAT32 and isinstance(number, int):
        return real(float(number))
    if isinstance(number, int) and type_ in INTEGERS and holds(type_, number):
        return dataclasses.replace(value, type=type_)
    return None


def holds(type_: Type, number: int) -> bool:
    """Whether an integer type has this number."""
    return number in _RANGES[type_]


_RANGES = {UINT32: range(0, 2**32), INT32: range(-(2**31), 2**31), UINT64: range(0, 2**64)}


def common_type(left: Expression, right: Expression) -> Type | None:
    """The type in which two operands meet, or None: kernels do not mix signed, unsigned and real silently."""
    if converted(right, left.type) is not None and not (left.is_flexible and not right.is_flexible):
        return left.type
    return right.type if converted(left, right.type) is not None else None
