# SPDX-License-Identifier: Apache-2.0
"""Calls of a Python kernel, found by running its Python functions with an API that writes calls down.

A kernel's control flow depends on its arguments alone, never on data, so nothing needs to be simulated and nothing
compiled. Where a function writes to L1 itself, in loops between calls, the basic blocks it would execute are counted: a
turn of a loop is one, and so is each conditional expression, each operand behind an ``and`` that is looked at, and each
loop in it; a branch of an ``if`` is two, the call of a helper five.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import re
import threading
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tilewright
from tilewright._tensor.cores import CoreCoord
from tilewright.kernels import Kernel
from tilewright.kernels._cpp_kernel import CppKernel
from tilewright.kernels._kernel_function import UNKNOWN, KernelFunction
from tilewright.kernels._parameters import ParameterKind
from tilewright.kernels._signatures import ApiConstant, ApiFunction
from tilewright.kernels._types import CB, int32, l1_ptr, uint32, uint64
from tilewright.kernels.phases import Phase
from tilewright.timing._traced_calls import (
    CallList,
    InterleavedPages,
    NocAddress,
    NotTracedError,
    Traced,
    traced_functions,
)

_COUNTER, _LOOKED_AT = "_blocks", "_operand_is_looked_at"
_BLOCKS_OF_A_HELPER = 5
# Basic blocks at the start of a kernel for each of its parameters: reading arguments, making accessors.
_BLOCKS_OF_A_PARAMETER = 4
_WHOLE_NUMBERS = (uint32, int32, uint64, CB)


@dataclasses.dataclass(frozen=True, eq=False)
class KernelTrace:
    """Entries of a kernel on one core.

    Attributes:
        words: the entries.
        places: which of them are addresses of interleaved pages.
        pages: the numbers of these pages.
        own: which of the entries are addresses in the core's own L1.
    """

    words: NDArray[np.uint64]
    places: NDArray[np.int64]
    pages: NDArray[np.int64]
    own: NDArray[np.int64]

    def moves_like(self, other: KernelTrace) -> bool:
        """Whether both make the same calls, if on other pages."""
        return len(self.words) == len(other.words) and np.array_equal(self.places, other.places)


class KernelTracer:
    """Traces kernels of one chip; functions that were traced before are kept."""

    def __init__(self, arch: str) -> None:
        self._calls = CallList(arch)
        self._api = {name: _ApiCall(name, each) for name, each in traced_functions(self._calls).items()}
        self._functions: dict[tuple[KernelFunction, bool], Callable[..., Any]] = {}
        self._lock = threading.Lock()

    def trace(
        self,
        kernel: Kernel,
        arguments: Mapping[str, Any],
        page_bytes: Mapping[str, int],
        tile_bytes: Mapping[int, int],
        *,
        noc: int = 0,
        fp32_dest: bool = True,
    ) -> KernelTrace:
        """Calls of a kernel on one core.

        Args:
            arguments: values by name, compile-time and runtime; one too many does no harm.
            page_bytes: of the tensors, by the name of the parameter.
            tile_bytes: of the circular buffers, by index.

        Raises:
            NotTracedError: the kernel is written in C++, or calls something that has no entry here.
        """
        if isinstance(kernel, CppKernel):
            raise NotTracedError(f"{kernel.name} is written in C++")
        with self._lock:
            self._calls.begin(noc, tile_bytes, _BLOCKS_OF_A_PARAMETER * len(kernel.parameters))
            try:
                given = {each.name: self._argument(each, arguments, page_bytes) for each in kernel.parameters}
                self._function(kernel, fp32_dest)(**given)
            except (TypeError, AttributeError, LookupError) as error:
                raise NotTracedError(f"{kernel.name}: {error}") from error
            return KernelTrace(np.array(self._calls.words, np.uint64), *self._calls.paged(), self._calls.own())

    def on_pages(self, trace: KernelTrace, pages: NDArray[np.int64], place: CoreCoord) -> NDArray[np.uint64]:
        """The entries of a trace with other pages, on a core with these NoC coordinates."""
        words: NDArray[np.uint64] = trace.words.copy()
        words[trace.places] = self._calls.bank_addresses[pages % len(self._calls.bank_addresses)]
        words[trace.own] |= np.uint64(NocAddress.of((place.x, place.y), 0))
        return words

    def _argument(self, parameter: Any, arguments: Mapping[str, Any], page_bytes: Mapping[str, int]) -> Any:
        if parameter.kind is ParameterKind.BUFFERS:
            return parameter.buffers
        if parameter.has_default:
            return parameter.default
        if parameter.kind is ParameterKind.TENSOR:
            return InterleavedPages(page_bytes[parameter.name])
        return arguments[parameter.name]

    def _function(self, given: KernelFunction, fp32_dest: bool) -> Callable[..., Any]:
        key = (given, fp32_dest)
        if key not in self._functions:
            code = given.function.__code__
            if code.co_freevars:
                raise NotTracedError(f"{given.name} is written inside another function")
            names: dict[str, Any] = {_COUNTER: self._calls.blocks, _LOOKED_AT: self._calls.count_block}
            self._functions[key] = made = _with_names(given, names)
            for name in code.co_names:
                found = given.look_up(name)
                if found is not UNKNOWN:
                    names[name] = self._meaning(found, fp32_dest)
            made.__defaults__ = given.function.__defaults__
        return self._functions[key]

    def _meaning(self, found: Any, fp32_dest: bool) -> Any:
        """Value of a kernel's name in a trace."""
        if isinstance(found, KernelFunction):
            return self._function(found, fp32_dest)
        if isinstance(found, ApiFunction):
            return self._api.get(found.name) or _Unknown(found.name)
        if isinstance(found, ApiConstant) and found.name in _memory_map():
            return _memory_map()[found.name]
        if isinstance(found, ApiConstant):
            return fp32_dest if found.name == "DST_ACCUM_MODE" else _Unknown(found.name)
        if found is l1_ptr:
            return _Elements()
        return int if found in _WHOLE_NUMBERS else found


