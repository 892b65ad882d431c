# SPDX-License-Identifier: Apache-2.0
"""Translate a whole kernel: includes, constants, helper functions, ``kernel_main``."""

from __future__ import annotations

import ast

from tilewright.kernels._api_table import (
    ACCESSOR,
    ACCESSOR_ARGS,
    BIT_CAST,
    COMMON_RUNTIME_ARG,
    COMPILE_TIME_ARG,
    COMPUTE_BASE,
    DATAFLOW_BASE,
    FUNCTIONS,
    NEXT_ACCESSOR_OFFSET,
    RUNTIME_ARG,
)
from tilewright.kernels._cpp_text import CPP_WORDS, HEADER_NAMES, Line
from tilewright.kernels._expressions import Expressions, Variable
from tilewright.kernels._kernel_function import KernelFunction
from tilewright.kernels._parameters import KernelParameter, ParameterKind, ParameterLayout, argument_layout
from tilewright.kernels._statements import Statements
from tilewright.kernels._types import BOOL, CB_INDEX, FLOAT32, INT32, NOTHING, TENSOR, UINT32, Type


class Unit:
    """The C++ file one kernel becomes, while it is being put together."""

    def __init__(self, kernel: KernelFunction, is_compute: bool) -> None:
        self.kernel = kernel
        self.kernel_name = kernel.name
        self.is_compute = is_compute
        self._includes = {"<cstdint>", COMPUTE_BASE if is_compute else DATAFLOW_BASE}
        self._constants: dict[str, tuple[Type, str]] = {}
        self._functions: dict[str, tuple[KernelFunction, list[Line]]] = {}
        self._in_progress: list[KernelFunction] = []

    def include(self, header: str) -> None:
        self._includes.add(header)

    def constant(self, scope: Expressions, node: ast.AST, name: str, type_: Type, text: str) -> None:
        """Notes a constant of the file."""
        if name in scope.local_names:
            raise scope.error(node, f"{name} would be both a constant and a variable in C++: rename the variable")
        if name in FUNCTIONS or name in CPP_WORDS or name in HEADER_NAMES:
            raise scope.error(node, f"{name} has a meaning in C++ kernels: give the constant another name")
        if name in self._functions:
            raise scope.error(node, f"{name} would be both a constant and a function in C++: rename one")
        if self._constants.setdefault(name, (type_, text)) != (type_, text):
            raise scope.error(node, f"two constants called {name} have different values in one kernel: rename one")

    def add_function(self, scope: Expressions, node: ast.AST, function: KernelFunction) -> None:
        """Makes sure that a kernel function stands before its caller."""
        if function in self._in_progress:
            raise scope.error(node, f"{function.name} calls itself; kernels have no recursion: write a loop")
        if function.name in self._constants:
            raise scope.error(node, f"{function.name} would be both a constant and a function in C++: rename one")
        if function.name in FUNCTIONS or function.name in CPP_WORDS or function.name in HEADER_NAMES:
            raise scope.error(node, f"{function.name} has a meaning in C++ kernels: give your function another name")
        known = self._functions.get(function.name)
        if known is not None and known[0] is not function:
            raise scope.error(node, f"two functions called {function.name} in one kernel: rename one")
        if known is None:
            lines = self._translated(function)
            self._functions[function.name] = (function, lines)

    def lines(self) -> list[Line]:
        """The whole file."""
        main = self._translated(self.kernel)
        lines = [Line(f"#include {header}") for header in sorted(self._includes) if header.startswith("<")]
        lines.append(Line(""))
        lines += [Line(f'#include "{header}"') for header in sorted(self._includes) if not header.startswith("<")]
        if self._constants:
            lines.append(Line(""))
        buffers = [item for item in self._constants.items() if item[1][0] == CB_INDEX]
        others = [item for item in self._constants.items() if item[1][0] != CB_INDEX]
        for name, (type_, text) in [*sorted(buffers, key=lambda item: int(item[1][1])), *others]:
            lines.append(Line(f"constexpr {type_.cpp} {name} = {text};"))
        for _, function_lines in self._functions.values():
            lines += [Line(""), *function_lines]
        return [*lines, Line(""), *main]

    def _translated(self, function: KernelFunction) -> list[Line]:
        self._in_progress.append(function)
        statements = Statements(function, self)
        if function.is_kernel:
            if function.returns != NOTHING:
                raise function.error(
                    function.tree.returns or function.tree, "a kernel returns nothing: write `-> None`"
                )
            head = "void kernel_main() {"
            _read_arguments(statements, function)
        else:
            head = _function_head(statements, function)
        statements.translate()
        self._in_progress.pop()
        rows = head.split("\n")
        first = [Line(row, 0, function.path, function.line_of(function.tree)) for row in rows]
        return [*_comment(function), *first, *statements.lines, Line("}")]


def _comment(function: KernelFunction) -> list[Line]:
    """The first paragraph of the docstring."""
    text = ast.get_docstring(function.tree) or ""
    return [Line(f"// {row}".rstrip("\\ ")) for row in text.split("\n\n")[0].splitlines()]


def _parameter_node(function: KernelFunction, parameter: KernelParameter) -> ast.arg:
    return next(each for each in function.tree.args.args if each.arg == parameter.name)


