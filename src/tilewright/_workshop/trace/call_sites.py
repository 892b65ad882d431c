# SPDX-License-Identifier: Apache-2.0
"""Call sites of phases in a kernel, helpers included, in text order."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tilewright._build.source_lines import SourceLine
from tilewright._workshop.stubs import STUB_PATH
from tilewright.kernels import KernelFunction
from tilewright.kernels.phases import Phase

# File, first and last line of each call on the way from the kernel to the phase, the kernel's own first.
Chain: TypeAlias = tuple[tuple[str, int, int], ...]


@dataclasses.dataclass(frozen=True)
class CallSite:
    """One call of a phase.

    Attributes:
        phase: what is called.
        chain: how the kernel comes there.
        outputs: names of the circular buffers it pushes into.
    """

    phase: Phase
    chain: Chain
    outputs: tuple[str, ...]

    @property
    def is_stub(self) -> bool:
        """Whether it moves pages only."""
        return self.phase.path.startswith(STUB_PATH)

    @property
    def line(self) -> int:
        """Line of the call itself."""
        return self.chain[-1][1]

    def made(self, stack: Iterable[SourceLine]) -> bool:
        """Whether a push with this call stack, innermost first, comes from here."""
        lines = [(each.path, each.line) for each in stack]
        return _contains(lines[::-1], self.chain)


def call_sites(kernel: KernelFunction) -> list[CallSite]:
    """All calls of phases in a kernel."""
    return list(_sites(kernel, kernel.tree.body, (), {}))


def called_function(function: KernelFunction, statement: ast.stmt) -> tuple[KernelFunction, ast.Call] | None:
    """The kernel function that a statement calls, with the call; None for everything else."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    found = function.look_up(call.func.id) if isinstance(call.func, ast.Name) else None
    return (found, call) if isinstance(found, KernelFunction) else None


def place_of(function: KernelFunction, statement: ast.stmt) -> tuple[str, int, int]:
    """File, first and last line of a statement."""
    first = function.line_of(statement)
    return function.path, first, statement.end_lineno or first


def arguments_of(called: KernelFunction, call: ast.Call) -> dict[str, ast.expr]:
    """The arguments of a call by parameter."""
    given = dict(zip((each.name for each in called.parameters), call.args, strict=False))
    return given | {each.arg: each.value for each in call.keywords if each.arg is not None}


def _sites(
    function: KernelFunction, body: Iterable[ast.stmt], chain: Chain, names: Mapping[str, str]
) -> Iterator[CallSite]:
    for statement in body:
        for inner in ("body", "orelse"):
            yield from _sites(function, getattr(statement, inner, ()), chain, names)
        found = called_function(function, statement)
        if found is None:
            continue
        called, call = found
        here = (*chain, place_of(function, statement))
        texts = {name: _buffer_name(value, names) for name, value in arguments_of(called, call).items()}
        if isinstance(called, Phase):
            yield CallSite(called, here, tuple(texts.get(cb, cb) for cb in called.contract.pushes))
        else:
            yield from _sites(called, called.tree.body, here, texts)


def _buffer_name(value: ast.expr, names: Mapping[str, str]) -> str:
    text = ast.unparse(value)
    return names.get(text, text.rpartition(".")[2])


def _contains(lines: list[tuple[str, int]], chain: Chain) -> bool:
    return any(
        all(
            path == there and first <= line <= last
            for (there, line), (path, first, last) in zip(lines[start:], chain, strict=False)
        )
        for start in range(len(lines) - len(chain) + 1)
    )
