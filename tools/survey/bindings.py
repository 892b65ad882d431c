# SPDX-License-Identifier: Apache-2.0
"""Made-up bindings for every name a kernel takes from the generated namespaces."""

from __future__ import annotations

import re
from collections.abc import Callable

from tilewright._program.bindings import BufferName, KernelBindings, ScratchpadName, TensorName, TileFormat, entry_point
from tilewright._program.specs.source import find_entry
from tilewright._wire.data_formats import DataFormat

_USE = re.compile(r"(?<![\w:])(?:::)?(args|dfb|sem|tensor|scratch)::(\w+)")
_PIPE = re.compile(r"(?<![\w:])pipe::(\w+)")
_NOT_BINDINGS = frozenset({"AccessPattern", "STRIDED", "ALL", "BLOCKED", "UNKNOWN", "get_token_if_present"})
_OPTIONAL = re.compile(r'\b(dfb|tensor)::get_token_if_present\s*<\s*"(\w+)"')
# A tensor name that stands for several bindings: the kernel asks how many, or takes them all.
_SEQUENCE = re.compile(
    r"tuple_size_v<\s*decltype\(tensor::(\w+)\)|std::get<[^;]*?>\(tensor::(\w+)\)|make_tensor_accessors\(tensor::(\w+)\)"
)
_SEQUENCE_LENGTH = 2
_BFLOAT16_TILES = TileFormat(DataFormat.Float16_b)


def plausible_bindings(
    text: str, kernel_text: str, value_of: Callable[[str, int], int], tensor_cta_offset: int
) -> KernelBindings | None:
    """Bindings for the names in ``text`` (a kernel and its helpers), or None for a kernel that has none.

    ``value_of`` gives the value of an argument from its name and position among the names. Every argument is made
    a compile-time one, because the text does not tell which are; every tensor has the layout at ``tensor_cta_offset``.
    """
    names: dict[str, set[str]] = {space: set() for space in ("args", "dfb", "sem", "tensor", "scratch")}
    for space, name in [*_USE.findall(text), *_OPTIONAL.findall(text)]:
        if name not in _NOT_BINDINGS:
            names[space].add(name)
    entry = find_entry(kernel_text)
    if entry is not None:
        names["args"].update(entry.template_parameters, entry.parameters)
    if not any(names.values()) and "get_vararg" not in text:
        return None
    sequences = {name for found in _SEQUENCE.findall(text) for name in found if name}
    tensors = {name.removesuffix("_t") for name in names["tensor"]} - sequences
    members = {name: [f"{name}_{index}" for index in range(_SEQUENCE_LENGTH)] for name in sorted(sequences)}
    tensors.update(*members.values())
    return KernelBindings(
        compile_time_args=[(name, value_of(name, place)) for place, name in enumerate(sorted(names["args"]))],
        compile_time_varargs=[2, 2, 2, 2],
        dfbs=[BufferName(name, place % 32, _BFLOAT16_TILES) for place, name in enumerate(sorted(names["dfb"]))],
        tensors=[TensorName(name, tensor_cta_offset, 0, _BFLOAT16_TILES) for name in sorted(tensors)],
        tensor_sequences=list(members.items()),
        semaphores=[(name, place) for place, name in enumerate(sorted(names["sem"]))],
        scratchpads=[ScratchpadName(name, 0, 1024, _BFLOAT16_TILES) for name in sorted(names["scratch"])],
    )


def pipe_declarations(text: str) -> str:
    """Tokens for the prefetcher pipes that ``text`` names; only a host of the real ttnn binds any."""
    names = sorted(set(_PIPE.findall(text)))
    tokens = [f"constexpr PrefetcherPipeBindingToken {name}{{{place}}};" for place, name in enumerate(names)]
    header = '#include "api/dataflow/prefetcher_pipe_binding_token.h"'
    return "\n".join(["", header, "namespace pipe {", *tokens, "}", ""]) if names else ""


def entry_definition(kernel_text: str) -> str:
    """``kernel_main`` for a kernel that only marks its entry point, else nothing."""
    entry = find_entry(kernel_text)
    return "" if entry is None else entry_point(entry)
