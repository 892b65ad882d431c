# SPDX-License-Identifier: Apache-2.0
"""Calls in a kernel: the kernel API, kernel functions, casts, min and max, printing."""

from __future__ import annotations

import ast
import json
import re
import string
import types
from collections.abc import Sequence
from typing import Any

from tilewright.kernels import _values as values
from tilewright.kernels._api_table import BIT_CAST, FUNCTIONS, PRINT, PRINT_HEADER, TENSOR_METHODS, dprint, nearest_name
from tilewright.kernels._expressions import Expressions
from tilewright.kernels._kernel_function import UNKNOWN, KernelFunction
from tilewright.kernels._parameters import KernelParameter, ParameterKind, is_circular_buffer_index
from tilewright.kernels._signatures import ApiFunction, KernelEnum, Signature
from tilewright.kernels._types import (
    BOOL,
    CB_INDEX,
    ELEMENT_TYPES,
    FLOAT32,
    INT32,
    INTEGERS,
    NOTHING,
    NUMBERS,
    PYTHON_TYPES,
    TENSOR,
    UINT32,
    UINT64,
    Type,
    enum_type,
    float_bits,
    float_from_bits,
    l1_ptr,
    pointer_to,
)
from tilewright.kernels._values import Expression

_KINDS: dict[str, Type] = {
    "uint32": UINT32,
    "int32": INT32,
    "uint64": UINT64,
    "float32": FLOAT32,
    "bool": BOOL,
    "cb": CB_INDEX,
    "tensor": TENSOR,
    "pointer": pointer_to(UINT32),
    "None": NOTHING,
}
_WHAT_CAN_BE_CALLED = (
    "kernels call functions of tilewright.kernels.api and of @kernel_function; compute other values on the host "
    "and pass them as arguments"
)
_PRINT_FORM = re.compile(r"[<>^]?#?0?\d*(\.\d+)?[bdoxXeEfFgG]?")
# How C++ kernels read their arguments; here they are parameters.
_ARGUMENT_READERS = {
    "get_arg_val": "RuntimeArg",
    "get_common_arg_val": "CommonRuntimeArg",
    "get_compile_time_arg_val": "CompileTimeArg",
    "TensorAccessor": "TensorArg",
    "TensorAccessorArgs": "TensorArg",
}
# Bit casts, with the types they take and give.
_BIT_CASTS: dict[Any, tuple[Type, Type]] = {float_bits: (FLOAT32, UINT32), float_from_bits: (UINT32, FLOAT32)}


def call(scope: Expressions, node: ast.Call) -> Expression:
    """The C++ of a call."""
    template: list[ast.expr] = []
    callee: ast.expr = node.func
    if isinstance(callee, ast.Subscript):
        template = list(callee.slice.elts) if isinstance(callee.slice, ast.Tuple) else [callee.slice]
        callee = callee.value
    _require_one_by_one(scope, node)
    found = scope.static(callee)
    if isinstance(found, ApiFunction):
        return _api_call(scope, node, found, template)
    if found is l1_ptr:
        return _pointer(scope, node, template)
    if template:
        raise scope.error(node, "only functions of the kernel API and l1_ptr take arguments in brackets")
    if isinstance(found, KernelFunction):
        return _function_call(scope, node, found)
    if isinstance(found, type) and found in PYTHON_TYPES:
        return _cast(scope, node, PYTHON_TYPES[found])
    if found is min or found is max:
        return _extreme(scope, node, found.__name__)
    if found is float_bits or found is float_from_bits:
        return _bit_cast(scope, node, found)
    if found is dprint:
        return _print(scope, node)
    if isinstance(callee, ast.Attribute):
        return _method_call(scope, node, callee)
    raise scope.error(node, _why_not(ast.unparse(callee), found))


def is_pure(scope: Expressions, node: ast.Call) -> bool:
    """Whether a call has no effect but its value."""
    found = scope.static(node.func.value if isinstance(node.func, ast.Subscript) else node.func)
    is_cast = found in (l1_ptr, *PYTHON_TYPES) if isinstance(found, type) else False
    return is_cast or found in (min, max, float_bits, float_from_bits)


