# SPDX-License-Identifier: Apache-2.0
"""Decode launch messages in the cores' L1 into a program.

What a launch is stands in L1: a message on each core, and behind it the kernels' names, circular buffers, semaphores
and arguments. All but the values of arguments decides what the program is. The card's library computes a key of those
bytes of all cores (native/card/simulator/launch_key.h); the next launch with the same key is the same program.
Arguments are read by the kernels themselves, where the host put them.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._build.translation_unit import PREFETCHER_PIPES, REMOTE_CB_TABLE
from tilewright._card.launches.kernel_record import CbFormat, KernelRecord, kernel_record
from tilewright._card.launches.launch_message import (
    LONGEST_NAME,
    NO_REMOTE_CB,
    CbConfig,
    LaunchMessage,
    MessageReader,
    circular_buffers,
    kernel_directory,
    semaphore_values,
)
from tilewright._card.launches.launched_cores import LaunchedCores
from tilewright._card.launches.layout import ReleaseLayout
from tilewright._card.launches.unset_arguments import mark_unset
from tilewright._card.package import CardError
from tilewright._program.cb_placement import CB_ALIGNMENT
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor, TileDescriptor
from tilewright._program.config_bases import ConfigBases
from tilewright._program.kernel import ArgumentsInL1, KernelDescriptor
from tilewright._program.program import FixedProgram, ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._wire.data_formats import DataFormat
from tilewright._wire.runner import UNWRITTEN_ARGUMENT

_PROCESSORS = {0: "BRISC", 1: "NCRISC", 2: "TRISC0"}
_PROGRAMS_KEPT = 1024
_Tables = tuple[tuple[str, str], ...]  # as defines of a kernel
_DEFAULT_FORMAT = CbFormat(DataFormat.Float16_b.value, 32, 32, 4, 16)

Core = tuple[int, int]


@dataclasses.dataclass
class _Found:
    """Parts found on the cores so far, each with its cores."""

    kernels: dict[tuple[str, ArgumentsInL1, _Tables], list[Core]] = dataclasses.field(default_factory=dict)
    buffers: dict[tuple[CbConfig, CbFormat], list[Core]] = dataclasses.field(default_factory=dict)
    semaphores: dict[tuple[int, int, int], list[Core]] = dataclasses.field(default_factory=dict)
    semaphore_bases: dict[Core, int] = dataclasses.field(default_factory=dict)


class Decoder:
    """Decodes launches of the cards of a system, each program only once.

    Args:
        l1: the L1 of every core, a row each, row by row over the grid.
        columns: columns of the grid.
        root: where tt-metal's files lie.
        buffers_begin: where tt-metal puts the first circular buffer of a program.
        core_at: the core at NoC coordinates of a card.
        fabric: macros of kernels in a system of several chips.
    """

    def __init__(
        self,
        layout: ReleaseLayout,
        l1: NDArray[np.uint8],
        columns: int,
        root: str,
        buffers_begin: int,
        core_at: Callable[[int, int, int], Core],
        fabric: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._messages = MessageReader(layout)
        self._l1 = l1
        self._columns = columns
        self._root = root
        self._buffers_begin = buffers_begin
        self._core_at = core_at
        self._fabric = fabric
        self._known: dict[bytes, ProgramDescriptor] = {}
        self.num_decoded = 0

    def program(self, launched: LaunchedCores) -> ProgramDescriptor:
        """The program launched on these cores, with the place of its configuration in this launch."""
        program = self._known.pop(launched.key, None)
        if program is None:
            program = self._decode(launched)
            self.num_decoded += 1
            if len(self._known) >= _PROGRAMS_KEPT:
                self._known.pop(next(iter(self._known)))
        self._known[launched.key] = program  # the last one used is the last in the dictionary
        program.config_bases = self._config_bases(launched)
        return program

    def _config_bases(self, launched: LaunchedCores) -> ConfigBases:
        usual = launched.config_base
        if not launched.bases_differ:
            return ConfigBases(usual)
        others = [(self._core_at(card, x, y), base) for card, x, y, _, base in launched.cores if base != usual]
        return ConfigBases(usual, tuple(others))

    def read_words(self, core: Core, address: int, count: int) -> list[int]:
        """Words of a core's L1."""
        return list(struct.unpack(f"<{count}I", self._read(core, address, 4 * count)))

    def mark_all(self, begin: int, end: int) -> None:
        """Mark the part of L1 in which the host puts arguments, on every core, before it writes anything."""
        self._l1[:, begin:end].view(np.uint32)[:] = UNWRITTEN_ARGUMENT

    def mark_arguments(self, program: ProgramDescriptor) -> None:
        """Mark the runtime arguments of a program that has run: the host writes those of the next one."""
        for cores in self._arguments(program):
            for words in cores:
                words[:] = UNWRITTEN_ARGUMENT

    def mark_unset_arguments(self, program: ProgramDescriptor) -> None:
        """Mark runtime arguments of a program before it runs that command queues wrote and the host did not set."""
        for cores in self._arguments(program):
            mark_unset(cores)

    def _arguments(self, program: ProgramDescriptor) -> Iterator[list[NDArray[np.uint32]]]:
        """The runtime arguments of each kernel, on each of its cores, where they lie in L1."""
        for kernel in program.kernels:
            place = kernel.arguments_in_l1
            if place is None or not place.count:
                continue
            cores = []
            for core in kernel.core_ranges:
                begin = program.config_bases.of((core.x, core.y)) + place.address
                row = self._l1[core.y * self._columns + core.x]
                cores.append(row[begin : begin + 4 * place.count].view(np.uint32))
            yield cores

    def _read(self, core: Core, begin: int, size: int) -> bytes:
        return self._l1[core[1] * self._columns + core[0], begin : begin + size].tobytes()

    def _decode(self, launched: LaunchedCores) -> ProgramDescriptor:
        found = _Found()
        for card, x, y, address, _ in launched.cores:
            core = self._core_at(card, x, y)
            launch = self._messages.read(self._read(core, address, self._messages.size))
            _refuse_unknown(core, launch)
            base = found.semaphore_bases[core] = launch.semaphores
            formats = self._decode_kernels(found, core, launch)
            self._decode_buffers(found, core, launch, formats)
            region = self._read(core, launch.base + base, 16 * launch.num_semaphores)
            for index, value in enumerate(semaphore_values(region)):
                found.semaphores.setdefault((index, value, base), []).append(core)
        own = own_buffers([config for config, _ in found.buffers], self._buffers_begin)
        program = FixedProgram(
            kernels=[self._kernel(*key, on) for key, on in found.kernels.items()],
            semaphores=[
                SemaphoreDescriptor(index, core_ranges=_ranges(on), initial_value=value)
                for (index, value, _), on in sorted(found.semaphores.items())
            ],
            cbs=[
                _buffer(*key, on, is_own=key[0] in own)
                for key, on in sorted(found.buffers.items(), key=lambda item: item[0][0].index)
            ],
        )
        program.semaphore_bases = found.semaphore_bases
        return program

    def _decode_kernels(self, found: _Found, core: Core, launch: LaunchMessage) -> dict[int, CbFormat]:
        """Notes the core's kernels, and gives the formats they were compiled with."""
        formats: dict[int, CbFormat] = {}
        for processor in _PROCESSORS:
            if launch.enables >> processor & 1:
                text = self._read(core, launch.text_address(processor), LONGEST_NAME)
                directory = kernel_directory(text)
                if directory is None:
                    raise CardError(
                        f"core {core}: {_PROCESSORS[processor]} was told to run something that is no kernel built by "
                        "the card's compiler; was it built before the environment was set up?"
                    )
                place = ArgumentsInL1(*launch.arguments_of(processor))
                found.kernels.setdefault((directory, place, _tables(launch)), []).append(core)
                formats.update(self._record(directory).formats)
        return formats

    def _decode_buffers(self, found: _Found, core: Core, launch: LaunchMessage, formats: dict[int, CbFormat]) -> None:
        table = self._read(core, launch.base + launch.local_cbs, 16 * launch.cb_mask.bit_length())
        for buffer in circular_buffers(table, launch.cb_mask):
            key = buffer, formats.get(buffer.index, _DEFAULT_FORMAT)
            found.buffers.setdefault(key, []).append(core)

    def _record(self, directory: str) -> KernelRecord:
        return kernel_record(directory, self._root, self._fabric)

    def _kernel(self, directory: str, place: ArgumentsInL1, tables: _Tables, cores: list[Core]) -> KernelDescriptor:
        kernel = self._record(directory).descriptor(_ranges(cores))
        kernel.arguments_in_l1 = place
        kernel.defines = [*kernel.defines, *tables]
        return kernel


