# SPDX-License-Identifier: Apache-2.0
"""The C++ a kernel with named bindings expects around its source.

``KernelBindings`` says where each name of one kernel is kept; ``declarations`` writes the namespaces ``args``, ``dfb``,
``tensor``, ``sem`` and ``scratch`` that go before the source, ``entry_point`` the ``kernel_main`` that goes after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tilewright._program.circular_buffer import TileDescriptor
from tilewright._program.specs.source import KernelEntry
from tilewright._wire.data_formats import DataFormat

WORD_BYTES = 4
_FACE_SIDE = 16

_HEADERS = """\
#include <tuple>
#include "api/dataflow/dfb_binding_token.h"
#include "api/dataflow/semaphore_binding_token.h"
#include "api/scratchpad_binding_token.h"
#include "api/tensor/tensor_binding_token.h"
#include "experimental/kernel_args.h"
#include "internal/template_string.h\""""


@dataclass(frozen=True)
class TileFormat:
    """Format and tile shape behind a name, where the spec says them."""

    data_format: DataFormat = DataFormat.Invalid
    tile: TileDescriptor = field(default_factory=TileDescriptor)

    def cpp(self) -> str:
        face_rows = min(self.tile.height, _FACE_SIDE)
        return (
            f"::binding_details::LLKMetadata{{{self.data_format.value}, {face_rows}, {_FACE_SIDE}, "
            f"{self.tile.height // face_rows}, {self.tile.width // _FACE_SIDE}}}"
        )


@dataclass(frozen=True)
class BufferName:
    name: str
    cb_index: int
    format: TileFormat


@dataclass(frozen=True)
class TensorName:
    """``cta_offset``: first of the layout's compile-time args. ``common_word``: common runtime arg with the address."""

    name: str
    cta_offset: int
    common_word: int
    format: TileFormat


@dataclass(frozen=True)
class ScratchpadName:
    name: str
    common_word: int
    num_bytes: int
    format: TileFormat


@dataclass(frozen=True)
class KernelBindings:
    """Every name one kernel has, with its place."""

    runtime_args: Sequence[str] = ()
    common_runtime_args: Sequence[str] = ()
    compile_time_args: Sequence[tuple[str, int]] = ()
    compile_time_varargs: Sequence[int] = ()
    common_vararg_word: int = 0
    dfbs: Sequence[BufferName] = ()
    tensors: Sequence[TensorName] = ()
    tensor_sequences: Sequence[tuple[str, Sequence[str]]] = ()
    semaphores: Sequence[tuple[str, int]] = ()
    semaphore_scope: str = "LOCAL_NONATOMIC"
    scratchpads: Sequence[ScratchpadName] = ()

    def declarations(self) -> str:
        """The text before the kernel's source."""
        return "\n".join(
            [
                _HEADERS,
                *_namespace("args", self._args()),
                *_namespace("dfb", [*self._dfbs(), *_lookup("::DFBBindingToken<>", [each.name for each in self.dfbs])]),
                *_namespace("tensor", self._tensors()),
                *_namespace("sem", self._semaphores()),
                *_namespace("scratch", self._scratchpads()),
                *self._varargs(),
            ]
        )

    def _args(self) -> Iterable[str]:
        for word, name in enumerate(self.runtime_args):
            yield f"constexpr ::experimental::RtaArg<uint32_t> {name}{{{word * WORD_BYTES}}};"
        for word, name in enumerate(self.common_runtime_args):
            yield f"constexpr ::experimental::CrtaArg<uint32_t> {name}{{{word * WORD_BYTES}}};"
        for name, value in self.compile_time_args:
            yield f"constexpr ::experimental::CtaVal<uint32_t> {name}{{{value}u}};"

    def _dfbs(self) -> Iterable[str]:
        for each in self.dfbs:
            yield f"constexpr ::DFBBindingToken<> {each.name}{{{each.cb_index}, {each.format.cpp()}}};"

    def _tensors(self) -> Iterable[str]:
        for each in self.tensors:
            address = each.common_word * WORD_BYTES
            yield f"using {each.name}_t = ::tensor_accessor::TensorBindingToken<{each.cta_offset}, {address}>;"
            yield f"constexpr {each.name}_t {each.name}{{{each.format.cpp()}}};"
        for name, members in self.tensor_sequences:
            yield f"constexpr auto {name} = ::std::make_tuple({', '.join(members)});"
        yield from _lookup("::tensor_accessor::NullTensorBindingToken", [each.name for each in self.tensors])

    def _semaphores(self) -> Iterable[str]:
        for name, identifier in self.semaphores:
            yield f"constexpr ::SemaphoreBindingToken {name}{{{identifier}, ::SemScope::{self.semaphore_scope}}};"

    def _scratchpads(self) -> Iterable[str]:
        for each in self.scratchpads:
            place = f"{each.common_word}, {each.num_bytes}"
            yield f"constexpr ::ScratchpadBindingToken {each.name}{{{place}, {each.format.cpp()}}};"

    def _varargs(self) -> Iterable[str]:
        values = list(self.compile_time_varargs)
        first = len(self.runtime_args)
        yield f"inline uint32_t get_vararg(uint32_t idx) {{ return get_arg_val<uint32_t>({first} + idx); }}"
        yield (
            "inline uint32_t get_common_vararg(uint32_t idx) "
            f"{{ return get_common_arg_val<uint32_t>({self.common_vararg_word} + idx); }}"
        )
        yield f"constexpr uint32_t get_num_compile_time_varargs() {{ return {len(values)}; }}"
        # One more than there are, so that the array is never empty.
        table = ", ".join(f"{value}u" for value in [*values, 0])
        yield "constexpr uint32_t get_compile_time_vararg(uint32_t idx) {"
        yield f"    constexpr uint32_t values[] = {{{table}}};"
        yield f"    if (idx >= {len(values)}) {{"
        yield f'        tw_kernel_failed("get_compile_time_vararg: the kernel was given {len(values)} of them");'
        yield "    }"
        yield "    return values[idx];"
        yield "}"
        yield "template <uint32_t idx>"
        yield "constexpr uint32_t get_compile_time_vararg() {"
        yield f'    static_assert(idx < {len(values)}, "get_compile_time_vararg: the kernel was given fewer");'
        yield "    return get_compile_time_vararg(idx);"
        yield "}"


def _namespace(name: str, lines: Iterable[str]) -> list[str]:
    return [f"namespace {name} {{", *lines, "}"]


def _lookup(null_type: str, names: Sequence[str]) -> Iterable[str]:
    """``get_token_if_present<"name">()``: a pointer to the token, null when the host bound no such name."""
    yield "template <::internal::TemplateString wanted>"
    yield "constexpr auto get_token_if_present() {"
    for name in names:
        yield f'    if constexpr (wanted == ::internal::TemplateString("{name}")) {{ return &{name}; }} else'
    yield f"    {{ return static_cast<const {null_type}*>(nullptr); }}"
    yield "}"


def entry_point(entry: KernelEntry) -> str:
    """``kernel_main`` for a kernel that marks its entry with ``TT_KERNEL``.

    >>> entry_point(KernelEntry("compute", ("Kt",), ("group",)))
    'void kernel_main() { compute<get_arg(args::Kt)>(get_arg(args::group)); }'
    """
    templates = ", ".join(f"get_arg(args::{name})" for name in entry.template_parameters)
    values = ", ".join(f"get_arg(args::{name})" for name in entry.parameters)
    call = f"{entry.name}<{templates}>" if entry.template_parameters else entry.name
    return f"void kernel_main() {{ {call}({values}); }}"
