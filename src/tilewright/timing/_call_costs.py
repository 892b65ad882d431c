# SPDX-License-Identifier: Apache-2.0
"""Cost of one call of a function of the kernel API in the timing model.

What the function records (``_engine_calls.py``) is replayed alone. Calls with a size stand for one tile, one page or
2048 bytes.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from tilewright._record.call_record import CallRecord, RecordedBuffer, RecordedKernel, RecordedSemaphore
from tilewright._record.l1_layout import semaphore_offset
from tilewright._tensor.arch import describe_arch
from tilewright._wire.data_formats import DataFormat
from tilewright._wire.record import RecordEntry, RecordHead
from tilewright.timing import _replay_library as native
from tilewright.timing._device_time import Processor
from tilewright.timing._engine_calls import multiplies, recorded_calls, vector_operations
from tilewright.timing._record_entries import call_number
from tilewright.timing._replay import replay

# Conditions of the figures.
CONDITIONS = "a tile, a page, 2048 bytes of DRAM at a known address; bfloat16, HiFi4, 16-bit DST"

_TRANSFER_BYTES, _TILE_BYTES = 2048, 2048
_HIFI4, _ALL_FACES, _VECTORS = 4, 4, 8
_ONE_BLOCK = 1 | 1 << 16  # columns, rows
_NODE_BITS, _LOCAL_BITS = 6, 36
_CORE = (0, 0)
_ADD, _MULTIPLY = 0, 2  # tw::BinaryOp
# Arguments that differ from a = b = 0, c = 1.
_ARGUMENTS = {
    "BinaryTiles": (0, _ADD, 0),
    "MatmulBlock": (0, 0, _ONE_BLOCK),
    "PackUntilizeBlock": (0, 0, _ONE_BLOCK),
    "PackUntilizeDest": (0, 0, _ONE_BLOCK),
    "ReconfigSrcAIfDifferent": (0, 1, 0),
    "ReconfigSrcBIfDifferent": (0, 1, 0),
    "ReconfigPackIfDifferent": (0, 1, 0),
    "SemaphoreEqual": (0, 0, 0),
    "SemaphoreAtLeast": (0, 0, 0),
    **{name: (0, 0, _TRANSFER_BYTES) for name in ("NocRead", "NocWrite", "NocWriteMulticast")},
}
# What a call waits for.
_BEFORE = {"DstWait": "DstCommit", "CbWaitFront": "CbPushBack"}


@dataclasses.dataclass(frozen=True)
class CallCost:
    """Cycles each processor of a core is busy with one call.

    Attributes:
        cycles: by processor; without those that do nothing.
        is_published: false where a part of it is a guess of the model.
    """

    cycles: dict[Processor, float]
    is_published: bool

    def __str__(self) -> str:
        parts = [f"{_NAMES[processor]} {cycles:g}" for processor, cycles in self.cycles.items()]
        return ", ".join(parts) + ("" if self.is_published else " (not published: assumed)")


_NAMES = {
    Processor.BRISC: "data movement",
    Processor.UNPACK: "unpack",
    Processor.MATH: "math",
    Processor.PACK: "pack",
}


@functools.cache
def cost_of_call(function: str, arch: str, *, is_compute: bool) -> CallCost | None:
    """What a call costs on a chip; None if the model counts nothing for it.

    Args:
        is_compute: called by a compute kernel; else by a reader or writer.

    >>> print(cost_of_call("copy_tile", "blackhole", is_compute=True))
    unpack 41.8, math 18.9
    """
    # Two calls of a kind are the branches of a template argument.
    calls = list(dict.fromkeys(recorded_calls(function)))
    before = [_BEFORE[call] for call in calls if call in _BEFORE]
    spared, _ = _busy(function, before, arch, is_compute)
    busy, unmeasured = _busy(function, [*before, *calls], arch, is_compute)
    cycles = {each: busy[each] - spared.get(each, 0) for each in busy if busy[each] > spared.get(each, 0)}
    return CallCost(cycles, unmeasured == 0) if cycles else None


def _busy(function: str, calls: list[str], arch: str, is_compute: bool) -> tuple[dict[Processor, float], float]:
    """Cycles by processor of a kernel that makes these calls, and how many of them are a guess."""
    time = replay(_record([word for call in calls for word in _words(function, call, arch)], arch, is_compute))
    return {each.processor: each.busy for each in time.processors}, time.unmeasured


def _words(function: str, call: str, arch: str) -> list[int]:
    a, b, c = _ARGUMENTS.get(call, (0, 0, 1))
    if call.startswith("Binary") and multiplies(function):
        b = _MULTIPLY
    if call.startswith("Sfpu") and (operations := vector_operations(function)):
        arity, operation = operations[-1]  # the last is the usual one
        if call == f"Sfpu{arity.capitalize()}":
            a, b, c = _ALL_FACES, native.names(f"sfpu_{arity}").index(operation), _VECTORS
    entry = int(np.frombuffer(bytes(RecordEntry(call_number(call), a, b, c)), np.uint64)[0])
    if not native.replay_library().tw_replay_call_has_address(call_number(call)):
        return [entry]
    if call.startswith("Semaphore"):
        return [entry, semaphore_offset(0)]
    x, y = describe_arch(arch).dram_coords[0]
    return [entry, (x | y << _NODE_BITS) << _LOCAL_BITS]


def _record(words: list[int], arch: str, is_compute: bool) -> CallRecord:
    """A kernel on one core that makes these calls."""
    kernel = RecordedKernel("one call", Processor.UNPACK if is_compute else 0, 0, _HIFI4, False, False, False)
    formats = (DataFormat.Float16_b, DataFormat.Bfp8_b)
    buffers = [
        RecordedBuffer(index, "", 2, _TILE_BYTES, each.value, False, (_CORE,)) for index, each in enumerate(formats)
    ]
    semaphore = RecordedSemaphore(semaphore_offset(0), 0, (_CORE,))
    head = np.frombuffer(bytes(RecordHead(0, *_CORE, len(words))), np.uint64)
    entries = np.array(words, np.uint64)
    return CallRecord(arch, (1, 1), (kernel,), tuple(buffers), (semaphore,), np.concatenate([head, entries]))
