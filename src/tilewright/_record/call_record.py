# SPDX-License-Identifier: Apache-2.0
"""The calls of a recorded run: the input of the timing model.

Plain numbers only, so that it can be kept in a file, sent to another process, and replayed on the clock of a chip
(``tilewright.timing``) with any "what if".
"""

from __future__ import annotations

import dataclasses
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright._build.cb_formats import buffer_format, unpacks_to_dest
from tilewright._build.kernel_sources import FIDELITY_PHASES, placement
from tilewright._errors import TilewrightError
from tilewright._program.config_bases import ConfigBases
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._record.l1_layout import semaphore_offset
from tilewright._tensor.cores import CoreRangeSet
from tilewright._wire.record import RecordHead

Core = tuple[int, int]
# Of what entries hold (native/abi/record.h): 2 has how addresses came about.
_VERSION = 2


@dataclasses.dataclass(frozen=True)
class RecordedKernel:
    """A kernel of the program: which processor runs it, and how its maths is set up.

    Attributes:
        processor: 0 BRISC, 1 NCRISC, 2 the three of a compute kernel.
        fidelity: phases of the matrix unit, 1 (LoFi) to 4 (HiFi4).
    """

    name: str
    processor: int
    noc: int
    fidelity: int
    fp32_dest: bool
    full_sync: bool
    math_approx: bool


@dataclasses.dataclass(frozen=True)
class RecordedBuffer:
    """A circular buffer of the program."""

    index: int
    label: str
    pages: int
    page_bytes: int
    data_format: int
    unpack_to_dest_fp32: bool
    cores: tuple[Core, ...]


