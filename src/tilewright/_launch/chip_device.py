# SPDX-License-Identifier: Apache-2.0
"""An open chip that runs programs, with what ttnn's devices say of the programs they keep."""

from __future__ import annotations

from typing import Protocol

from tilewright._launch.chip import Chip
from tilewright._launch.executable import Executable
from tilewright._tensor.arch import ArchDescription
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.device import Device


class HasExecutable(Protocol):
    """A call of an operation that is kept with its device."""

    @property
    def executable(self) -> Executable | None: ...


class ChipDevice(Device):
    """A ``Device`` whose memory is a chip. Get one from ``ttnn.open_device``.

    Attributes:
        chip: its memory and its grid of cores.
        calls: calls of operations by what they depend on (``ops/_kept_calls.py``).
    """

    def __init__(
        self, description: ArchDescription, chip: Chip, device_id: int, grid: CoreCoord, l1_small_size: int
    ) -> None:
        super().__init__(description, chip, device_id, grid, l1_small_size)
        self.chip = chip
        self.calls: dict[object, HasExecutable] = {}

    def close(self) -> None:
        """Free the chip's memory; tensors on it are gone."""
        super().close()
        self.clear_program_cache()
        self.chip.close()

    def num_program_cache_entries(self) -> int:
        """Programs of ``tilewright.ops`` that are kept; those given to ``generic_op`` are not counted."""
        executables = {id(call.executable) for call in list(self.calls.values()) if call.executable is not None}
        return len(executables)

    def enable_program_cache(self) -> None:
        """Nothing to switch: programs and compiled kernels are always cached."""

    def disable_and_clear_program_cache(self) -> None:
        """Clears the cache. It cannot be switched off: the next program goes into it again."""
        self.clear_program_cache()

    def clear_program_cache(self) -> None:
        """Forget the programs; the kernels they were compiled into stay in the cache on disk."""
        self.calls.clear()
        self.chip.forget_executables()
