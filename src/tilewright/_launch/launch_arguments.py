# SPDX-License-Identifier: Apache-2.0
"""Values of runtime arguments, packed as the runner takes them: kernel after kernel, core after core."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from array import array

from tilewright._program.config_bases import NO_CONFIG, ConfigBases
from tilewright._program.kernel import KernelDescriptor
from tilewright._tensor.cores import CoreCoord
from tilewright._wire import runner as wire
from tilewright._wire.layout import padded


@dataclasses.dataclass(frozen=True, eq=False)
class LaunchArguments:
    """The values of all runtime arguments of one launch; get them from ``Executable.arguments``.

    Attributes:
        words: runtime arguments of each kernel as 32-bit words, core after core.
        common: common runtime arguments of each kernel.
        config_bases: where a host that configures cores itself put this launch's configuration.
    """

    words: tuple[bytes, ...]
    common: tuple[bytes, ...]
    config_bases: ConfigBases = NO_CONFIG


@dataclasses.dataclass(frozen=True)
class KernelArgumentLayout:
    """Where one kernel's runtime arguments lie among the packed ones.

    Attributes:
        given: each entry of the descriptor, in its order: the core, and where its words begin and end.
        entries: the entry of each core of the kernel that has one, in the order of the cores.
        offsets: where each core's words begin, and where the last one's end.
        num_common: common runtime arguments.
    """

    given: tuple[tuple[CoreCoord, int, int], ...]
    entries: tuple[int, ...]
    offsets: array[int]
    num_common: int

    @staticmethod
    def of(kernel: KernelDescriptor) -> KernelArgumentLayout:
        words = kernel.runtime_args.words
        given_on = [core for core, _ in kernel.runtime_args]
        entry_of = {core: entry for entry, core in enumerate(given_on)}
        cores = list(kernel.core_ranges)
        entries = [entry_of.get(core) for core in cores]
        sizes = [0 if entry is None else len(words[entry]) for entry in entries]
        offsets = array("I", itertools.accumulate(sizes, initial=0))
        spans = {core: (offsets[place], offsets[place + 1]) for place, core in enumerate(cores)}
        return KernelArgumentLayout(
            tuple((core, *spans.get(core, (0, 0))) for core in given_on),
            tuple(entry for entry in entries if entry is not None),
            offsets,
            len(kernel.common_runtime_args),
        )

    def pack(self, kernel: KernelDescriptor) -> tuple[bytes, bytes]:
        """The arguments a kernel has now: those of its cores, and the common ones."""
        given, common = kernel.runtime_args.words, kernel.common_runtime_args
        if not (given or common or self.entries or self.num_common):
            return b"", b""
        words = array("I")
        with contextlib.suppress(IndexError):
            for entry in self.entries:
                words.fromlist(given[entry])
        # Changed by another thread, or another program's; the engine would read past the end.
        if len(words) != self.offsets[-1] or len(common) != self.num_common:
            raise ValueError(
                f"kernel {kernel.name}: runtime_args are on other cores, or another number of them, than when the "
                "program was compiled; did another thread change them?"
            )
        return words.tobytes(), array("I", common).tobytes() if common else b""

    def unpack(self, words: bytes, common: bytes, kernel: KernelDescriptor) -> None:
        """Gives a kernel arguments that were packed before."""
        values = array("I", words).tolist()
        kernel.runtime_args = [(core, values[begin:end]) for core, begin, end in self.given]
        kernel.common_runtime_args = array("I", common).tolist()

    @functools.cached_property
    def _head(self) -> bytes:
        sizes = wire.ArgumentsMessage(
            num_offsets=len(self.offsets), num_words=self.offsets[-1], num_common=self.num_common
        )
        return padded(bytes(sizes)) + padded(self.offsets.tobytes())

    def message(self, words: bytes, common: bytes) -> bytes:
        """The part of a launch's message with this kernel's arguments."""
        return self._head + padded(words) + padded(common) if words or common else self._head