def _why_not(name: str, found: Any) -> str:
    instead = {
        "print": 'dprint("text", value)',
        "range": "`for i in range(...)`",
        "int": "uint32(x) or int32(x)",
        "float": "float32(x)",
        "abs": "`x if x >= 0 else -x`",
        "len": "a compile-time argument",
    }
    if name in instead:
        return f"{name} cannot be called in a kernel: use {instead[name]}"
    if name in FUNCTIONS:
        return f"{name} is not imported: from tilewright.kernels.api import {name}"
    if name in _ARGUMENT_READERS:
        return f"{name} is written by the translation: take the value as a parameter, `name: {_ARGUMENT_READERS[name]}`"
    if found is UNKNOWN:
        hint = nearest_name(name)
        return f"unknown function {name}; " + (f"did you mean {hint}?" if hint else _WHAT_CAN_BE_CALLED)
    if not isinstance(found, types.FunctionType):
        return f"{name} cannot be called in a kernel; {_WHAT_CAN_BE_CALLED}"
    return f"{name} is a Python function: decorate it with @kernel_function to call it from kernels"


def _api_call(scope: Expressions, node: ast.Call, function: ApiFunction, template: list[ast.expr]) -> Expression:
    header = function.header(scope.unit.is_compute)
    if header is None:
        have, are = ("data movement", "compute") if scope.unit.is_compute else ("compute", "data movement")
        raise scope.error(node, f"{function.name} is for {have} kernels; {scope.unit.kernel_name} is a {are} kernel")
    scope.unit.include(header)
    signature = _overload(scope, node, function)
    arguments = _api_arguments(scope, node, function.name, signature)
    name = function.name + _template_text(scope, node, signature, template)
    type_ = _KINDS.get(signature.returns) or enum_type(signature.returns)
    is_constant = signature.is_constexpr and all(each.is_constant for each in arguments)
    text = f"{name}({', '.join(each.text for each in arguments)})"
    return Expression(text, type_, is_constant=is_constant, is_signed=signature.is_signed)


def _require_one_by_one(scope: Expressions, node: ast.Call) -> None:
    if any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
        raise scope.error(node, "write the arguments one by one, without * and **")


def _overload(scope: Expressions, node: ast.Call, function: ApiFunction) -> Signature:
    count = len(node.args) + len(node.keywords)
    for signature in function.signatures:
        if signature.takes(count) and {each.arg for each in node.keywords} <= {a.name for a in signature.arguments}:
            return signature
    forms = " or ".join(signature.text for signature in function.signatures)
    if any(signature.takes(count) for signature in function.signatures):
        names = ", ".join(str(each.arg) for each in node.keywords)
        raise scope.error(node, f"{function.name} does not take {names}; it is {forms}")
    raise scope.error(node, f"{function.name} does not take {_counted(count)}; it is {forms}")


