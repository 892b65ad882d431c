# SPDX-License-Identifier: Apache-2.0
"""The advice is right: a program that is changed as its sentence says takes as much less time as it says."""

from __future__ import annotations

import pytest

from tests.timing.pipelines import Pipeline
from tilewright._launch.open_devices import close_device, open_device
from tilewright.timing._advice import advise

# What is really done takes calls of its own (transaction ids, a last block by itself) that the model does not foresee.
_TOLD = 0.05
_PROGRAMS = [
    ("wormhole_b0", Pipeline(depth_in=1, products=8), "the latency of transfers", "c_0 twice as deep"),
    ("wormhole_b0", Pipeline(tiles=4, depth_in=1, depth_out=4, products=8), "the latency of transfers", "c_0 twice"),
    (
        "wormhole_b0",
        Pipeline(depth_in=4, depth_out=4, writes_ahead=True),
        "the latency of transfers",
        "twice as many",
    ),
    ("wormhole_b0", Pipeline(depth_in=4, depth_out=4, reads_ahead=True), "the latency of transfers", "twice as many"),
    ("blackhole", Pipeline(depth_in=1, products=8), "the latency of transfers", "c_0 twice as deep"),
    ("blackhole", Pipeline(products=32), "maths", "LoFi instead of HiFi4"),
    (
        "blackhole",
        Pipeline(tiles=2, depth_in=4, depth_out=4, writes_ahead=True),
        "the latency of transfers",
        "twice as",
    ),
]


@pytest.mark.parametrize(("arch", "pipeline", "bound", "help_"), _PROGRAMS)
def test_advised_change_saves_the_promised_time(arch: str, pipeline: Pipeline, bound: str, help_: str) -> None:
    device = open_device(0, arch)
    launch = pipeline.timed(device)
    advice = advise(launch.record, launch.time)
    assert advice.sentence.startswith(f"By the model it is bound by {bound}; {help_}")
    best = advice.helps[0]
    really = 1 - pipeline.changed(best.words).timed(device).time.cycles / launch.time.cycles
    assert really == pytest.approx(best.saving, abs=_TOLD)
    close_device(device)


def test_blocks_in_flight_need_room_for_them() -> None:
    device = open_device(0)
    launch = Pipeline(depth_in=1, depth_out=4).timed(device)
    said = [effect.words for effect in advise(launch.record, launch.time).helps]
    assert not any("reads in flight" in words for words in said)
    assert any("writes in flight" in words for words in said)
    close_device(device)
