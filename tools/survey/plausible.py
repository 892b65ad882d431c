# SPDX-License-Identifier: Apache-2.0
"""Makes up what a host program would pass to a stock kernel, from the kernel's text alone.

No single made-up value suits every kernel (one asserts that a width is a multiple of 32, the next that two CBs
differ), so there are a few ways of choosing values; a kernel counts as compiling when one of them works.
"""

from __future__ import annotations

import dataclasses
import re
import zlib
from collections.abc import Callable, Iterator, Mapping

from tilewright._build.translation_unit import BufferFormat, KernelSource
from tools.survey.bindings import entry_definition, pipe_declarations, plausible_bindings
from tools.survey.host_defines import plausible_defines
from tools.survey.inventory import Kernel
from tools.survey.source_text import SourceTree

_NUM_POSITIONAL = 140
# What an accessor reads: config and page size; for a sharded tensor also rank, banks, shape, shard shape and cores.
_INTERLEAVED_IN_DRAM = (2, 2048)
_SHARDED_IN_L1 = (1, 2048, 2, 2, 4, 4, 2, 4, 0x0102)
_BFLOAT16 = 5
_ALL_CBS_BFLOAT16 = tuple((index, BufferFormat(_BFLOAT16, 2048)) for index in range(32))

_NAMED = re.compile(r'get_named_(?:compile_time_arg_val|ct_arg)\s*\(\s*"([^"]+)"')
_NAME_TABLE = re.compile(r'\[\w*\]\s*=\s*\{\s*"')
_STRING = re.compile(r'"([a-z_0-9]+)"')
_POSITIONAL = re.compile(
    r"\b(\w+)\s*[={(]\s*(?:\(\w+\)|static_cast<[\w:]+>\(|[\w:]+\()?\s*get_compile_time_arg_val\(\s*(\d+)\s*\)"
)
_OFTEN = (0, 0, 1, 1, 2, 4, 32)
_NAMES_A_BUFFER = re.compile(r"(^|_)(cb|dfb)(_|$|\d)")
# What a name asks for, whatever the way of choosing values.
_BY_NAME: tuple[tuple[str, int], ...] = (
    (r"tile_(width|height|w|h)$|(^|_)tile_size_[hw]$", 32),
    (r"data_?format|dataformat", 8),
    (r"(^|_)seq_id$|is_fp32$|^late_on_writer$|^n_trids$", 0),
    (r"^out_subblock_h$", 1),
    (r"element_size", 2),
    (r"^output_tensor_datum_size$", 4),
    (r"^[DH]$", 32),
    (r"^K$", 512),
    (r"^old_running_(mean|var)_has_value$", 1),
)

Chooser = Callable[[str, int], int]


def _distinct(_name: str, position: int) -> int:
    return position % 30 + 1


def _uniform(value: int) -> Chooser:
    return lambda _name, _position: value


def _buffers_distinct(others: int) -> Chooser:
    return lambda name, position: position % 32 if _NAMES_A_BUFFER.search(name) else others


def _scattered(seed: int) -> Chooser:
    """Values that hosts pass often, another mixture for each seed."""

    def choose(name: str, position: int) -> int:
        if _NAMES_A_BUFFER.search(name):
            return position % 32
        return _OFTEN[zlib.crc32(f"{seed} {name} {position}".encode()) % len(_OFTEN)]

    return choose


@dataclasses.dataclass(frozen=True)
class Way:
    """One way of choosing values."""

    choose: Chooser
    tensor_layout: tuple[int, ...] = _INTERLEAVED_IN_DRAM

    def value(self, name: str, position: int) -> int:
        for pattern, value in _BY_NAME:
            if re.search(pattern, name):
                return value
        return self.choose(name, position)


_TWO = Way(_buffers_distinct(2))
_ONE = Way(_uniform(1), _SHARDED_IN_L1)
_TILE_SIDE = Way(_uniform(32), _SHARDED_IN_L1)
_DISTINCT = Way(_distinct)
# What is left asserts relations between arguments; most say nothing when flags are off.
_LAST = (*(Way(_buffers_distinct(value)) for value in (0, 1, 4)), *(Way(_scattered(seed)) for seed in range(8)))
_WAYS_DATA_MOVEMENT = (_TWO, _ONE, _TILE_SIDE, _DISTINCT, *_LAST)
_WAYS_COMPUTE = (_DISTINCT, _TWO, _ONE, _TILE_SIDE, *_LAST)


def plausible_sources(kernel: Kernel, tree: SourceTree) -> Iterator[KernelSource]:
    """The kernel with made-up arguments, once per way of choosing them."""
    texts = tree.closure(kernel.path)
    everything = "\n".join(texts)
    for way in _WAYS_COMPUTE if kernel.is_compute else _WAYS_DATA_MOVEMENT:
        bindings = plausible_bindings(everything, texts[0], way.value, tensor_cta_offset=_NUM_POSITIONAL)
        yield KernelSource(
            name=kernel.relative,
            path=str(kernel.path),
            is_compute=kernel.is_compute,
            processor=2 if kernel.is_compute else 0 if kernel.kind == "writer" else 1,
            noc_index=0,
            noc_mode=0,
            arch="wormhole_b0",
            num_dram_banks=12,
            num_l1_banks=64,
            compile_time_args=(*_positional(everything, way), *way.tensor_layout),
            named_compile_time_args=_named(texts[0], everything, way),
            defines=tuple(plausible_defines(kernel.relative, everything).items()),
            formats=_ALL_CBS_BFLOAT16,
            bindings="" if bindings is None else bindings.declarations() + pipe_declarations(everything),
            entry=entry_definition(texts[0]),
        )


def _positional(everything: str, way: Way) -> tuple[int, ...]:
    # The kernel's own text comes first, so its name for an argument wins over a helper's.
    names = {int(index): name for name, index in reversed(_POSITIONAL.findall(everything))}
    return tuple(way.value(names.get(index, ""), index) for index in range(_NUM_POSITIONAL))


def _named(text: str, everything: str, way: Way) -> tuple[tuple[str, int], ...]:
    names = set(_NAMED.findall(everything))
    if _NAME_TABLE.search(everything):
        names |= set(_STRING.findall(text))
    return tuple((name, way.value(name, position)) for position, name in enumerate(sorted(names)))


def with_filler(source: KernelSource, missing: Mapping[str, str]) -> KernelSource:
    """The same kernel with more defines."""
    return dataclasses.replace(source, defines=(*source.defines, *missing.items()))


def fillable(names: list[str], source: KernelSource, tree: SourceTree) -> list[str]:
    """Which undeclared names only a host's define can be: in capitals, and not of the package's own API.

    Anything else that is missing is missing from our headers, and must not be papered over.
    """
    given = {macro.split("(")[0] for macro, _ in source.defines}
    return [
        name
        for name in dict.fromkeys(names)
        if re.fullmatch(r"[A-Z][A-Z0-9_]+", name) and name not in given and name not in tree.api_names
    ]
