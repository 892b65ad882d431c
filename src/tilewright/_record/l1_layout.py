# SPDX-License-Identifier: Apache-2.0
"""Where a program's arguments and semaphores lie in a core's L1, below what CBs and buffers use."""

from __future__ import annotations

CONFIG_BASE = 32 * 1024  # firmware has what lies below
SEMAPHORE_BYTES = 16


def semaphore_offset(semaphore_id: int, base: int | None = None) -> int:
    """L1 offset of a semaphore, of those that begin at ``base``.

    >>> hex(semaphore_offset(1))
    '0x8010'
    """
    return (CONFIG_BASE if base is None else base) + SEMAPHORE_BYTES * semaphore_id
