# SPDX-License-Identifier: Apache-2.0
"""What of a launch follows from the program's structure, and so is the same in the next launch of the same program."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from array import array
from collections.abc import Sequence
from pathlib import Path

from tilewright._build.cache import cache_environment
from tilewright._build.kernel_sources import kernel_source, source_path
from tilewright._build.translation_unit import KernelSource, Watch
from tilewright._program.cb_placement import place_circular_buffers
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.program import ProgramDescriptor
from tilewright._record import wire_layout as native
from tilewright._tensor.arch import ArchDescription


@dataclasses.dataclass(frozen=True)
class ArgumentLayout:
    """How one kernel's runtime arguments lie in the array the engine gets: core after core.

    Attributes:
        entries: which of the descriptor's entries is each core's; cores without arguments have none.
        offsets: where each core's words begin, and where the last one's end.
    """

    entries: tuple[int, ...]
    offsets: array[int]

    @functools.cached_property
    def _head(self) -> bytes:
        """What a message says of the arguments before the words themselves, where none are common."""
        return self._head_with(0)

    def _head_with(self, num_common: int) -> bytes:
        sizes = native.Arguments(num_offsets=len(self.offsets), num_words=self.offsets[-1], num_common=num_common)
        return native.padded(bytes(sizes)) + native.padded(self.offsets.tobytes())

    def message(self, kernel: KernelDescriptor) -> bytes:
        """The arguments a kernel has now, as the runner takes them."""
        words, common = native.padded(self.words(kernel).tobytes()), kernel.common_runtime_args
        if not common:
            return self._head + words
        return self._head_with(len(common)) + words + native.padded(array("I", common).tobytes())

    def words(self, kernel: KernelDescriptor) -> array[int]:
        given = kernel.runtime_args.words
        words = array("I")
        with contextlib.suppress(IndexError):
            for entry in self.entries:
                words.fromlist(given[entry])
        if len(words) != self.offsets[-1]:  # by another thread; the engine would read past the end
            raise RuntimeError(f"kernel {kernel.name}: runtime_args were changed while the program was launched")
        return words


def argument_layout(kernel: KernelDescriptor) -> ArgumentLayout:
    given = kernel.runtime_args.words
    entry_of = {core: entry for entry, (core, _) in enumerate(kernel.runtime_args)}
    entries = [entry_of.get(core) for core in kernel.core_ranges]
    sizes = [0 if entry is None else len(given[entry]) for entry in entries]
    return ArgumentLayout(
        tuple(entry for entry in entries if entry is not None), array("I", itertools.accumulate(sizes, initial=0))
    )


class StructureKey:
    """Equal for programs the engine cannot tell apart but by their runtime arguments; its hash is computed once."""

    def __init__(self, *parts: object) -> None:
        self._parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StructureKey) and self._parts == other._parts


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A program ready to be compiled and loaded, as long as its structure does not change."""

    sources: Sequence[KernelSource]
    files: Sequence[Path]  # the sources are in
    cb_addresses: Sequence[int]
    arguments: Sequence[ArgumentLayout]
    key: StructureKey
    environment: tuple[str | None, ...]

    def has_sources(self, program: ProgramDescriptor) -> bool:
        """Whether the kernels' files are where they were: a path may lead elsewhere now, the cache may be another."""
        return self.environment == cache_environment() and all(
            file.exists() if kernel.source_type is SourceType.SOURCE_CODE else source_path(kernel) == str(file)
            for kernel, file in zip(program.kernels, self.files, strict=True)
        )


def prepare(program: ProgramDescriptor, arch: ArchDescription, grid: tuple[int, int], watch: Watch) -> Prepared:
    environment = cache_environment()
    sources = tuple(kernel_source(program, kernel, arch, grid, watch) for kernel in program.kernels)
    addresses = tuple(place_circular_buffers(program, arch.l1_unreserved_base))
    key = StructureKey(
        sources,
        tuple((kernel.core_ranges, repr(kernel.config), kernel.arguments_in_l1) for kernel in program.kernels),
        tuple(zip((repr(cb) for cb in program.cbs), addresses, strict=True)),
        tuple(repr(semaphore) for semaphore in program.semaphores),
        tuple(program.semaphore_bases.items()),
    )
    layouts = tuple(argument_layout(kernel) for kernel in program.kernels)
    files = tuple(Path(source.path) for source in sources)
    return Prepared(sources, files, addresses, layouts, key, environment)
