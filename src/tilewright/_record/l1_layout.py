# SPDX-License-Identifier: Apache-2.0
"""Where a program's arguments and semaphores lie in a core's L1, below what CBs and buffers use."""

from __future__ import annotations

from tilewright._program.semaphore import NUM_SEMAPHORES

CONFIG_BASE = 32 * 1024  # firmware has what lies below
SEMAPHORE_BYTES = 16
_SLOT_MASK = (2 << 20) - 1


def semaphore_offset(semaphore_id: int, base: int | None = None) -> int:
    """L1 offset of a semaphore, of those that begin at ``base``.

    >>> hex(semaphore_offset(1))
    '0x8010'
    """
    return (CONFIG_BASE if base is None else base) + SEMAPHORE_BYTES * semaphore_id


def semaphore_at(address: int, base: int | None = None) -> int | None:
    """Id of the semaphore at an L1 address, of those that begin at ``base``; None where there is none."""
    first = CONFIG_BASE if base is None else base
    semaphore_id, rest = divmod((address & _SLOT_MASK) - first, SEMAPHORE_BYTES)
    return semaphore_id if rest == 0 and 0 <= semaphore_id < NUM_SEMAPHORES else None
