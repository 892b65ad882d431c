# SPDX-License-Identifier: Apache-2.0
"""Translate expressions of a kernel to typed C++."""

from __future__ import annotations

import ast
import dataclasses
import enum
import linecache
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from tilewright.kernels import _values as values
from tilewright.kernels._api_table import FUNCTIONS, nearest_name
from tilewright.kernels._errors import KernelLanguageError
from tilewright.kernels._kernel_function import UNKNOWN, KernelFunction
from tilewright.kernels._parameters import CircularBuffers, circular_buffer_names
from tilewright.kernels._signatures import ApiConstant, ApiFunction, KernelEnum
from tilewright.kernels._types import (
    BOOL,
    CB,
    CB_INDEX,
    FLOAT32,
    INT32,
    INTEGERS,
    NOTHING,
    NUMBERS,
    TENSOR,
    TEXT,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    UNSIGNED,
    PointerType,
    Type,
    enum_type,
)
from tilewright.kernels._values import Expression

if TYPE_CHECKING:
    from tilewright.kernels._translate import Unit

_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("/", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
}
_INTEGER_ONLY = (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_INSTEAD: dict[type[ast.AST], str] = {
    ast.List: "kernels have no lists; keep values in variables, or in L1 with l1_ptr",
    ast.Tuple: "kernels have no tuples; use one variable for each value",
    ast.Dict: "kernels have no dictionaries; use variables or compile-time arguments",
    ast.Set: "kernels have no sets; use variables",
    ast.ListComp: "kernels have no comprehensions; write a for loop over range(...)",
    ast.GeneratorExp: "kernels have no comprehensions; write a for loop over range(...)",
    ast.SetComp: "kernels have no comprehensions; write a for loop over range(...)",
    ast.DictComp: "kernels have no comprehensions; write a for loop over range(...)",
    ast.Lambda: "kernels have no lambdas; write a function with @kernel_function",
    ast.JoinedStr: 'kernels have no f-strings; write dprint("tile {}", i)',
    ast.NamedExpr: "assign on a line of its own",
    ast.Starred: "write the arguments one by one",
    ast.Slice: "one element at a time: write p[i] in a loop over range(...)",
    ast.Await: "kernels are not asynchronous; call the function, and a barrier after it",
    ast.Yield: "kernels cannot yield; push pages to a circular buffer instead",
    ast.YieldFrom: "kernels cannot yield; push pages to a circular buffer instead",
}

# Variable has a field called type.
BuffersClass: TypeAlias = type[CircularBuffers]


@dataclasses.dataclass
class Variable:
    """A name of the function itself.

    Attributes:
        fixed: why it cannot be assigned, if it cannot.
        number: what a constant stands for, where that is known.
    """

    name: str
    type: Type
    is_constant: bool = False
    fixed: str = ""
    buffers: BuffersClass | None = None
    number: int | float | None = None


class Expressions:
    """Translates the expressions of one function.

    Attributes:
        variables: what the function's own names are, as far as they are known at this point.
        assigned: names that surely have a value at this point.
    """

    def __init__(self, function: KernelFunction, unit: Unit) -> None:
        self.function = function
        self.unit = unit
        self.variables: dict[str, Variable] = {}
        self.assigned: set[str] = set()
        self.local_names = set(function.function.__code__.co_varnames)

    def error(self, node: ast.AST, message: str) -> KernelLanguageError:
        return self.function.error(node, message)

    def value(self, node: ast.expr) -> Expression:
        """The C++ of an expression."""
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case ast.BinOp():
                return self._arithmetic(node, node.op, self.value(node.left), self.value(node.right))
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BoolOp():
                return self._logic(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp():
                return self._conditional(node)
            case ast.Subscript():
                return self._element(node)
            case ast.Call():
                from tilewright.kernels._calls import call

                return call(self, node)
        raise self.error(node, self.refusal(node))

    @staticmethod
    def refusal(node: ast.expr) -> str:
        """Why kernels do not have this kind of expression, and what to write instead."""
        return _INSTEAD.get(type(node), f"{type(node).__name__} is not part of the kernel language")

    def condition(self, node: ast.expr) -> Expression:
        value = self.value(node)
        if value.type != BOOL:
            raise self.error(
                node, f"a condition must be a bool, this is {value.type}: write `{ast.unparse(node)} != 0`"
            )
        return value

    def wanted(self, node: ast.expr, value: Expression, type_: Type, what: str) -> Expression:
        """``value`` as a ``type_``; an error that says ``what`` wants it if it is something else."""
        fitting = values.converted(value, type_)
        if fitting is None:
            raise self.error(
                node, f"{what} must be {type_}, this is {_described(value)}{_cast_hint(node, value, type_)}"
            )
        return fitting

    def static(self, node: ast.expr) -> Any:
        """The Python object a name stands for, where it is not one of the function's variables."""
        if isinstance(node, ast.Name):
            return UNKNOWN if node.id in self.local_names else self.function.look_up(node.id)
        if isinstance(node, ast.Attribute):
            base = self.static(node.value)
            if isinstance(base, types.ModuleType):
                return getattr(base, node.attr, UNKNOWN)
            if isinstance(base, enum.EnumMeta) and node.attr in base.__members__:
                return base[node.attr]
        return UNKNOWN

    def arithmetic(self, node: ast.AST, op: ast.operator, left: Expression, right: Expression) -> Expression:
        return self._arithmetic(node, op, left, right)

    def _constant(self, node: ast.Constant) -> Expression:
        number = node.value
        if isinstance(number, int) and not isinstance(number, bool):
            spelling = self._spelling(node)
            return self._number(node, number, spelling if spelling.lower().startswith("0x") else None)
        if isinstance(number, (bool, float)):
            return self._number(node, number)
        raise self.error(node, f"{number!r} is no value of a kernel: numbers and True, False are")

    def _number(self, node: ast.AST, number: bool | int | float, spelling: str | None = None) -> Expression:
        if isinstance(number, bool):
            return values.boolean(number)
        try:
            return values.integer(int(number), spelling) if isinstance(number, int) else values.real(float(number))
        except ValueError as error:
            raise self.error(node, str(error)) from None

    def _spelling(self, node: ast.Constant) -> str:
        """A number as the author wrote it, so that 0x3f80 stays 0x3f80."""
        row = linecache.getline(self.function.path, node.lineno).encode()  # columns count bytes
        return row[node.col_offset : node.end_col_offset].decode().replace("_", "")

    def _named(self, node: ast.Name | ast.Attribute) -> Expression:
        if isinstance(node, ast.Name) and node.id in self.local_names:
            return self._variable(node)
        if isinstance(node, ast.Attribute):
            variable = self.variables.get(node.value.id) if isinstance(node.value, ast.Name) else None
            buffers = variable.buffers if variable is not None else self.static(node.value)
            if isinstance(buffers, type) and issubclass(buffers, CircularBuffers):
                return self._buffer(node, buffers)
        found = self.static(node)
        name = node.id if isinstance(node, ast.Name) else node.attr
        if isinstance(found, KernelEnum):
            kind = type(found).__name__
            return Expression(f"{kind}::{found.value}", enum_type(kind), is_constant=True)
        if isinstance(found, ApiConstant):
            return Expression(found.name, BOOL if found.is_bool else UINT32, is_constant=True)
        if isinstance(found, (bool, int, float)):
            return self._module_constant(node, name, found)
        if isinstance(found, (ApiFunction, KernelFunction)):
            raise self.error(node, f"{name} is a function: call it, {name}(...)")
        if found is UNKNOWN:
            raise self.error(node, self._unknown(node, name))
        raise self.error(node, f"{name} is a {type(found).__name__}: kernels see numbers and bools of the module only")

    def _unknown(self, node: ast.Name | ast.Attribute, name: str) -> str:
        if isinstance(node, ast.Attribute):
            return f"{ast.unparse(node.value)} has no {name} that a kernel could use"
        if name in FUNCTIONS:
            return f"{name} is not imported: from tilewright.kernels.api import {name}"
        import difflib  # a slow import, for a mistake

        known = difflib.get_close_matches(name, [*self.variables, *self.function.function.__globals__], 1, 0.7)
        hint = known[0] if known else nearest_name(name)
        cure = (
            f"did you mean {hint}?" if hint else "assign it, take it as a parameter, or make it a number of the module"
        )
        return f"{name} is not defined; {cure}"

    def _variable(self, node: ast.Name) -> Expression:
        variable = self.variables.get(node.id)
        if variable is None or node.id not in self.assigned:
            if variable is not None and variable.fixed == "loop":
                raise self.error(node, f"{node.id} is known inside its loop only; keep its value in another variable")
            raise self.error(node, f"{node.id} may have no value here: assign it before, on every way that leads here")
        if variable.buffers is not None:
            raise self.error(node, f"{node.id} stands for several circular buffers: write {node.id}.<name>")
        return Expression(node.id, variable.type, is_constant=variable.is_constant, number=variable.number)

    def _buffer(self, node: ast.Attribute, buffers: type[CircularBuffers]) -> Expression:
        names = circular_buffer_names(buffers)
        if node.attr not in names:
            raise self.error(node, f"{buffers.__name__} has no {node.attr}; it has {', '.join(names)}")
        name = node.attr if node.attr.startswith("cb_") else f"cb_{node.attr}"
        self.unit.constant(self, node, name, CB_INDEX, str(names[node.attr]))
        return Expression(name, CB_INDEX, is_constant=True)

    def _module_constant(self, node: ast.expr, name: str, number: bool | int | float) -> Expression:
        value = self._number(node, number)
        type_ = CB_INDEX if isinstance(number, CB) else value.type
        self.unit.constant(self, node, name, type_, value.text)
        return Expression(name, type_, is_constant=True, number=number)

    def _arithmetic(self, node: ast.AST, op: ast.operator, left: Expression, right: Expression) -> Expression:
        if type(op) not in _ARITHMETIC:
            instead = "multiply" if isinstance(op, ast.Pow) else "call matmul_tiles"
            raise self.error(node, f"kernels do not have this operator; {instead} instead")
        symbol, compute = _ARITHMETIC[type(op)]
        for side in (left, right):
            if side.type == CB_INDEX:
                raise self.error(node, "the index of a circular buffer is not a number to compute with")
            if side.type not in NUMBERS:
                raise self.error(node, f"`{symbol}` needs numbers, this has {side.type}")
        type_ = self._meeting_type(node, symbol, left, right)
        self._check_operator(node, op, type_)
        shift = right.known_number
        if symbol in ("<<", ">>") and shift is not None and not 0 <= shift < _bits(type_):
            raise self.error(node, f"{type_} values shift by 0 to {_bits(type_) - 1}, not by {shift}")
        if symbol in "/%" and right.known_number == 0:
            raise self.error(node, "division by zero")
        self._require_room(node, type_, left.known_number, right.known_number, compute)
        literal = None
        if left.literal is not None and right.literal is not None:
            literal = compute(left.literal, right.literal)
            if isinstance(literal, int) and not -(2**31) <= literal < 2**31:
                return self._number(node, literal)  # int arithmetic of C++ could not hold it
            type_ = INT32 if isinstance(literal, int) and literal < 0 else type_
        left, right = self._fitted(left, type_), self._fitted(right, type_)
        if symbol == "<<" and left.is_flexible and literal is None and type_ != INT32:
            left = dataclasses.replace(left, text=left.text + "u")  # an int of C++ would lose bit 31
        return values.binary(symbol, left, right, type_, literal)

    def _require_room(
        self,
        node: ast.AST,
        type_: Type,
        left: int | float | None,
        right: int | float | None,
        compute: Callable[[Any, Any], Any],
    ) -> None:
        """C++ has no constant for a result that overflows; unsigned ones wrap."""
        if left is None or right is None or type_ not in (INT32, FLOAT32):
            return
        result = compute(left, right)
        fits = values.holds(INT32, result) if type_ == INT32 else abs(result) <= values.LARGEST_FLOAT
        if not fits:
            raise self.error(node, f"the result, {result}, does not fit {type_}")

    @staticmethod
    def _fitted(value: Expression, type_: Type) -> Expression:
        return values.converted(value, type_) or value

    def _meeting_type(self, node: ast.AST, symbol: str, left: Expression, right: Expression) -> Type:
        type_ = values.common_type(left, right)
        if type_ is None:
            raise self.error(
                node,
                f"`{symbol}` between {_described(left)} and {_described(right)}: cast one of them, "
                f"such as {left.type}(...)",
            )
        return type_

    def _check_operator(self, node: ast.AST, op: ast.operator, type_: Type) -> None:
        if isinstance(op, ast.Div) and type_ != FLOAT32:
            raise self.error(node, "`/` is for float32; for integers write `//`")
        if isinstance(op, _INTEGER_ONLY) and type_ not in INTEGERS:
            raise self.error(
                node, f"this operator is for integers, not for {type_}: write uint32(...) around the values"
            )
        if isinstance(op, (ast.FloorDiv, ast.Mod)) and type_ not in UNSIGNED:
            raise self.error(
                node, "`//` and `%` of a negative int32 differ between Python and C++: cast to uint32 first"
            )

    def _unary(self, node: ast.UnaryOp) -> Expression:
        if isinstance(node.op, ast.Not):
            value = self.condition(node.operand)
            return Expression(f"!{value.inside(values.UNARY)}", BOOL, values.UNARY, value.is_constant)
        value = self.value(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Invert):
            if value.type not in INTEGERS or value.is_flexible:
                raise self.error(node, f"`~` needs a uint32 or int32 variable or cast, this is {_described(value)}")
            return Expression(f"~{value.inside(values.UNARY)}", value.type, values.UNARY, value.is_constant)
        if value.is_flexible and value.literal is not None:
            return self._number(node, -value.literal)
        if value.type not in (INT32, FLOAT32):
            raise self.error(node, f"a {value.type} has no negative: write -int32({ast.unparse(node.operand)})")
        return Expression(f"-{value.inside(values.UNARY + 1)}", value.type, values.UNARY, value.is_constant)

    def _logic(self, node: ast.BoolOp) -> Expression:
        symbol = "&&" if isinstance(node.op, ast.And) else "||"
        result = self.condition(node.values[0])
        for each in node.values[1:]:
            result = values.binary(symbol, result, self.condition(each), BOOL)
        return result

    def _comparison(self, node: ast.Compare) -> Expression:
        if len(node.ops) > 1:
            raise self.error(node, "one comparison at a time: write `a < b and b < c`")
        symbol = _COMPARISONS.get(type(node.ops[0]))
        if symbol is None:
            raise self.error(node, "kernels compare with ==, !=, <, <=, >, >=")
        left, right = self.value(node.left), self.value(node.comparators[0])
        self._require_undecided(node, symbol, left, right)
        if left.type != right.type or left.type in NUMBERS:
            type_ = self._meeting_type(node, symbol, left, right)
            left, right = self._fitted(left, type_), self._fitted(right, type_)
        elif left.type in (TENSOR, TEXT, NOTHING) or isinstance(left.type, PointerType):
            raise self.error(node, f"{left.type} cannot be compared")
        return values.binary(symbol, left, right, BOOL)

    def _require_undecided(self, node: ast.Compare, symbol: str, left: Expression, right: Expression) -> None:
        """A difference below 0 wraps around in C++: what Python would find there is never found."""
        asked = [(left, right, node.left)] if symbol in ("<", ">=") else []
        asked += [(right, left, node.comparators[0])] if symbol in (">", "<=") else []
        for value, bound, side in asked:
            if value.type in UNSIGNED and not value.is_flexible and bound.is_flexible and bound.literal == 0:
                raise self.error(
                    node,
                    f"a {value.type} is never below 0: compare before subtracting, or use int32({ast.unparse(side)})",
                )

    def _conditional(self, node: ast.IfExp) -> Expression:
        test, left, right = self.condition(node.test), self.value(node.body), self.value(node.orelse)
        type_ = left.type if left.type == right.type else self._meeting_type(node, "if else", left, right)
        left, right = self._fitted(left, type_), self._fitted(right, type_)
        tight = values.CONDITIONAL + 1
        text = f"{test.inside(tight)} ? {left.inside(tight)} : {right.inside(tight)}"
        constant = test.is_constant and left.is_constant and right.is_constant
        return Expression(text, type_, values.CONDITIONAL, constant)

    def _element(self, node: ast.Subscript) -> Expression:
        text, element = self.element_place(node)
        if element in (UINT8, UINT16):
            return Expression(f"static_cast<uint32_t>({text})", UINT32)
        return Expression(text, element)

    def element_place(self, node: ast.Subscript) -> tuple[str, Type]:
        """The C++ of ``pointer[index]`` as something to read or assign, and its type."""
        found = self.static(node.value)
        if isinstance(found, ApiFunction):
            raise self.error(node, f"{found.name}[...] names template arguments: call it, {ast.unparse(node)}(...)")
        pointer = self.value(node.value)
        if not isinstance(pointer.type, PointerType):
            raise self.error(node, f"[...] needs an l1_ptr, this is {pointer.type}")
        index = self.value(node.slice)
        if index.type not in (UINT32, INT32):
            raise self.error(node.slice, f"an index must be uint32 or int32, this is {index.type}")
        return f"{pointer.inside(values.PRIMARY)}[{index.text}]", pointer.type.element


def _bits(type_: Type) -> int:
    return 64 if type_ == UINT64 else 32


def _described(value: Expression) -> str:
    return f"the number {value.text}" if value.is_flexible else str(value.type)


def _cast_hint(node: ast.expr, value: Expression, type_: Type) -> str:
    if type_ == CB_INDEX and value.type == UINT32:
        return f"; name a circular buffer, or write CB({ast.unparse(node)})"
    if value.is_flexible and value.type == INT32 and type_ in UNSIGNED:
        return ""  # no cast makes a negative number fit
    if type_ in NUMBERS and value.type in NUMBERS:
        return f": write {type_}({ast.unparse(node)})"
    if isinstance(type_, PointerType) and value.type == UINT32:
        return f": write {type_}({ast.unparse(node)})"
    return ""