@dataclasses.dataclass(frozen=True)
class RecordedSemaphore:
    """A semaphore of the program; ``address`` is where it lies in every core's L1."""

    address: int
    initial: int
    cores: tuple[Core, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class CallRecord:
    """The calls of every kernel on every core, with what is needed to read them.

    Attributes:
        arch: name of the chip.
        grid: columns and rows of worker cores.
        words: for each kernel on each core its head and its entries (``_wire/record.py``), as
            ``native/abi/record.h`` describes them.

    Example::

        run = tilewright.run_program([x, y], program, tilewright.RunOptions(record_calls=True))
        print(run.calls.num_entries)
    """

    arch: str
    grid: Core
    kernels: tuple[RecordedKernel, ...]
    buffers: tuple[RecordedBuffer, ...]
    semaphores: tuple[RecordedSemaphore, ...]
    words: NDArray[np.uint64]

    @property
    def num_entries(self) -> int:
        return len(self.words)

    def by_chip(self, rows: int) -> list[tuple[int, CallRecord]]:
        """The record of each chip that ran kernels, with its number; a chip has so many rows of the system's grid."""
        words: dict[int, list[NDArray[np.uint64]]] = {}
        for head, part in self._parts():
            chip, head.y = divmod(head.y, rows)
            words.setdefault(chip, []).append(np.concatenate([np.frombuffer(bytes(head), np.uint64), part[1:]]))
        return [(chip, self._of_chip(chip, rows, np.concatenate(words[chip]))) for chip in sorted(words)]

    def _parts(self) -> Iterator[tuple[RecordHead, NDArray[np.uint64]]]:
        at = 0
        while at < len(self.words):
            head = record_head(self.words[at])
            yield head, self.words[at : at + 1 + head.num_entries]
            at += 1 + head.num_entries

    def _of_chip(self, chip: int, rows: int, words: NDArray[np.uint64]) -> CallRecord:
        def here(cores: tuple[Core, ...]) -> tuple[Core, ...]:
            return tuple((x, y - chip * rows) for x, y in cores if y // rows == chip)

        buffers = (dataclasses.replace(each, cores=here(each.cores)) for each in self.buffers)
        semaphores = (dataclasses.replace(each, cores=here(each.cores)) for each in self.semaphores)
        return dataclasses.replace(
            self,
            grid=(self.grid[0], rows),
            buffers=tuple(each for each in buffers if each.cores),
            semaphores=tuple(each for each in semaphores if each.cores),
            words=words,
        )

    def save(self, path: Path) -> None:
        """Writes it to a file, all of it or nothing."""
        facts = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "words"}
        text = json.dumps({"version": _VERSION, **facts}, default=dataclasses.asdict)
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        with partial.open("wb") as file:
            np.savez_compressed(file, facts=np.frombuffer(text.encode(), np.uint8), words=self.words)
        partial.replace(path)

    @staticmethod
    def load(path: Path) -> CallRecord:
        """Reads what ``save`` wrote.

        Raises:
            TilewrightError: it is something else, or of a version with fewer facts about kernels.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                facts, words = json.loads(stored["facts"].tobytes()), stored["words"]
            if facts.get("version") != _VERSION:
                raise TilewrightError(f"{path} was recorded by another version of tilewright: record the launch again")
            record = _from_facts(facts, words)
            _require_whole(record)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            raise TilewrightError(f"{path} is not the record of a launch, or not all of one") from error
        return record


def _from_facts(facts: dict[str, Any], words: NDArray[np.uint64]) -> CallRecord:
    def cores(given: list[list[int]]) -> tuple[Core, ...]:
        return tuple((x, y) for x, y in given)

    return CallRecord(
        facts["arch"],
        (facts["grid"][0], facts["grid"][1]),
        tuple(RecordedKernel(**each) for each in facts["kernels"]),
        tuple(RecordedBuffer(**{**each, "cores": cores(each["cores"])}) for each in facts["buffers"]),
        tuple(RecordedSemaphore(**{**each, "cores": cores(each["cores"])}) for each in facts["semaphores"]),
        words,
    )


def record_head(word: np.uint64) -> RecordHead:
    """The head that a word of a record is."""
    return RecordHead.from_buffer_copy(word.tobytes())


def _require_whole(record: CallRecord) -> None:
    """Entries are as many as their heads say, of kernels there are: the replay relies on it."""
    at = 0
    while at < len(record.words):
        head = record_head(record.words[at])
        if head.kernel >= len(record.kernels):
            raise ValueError(f"word {at} names kernel {head.kernel} of {len(record.kernels)}")
        at += 1 + head.num_entries
    if at != len(record.words):
        raise ValueError(f"{len(record.words)} words where there should be {at}")


def call_record(
    program: ProgramDescriptor, bases: ConfigBases, arch: str, grid: Core, words: NDArray[np.uint64]
) -> CallRecord:
    """The record of a run of ``program``, configured at ``bases``, whose engine wrote down ``words``."""
    semaphores = (
        RecordedSemaphore(semaphore_offset(each.id, program.semaphore_base(cores[0], bases)), each.initial_value, cores)
        for each in program.semaphores
        if (cores := _cores(each.core_ranges))
    )
    kernels = tuple(_kernel(each) for each in program.kernels)
    return CallRecord(arch, grid, kernels, tuple(_buffers(program)), tuple(semaphores), words)


def _kernel(kernel: KernelDescriptor) -> RecordedKernel:
    where = placement(kernel)
    config = kernel.config
    if not isinstance(config, ComputeConfigDescriptor):
        return RecordedKernel(kernel.name, where.processor, where.noc_index, 4, False, False, False)
    return RecordedKernel(
        kernel.name,
        where.processor,
        where.noc_index,
        FIDELITY_PHASES[config.math_fidelity],
        config.fp32_dest_acc_en,
        config.dst_full_sync_en,
        config.math_approx_mode,
    )


def _buffers(program: ProgramDescriptor) -> Iterator[RecordedBuffer]:
    computes = [kernel for kernel in program.kernels if kernel.is_compute]
    for cb in program.cbs:
        for descriptor in cb.format_descriptors:
            index = descriptor.buffer_index
            to_dest = any(unpacks_to_dest(kernel.config, index) for kernel in computes)
            named = descriptor.name if descriptor.name != f"c_{index}" else ""
            yield RecordedBuffer(
                index,
                f"c_{index} {named}".rstrip(),
                cb.total_size // descriptor.page_size,
                descriptor.page_size,
                buffer_format(descriptor, to_dest).data_format,
                to_dest,
                _cores(cb.core_ranges),
            )


def _cores(ranges: CoreRangeSet) -> tuple[Core, ...]:
    return tuple((core.x, core.y) for core in ranges)