def _counted(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"


def _api_arguments(scope: Expressions, node: ast.Call, name: str, signature: Signature) -> list[Expression]:
    order = _in_order(scope, node, name, [each.name for each in signature.arguments])
    arguments = []
    for argument, given in zip(signature.arguments, order, strict=False):
        type_ = _KINDS.get(argument.kind) or enum_type(argument.kind)
        if given is None:
            if argument.default is None:
                raise scope.error(node, f"{name}: {argument.name} is missing before a later argument")
            arguments.append(Expression(argument.default, type_, is_constant=True))
            continue
        arguments.append(scope.wanted(given, scope.value(given), type_, f"{argument.name} of {name}"))
    return arguments


def _in_order(scope: Expressions, node: ast.Call, name: str, names: Sequence[str]) -> list[ast.expr | None]:
    """Arguments by position, up to the last one given."""
    order: list[ast.expr | None] = list(node.args)
    if len(order) > len(names):
        raise scope.error(node, f"{name} takes {_counted(len(names))} ({', '.join(names)}), not {len(order)}")
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in names:
            raise scope.error(node, f"{name} has no argument {keyword.arg}; it has {', '.join(names) or 'none'}")
        position = names.index(keyword.arg)
        order += [None] * (position + 1 - len(order))
        if order[position] is not None:
            raise scope.error(node, f"{name}: {keyword.arg} is given twice")
        order[position] = keyword.value
    return order


def _template_text(scope: Expressions, node: ast.Call, signature: Signature, template: list[ast.expr]) -> str:
    required = [each for each in signature.template if not each.is_optional]
    if not len(required) <= len(template) <= len(signature.template):
        raise scope.error(node, f"the brackets have {_counted(len(template))}; it is {signature.text}")
    texts = []
    for parameter, given in zip(signature.template, template, strict=False):
        value = scope.value(given)
        if parameter.kind == "format":
            value = scope.wanted(given, value, enum_type("DataFormat"), parameter.name)
            value = Expression(f"static_cast<uint32_t>({value.text})", UINT32, is_constant=True)
        else:
            type_ = _KINDS.get(parameter.kind) or enum_type(parameter.kind)
            value = scope.wanted(given, value, type_, parameter.name)
        texts.append(_template_argument(scope, given, value))
    return f"<{', '.join(texts)}>" if texts else ""


def _template_argument(scope: Expressions, node: ast.expr, value: Expression) -> str:
    if not value.is_constant:
        raise scope.error(
            node, "this must be known when the kernel is compiled: a number, a constant or a CompileTimeArg"
        )
    return value.inside(values.UNARY)


def _pointer(scope: Expressions, node: ast.Call, template: list[ast.expr]) -> Expression:
    element = scope.static(template[0]) if len(template) == 1 else UNKNOWN
    if not isinstance(element, type) or element not in ELEMENT_TYPES or len(node.args) != 1 or node.keywords:
        allowed = ", ".join(str(each) for each in ELEMENT_TYPES.values())
        raise scope.error(node, f"write l1_ptr[type](address) with one of {allowed}")
    address = scope.wanted(node.args[0], scope.value(node.args[0]), UINT32, "the address of an l1_ptr")
    type_ = pointer_to(ELEMENT_TYPES[element])
    return Expression(f"reinterpret_cast<{type_.cpp}>({address.text})", type_)


def _cast(scope: Expressions, node: ast.Call, type_: Type) -> Expression:
    if len(node.args) != 1 or node.keywords:
        raise scope.error(node, f"a cast takes one value: {type_}(x)")
    value = scope.value(node.args[0])
    if type_ == CB_INDEX and value.is_flexible and not is_circular_buffer_index(value.literal):
        raise scope.error(node, f"circular buffers have the indices 0 to 63, not {value.literal}")
    allowed = (UINT32,) if type_ == CB_INDEX else (*NUMBERS, BOOL, CB_INDEX)
    if value.type not in allowed:
        raise scope.error(node, f"{value.type} cannot be cast to {type_}")
    number = value.known_number
    if number is not None and type_ in INTEGERS and not values.holds(type_, int(number)):
        raise scope.error(node, f"{value.text} does not fit {type_}")
    if type_ == CB_INDEX:
        return Expression(value.text, type_, value.precedence, value.is_constant)
    if value.type == type_ and not value.is_flexible:
        return value
    return Expression(f"static_cast<{type_.cpp}>({value.text})", type_, is_constant=value.is_constant)


def _bit_cast(scope: Expressions, node: ast.Call, function: Any) -> Expression:
    if len(node.args) != 1 or node.keywords:
        raise scope.error(node, f"{function.__name__} takes one value: {function.__name__}(x)")
    takes, gives = _BIT_CASTS[function]
    value = scope.wanted(node.args[0], scope.value(node.args[0]), takes, f"the value of {function.__name__}")
    if value.is_flexible and takes == UINT32:
        value = Expression(f"{value.text.rstrip('u')}u", UINT32, is_constant=True)  # a plain number is an int in C++
    elif value.is_signed:
        value = Expression(f"static_cast<uint32_t>({value.text})", UINT32, is_constant=value.is_constant)
    return Expression(BIT_CAST.format(type=gives.cpp, value=value.text), gives, is_constant=value.is_constant)


def _extreme(scope: Expressions, node: ast.Call, name: str) -> Expression:
    if len(node.args) != 2 or node.keywords:
        raise scope.error(node, f"{name} takes two values in a kernel: {name}(a, b)")
    left, right = (scope.value(each) for each in node.args)
    type_ = values.common_type(left, right)
    if type_ is None or type_ not in NUMBERS:
        raise scope.error(node, f"{name} of {left.type} and {right.type}: cast one of them")
    scope.unit.include("<algorithm>")
    texts = [(values.converted(each, type_) or each).text for each in (left, right)]
    constant = left.is_constant and right.is_constant
    return Expression(f"std::{name}<{type_.cpp}>({', '.join(texts)})", type_, is_constant=constant)


def _print(scope: Expressions, node: ast.Call) -> Expression:
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str) or node.keywords:
        raise scope.error(node, 'dprint takes a text and values: dprint("tile {} of {}", i, n)')
    printed = [scope.value(each) for each in node.args[1:]]
    for each, value in zip(node.args[1:], printed, strict=True):
        if value.type not in (*NUMBERS, BOOL, CB_INDEX):
            raise scope.error(each, f"{value.type} cannot be printed")
    text = first.value
    places = _places(scope, node, text)
    if not places:
        text += " {}" * len(printed)
    elif places != len(printed):
        raise scope.error(node, f"the text has {places} places {{}} for {len(printed)} values")
    scope.unit.include(PRINT_HEADER)
    arguments = [json.dumps(text + "\n", ensure_ascii=False), *(value.text for value in printed)]
    return Expression(f"{PRINT}({', '.join(arguments)})", NOTHING)


