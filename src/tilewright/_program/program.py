# SPDX-License-Identifier: Apache-2.0
"""A whole program: kernels, circular buffers, semaphores."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from tilewright._display.notebook import card, table
from tilewright._program.circular_buffer import CBDescriptor
from tilewright._program.config_bases import NO_CONFIG, ConfigBases
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._program.uint32_list import CopiedList
from tilewright._tensor.argument import items, require, shown
from tilewright._tensor.cores import CoreRangeSet


class ProgramStructure:
    """All of a program but the values of its runtime arguments, at one time: the key of everything derived from it.

    Equal for programs that differ in those values alone. The hash is computed once.
    """

    __slots__ = ("_hash", "_state")

    def __init__(self, state: tuple[object, ...]) -> None:
        self._state = state
        self._hash = hash(state)

    def is_of(self, state: tuple[object, ...]) -> bool:
        """Whether a program with this state has the structure; computes no hash."""
        return self._state == state

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, ProgramStructure) and self._state == other._state)


class ProgramDescriptor:
    """A program.

    As in ttnn the program keeps copies of the descriptors it is given: change ``program.kernels[0]``, not the
    descriptor it was made from.
    """

    def __init__(
        self,
        kernels: Iterable[KernelDescriptor] = (),
        semaphores: Iterable[SemaphoreDescriptor] = (),
        cbs: Iterable[CBDescriptor] = (),
    ) -> None:
        self.kernels = kernels
        self.semaphores = semaphores
        self.cbs = cbs
        self.custom_program_hash: int | None = None
        # Offset of semaphore 0 on each core from the launch's configuration, of a host that places them itself; one for
        # all cores of a semaphore.
        self.semaphore_bases: dict[tuple[int, int], int] = {}
        # Where that configuration is. Like the values of arguments it belongs to a launch, not to the structure.
        self.config_bases: ConfigBases = NO_CONFIG
        self._structure: ProgramStructure | None = None

    @property
    def kernels(self) -> CopiedList[KernelDescriptor]:
        return CopiedList(self._kernels, "ProgramDescriptor.kernels")

    @kernels.setter
    def kernels(self, kernels: Iterable[KernelDescriptor]) -> None:
        self._kernels = [kernel.copy() for kernel in _all("kernels", kernels, KernelDescriptor)]

    @property
    def semaphores(self) -> CopiedList[SemaphoreDescriptor]:
        return CopiedList(self._semaphores, "ProgramDescriptor.semaphores")

    @semaphores.setter
    def semaphores(self, semaphores: Iterable[SemaphoreDescriptor]) -> None:
        self._semaphores = [item.copy() for item in _all("semaphores", semaphores, SemaphoreDescriptor)]

    @property
    def cbs(self) -> CopiedList[CBDescriptor]:
        return CopiedList(self._cbs, "ProgramDescriptor.cbs")

    @cbs.setter
    def cbs(self, cbs: Iterable[CBDescriptor]) -> None:
        self._cbs = [cb.copy() for cb in _all("cbs", cbs, CBDescriptor)]

    def all_cores(self) -> CoreRangeSet:
        """Every core a kernel of this program runs on."""
        cores = CoreRangeSet([])
        for kernel in self._kernels:
            cores = cores.merge(kernel.core_ranges)
        return cores

    def semaphore_base(self, core: tuple[int, int], bases: ConfigBases | None = None) -> int | None:
        """L1 offset of semaphore 0 on a core, of a host that places semaphores itself; ``bases``: of another launch."""
        if not isinstance(core, tuple) or not all(isinstance(each, int) for each in core):
            raise TypeError(f"core must be a tuple (x, y), not {shown(core)}")
        offset = self.semaphore_bases.get(core)
        return None if offset is None else (bases or self.config_bases).of(core) + offset

    def structure(self) -> ProgramStructure:
        """All of the program but the values of its runtime arguments, as it is now.

        Descriptors can change at any time without notice, so each call reads all of them. The result is the same object
        until something has changed.
        """
        state = (
            tuple([kernel.state() for kernel in self._kernels]),
            tuple([cb.state() for cb in self._cbs]),
            tuple([semaphore.state() for semaphore in self._semaphores]),
            tuple(self.semaphore_bases.items()),
        )
        kept = self._structure
        if kept is None or not kept.is_of(state):
            kept = self._structure = ProgramStructure(state)
        return kept

    def without_arguments(self) -> ProgramDescriptor:
        """A copy without runtime arguments that keeps no tensor alive.

        A circular buffer over a tensor stays at that tensor's address.
        """
        other = ProgramDescriptor()
        other._kernels = [kernel.without_arguments() for kernel in self._kernels]
        other._cbs = [cb.without_tensor() for cb in self._cbs]
        other._semaphores = [semaphore.copy() for semaphore in self._semaphores]
        other.custom_program_hash = self.custom_program_hash
        other.semaphore_bases = dict(self.semaphore_bases)
        return other

    @property
    def define_names(self) -> frozenset[str]:
        """Names of the macros of all its kernels."""
        return frozenset(name for kernel in self._kernels for name, _ in kernel.defines)

    def copy(self) -> ProgramDescriptor:
        other = ProgramDescriptor(self._kernels, self._semaphores, self._cbs)
        other.custom_program_hash = self.custom_program_hash
        other.semaphore_bases = dict(self.semaphore_bases)
        other.config_bases = self.config_bases
        return other

    def __repr__(self) -> str:
        sections = [("kernels", self._kernels), ("cbs", self._cbs), ("semaphores", self._semaphores)]
        lines = ["ProgramDescriptor("]
        for label, descriptors in sections:
            if descriptors:
                lines.append(f"  {label}=[")
                lines += [f"    {each!r}," for each in descriptors]
                lines.append("  ],")
        return "\n".join(lines) + ("\n)" if len(lines) > 1 else ")")

    def _repr_html_(self) -> str:
        kernels = [
            (
                each.name,
                type(each.config).__name__.removesuffix("ConfigDescriptor").lower(),
                each.core_ranges.num_cores(),
                ", ".join(map(str, each.compile_time_args)),
            )
            for each in self._kernels
        ]
        buffers = [
            (
                f"c_{each.buffer_index} {each.name or ''}",
                each.data_format.name,
                cb.total_size // max(each.page_size, 1),
                each.page_size,
                cb.core_ranges.num_cores(),
            )
            for cb in self._cbs
            for each in cb.format_descriptors
        ]
        semaphores = [(each.id, each.initial_value, each.core_ranges.num_cores()) for each in self._semaphores]
        return card(
            "Program",
            table(("kernel", "kind", "cores", "compile-time arguments"), kernels) if kernels else "",
            table(("buffer", "format", "pages", "bytes of a page", "cores"), buffers) if buffers else "",
            table(("semaphore", "initial value", "cores"), semaphores) if semaphores else "",
        )


class FixedProgram(ProgramDescriptor):
    """A program that never changes, and neither do its kernels' files: its structure is computed once.

    Programs of a host that builds its kernels itself, as tt-metal does, are like this.
    """

    def structure(self) -> ProgramStructure:
        return self._structure if self._structure is not None else super().structure()

    def share_structure(self, structure: ProgramStructure) -> None:
        """Take the equal structure of another program, so that the two are compared by identity from now on."""
        self._structure = structure

    @functools.cached_property
    def define_names(self) -> frozenset[str]:
        return super().define_names


def _all(label: str, values: Iterable[Any], kind: type) -> list[Any]:
    what = f"ProgramDescriptor.{label}"
    given = items(what, values, f"a list of {kind.__name__} objects")
    return [require(f"{what}[{index}]", each, kind, f"a {kind.__name__}") for index, each in enumerate(given)]
