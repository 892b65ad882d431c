# SPDX-License-Identifier: Apache-2.0
"""Many cores at once: links and banks they share, and that they do not start together. Records are made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright._record.call_record import CallRecord, Core, RecordedKernel
from tilewright._tensor.arch import describe_arch
from tilewright.timing import Change, replay
from tilewright.timing import _replay_library as replay_library

_BYTES = 2048


def _call(name: str, noc: int, kind: int, amount: int) -> int:
    return replay_library.names("call").index(name) | noc << 8 | kind << 16 | amount << 32


def _transfers(arch: str, core: Core, noc: int, count: int, *, writes: bool) -> list[int]:
    """To or from all banks in turn, each core from another one on; a barrier after each sixteen."""
    banks = describe_arch(arch).dram_coords
    entries = []
    for number in range(count):
        x, y = banks[(number + core[0] + 8 * core[1]) % len(banks)]
        entries += [_call("NocWrite" if writes else "NocRead", noc, 0, _BYTES), 0x200000 | x << 36 | y << 42]
        if number % 16 == 15:
            entries.append(_call("NocBarrier", noc, int(writes), 0))
    return entries


def _record(arch: str, grid: Core, kernels: list[tuple[int, bool]], count: int) -> CallRecord:
    """On every core a kernel on each given NoC that reads, or writes."""
    words = []
    for y in range(grid[1]):
        for x in range(grid[0]):
            for number, (noc, writes) in enumerate(kernels):
                entries = _transfers(arch, (x, y), noc, count, writes=writes)
                words += [number | x << 16 | y << 24 | len(entries) << 32, *entries]
    names = tuple(RecordedKernel(f"k{i}", i, noc, 4, False, False, False) for i, (noc, _) in enumerate(kernels))
    return CallRecord(arch, grid, names, (), (), np.array(words, dtype=np.uint64))


def _rate(arch: str, grid: Core, kernels: list[tuple[int, bool]]) -> float:
    """GB/s of all cores together."""
    time = replay(_record(arch, grid, kernels, 96))
    return grid[0] * grid[1] * len(kernels) * 96 * _BYTES / time.microseconds / 1e3


@pytest.mark.parametrize(
    ("noc", "writes", "measured"), [(0, False, 189.8), (1, False, 82.1), (0, True, 56.5), (1, True, 154.5)]
)
def test_all_wormhole_cores_reach_the_measured_bandwidth(noc: int, writes: bool, measured: float) -> None:
    """Published for cores that use any bank (tt-isa-documentation); there each has one, here they take turns: 15 %."""
    assert _rate("wormhole_b0", (8, 8), [(noc, writes)]) == pytest.approx(measured, rel=0.15)


def _bank_readers(cores: list[Core]) -> float:
    """GB/s of a core for each bank of a Blackhole that reads longest packets of it, two at a time."""
    words: list[int] = []
    for (x, y), (bank_x, bank_y) in zip(cores, describe_arch("blackhole").dram_coords, strict=True):
        read = [_call("NocRead", 0, 0, 16384), 0x200000 | bank_x << 36 | bank_y << 42]
        entries = [*read, *read, _call("NocBarrier", 0, 0, 0)] * 64
        words += [x << 16 | y << 24 | len(entries) << 32, *entries]
    kernel = RecordedKernel("reader", 0, 0, 4, False, False, False)
    record = CallRecord("blackhole", (13, 10), (kernel,), (), (), np.array(words, dtype=np.uint64))
    # Their barriers waited for the packets before the last ones: transaction ids.
    return len(cores) * 128 * 16384 / replay(record, Change(reads_ahead=True)).microseconds / 1e3


def test_blackhole_bank_readers_reach_the_measured_bandwidth() -> None:
    """344 GB/s by any cores, 500 by those beside their banks (tt-metal pull request 47885).

    Which cores the first were is not said: those of the first row are taken here, hence 15 %. Packets as long as these
    reach a tenth more of a bank than the usual ones, whose rate the model has for all.
    """
    beside = [(0, 9), (0, 0), (0, 7), (0, 3), (7, 9), (7, 1), (7, 6), (7, 4)]
    assert _bank_readers([(x, 0) for x in range(8)]) == pytest.approx(344, rel=0.15)
    assert _bank_readers(beside) == pytest.approx(500, rel=0.1)


def test_a_core_by_itself_has_the_links_for_itself() -> None:
    alone, among = (_rate("blackhole", grid, [(1, True)]) / (grid[0] * grid[1]) for grid in ((1, 1), (5, 4)))
    assert alone > 3 * among


def test_banks_that_read_and_write_at_once_do_less() -> None:
    reads, writes, both = (
        _rate("blackhole", (4, 1), each) for each in ([(0, False)], [(1, True)], [(0, False), (1, True)])
    )
    assert both < 0.9 * (reads + writes)


@pytest.mark.parametrize(("arch", "two", "many"), [("wormhole_b0", 30, 1900), ("blackhole", 10, 190)])
def test_cores_do_not_start_together(arch: str, two: float, many: float) -> None:
    for grid, spread in (((2, 1), two), ((8, 8), many)):
        begins = [each.begin for each in replay(_record(arch, grid, [(0, False)], 1)).processors]
        assert max(begins) - min(begins) == pytest.approx(spread, rel=0.01)
