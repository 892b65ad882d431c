# SPDX-License-Identifier: Apache-2.0
"""Decode a record's words by kernel and core (``native/abi/record.h``)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilewright._record.call_record import CallRecord, Core
from tilewright.timing import _replay_library as native

_NO_CALL = 0


@dataclasses.dataclass(frozen=True, eq=False)
class KernelEntries:
    """What one kernel did on one core.

    Attributes:
        kernel: its number in the record.
        words: all of them, addresses too.
        calls: for each word the number of its call; 0 of a word that is the address of the one before.
    """

    kernel: int
    core: Core
    words: NDArray[np.uint64]
    calls: NDArray[np.uint8]

    @property
    def a(self) -> NDArray[np.uint64]:
        found: NDArray[np.uint64] = self.words >> np.uint64(8) & np.uint64(0xFF)
        return found

    @property
    def b(self) -> NDArray[np.uint64]:
        found: NDArray[np.uint64] = self.words >> np.uint64(16) & np.uint64(0xFFFF)
        return found

    @property
    def c(self) -> NDArray[np.uint64]:
        found: NDArray[np.uint64] = self.words >> np.uint64(32)
        return found


@functools.cache
def call_number(name: str) -> int:
    """The number of a call in a record, by its name there."""
    return native.names("call").index(name)


def entries_of(record: CallRecord) -> Iterator[KernelEntries]:
    """Every kernel on every core, in the record's order, which is that of ``DeviceTime.processors``."""
    words, at = record.words, 0
    while at < len(words):
        head = int(words[at])
        part = words[at + 1 : at + 1 + (head >> 32)]
        yield KernelEntries(head & 0xFFFF, (head >> 16 & 0xFF, head >> 24 & 0xFF), part, _calls(part))
        at += 1 + len(part)


def _calls(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Calls by word. An address may look like a call that has one: of such words in a row every second is one."""
    calls: NDArray[np.uint8] = (words & np.uint64(0xFF)).astype(np.uint8)
    takes_address = np.isin(calls, _calls_with_address())
    number = np.arange(len(words))
    begins = np.ones(len(words), bool)
    begins[1:] = ~takes_address[:-1]
    since = number - np.maximum.accumulate(np.where(begins, number, 0))
    calls[since % 2 == 1] = _NO_CALL
    return calls


@functools.cache
def _calls_with_address() -> tuple[int, ...]:
    noc = range(call_number("NocRead"), call_number("NocIncrementMulticast") + 1)
    return (*noc, *range(call_number("SemaphoreEqual"), call_number("SemaphoreSet") + 1))
