# SPDX-License-Identifier: Apache-2.0
"""Timed launches as files for other people's tools: a timeline, a profiler's CSV."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tilewright._launch.observer import observed_launches
from tilewright._launch.open_devices import close_device, open_device
from tilewright._report.perf_csv import perf_csv
from tilewright._report.timeline import timeline_json
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.ops import centralize_w_rm
from tilewright.timing import replay
from tilewright.timing._observer import TimeObserver
from tilewright.timing._timed_launch import TensorFacts, TimedLaunch


@pytest.fixture(scope="module")
def launch() -> Iterator[TimedLaunch]:
    device = open_device(0, grid=(2, 1))
    values = np.random.default_rng(0).standard_normal((128, 64), np.float32)
    with observed_launches(TimeObserver()) as launches:
        centralize_w_rm.launch({"x": Tensor(values, DataType.BFLOAT16, device, Layout.ROW_MAJOR)})
    yield launches[0]
    close_device(device)


@pytest.fixture(scope="module")
def timeline(launch: TimedLaunch) -> list[dict[str, Any]]:
    text = timeline_json(launch.record, replay(launch.record, keep_events=True))
    events: list[dict[str, Any]] = json.loads(text)["traceEvents"]
    return events


def test_every_core_and_processor_has_a_name(timeline: list[dict[str, Any]]) -> None:
    names = [event["args"]["name"] for event in timeline if event["ph"] == "M"]
    assert "core (1,0)" in names
    assert names.count("MATH compute_centralize_w_rm") == 2
    assert len(names) == 2 * (1 + 5)


def test_calls_and_waits_of_a_processor_fill_its_time_without_overlap(
    launch: TimedLaunch, timeline: list[dict[str, Any]]
) -> None:
    threads = [event for event in timeline if event["name"] == "thread_name"]
    # Perfetto takes two threads of one number for one, and one that has its process's number for its main thread.
    assert len({event["tid"] for event in threads} | {event["pid"] for event in threads}) == 2 * 5 + 2
    for processor, thread in zip(launch.time.processors, threads, strict=True):
        own = [event for event in timeline if event["ph"] == "X" and event["tid"] == thread["tid"]]
        spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in own)
        assert all(before[1] <= after[0] + 1e-9 for before, after in itertools.pairwise(spans))
        filled = sum(end - begin for begin, end in spans)
        assert filled * launch.time.clock_hz * 1e-6 == pytest.approx(processor.end - processor.begin, abs=1.01)
        # Whole nanoseconds: viewers keep no more, and drop what then overlaps.
        assert all(abs(time * 1e3 - round(time * 1e3)) < 1e-6 for span in spans for time in span)


def test_waits_name_their_reason(timeline: list[dict[str, Any]]) -> None:
    waits = {event["name"] for event in timeline if event.get("cat") == "wait"}
    assert {"waits for pages of c_0 in_rm", "waits for reads", "waits for pages of c_16 out_rm"} <= waits


def test_buffers_are_never_fuller_than_they_are_deep(launch: TimedLaunch, timeline: list[dict[str, Any]]) -> None:
    deep = {buffer.label: buffer.pages for buffer in launch.record.buffers}
    counters = [event for event in timeline if event["ph"] == "C"]
    assert {event["name"] for event in counters} == set(deep)
    for event in counters:
        assert 0 <= event["args"]["pages"] <= deep[event["name"]]


def test_transfers_begin_and_end(launch: TimedLaunch, timeline: list[dict[str, Any]]) -> None:
    begun = [event for event in timeline if event["ph"] == "b"]
    assert len(begun) == len([event for event in timeline if event["ph"] == "e"])
    moved = launch.time.dram_read_bytes + launch.time.dram_write_bytes
    zeros = 2 * 2048  # that each of two cores copies into its scaler's tile
    assert sum(event["args"]["bytes"] for event in begun) == moved + zeros


def test_a_time_without_events_has_no_timeline(launch: TimedLaunch) -> None:
    with pytest.raises(ValueError, match="replay with keep_events=True"):
        timeline_json(launch.record, launch.time)


def test_the_csv_has_a_profilers_columns(launch: TimedLaunch) -> None:
    rows = list(csv.DictReader(perf_csv([launch, launch], available_cores=2).splitlines()))
    assert [row["GLOBAL CALL COUNT"] for row in rows] == ["1", "2"]
    row = rows[0]
    assert row["OP CODE"] == "compute_centralize_w_rm"
    assert int(row["DEVICE KERNEL DURATION [ns]"]) == round(launch.time.cycles)  # 1 GHz
    assert (row["INPUT_0_Y_PAD[LOGICAL]"], row["INPUT_0_X_PAD[LOGICAL]"]) == ("128[128]", "64[64]")
    assert row["OUTPUT_0_MEMORY"] == "DEV_0_DRAM_INTERLEAVED"
    assert int(row["DEVICE TRISC1 KERNEL DURATION [ns]"]) > 0


def test_a_tensor_of_one_side_has_a_padded_shape_of_two(launch: TimedLaunch) -> None:
    bias = TensorFacts((40,), (32, 64), "TILE", "BFLOAT16", "DRAM_INTERLEAVED")
    rows = csv.DictReader(perf_csv([dataclasses.replace(launch, inputs=(bias,))], available_cores=2).splitlines())
    row = next(rows)
    assert (row["INPUT_0_Y_PAD[LOGICAL]"], row["INPUT_0_X_PAD[LOGICAL]"]) == ("32[1]", "64[40]")
