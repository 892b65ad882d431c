# SPDX-License-Identifier: Apache-2.0
"""A kernel's sources, defines and arguments, read from tt-metal's build directory.

The stand-in compiler (native/card/compiler) keeps the command line there; tt-metal itself leaves what it generated:
the line that includes the kernel's source, defines of compute kernels, named arguments, formats of circular buffers.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from tilewright._card.package import CardError
from tilewright._card.systems.fabric_kernels import fabric_include_paths
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import (
    NOC,
    NOC_MODE,
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    DataMovementProcessor,
    KernelConfig,
    MathFidelity,
    UnpackToDestMode,
)
from tilewright._tensor.cores import CoreRangeSet
from tilewright._wire.data_formats import DataFormat

_COMMAND_FILE = "tilewright.command"
_NO_FORMAT = DataFormat.Invalid.value
_FLOAT32 = DataFormat.Float32.value
# What every kernel is compiled with; our own translation unit says the same in its way.
_BUILD_MACROS = frozenset((
    "ARCH_BLACKHOLE", "ARCH_WORMHOLE", "COMPILE_FOR_BRISC", "COMPILE_FOR_NCRISC", "COMPILE_FOR_TRISC",
    "DISPATCH_MESSAGE_ADDR", "FW_BUILD", "FULL_KERNEL_NAME", "IS_NOT_POW2_NUM_DRAM_BANKS", "IS_NOT_POW2_NUM_L1_BANKS",
    "KERNEL_BUILD", "KERNEL_COMPILE_TIME_ARGS", "KERNEL_COMPILE_TIME_ARG_MAP", "LOCAL_MEM_EN",
    "LOG_BASE_2_OF_NUM_DRAM_BANKS", "LOG_BASE_2_OF_NUM_L1_BANKS", "NOC_INDEX", "NOC_MODE", "NUM_DRAM_BANKS",
    "NUM_L1_BANKS", "PCIE_NOC_X", "PCIE_NOC_Y", "PROCESSOR_INDEX", "PROGRAMMABLE_CORE_TYPE", "ROUTING_FW_ENABLED",
    "TENSIX_FIRMWARE", "UCK_CHLKC_MATH", "UCK_CHLKC_PACK", "UCK_CHLKC_UNPACK",
))  # fmt: skip
_FIDELITIES = {0: MathFidelity.LoFi, 2: MathFidelity.HiFi2, 3: MathFidelity.HiFi3, 4: MathFidelity.HiFi4}


@dataclasses.dataclass(frozen=True)
class CbFormat:
    """Format and tile shape of one circular buffer, as the kernels of a core were compiled with."""

    data_format: int
    tile_rows: int
    tile_cols: int
    num_faces: int
    face_rows: int


@dataclasses.dataclass(frozen=True)
class KernelRecord:
    """A kernel as it was built."""

    source: str
    source_type: SourceType
    entry: str
    bindings: str
    compile_time_args: tuple[int, ...]
    named_compile_time_args: tuple[tuple[str, int], ...]
    defines: tuple[tuple[str, str], ...]
    include_paths: tuple[str, ...]
    config: KernelConfig
    formats: dict[int, CbFormat]

    def descriptor(self, cores: CoreRangeSet) -> KernelDescriptor:
        """The kernel on these cores, without arguments."""
        kernel = KernelDescriptor(
            self.source,
            self.source_type,
            cores,
            self.compile_time_args,
            self.named_compile_time_args,
            self.defines,
            config=self.config,
            compiler_include_paths=self.include_paths,
        )
        kernel.bindings, kernel.entry = self.bindings, self.entry
        return kernel


@functools.lru_cache(maxsize=4096)
def kernel_record(directory: str, root: str, fabric: tuple[tuple[str, str], ...] = ()) -> KernelRecord:
    """Reads what was built in ``directory`` with the tt-metal whose files lie below ``root``.

    Args:
        fabric: macros of kernels in a system with a fabric (fabric_kernels.py).
    """
    built = Path(directory)
    command = _recorded_command(built)
    macros = dict(_macros(command))
    is_compute = built.name.startswith("trisc")
    generated = built.parent
    includes = generated / ("chlkc_math.cpp" if is_compute else "kernel_includes.hpp")
    source, source_type, entry = _source(includes)
    descriptors = (generated / "chlkc_descriptors.h").read_text()
    return KernelRecord(
        source=source,
        source_type=source_type,
        entry=entry,
        bindings=_bindings(includes),
        compile_time_args=tuple(int(word, 0) for word in macros.get("KERNEL_COMPILE_TIME_ARGS", "").split(",") if word),
        named_compile_time_args=_named_arguments(command, macros, built),
        defines=_generated_defines(generated) if is_compute else (*_defines(macros), *fabric),
        include_paths=(*_include_paths(command, root), *(fabric_include_paths(root) if fabric else ())),
        config=_compute_config(descriptors) if is_compute else _data_movement_config(built.name, macros),
        formats=_formats(descriptors),
    )


def recorded_macros(directory: str) -> dict[str, str]:
    """Every macro a kernel was compiled with; the value of one without a value is 1."""
    return dict(_macros(_recorded_command(Path(directory))))


def named_arguments(directory: str) -> dict[str, int]:
    """The named compile-time arguments of a kernel."""
    built = Path(directory)
    command = _recorded_command(built)
    return dict(_named_arguments(command, dict(_macros(command)), built))


def _recorded_command(built: Path) -> list[str]:
    try:
        return (built / _COMMAND_FILE).read_text().split("\0")
    except OSError as error:
        raise CardError(
            f"the record of a kernel is missing ({error}); remove the directory, so that tt-metal builds it again"
        ) from None


def _macros(command: list[str]) -> Iterator[tuple[str, str]]:
    for argument in command:
        if argument.startswith("-D"):
            name, equals, value = argument[2:].partition("=")
            yield name, value if equals else "1"


def _defines(macros: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in macros.items() if name not in _BUILD_MACROS)


def _generated_defines(generated: Path) -> tuple[tuple[str, str], ...]:
    text = (generated / "defines_generated.h").read_text()
    found = re.findall(r"^#define (\w+(?:\([^)]*\))?)[ \t]*(.*)$", text, re.MULTILINE)
    return tuple((name, value) for name, value in found if name not in _BUILD_MACROS)


def _source(generated: Path) -> tuple[str, SourceType, str]:
    """The kernel's file, or its text where the host gave text; and what tt-metal generated behind it."""
    lines = []
    for line in generated.read_text().splitlines():
        include = re.match(r'#include "([^"]+)"', line)
        if line.startswith("#define TRISC_") or line.strip() == "void kernel_main();":
            continue
        if include is None or not include.group(1).endswith("_generated.h"):
            lines.append(line)
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    path = re.match(r'#include "(/[^"]+)"', lines[first]) if lines else None
    if path is None or not Path(path.group(1)).is_file():
        return "\n".join(lines) + "\n", SourceType.SOURCE_CODE, ""
    # Through our links tt-metal's own files have another path for each card; here all share what was compiled.
    return os.path.realpath(path.group(1)), SourceType.FILE_PATH, "\n".join(lines[first + 1 :]).strip()


