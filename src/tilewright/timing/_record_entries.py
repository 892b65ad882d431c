# SPDX-License-Identifier: Apache-2.0
"""Decode a record's words by kernel and core (``native/abi/record.h``)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilewright._record.call_record import CallRecord, Core, record_head
from tilewright._wire.record import RecordEntry
from tilewright.timing import _replay_library as native

_NO_CALL = 0
_ENTRY = np.dtype(RecordEntry)


@dataclasses.dataclass(frozen=True, eq=False)
class KernelEntries:
    """Recorded calls of one kernel on one core.

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
        return _fields(self.words, "a")

    @property
    def b(self) -> NDArray[np.uint64]:
        return _fields(self.words, "b")

    @property
    def c(self) -> NDArray[np.uint64]:
        return _fields(self.words, "c")


@functools.cache
def call_number(name: str) -> int:
    """The number of a call in a record, by its name there."""
    return native.names("call").index(name)


def entries_of(record: CallRecord) -> Iterator[KernelEntries]:
    """Every kernel on every core, in the record's order, which is that of ``DeviceTime.processors``."""
    words, at = record.words, 0
    while at < len(words):
        head = record_head(words[at])
        part = words[at + 1 : at + 1 + head.num_entries]
        yield KernelEntries(head.kernel, (head.x, head.y), part, _calls(part))
        at += 1 + len(part)


def _fields(words: NDArray[np.uint64], name: str) -> NDArray[np.uint64]:
    found: NDArray[np.uint64] = words.view(_ENTRY)[name].astype(np.uint64)
    return found


def _calls(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Calls by word. An address may look like a call that has one: of such words in a row every second is one."""
    calls: NDArray[np.uint8] = words.view(_ENTRY)["call"].copy()
    takes_address = np.isin(calls, _calls_with_address())
    number = np.arange(len(words))
    begins = np.ones(len(words), bool)
    begins[1:] = ~takes_address[:-1]
    since = number - np.maximum.accumulate(np.where(begins, number, 0))
    calls[since % 2 == 1] = _NO_CALL
    return calls


@functools.cache
def _calls_with_address() -> tuple[int, ...]:
    has_address = native.replay_library().tw_replay_call_has_address
    return tuple(number for number in range(len(native.names("call"))) if has_address(number))
