# SPDX-License-Identifier: Apache-2.0
"""The C++ translation unit of a kernel: prelude, generated part, the kernel's file."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Mapping, Sequence

from tilewright._wire.data_formats import DataFormat

NUM_CIRCULAR_BUFFERS = 64
_INVALID_FORMAT: int = DataFormat.Invalid.value
# What a card's build puts for a CB the program does not have.
_UNSET_TILE_BYTES = 1088
# What a checked run puts there, so that the size says whose it is (native/engine/check/noc/noc_addresses.cpp): larger
# than any tile, in whole units of the NoC's alignment, and no multiple of a format's tile size.
_MISSING_TILE_BYTES = [64 * units for units in range(307, 510) if units % 2 and units % 3 and units % 17]

_FLOAT32: int = DataFormat.Float32.value
_TF32: int = DataFormat.Tf32.value
_FLOAT16_B: int = DataFormat.Float16_b.value
_BLOCK_FLOATS = frozenset(each.value for each in DataFormat if each.is_block_float)


@dataclasses.dataclass(frozen=True)
class BufferFormat:
    """Format and tile shape of one circular buffer, as its kernels see them at compile time."""

    data_format: int
    tile_bytes: int
    num_faces: int = 4
    face_rows: int = 16
    tile_rows: int = 32
    tile_cols: int = 32
    unpack_to_dest_fp32: bool = False


class Instrumentation(enum.Enum):
    """Instrumentation of a kernel."""

    NOTHING = "nothing"
    MEMORY = "memory"  # every load and store first, for a checked run
    CALLS = "calls"  # every call that costs a card time, and the basic blocks between them


@dataclasses.dataclass(frozen=True)
class KernelSource:
    """Everything that decides what a kernel compiles to.

    Attributes:
        path: absolute path of the source file.
        is_compute: compute kernel, or data movement.
        processor: 0 BRISC, 1 NCRISC, 2 TRISC.
        bindings: generated declarations a kernel with named bindings expects before its source.
        entry: generated definition of ``kernel_main`` for kernels that only mark an entry point.
        instrumentation: what the kernel shows the engine.
        thread: the one thread of a compute kernel it is compiled for (``UNPACK``, ``MATH``, ``PACK``); none: all.
    """

    name: str
    path: str
    is_compute: bool
    processor: int
    noc_index: int
    noc_mode: int
    arch: str
    num_dram_banks: int
    num_l1_banks: int
    compile_time_args: tuple[int, ...] = ()
    named_compile_time_args: tuple[tuple[str, int], ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    formats: tuple[tuple[int, BufferFormat], ...] = ()
    fp32_dest_acc_en: bool = False
    dst_full_sync_en: bool = False
    math_fidelity: str = "HiFi4"
    math_approx_mode: bool = False
    bindings: str = ""
    entry: str = ""
    include_paths: tuple[str, ...] = ()
    instrumentation: Instrumentation = Instrumentation.NOTHING
    thread: str = ""

    @property
    def checked(self) -> bool:
        return self.instrumentation is Instrumentation.MEMORY

    @functools.cached_property
    def _hash(self) -> int:
        """Of what mostly differs; every launch looks its kernels up."""
        shown = self.instrumentation.value
        return hash((self.path, self.compile_time_args, self.defines, self.formats, shown, self.thread))

    def __hash__(self) -> int:
        return self._hash


# Defined for kernels whose cores have global circular buffers: offset of the host's table from the launch's
# configuration, and its last index.
REMOTE_CB_TABLE = "TW_REMOTE_CB_TABLE"
# Defined for kernels whose cores have prefetcher pipes: offset of the host's table from the launch's configuration.
PREFETCHER_PIPES = "TW_PREFETCHER_PIPES"
_PROCESSOR_MACROS = {0: "COMPILE_FOR_BRISC", 1: "COMPILE_FOR_NCRISC", 2: "COMPILE_FOR_TRISC"}
_ARCH_MACROS = {"wormhole_b0": "ARCH_WORMHOLE", "blackhole": "ARCH_BLACKHOLE"}


# Standard headers, precompiled: the first line of every unit.
STANDARD_HEADER = "tw/standard.h"


def _prelude_name(source: KernelSource) -> str:
    """The kernel API's header; what depends on a kernel's arguments and formats comes later."""
    return "tw/prelude_compute.h" if source.is_compute else "tw/prelude_dataflow.h"


def _macros(source: KernelSource) -> list[str]:
    """Macros that a card's build defines for a kernel."""
    macros = [
        "KERNEL_BUILD=1",
        "TENSIX_FIRMWARE=1",
        f"{_ARCH_MACROS[source.arch]}=1",
        f"{_PROCESSOR_MACROS[source.processor]}=1",
        f"NOC_INDEX={source.noc_index}",
        f"NOC_MODE={source.noc_mode}",
        f"NUM_DRAM_BANKS={source.num_dram_banks}",
        f"NUM_L1_BANKS={source.num_l1_banks}",
        f"PROCESSOR_INDEX={source.processor}",
    ]
    if source.checked:
        macros.append("TW_CHECKED=1")
    if source.instrumentation is Instrumentation.CALLS:
        macros.append("TW_RECORDED=1")
    if source.is_compute:
        macros += ["TRISC_UNPACK=1", "TRISC_MATH=1", "TRISC_PACK=1"]
    return [f"#define {name} {value}" for name, value in (macro.split("=") for macro in macros)]