@functools.cache
def _memory_map() -> dict[str, int]:
    """Constants of the kernels' memory map by name."""
    text = (Path(tilewright.__file__).parent / "native" / "include" / "tw" / "memory_map.h").read_text()
    return {name: int(value, 0) for name, value in re.findall(r"^#define (MEM_\w+) (\w+)$", text, re.MULTILINE)}


class _ApiCall:
    """A function of the kernel API, with or without template arguments in brackets."""

    def __init__(self, name: str, made: Traced) -> None:
        self.name = name
        self._made = made
        self._plain: Callable[..., Any] | None = None
        self._forms: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        if self._plain is None:
            self._plain = self._made(())
        return self._plain(*arguments)

    def __getitem__(self, template: Any) -> Callable[..., Any]:
        if template not in self._forms:
            self._forms[template] = self._made(template if isinstance(template, tuple) else (template,))
        return self._forms[template]


class _Unknown:
    """A function whose entries are not known here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *arguments: Any) -> None:
        raise NotTracedError(f"{self._name} has no entry in a trace")

    def __getitem__(self, template: Any) -> _Unknown:
        return self


class _Elements:
    """``l1_ptr[uint32](address)``: elements that can be written; what is read is zero."""

    def __init__(self, address: int = 0) -> None:
        self.address = address

    def __getitem__(self, index: Any) -> Any:
        return self if isinstance(index, type) else 0

    def __call__(self, address: int) -> _Elements:
        return _Elements(address)

    def __setitem__(self, index: int, value: float) -> None:
        pass


def _with_names(given: KernelFunction, names: dict[str, Any]) -> types.FunctionType:
    """The function with other global names; with counters, if it works on L1 itself."""
    code = given.function.__code__
    if "l1_ptr" not in code.co_names:
        return types.FunctionType(code, names, given.name)
    tree = copy.deepcopy(given.tree)
    tree.decorator_list, tree.returns = [], None
    for each in tree.args.args:
        each.annotation = None
    tree.args.defaults = []
    if not isinstance(given, Phase):
        tree.body.insert(0, _counter(_BLOCKS_OF_A_HELPER))
    counted = ast.fix_missing_locations(ast.Module([_Counted().visit(tree)], []))
    exec(compile(counted, given.path, "exec"), names)
    made = names[given.name]
    assert isinstance(made, types.FunctionType)
    return made


class _Counted(ast.NodeTransformer):
    """Adds counters of basic blocks."""

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        own = [node.iter, *(each for each in node.body if not isinstance(each, (ast.For, ast.If)))]
        inner = sum(isinstance(each, ast.For) for each in node.body)
        node.body.insert(0, _counter(1 + inner + sum(_num_conditional(each) for each in own)))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        if isinstance(node.op, ast.And):
            first, *rest = node.values
            node.values = [first, *(each for value in rest for each in (_looked_at(), value))]
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        node.body.insert(0, _counter(2))
        node.orelse.insert(0, _counter(2))
        return node


def _num_conditional(node: ast.AST) -> int:
    return sum(isinstance(each, ast.IfExp) for each in ast.walk(node))


def _looked_at() -> ast.expr:
    """True, and counted."""
    return ast.parse(f"{_LOOKED_AT}()", mode="eval").body


def _counter(count: int) -> ast.stmt:
    return ast.parse(f"{_COUNTER}[0] += {count}").body[0]