def _tables(launch: LaunchMessage) -> _Tables:
    """Offsets of a core's tables of global circular buffers, with the first of them, and of prefetcher pipes."""
    found = []
    if launch.first_remote_cb not in NO_REMOTE_CB:
        found.append((REMOTE_CB_TABLE, f"{launch.remote_cbs}, {launch.first_remote_cb}"))
    if launch.pipes is not None:
        found.append((PREFETCHER_PIPES, f"{launch.pipes}u"))
    return tuple(found)


def _refuse_unknown(core: Core, launch: LaunchMessage) -> None:
    if launch.first_remote_cb < launch.cb_mask.bit_length():
        raise CardError(f"core {core}: the launch has overlapping local and remote circular buffers")


def own_buffers(configs: Iterable[CbConfig], begin: int) -> set[CbConfig]:
    """Those that have memory of their own; the others lie over tensors.

    A launch does not say which. tt-metal puts the first of a program where free memory begins and each other one behind
    one before it, on the next address that is aligned; tensors are given memory from the other end.

    >>> first, second = CbConfig(0, 0x1000, 0x800, 0x800), CbConfig(1, 0x1800, 0x800, 0x800)
    >>> own_buffers([CbConfig(2, 0x8000, 0x800, 0x800), second, first], begin=0x1000) == {first, second}
    True
    """
    own: set[CbConfig] = set()
    ends = {begin}
    for config in sorted(configs, key=lambda each: each.address):
        if any(end <= config.address < end + CB_ALIGNMENT for end in ends):
            own.add(config)
            ends.add(config.address + config.size)
    return own


