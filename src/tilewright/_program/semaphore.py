# SPDX-License-Identifier: Apache-2.0
"""Semaphores: one 32-bit word per core, known to kernels by id."""

from __future__ import annotations

from tilewright._program.kernel import require_core_ranges
from tilewright._program.uint32_list import uint32
from tilewright._tensor.cores import CoreRangeSet
from tilewright._tensor.ttnn_enum import TtnnEnum

NUM_SEMAPHORES = 16


class CoreType(TtnnEnum):
    """The kinds of core that can have a semaphore here."""

    WORKER = 12


class SemaphoreDescriptor:
    """A semaphore on every core of ``core_ranges``, set to ``initial_value`` before kernels start.

    >>> from tilewright._tensor.cores import CoreRange
    >>> cores = CoreRangeSet([CoreRange((0, 0), (7, 7))])
    >>> SemaphoreDescriptor(id=0, core_ranges=cores, initial_value=0).id
    0
    """

    def __init__(
        self,
        id: int | None = None,
        core_type: CoreType = CoreType.WORKER,
        core_ranges: CoreRangeSet | None = None,
        initial_value: int | None = None,
    ) -> None:
        given = {"id": id, "core_ranges": core_ranges, "initial_value": initial_value}
        missing = [label for label, value in given.items() if value is None]
        if missing and len(missing) < len(given):
            raise TypeError(f"SemaphoreDescriptor needs {', '.join(given)}; missing: {', '.join(missing)}")
        self.id = uint32(0 if id is None else id, "id")
        self.core_type = core_type
        self.core_ranges = require_core_ranges(
            "SemaphoreDescriptor.core_ranges", CoreRangeSet([]) if core_ranges is None else core_ranges
        )
        self.initial_value = uint32(0 if initial_value is None else initial_value, "initial_value")

    def state(self) -> tuple[object, ...]:
        return self.id, self.core_type, self.core_ranges, self.initial_value

    def copy(self) -> SemaphoreDescriptor:
        return SemaphoreDescriptor(self.id, self.core_type, self.core_ranges, self.initial_value)

    def __repr__(self) -> str:
        return f"SemaphoreDescriptor(id={self.id}, core_ranges={self.core_ranges}, initial_value={self.initial_value})"
