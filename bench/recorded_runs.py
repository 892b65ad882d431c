# SPDX-License-Identifier: Apache-2.0
"""Cost of a card's modelled time: a call whose launch is recorded, and one that is also replayed on the model's
clock, against the plain call."""

from __future__ import annotations

import functools
import itertools

from bench import operations
from bench.timing import Row, best_of_turns, milliseconds
from tilewright import ttnn
from tilewright._launch.observer import observed_launches
from tilewright.timing._observer import TimeObserver

RECORDED_LIMIT, TIMED_LIMIT = 1.5, 3.0
NAMES = ("centralize_w_rm", "layernorm_fused_rm")
SHAPES = ((1024, 2048), (4096, 4096))


def measure(turns: int) -> list[Row]:
    device = ttnn.open_device(device_id=0)
    rows = []
    for shape, name in itertools.product(SHAPES, NAMES):
        call = operations.random_call(name, shape, device)
        recorded = functools.partial(operations.launched, call, record_calls=True)
        best = best_of_turns(
            {"plain": call, "recorded": recorded, "timed": functools.partial(_timed, call)}, -(-turns // 3)
        )
        for how, limit in (("recorded", RECORDED_LIMIT), ("timed", TIMED_LIMIT)):
            against = f"plain {milliseconds(best['plain'])}"
            what = f"{how} {name} {operations.shape_text(shape)}"
            rows.append(Row(what, milliseconds(best[how]), against, best[how] / best["plain"], limit))
    ttnn.close_device(device)
    return rows


def _timed(call: operations.Call) -> None:
    with observed_launches(TimeObserver()) as launches:
        call()
    assert launches[0].time.microseconds > 0