def _buffer(config: CbConfig, format_: CbFormat, cores: list[Core], *, is_own: bool) -> CBDescriptor:
    descriptor = CBFormatDescriptor(
        config.index,
        DataFormat(format_.data_format),
        config.page_size,
        TileDescriptor(format_.tile_rows, format_.tile_cols),
    )
    descriptor.faces = (format_.num_faces, format_.face_rows)
    cb = CBDescriptor(config.size, _ranges(cores), [descriptor])
    cb.host_address = config.address
    cb.host_lays_over_tensor = not is_own
    return cb


def _ranges(cores: Sequence[Core]) -> CoreRangeSet:
    """The cores as rectangles: runs of a row, joined with those above them that are as wide."""
    runs: list[list[int]] = []  # first column, last column, first row, last row
    for x, y in sorted(cores, key=lambda core: (core[1], core[0])):
        if runs and runs[-1][3] == y and runs[-1][2] == y and runs[-1][1] == x - 1:
            runs[-1][1] = x
        else:
            runs.append([x, x, y, y])
    joined: list[list[int]] = []
    for run in runs:
        above = next((each for each in joined if each[:2] == run[:2] and each[3] == run[2] - 1), None)
        if above is None:
            joined.append(run)
        else:
            above[3] = run[3]
    return CoreRangeSet([CoreRange(CoreCoord(a, c), CoreCoord(b, d)) for a, b, c, d in joined])
