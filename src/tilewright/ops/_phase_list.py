# SPDX-License-Identifier: Apache-2.0
"""Phases of a compute kernel, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from tilewright.kernels import KernelFunction
from tilewright.kernels.phases import Contract, Phase

KEPT = "*"


def phase_lines(kernel: KernelFunction) -> list[str]:
    """One line for each phase, in order and inside its loops: ``sub_bcast_cols  in_tiled, mean* -> centralized``.

    A buffer with a star keeps its pages.
    """
    return list(_lines(kernel, kernel.tree.body, "", {}))


def _lines(function: KernelFunction, body: Iterable[ast.stmt], indent: str, names: Mapping[str, str]) -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.For():
                inside = list(_lines(function, statement.body, indent + "  ", names))
                if inside:
                    yield f"{indent}for {ast.unparse(statement.target)} in {ast.unparse(statement.iter)}:"
                    yield from inside
            case ast.If():
                inside = list(_lines(function, statement.body, indent + "  ", names))
                if inside:
                    yield f"{indent}if {ast.unparse(statement.test)}:"
                    yield from inside
            case ast.Expr(value=ast.Call() as call):
                yield from _call_lines(function, call, indent, names)


def _call_lines(function: KernelFunction, call: ast.Call, indent: str, names: Mapping[str, str]) -> Iterator[str]:
    called = function.look_up(call.func.id) if isinstance(call.func, ast.Name) else None
    if not isinstance(called, KernelFunction):
        return
    parameters = [each.name for each in called.parameters]
    arguments = dict(zip(parameters, call.args, strict=False))
    arguments.update({each.arg: each.value for each in call.keywords if each.arg is not None})
    texts = {name: _buffer_name(value, names) for name, value in arguments.items()}
    if isinstance(called, Phase):
        yield f"{indent}{called.name:<24}{_traffic(called.contract, arguments, texts)}".rstrip()
    else:
        yield from _lines(called, called.tree.body, indent, texts)


def _buffer_name(value: ast.expr, names: Mapping[str, str]) -> str:
    text = ast.unparse(value)
    return names.get(text, text.rpartition(".")[2])


def _traffic(contract: Contract, arguments: Mapping[str, ast.expr], texts: Mapping[str, str]) -> str:
    read = [texts[cb] + (KEPT if _keeps(contract, cb, arguments) else "") for cb in contract.waits]
    written = [texts[cb] for cb in contract.pushes]
    return f"{', '.join(read)} -> {', '.join(written)}"


def _keeps(contract: Contract, cb: str, arguments: Mapping[str, ast.expr]) -> bool:
    """Whether nothing of a buffer is popped: always, or because of a flag of this call."""
    expression = ast.parse(contract.pops[cb], mode="eval").body
    if isinstance(expression, ast.IfExp) and isinstance(expression.test, ast.Name):
        flag = arguments.get(expression.test.id)
        given = flag.value if isinstance(flag, ast.Constant) else contract.defaults.get(expression.test.id, 0)
        expression = expression.body if given else expression.orelse
    return isinstance(expression, ast.Constant) and expression.value == 0