def _bindings(includes: Path) -> str:
    """Names for arguments, buffers, semaphores and tensors that a kernel expects before its source."""
    texts = []
    for name in re.findall(r'#include "(\w+_generated\.h)"', includes.read_text()):
        if name != "defines_generated.h":
            text = (includes.parent / name).read_text(encoding="utf-8")
            text = text.replace("const DFBBindingToken*", "const DFBBindingToken<>*")  # no template up to 0.80
            texts.append(re.sub(r"^(#pragma once|//.*)$", "", text, flags=re.MULTILINE).strip())
    return "\n".join(texts)


def _named_arguments(command: list[str], macros: dict[str, str], built: Path) -> tuple[tuple[str, int], ...]:
    text = macros.get("KERNEL_COMPILE_TIME_ARG_MAP", "")
    for option, value in itertools.pairwise(command):
        if option == "-include" and "ct_arg_map" in value:
            text += (built / value).read_text() if (built / value).is_file() else (built.parent / value).read_text()
    return tuple((name, int(number, 0)) for name, number in re.findall(r'\{\s*\\?"([^"\\]+)\\?"\s*,\s*(\w+)', text))


def _include_paths(command: list[str], root: str) -> Iterator[str]:
    """The package's own libraries for kernels, and what the host added; its API headers are ours."""
    yield from (root, f"{root}/ttnn", f"{root}/ttnn/cpp", f"{root}/tt_metal")
    seen = set()
    for argument in command:
        if argument.startswith("-I/"):
            path = os.path.realpath(argument[2:])
            if path not in seen and not path.startswith(f"{root}/") and path != root:
                seen.add(path)
                yield path


def _data_movement_config(processor: str, macros: dict[str, str]) -> DataMovementConfigDescriptor:
    return DataMovementConfigDescriptor(
        DataMovementProcessor.RISCV_0 if processor == "brisc" else DataMovementProcessor.RISCV_1,
        NOC(int(macros.get("NOC_INDEX", "0"))),
        NOC_MODE(int(macros.get("NOC_MODE", "0"))),
    )


def _compute_config(descriptors: str) -> ComputeConfigDescriptor:
    fidelity = re.search(r"MathFidelity>\((\d+)\)", descriptors) or re.search(r"MATH_FIDELITY\s*=\s*(\d+)", descriptors)
    fp32 = "DST_ACCUM_MODE = true" in descriptors
    config = ComputeConfigDescriptor(
        _FIDELITIES[int(fidelity.group(1))] if fidelity else MathFidelity.HiFi4,
        "APPROX = true" in descriptors,
        fp32,
        "SyncFull" in descriptors,
    )
    sources, destinations = _array(descriptors, "unpack_src_format"), _array(descriptors, "unpack_dst_format")
    if fp32:
        config.unpack_to_dest_mode = [
            UnpackToDestMode.UnpackToDestFp32 if pair == (_FLOAT32, _FLOAT32) else UnpackToDestMode.Default
            for pair in zip(sources, destinations, strict=True)
        ]
    return config


def _array(descriptors: str, name: str) -> list[int]:
    found = re.search(name + r"\[\d+\]\s*=\s*\{([^}]*)\}", descriptors)
    return [int(word, 0) for word in found.group(1).split(",")] if found else []


def _formats(descriptors: str) -> dict[int, CbFormat]:
    tables = [
        _array(descriptors, f"unpack_{name}")
        for name in ("src_format", "tile_r_dim", "tile_c_dim", "tile_num_faces", "tile_face_r_dim")
    ]
    columns = enumerate(zip(*tables, strict=True))
    return {index: CbFormat(*column) for index, column in columns if column[0] != _NO_FORMAT}
