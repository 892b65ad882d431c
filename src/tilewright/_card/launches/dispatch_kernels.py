# SPDX-License-Identifier: Apache-2.0
"""Prefetch and dispatch kernels of a dispatch core, as the card's library needs them for fast dispatch.

The library executes commands instead of running these kernels. The defines they were compiled with name the cores they
talk to, and where their queues lie in L1 and in host memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tilewright._card.launches.kernel_record import recorded_macros
from tilewright._card.launches.launch_message import LONGEST_NAME, MessageReader, kernel_directory
from tilewright._card.launches.layout import ReleaseLayout
from tilewright._tensor.arch import ArchDescription

_PCIE_ALIGNMENT = {"wormhole_b0": 32, "blackhole": 64}


def dispatch_kernels(layout: ReleaseLayout, arch: ArchDescription, l1: bytes) -> str:
    """Numbers of a release and of the kernels on a dispatch core, one ``name value`` a line after ``kernel NAME``.

    Args:
        l1: the core's memory from address 0 on, with the launch message and the kernels' texts in it.
    """
    return described_kernels(layout, arch, _directories(layout, l1))


def serves_queues(directory: str) -> bool:
    """Whether a kernel with this build directory serves a command queue."""
    return Path(directory).parents[1].name.startswith("cq_")


def described_kernels(layout: ReleaseLayout, arch: ArchDescription, directories: Iterable[str]) -> str:
    """The same of kernels with these build directories."""
    numbers = {**layout.tensix, "dram_alignment": arch.dram_alignment, "pcie_alignment": _PCIE_ALIGNMENT[arch.name]}
    lines = [f"{name} {value}" for name, value in numbers.items()]
    for directory in directories:
        lines.append(f"kernel {Path(directory).parents[1].name}")
        macros = recorded_macros(directory)
        lines += [
            f"{name} {int(value, 0)}" for name, value in macros.items() if re.fullmatch(r"\d+|0x[0-9a-f]+", value)
        ]
    return "\n".join(lines) + "\n"


def _directories(layout: ReleaseLayout, l1: bytes) -> Iterator[str]:
    reader = MessageReader(layout)
    launch = reader.read(l1[reader.address : reader.address + reader.size])
    for processor in range(len(launch.text)):
        begin = launch.text_address(processor)
        directory = kernel_directory(l1[begin : begin + LONGEST_NAME]) if launch.enables >> processor & 1 else None
        if directory is not None:
            yield directory
