# SPDX-License-Identifier: Apache-2.0
"""The launches of a script that take most of the card's memory, in words."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.timing._timed_launch import TimedLaunch

_KIB = 1024


def peak_memory(launches: Sequence[TimedLaunch]) -> tuple[str, ...]:
    """Most DRAM and L1 that tensors and circular buffers took, against what the card has; empty where not known."""
    known = [(launch, launch.tensor_memory) for launch in launches if launch.tensor_memory is not None]
    if not known:
        return ()
    in_dram, dram = max(known, key=lambda each: each[1].dram.allocated)
    in_l1, l1 = max(known, key=lambda each: each[1].l1.allocated + each[0].circular_buffer_bytes)
    return (
        f"most DRAM: {_kib(dram.dram.allocated)} of {_kib(dram.dram.total)} KiB a bank, in {in_dram.name}",
        f"most L1: {_kib(l1.l1.allocated)} KiB of tensors and {_kib(in_l1.circular_buffer_bytes)} KiB of circular "
        f"buffers, of {_kib(l1.l1.total)} KiB a core, in {in_l1.name}",
    )


def _kib(size: int) -> str:
    return f"{-(-size // _KIB):,}"
