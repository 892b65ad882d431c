# SPDX-License-Identifier: Apache-2.0
"""A compute kernel cut after its first phases; the others become stubs."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection
from typing import Any

from tilewright._workshop.stubs import stub
from tilewright._workshop.trace.call_sites import CallSite, Chain, called_function, place_of
from tilewright.kernels import Kernel, KernelFunction
from tilewright.kernels.phases import Phase


def partial_kernel(kernel: Kernel, stubbed: Collection[CallSite]) -> Kernel:
    """``kernel`` with these calls made to stubs. Calls that only change the layout stay as they are."""
    if not stubbed:
        return kernel
    chains = {site.chain for site in stubbed}
    rewritten = _Rewriter(chains).rewrite(kernel, ())
    assert isinstance(rewritten, Kernel)
    return rewritten


class _Rewriter:
    def __init__(self, chains: Collection[Chain]) -> None:
        self._chains = chains
        self._helpers = 0

    def rewrite(self, function: KernelFunction, chain: Chain) -> KernelFunction:
        tree = copy.deepcopy(function.tree)
        names: dict[str, KernelFunction] = {}
        self._rewrite_body(function, tree.body, chain, names)
        if not names:
            return function
        if isinstance(function, Kernel):
            return _RewrittenKernel(function, tree, names)
        self._helpers += 1
        return _RewrittenHelper(function, tree, names, self._helpers)

    def _rewrite_body(
        self, function: KernelFunction, body: list[ast.stmt], chain: Chain, names: dict[str, KernelFunction]
    ) -> None:
        for statement in body:
            for inner in ("body", "orelse"):
                self._rewrite_body(function, getattr(statement, inner, []), chain, names)
            found = called_function(function, statement)
            if found is None:
                continue
            called, call = found
            here = (*chain, place_of(function, statement))
            if not isinstance(called, Phase):
                replacement = self.rewrite(called, here)
            else:
                replacement = stub(called) if here in self._chains else called
            if replacement is not called:
                call.func = ast.copy_location(ast.Name(replacement.name, ast.Load()), call.func)
                names[replacement.name] = replacement


class _Rewritten(KernelFunction):
    """A function of the same text but for the calls that became others."""

    def _take(self, original: KernelFunction, tree: ast.FunctionDef, names: dict[str, KernelFunction]) -> None:
        self.tree = tree
        self._original = original
        self._names = names

    def look_up(self, name: str) -> Any:
        return self._names[name] if name in self._names else self._original.look_up(name)


class _RewrittenKernel(_Rewritten, Kernel):
    def __init__(self, original: Kernel, tree: ast.FunctionDef, names: dict[str, KernelFunction]) -> None:
        Kernel.__init__(self, original.function, original.role)
        self._take(original, tree, names)


class _RewrittenHelper(_Rewritten):
    """A helper may become several others: each needs a name of its own."""

    def __init__(
        self, original: KernelFunction, tree: ast.FunctionDef, names: dict[str, KernelFunction], number: int
    ) -> None:
        super().__init__(original.function)
        self._take(original, tree, names)
        self._name = f"{original.name}_{number}"

    @property
    def name(self) -> str:
        return self._name
