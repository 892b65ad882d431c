# SPDX-License-Identifier: Apache-2.0
"""Arithmetic in a spec: page counts and arguments of phases, made of numbers, names, + - * // %, comparisons, if."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from tilewright.ops.plan import PageCount

_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class ExpressionError(ValueError):
    """Not an expression of this kind; the message says which part."""


def parse_expression(text: str) -> ast.expr:
    """The tree of an expression.

    Raises:
        ExpressionError: it is not one, or has parts that arithmetic does not need.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise ExpressionError(f"{text!r} is no expression") from None
    evaluate(tree, _Anything())
    return tree


def names_in(tree: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}


def evaluate(node: ast.expr, values: Mapping[str, int]) -> int:
    """The number that an expression gives."""
    match node:
        case ast.Constant() if isinstance(node.value, int):
            return int(node.value)
        case ast.Name():
            return int(values[node.id])
        case ast.IfExp():
            body, orelse = evaluate(node.body, values), evaluate(node.orelse, values)
            return body if evaluate(node.test, values) else orelse
        case ast.UnaryOp(op=ast.Not()):
            return int(not evaluate(node.operand, values))
        case ast.BoolOp():
            parts = [evaluate(each, values) for each in node.values]
            return int(all(parts) if isinstance(node.op, ast.And) else any(parts))
        case ast.BinOp() if type(node.op) in _BINARY:
            return _BINARY[type(node.op)](evaluate(node.left, values), evaluate(node.right, values))
        case ast.Compare() if len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
            return int(_COMPARE[type(node.ops[0])](evaluate(node.left, values), evaluate(node.comparators[0], values)))
    raise ExpressionError(f"{ast.unparse(node)} is no arithmetic")


class _Anything(dict[str, int]):
    """A value for every name: 1, so that nothing is divided by zero."""

    def __missing__(self, name: str) -> int:
        return 1


def page_count(text: str) -> PageCount:
    """Pages of a buffer: ``2*B`` is two for each tile of a block.

    >>> page_count("1 + partial")
    PageCount(per_row=0, per_block=0, fixed=1, partial=1)

    Raises:
        ExpressionError: it is no sum of ``Wt``, ``B``, ``partial`` and numbers.
    """
    tree = parse_expression(text)
    unknown = sorted(names_in(tree) - {"Wt", "B", "partial"})
    if unknown:
        raise ExpressionError(f"{unknown[0]} means nothing in a page count")

    def pages(**values: int) -> int:
        return evaluate(tree, {"Wt": 0, "B": 0, "partial": 0, **values})

    fixed = pages()
    count = PageCount(
        per_row=pages(Wt=1) - fixed, per_block=pages(B=1) - fixed, fixed=fixed, partial=pages(partial=1) - fixed
    )
    for row, block, partial in ((7, 3, 0), (5, 5, 1), (12, 4, 1)):
        if pages(Wt=row, B=block, partial=partial) != count.pages(row, block, bool(partial)):
            raise ExpressionError(f"{text} is no sum of Wt, B, partial and numbers")
    if min(count.per_row, count.per_block, count.fixed, count.partial) < 0 or count == PageCount():
        raise ExpressionError(f"{text} pages are not at least one")
    return count


def renamed(tree: ast.expr, names: Mapping[str, str]) -> str:
    """The expression with other names, as text: ``first=block*B`` becomes ``block * block_tiles``."""

    class Rename(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> Any:
            return ast.parse(names.get(node.id, node.id), mode="eval").body

    copy = ast.parse(ast.unparse(tree), mode="eval").body
    return ast.unparse(Rename().visit(copy))
