# SPDX-License-Identifier: Apache-2.0
"""A launch of the real ttnn as observers see it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from tilewright._card.launches.card_memory import CardMemory
from tilewright._launch.chip import Chip
from tilewright._launch.host_memory import ForeignTensor
from tilewright._launch.observer import Caller, Core, Launch, TensorMemory
from tilewright._launch.operation_name import is_call_of
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run

_GIVES_OUTPUT = "ttnn.generic_op"  # its last tensor is the output; those of other operations are made inside the call


@dataclasses.dataclass(frozen=True)
class Call:
    """The call of ttnn that a program was launched in, as far as the host can say."""

    operation: str = ""
    tensors: tuple[ForeignTensor | None, ...] = ()
    callers: tuple[Caller, ...] = ()
    memory: TensorMemory | None = None


class CardLaunch(Launch):
    """A launch on a card's chip.

    Args:
        show: prints a text in the host's process.
    """

    def __init__(
        self, chip: Chip, program: ProgramDescriptor, options: RunOptions, call: Call, show: Callable[[str], None]
    ) -> None:
        num_outputs = int(bool(call.tensors) and is_call_of(_GIVES_OUTPUT, call.operation))
        super().__init__(program, options, call.tensors, num_outputs, call.operation, call.callers, call.memory)
        self._chip = chip
        self._call = call
        self._show = show

    @property
    def chip(self) -> Chip:
        return self._chip

    @property
    def circular_buffers_end(self) -> int:
        over_tensors = [cb.host_address for cb in self.program.cbs if cb.is_over_tensor() and cb.host_address]
        known = [begin for begin, _ in self.l1_tensors()]
        return min([*over_tensors, *known, self._chip.arch.l1_bytes])

    def l1_tensors(self) -> list[tuple[int, int]]:
        banks = self._chip.die_grid[0] * self._chip.die_grid[1]
        return [
            (each.address, each.address + -(-each.num_pages // banks) * each.stride)
            for each in self.tensors
            if isinstance(each, ForeignTensor) and not each.is_dram
        ]

    def run(self, options: RunOptions | None = None, program: ProgramDescriptor | None = None) -> Run:
        return self._chip.launch(program or self.program, options or self.options, self.tensors)

    def with_program(self, program: ProgramDescriptor) -> CardLaunch:
        return CardLaunch(self._chip, program, self.options, self._call, self._show)

    def save(self) -> CardMemory:
        return CardMemory(self._chip.memory_files())

    def restore(self, memory: CardMemory) -> None:
        memory.restore()

    def same_results(self, one: CardMemory, other: CardMemory) -> bool:
        """Whether DRAM is the same, and L1 behind the circular buffers, where tensors lie."""
        own = [cb for cb in self.program.cbs if not cb.is_over_tensor() and cb.host_address is not None]
        begin = max(
            (cb.host_address + cb.total_size for cb in own if cb.host_address is not None),
            default=self._chip.arch.l1_unreserved_base,
        )
        slot = self._chip.memory_files().l1_slot_bytes
        cores = range(self._chip.grid[0] * self._chip.grid[1])
        ranges = [(core * slot + begin, core * slot + self._chip.arch.l1_bytes) for core in cores]
        return one.dram.same_as(other.dram) and all(
            np.array_equal(one.l1.bytes_at(*each), other.l1.bytes_at(*each)) for each in ranges
        )

    def read_words(self, core: Core, address: int, count: int) -> list[int]:
        words: list[int] = self._chip.read_l1(core, address, 4 * count).view("<u4").tolist()
        return words

    def show(self, text: str) -> None:
        self._show(text)
