# SPDX-License-Identifier: Apache-2.0
"""Differences of kernels of 2025 from those of today's wheel, put into the record of today's.

The measured figures themselves show both: a read's latency times the number of reads, and the costs of handing over DST
times the number of tiles. Decided with rows that were not held out, for whole families.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from tilewright._record.call_record import CallRecord
from tilewright.timing import _replay_library as replay_library

# Waited for each read; today's kernels read a block first.
SINGLE_READS = ("InterleavedToSharded", "Untilize")
# Had one tile in DST at a time; today's kernels of sharded tensors have as many as there is room for.
SINGLE_TILES = ("BinaryNg",)

_CREDITS = ("CbWaitFront", "CbReserveBack", "CbPushBack", "CbPopFront")


def is_of_2025(row: dict[str, str]) -> bool:
    return "oft" in row["file"]


def with_single_tiles(record: CallRecord) -> CallRecord:
    """The record with each section of n tiles of its compute kernels as n sections of one."""
    words, at = [], 0
    given = record.words.tolist()
    while at < len(given):
        head, count = given[at], given[at] >> 32
        entries = given[at + 1 : at + 1 + count]
        if record.kernels[head & 0xFFFF].processor >= 2:
            entries = _single_tiles(entries)
        words += [head & 0xFFFFFFFF | len(entries) << 32, *entries]
        at += 1 + count
    return dataclasses.replace(record, words=np.array(words, dtype=np.uint64))


def _single_tiles(entries: list[int]) -> list[int]:
    """Compute kernels have no addresses, so each entry is a call."""
    done: list[int] = []
    turn: list[int] = []
    for entry, following in zip(entries, [*entries[1:], 0], strict=True):
        turn.append(entry)
        if _name(entry) == "CbPopFront" and _name(following) != "CbPopFront":
            done += _one_by_one(turn)
            turn = []
    return done + turn


def _one_by_one(turn: list[int]) -> list[int]:
    """A turn of the kernel's loop: what is done n times is done once, what counts n pages counts one; n times."""
    tiles = max((entry >> 32 for entry in turn if _name(entry) in _CREDITS), default=1)
    if tiles < 2 or sum(_name(entry) == "PackTile" for entry in turn) != tiles:
        return turn
    begin = next(i for i, entry in enumerate(turn) if _name(entry) in _CREDITS)  # set-up is before
    once: list[int] = []
    for entry in turn[begin:]:
        if _name(entry) in _CREDITS and entry >> 32 == tiles:
            once.append(entry & 0xFFFFFFFF | 1 << 32)
        elif not once or once[-1] != entry:
            once.append(entry)
    return turn[:begin] + once * tiles


def _name(entry: int) -> str:
    return replay_library.names("call")[entry & 0xFF]
