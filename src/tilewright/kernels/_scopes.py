# SPDX-License-Identifier: Apache-2.0
"""Declaration scopes of a kernel's local variables.

Python has one scope for a whole function, C++ one for each block. A variable is declared at its first assignment if
all its uses are in the same block or deeper; otherwise in the innermost block around all its uses, just before the
statement that assigns it first.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable

Block = tuple[int, ...]


@dataclasses.dataclass
class LocalUse:
    """Where a name occurs.

    Attributes:
        block: the innermost block around all uses.
        stores: how often it is assigned.
        first: the statement of ``block`` that assigns it first, or contains that.
    """

    block: Block
    stores: int = 0
    first: ast.stmt | None = None


class _Scan:
    def __init__(self) -> None:
        self.uses: dict[str, LocalUse] = {}
        self.stores: dict[str, list[tuple[Block, list[ast.stmt]]]] = {}
        self._blocks = 0

    def block(self, body: Iterable[ast.stmt], block: Block, around: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement, block, [*around, statement])

    def _inner(self, body: Iterable[ast.stmt], block: Block, around: list[ast.stmt]) -> None:
        self._blocks += 1
        self.block(body, (*block, self._blocks), around)

    def _statement(self, statement: ast.stmt, block: Block, around: list[ast.stmt]) -> None:
        match statement:
            case ast.If():
                self._names(statement.test, block, around)
                self._inner(statement.body, block, around)
                if len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
                    self._statement(statement.orelse[0], block, around)  # elif: no block between
                else:
                    self._inner(statement.orelse, block, around)
            case ast.While():
                self._names(statement.test, block, around)
                self._inner(statement.body, block, around)
            case ast.For():
                self._names(statement.iter, block, around)
                self._inner(statement.body, block, around)
            case _:
                self._names(statement, block, around)

    def _names(self, node: ast.AST, block: Block, around: list[ast.stmt]) -> None:
        for each in _names_in(node):
            use = self.uses.setdefault(each.id, LocalUse(block))
            use.block = _common(use.block, block)
            if isinstance(each.ctx, ast.Store):
                use.stores += 1
                self.stores.setdefault(each.id, []).append((block, around))


def _names_in(node: ast.AST) -> list[ast.Name]:
    """Every name below a node, in the order of ``ast.walk``, which takes twice the time."""
    names, nodes = [], [node]
    for each in nodes:  # grows as it goes
        if isinstance(each, ast.Name):
            names.append(each)
            continue
        for field in each._fields:
            child = getattr(each, field, None)
            if isinstance(child, ast.AST):
                nodes.append(child)
            elif isinstance(child, list):
                nodes += [item for item in child if isinstance(item, ast.AST)]
    return names


def _common(one: Block, other: Block) -> Block:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def local_uses(body: Iterable[ast.stmt]) -> dict[str, LocalUse]:
    """Every name of a function's body, with where it has to be declared."""
    scan = _Scan()
    scan.block(body, (), [])
    for name, use in scan.uses.items():
        if name in scan.stores:
            _, around = scan.stores[name][0]
            use.first = around[len(use.block)] if len(use.block) < len(around) else around[-1]
    return scan.uses


def mentioned_names(body: Iterable[ast.stmt]) -> set[str]:
    """Every name these statements use, those behind a dot included: C++ has constants of modules without the dot."""
    nodes = [each for statement in body for each in ast.walk(statement)]
    attributes = {each.attr for each in nodes if isinstance(each, ast.Attribute)}
    return attributes | {each.id for each in nodes if isinstance(each, ast.Name)}


def assigned_names(body: Iterable[ast.stmt]) -> set[str]:
    """Names that these statements may change."""
    return {each.id for statement in body for each in _names_in(statement) if isinstance(each.ctx, ast.Store)}
