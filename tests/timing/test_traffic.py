# SPDX-License-Identifier: Apache-2.0
"""Traffic by kernel and place, and parts of compute kernels by buffer, from records made by hand."""

from __future__ import annotations

import numpy as np

from tilewright._record.call_record import CallRecord, RecordedBuffer, RecordedKernel
from tilewright._tensor.arch import describe_arch
from tilewright.timing._device_time import Processor
from tilewright.timing._phase_times import START_UP, phase_times
from tilewright.timing._record_entries import call_number, entries_of
from tilewright.timing._replay import replay
from tilewright.timing._traffic import TransferKind, flows_of, link_bytes

ARCH = describe_arch("wormhole_b0")


def entry(call: str, a: int = 0, b: int = 0, c: int = 0) -> int:
    return call_number(call) | a << 8 | b << 16 | c << 32


def record_of(processor: int, words: list[int], buffers: tuple[int, ...] = ()) -> CallRecord:
    """One kernel on core (1,0)."""
    kernel = RecordedKernel("kernel", processor, 0, 4, False, False, False)
    shapes = tuple(RecordedBuffer(index, f"c_{index}", 2, 2048, 5, False, ((1, 0),)) for index in buffers)
    head = 0 | 1 << 16 | len(words) << 32
    return CallRecord("wormhole_b0", (8, 8), (kernel,), shapes, (), np.array([head, *words], np.uint64))


def noc_address(x: int, y: int, local: int = 0) -> int:
    return x << 36 | y << 42 | local


def test_flows_and_the_links_they_take() -> None:
    bank, x, y = ARCH.dram_coords[3], ARCH.worker_columns[4], ARCH.worker_rows[2]
    rectangle = noc_address(x, y) | (x - 2) << 48 | (y - 1) << 54
    # The low bits of these addresses look like calls with an address of their own.
    tricky = call_number("NocRead")
    words = [
        *(entry("NocRead", 0, 0, 1000), noc_address(*bank, tricky)),
        *(entry("NocRead", 0, 0, 24), noc_address(*bank, tricky)),
        *(entry("NocWrite", 1, 0, 64), noc_address(x, y, tricky)),
        *(entry("NocWriteMulticast", 0, 0, 512), rectangle),
        *(entry("NocIncrement", 0, 0, 1), noc_address(x, y, tricky)),
    ]
    record = record_of(0, words)
    (entries,) = entries_of(record)
    assert entries.calls.tolist()[1::2] == [0] * 5
    flows = flows_of(record)
    assert [(flow.kind, flow.noc, flow.bytes, flow.transfers) for flow in flows] == [
        (TransferKind.READ, 0, 1024, 2),
        (TransferKind.WRITE, 1, 64, 1),
        (TransferKind.MULTICAST, 0, 512, 1),
        (TransferKind.SIGNAL, 0, 4, 1),
    ]
    assert (flows[0].node and flows[0].node.bank, flows[1].node and flows[1].node.core) == (3, (4, 2))
    assert flows[2].rectangle == ((2, 1), (4, 2))
    links = link_bytes(record, flows)
    # Data of the read go from the bank's place, (0, 7), right and down and around to the core's, (2, 1).
    way = [link for link, size in links.items() if size >= 1024]
    assert [link.begin for link in way] == [(0, 7), (1, 7), (2, 7), (2, 8), (2, 9), (2, 10), (2, 11), (2, 0)]
    assert way[-1].end == (2, 1)
    # The write of NoC 1 goes up and around to row 3, then left and around to column 6.
    up = [link for link in links if link.noc == 1]
    assert ((up[0].begin, up[0].end), up[-1].end) == (((2, 1), (2, 0)), (6, 3))
    assert len(up) == 10 + 6


def test_compute_kernel_time_is_assigned_to_packed_buffers() -> None:
    section = [entry("DstAcquire"), entry("CopyTile", 0), entry("DstCommit"), entry("DstWait")]
    words = [
        entry("Startup"),
        *(*section, entry("PackTile", 24), entry("DstRelease")),  # kept, and not pushed yet
        *(entry("ReconfigPack"), *section, entry("PackTile", 16), entry("DstRelease"), entry("CbPushBack", 16, 0, 1)),
        *(*section, entry("PackTile", 24), entry("PackTile", 16), entry("DstRelease"), entry("CbPushBack", 24, 0, 1)),
    ]
    record = record_of(2, words, (0, 16, 24))
    time = replay(record, keep_events=True)
    parts = {part.cb: part for part in phase_times(record, time)}
    assert list(parts) == [START_UP, 24, 16]
    # Two sections with three packs are for c_24, one with the change of format for c_16.
    assert parts[24].busy[Processor.MATH] == 2 * parts[16].busy[Processor.MATH] > 0
    for processor, lanes in time.by_processor.items():
        assert np.isclose(sum(part.busy[processor] for part in parts.values()), lanes[0].busy)
        waited = sum(wait.cycles for wait in lanes[0].waits)
        assert np.isclose(sum(part.waiting[processor] for part in parts.values()), waited)