def _read_arguments(statements: Statements, function: KernelFunction) -> None:
    """Compile-time arguments, then tensor accessors' ones, then what comes at run time."""
    layout = argument_layout(function.parameters)
    nodes = {each.name: _parameter_node(function, each) for each in function.parameters}
    for parameter in function.parameters:
        if parameter.kind is ParameterKind.BUFFERS:
            _define_buffers(statements, nodes[parameter.name], parameter)
        if parameter.kind in (ParameterKind.COMPILE_TIME, ParameterKind.CB):
            _read_compile_time(statements, nodes[parameter.name], parameter, layout)
    _read_accessor_args(statements, nodes, layout)
    for parameter in function.parameters:
        if parameter.kind in (ParameterKind.RUNTIME, ParameterKind.COMMON_RUNTIME):
            _read_runtime(statements, nodes[parameter.name], parameter, layout)
        if parameter.kind is ParameterKind.TENSOR:
            name, index = parameter.name, layout.runtime.index(parameter.name)
            statements.define(nodes[name], Variable(name, TENSOR, fixed="a tensor"))
            accessor = ACCESSOR.format(args=f"{name}_args", address=RUNTIME_ARG.format(type="uint32_t", index=index))
            statements.add(nodes[name], f"const auto {name} = {accessor};")
    if statements.lines and statements.body:
        statements.lines.append(Line(""))


def _define_buffers(statements: Statements, node: ast.arg, parameter: KernelParameter) -> None:
    buffers = Variable(parameter.name, NOTHING, fixed="a set of buffers", buffers=parameter.buffers)
    statements.define(node, buffers)


def _read_compile_time(
    statements: Statements, node: ast.arg, parameter: KernelParameter, layout: ParameterLayout
) -> None:
    name, type_ = parameter.name, parameter.type or UINT32
    statements.define(node, Variable(name, type_, True, f"a {parameter.kind.value}"))
    if parameter.has_default:
        source = str(int(parameter.default))
    else:
        source = _from_word(COMPILE_TIME_ARG.format(index=layout.scalars.index(name)), type_)
    statements.add(node, f"constexpr {type_.cpp} {name} = {source};")


def _from_word(word: str, type_: Type) -> str:
    """The value that a host put into the 32 bits of an argument."""
    if type_ == FLOAT32:
        return BIT_CAST.format(type="float", value=word)
    if type_ == INT32:
        return f"static_cast<int32_t>({word})"
    return f"{word} != 0" if type_ == BOOL else word


def _read_accessor_args(statements: Statements, nodes: dict[str, ast.arg], layout: ParameterLayout) -> None:
    previous = ""
    for name in layout.tensors:
        offset = NEXT_ACCESSOR_OFFSET.format(args=previous) if previous else str(len(layout.scalars))
        previous = f"{name}_args"
        if statements.is_taken(previous):
            error = f"the accessor of {name} is called {previous} in C++: rename the variable or constant"
            raise statements.function.error(nodes[name], error)
        statements.add(nodes[name], f"constexpr auto {previous} = {ACCESSOR_ARGS.format(offset=offset)};")


def _read_runtime(statements: Statements, node: ast.arg, parameter: KernelParameter, layout: ParameterLayout) -> None:
    name, type_ = parameter.name, parameter.type or UINT32
    is_common = parameter.kind is ParameterKind.COMMON_RUNTIME
    index = (layout.common_runtime if is_common else layout.runtime).index(name)
    read = COMMON_RUNTIME_ARG if is_common else RUNTIME_ARG
    word = read.format(type="uint32_t" if type_ == BOOL else type_.cpp, index=index)
    statements.define(node, Variable(name, type_))
    is_const = "" if statements.is_changed(name) else "const "
    statements.add(node, f"{is_const}{type_.cpp} {name} = {word + ' != 0' if type_ == BOOL else word};")


def _function_head(statements: Statements, function: KernelFunction) -> str:
    """``template <...>`` where values or types must be known at compile time, and the signature."""
    template, arguments = [], []
    for parameter in function.parameters:
        name, node = parameter.name, _parameter_node(function, parameter)
        if parameter.kind is ParameterKind.BUFFERS:
            _define_buffers(statements, node, parameter)
        elif parameter.kind is ParameterKind.COMPILE_TIME:
            type_ = parameter.type or UINT32
            statements.define(node, Variable(name, type_, True, "a CompileTimeArg"))
            template.append(f"{type_.cpp} {name}")
        elif parameter.kind is ParameterKind.TENSOR:
            statements.define(node, Variable(name, TENSOR, fixed="a tensor"))
            kind = "".join(part.capitalize() for part in name.split("_")) + "Type"
            template.append(f"typename {kind}")
            arguments.append(f"const {kind}& {name}")
        else:
            type_ = parameter.type or UINT32
            statements.define(node, Variable(name, type_))
            arguments.append(f"{type_.cpp} {name}")
    # Values are named in the call, types are deduced: they come last.
    template.sort(key=lambda each: each.startswith("typename"))
    head = f"{function.returns.cpp} {function.name}({', '.join(arguments)}) {{"
    return f"template <{', '.join(template)}>\n{head}" if template else head