def translation_unit(source: KernelSource) -> str:
    """The text to compile.

    Example of what it looks like for a reader with two compile-time arguments::

        #include "tw/standard.h"
        #define ARCH_WORMHOLE 1
        ...
        #include "tw/prelude_dataflow.h"
        #define KERNEL_COMPILE_TIME_ARGS 2, 2048
        constexpr uint8_t unpack_src_format[64] = {5, 255, ...};
        ...
        #include "tw/generated_dependent.h"
        #include "/path/reader.cpp"
        extern "C" __attribute__((visibility("default"))) void tw_kernel_entry() { kernel_main(); }
    """
    parts = [f'#include "{STANDARD_HEADER}"', *_macros(source), f'#include "{_prelude_name(source)}"']
    parts += [*_argument_macros(source), *_define_lines(source.defines)]
    parts += [*_descriptors(source), '#include "tw/generated_dependent.h"', source.bindings]
    if source.is_compute:
        parts.append("using namespace ckernel;")
    first = _remote_buffers(source) + _relays(source)
    parts += ['#include "api/remote_circular_buffer.h"'] if _remote_buffers(source) else []
    parts += ['#include "tw/pipes.h"'] if _relays(source) else []
    parts += [f"#define TW_FOR_{source.thread}", '#include "tw/one_thread.h"'] if source.thread else []
    parts += [f'#include "{source.path}"', source.entry]
    parts.append(
        f'extern "C" __attribute__((visibility("default"))) void tw_kernel_entry() {{ {first}kernel_main(); }}'
    )
    return "\n".join(part for part in parts if part) + "\n"


def _remote_buffers(source: KernelSource) -> str:
    """The firmware's preparation of kernels that have global circular buffers; their table is named in the defines."""
    defines = dict(source.defines)
    if REMOTE_CB_TABLE not in defines:
        return ""
    align = defines.get("ALIGN_LOCAL_CBS_TO_REMOTE_CBS", "")
    return f"tw::remote::set_up({REMOTE_CB_TABLE}); {align} "


def _relays(source: KernelSource) -> str:
    """The same for compute kernels with local buffers over the rings of prefetcher pipes."""
    is_theirs = source.is_compute and PREFETCHER_PIPES in dict(source.defines)
    return f"tw::pipes::align_relays({PREFETCHER_PIPES}); " if is_theirs else ""


def _argument_macros(source: KernelSource) -> list[str]:
    lines = []
    if source.compile_time_args:
        lines.append("#define KERNEL_COMPILE_TIME_ARGS " + ", ".join(str(value) for value in source.compile_time_args))
    if source.named_compile_time_args:
        pairs = ", ".join(f'{{"{name}", {value}}}' for name, value in source.named_compile_time_args)
        lines.append(f"#define KERNEL_COMPILE_TIME_ARG_MAP {pairs}")
    return lines


def _define_lines(defines: Sequence[tuple[str, str]]) -> list[str]:
    return [f"#define {name} {value}".rstrip().replace("\n", " ") for name, value in defines]


def _array(kind: str, name: str, values: Sequence[int]) -> str:
    return f"constexpr {kind} {name}[{len(values)}] = {{{', '.join(map(str, values))}}};"


def _unpack_destination(format_: BufferFormat) -> int:
    if format_.data_format in _BLOCK_FLOATS:
        return _FLOAT16_B
    if format_.data_format == _FLOAT32 and not format_.unpack_to_dest_fp32:
        return _TF32
    return format_.data_format


def _unset(index: int, checked: bool) -> BufferFormat:
    size = _MISSING_TILE_BYTES[index] if checked else _UNSET_TILE_BYTES
    return BufferFormat(_INVALID_FORMAT, size)


def _descriptors(source: KernelSource) -> list[str]:
    """Formats and tile shapes by CB index, under the names a card's build gives them."""
    formats: Mapping[int, BufferFormat] = dict(source.formats)
    every = [formats.get(index) or _unset(index, source.checked) for index in range(NUM_CIRCULAR_BUFFERS)]
    data_formats = [each.data_format for each in every]
    dst_format = _FLOAT32 if source.fp32_dest_acc_en else _FLOAT16_B
    lines = [
        _array("uint8_t", "unpack_src_format", data_formats),
        _array("uint8_t", "unpack_dst_format", [_unpack_destination(each) for each in every]),
        _array("uint8_t", "pack_src_format", [f if f == _INVALID_FORMAT else dst_format for f in data_formats]),
        _array("uint8_t", "pack_dst_format", data_formats),
    ]
    shapes = {
        "tile_num_faces": [each.num_faces for each in every],
        "partial_face": [int(each.face_rows < 16) for each in every],
        "tile_face_r_dim": [each.face_rows for each in every],
        "narrow_tile": [int(each.tile_cols == 16) for each in every],
        "tile_r_dim": [each.tile_rows for each in every],
        "tile_c_dim": [each.tile_cols for each in every],
        "num_faces_r_dim": [each.tile_rows // each.face_rows for each in every],
        "num_faces_c_dim": [each.tile_cols // 16 for each in every],
    }
    for side in ("unpack", "pack"):
        lines += [_array("uint8_t", f"{side}_{name}", values) for name, values in shapes.items()]
        lines.append(_array("uint16_t", f"{side}_tile_size", [each.tile_bytes for each in every]))
    if source.is_compute:
        sync = "SyncFull" if source.dst_full_sync_en else "SyncHalf"
        lines += [
            f"constexpr bool DST_ACCUM_MODE = {str(source.fp32_dest_acc_en).lower()};",
            f"#define DST_SYNC_MODE DstSync::{sync}",
            f"constexpr ckernel::MathFidelity MATH_FIDELITY = ckernel::MathFidelity::{source.math_fidelity};",
            f"constexpr bool APPROX = {str(source.math_approx_mode).lower()};",
        ]
    return lines