def _places(scope: Expressions, node: ast.Call, text: str) -> int:
    """How many values the text has room for."""
    try:
        places = [(name, form) for _, name, form, _ in string.Formatter().parse(text) if name is not None]
    except ValueError as error:
        raise scope.error(node, f"{error}: write {{}} for a value, {{{{ and }}}} for the signs themselves") from None
    for name, form in places:
        if name or not _PRINT_FORM.fullmatch(form or ""):
            shown = f"{{{name}:{form}}}" if form else f"{{{name}}}"
            raise scope.error(node, f"{shown} is no place for a value: write {{}}, or {{:x}}, {{:08.3f}} and the like")
    return len(places)


def _method_call(scope: Expressions, node: ast.Call, callee: ast.Attribute) -> Expression:
    if not isinstance(callee.value, ast.Name) or callee.value.id not in scope.variables:
        raise scope.error(node, f"unknown function {ast.unparse(callee)}; {_WHAT_CAN_BE_CALLED}")
    owner = scope.value(callee.value)
    if owner.type != TENSOR or callee.attr not in TENSOR_METHODS:
        has = f"; a tensor has {', '.join(TENSOR_METHODS)}" if owner.type == TENSOR else ""
        raise scope.error(node, f"{owner.type} has no method {callee.attr}{has}")
    signature = TENSOR_METHODS[callee.attr]
    if not signature.takes(len(node.args) + len(node.keywords)):
        raise scope.error(node, f"{callee.attr} is {signature.text}")
    texts = [each.text for each in _api_arguments(scope, node, callee.attr, signature)]
    return Expression(f"{owner.text}.{callee.attr}({', '.join(texts)})", _KINDS[signature.returns])


def _function_call(scope: Expressions, node: ast.Call, function: KernelFunction) -> Expression:
    if function.is_kernel:
        raise scope.error(
            node, f"{function.name} is a kernel; kernels cannot call kernels, only @kernel_function functions"
        )
    scope.unit.add_function(scope, node, function)
    parameters = function.parameters
    order = _in_order(scope, node, function.name, [each.name for each in parameters])
    order += [None] * (len(parameters) - len(order))
    template, texts = [], []
    for parameter, given in zip(parameters, order, strict=True):
        if parameter.kind is ParameterKind.BUFFERS:
            _check_buffers(scope, node, function, parameter, given)
            continue
        value = _argument(scope, node, function, parameter, given)
        if parameter.kind is ParameterKind.COMPILE_TIME:
            template.append(_template_argument(scope, given if given is not None else node, value))
        else:
            texts.append(value.text)
    name = f"{function.name}<{', '.join(template)}>" if template else function.name
    return Expression(f"{name}({', '.join(texts)})", function.returns)


def _argument(
    scope: Expressions, node: ast.Call, function: KernelFunction, parameter: KernelParameter, given: ast.expr | None
) -> Expression:
    type_ = TENSOR if parameter.kind is ParameterKind.TENSOR else parameter.type or UINT32
    what = f"{parameter.name} of {function.name}"
    if given is not None:
        return scope.wanted(given, scope.value(given), type_, what)
    if not parameter.has_default:
        needed = ", ".join(each.name for each in function.parameters)
        raise scope.error(node, f"{parameter.name} is missing: {function.name}({needed})")
    default = parameter.default
    if isinstance(default, KernelEnum) and enum_type(type(default).__name__) == type_:
        return Expression(f"{type_.cpp}::{default.value}", type_, is_constant=True)
    if not isinstance(default, (bool, int, float)):
        raise scope.error(node, f"the default of {what} must be a number or a bool, not {default!r}")
    constant = ast.copy_location(ast.Constant(default), node)
    value = _default_value(default)
    if type_ == CB_INDEX:
        return Expression(value.text, CB_INDEX, is_constant=True)
    return scope.wanted(constant, value, type_, what)


def _default_value(default: bool | int | float) -> Expression:
    if isinstance(default, bool):
        return values.boolean(default)
    return values.integer(int(default)) if isinstance(default, int) else values.real(default)


def _check_buffers(
    scope: Expressions, node: ast.Call, function: KernelFunction, parameter: KernelParameter, given: ast.expr | None
) -> None:
    """Named buffers are constants of the file, so nothing is handed over."""
    variable = scope.variables.get(given.id) if isinstance(given, ast.Name) else None
    if variable is None or variable.buffers is not parameter.buffers:
        wanted = parameter.buffers.__name__ if parameter.buffers is not None else ""
        raise scope.error(node, f"{parameter.name} of {function.name} must be a parameter annotated with {wanted}")
