# SPDX-License-Identifier: Apache-2.0
"""How a program is to be run; what each means stands at ``Chip.launch``."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from tilewright.device.translation_unit import Watch


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """What a launch was asked for, on its way to the engine."""

    threads: int
    time_limit: float  # seconds; 0: none
    spin_limit: float
    checked: bool
    seed: int
    record: Collection[int]
    keep_l1: bool
    record_calls: bool = False

    @property
    def watch(self) -> Watch:
        """What kernels of this run are compiled to show the engine."""
        return Watch.MEMORY if self.checked else Watch.CALLS if self.record_calls else Watch.NOTHING
