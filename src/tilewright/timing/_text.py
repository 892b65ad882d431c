# SPDX-License-Identifier: Apache-2.0
"""A timed launch as text and tables."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import Any

from tilewright.timing._advice import Advice
from tilewright.timing._device_time import DeviceTime, Processor, ProcessorTime
from tilewright.timing._roofline import rates

_SHOWN_WAITS = 3
_LITTLE = 0.02  # waits below this part of the time are not worth a line


def time_lines(time: DeviceTime, advice: Advice | None = None, *, each_core: bool = False) -> list[str]:
    """The launch for a terminal: its time, its processors, its rates, the advice."""
    lines = [f"time {time.microseconds:.1f} us on {_cores(time.num_cores)} of {time.arch}, by the model", ""]
    lines += ["processor       busy  waits (part of the time, mean of the cores)"]
    lines += [_processor_line(name, lanes, time) for name, lanes in _groups(time, each_core)]
    lines += ["", "rate                           reached  possible"]
    lines += [f"{r.name:<28} {r.reached:>9.3g} {r.possible:>9.3g} {r.unit} ({r.part:.0%})" for r in rates(time)]
    if advice is not None:
        lines += ["", advice.sentence]
    return [*lines, *_caveats(time)]


def _cores(count: int) -> str:
    return f"{count} core" if count == 1 else f"{count} cores"


def _groups(time: DeviceTime, each_core: bool) -> Iterator[tuple[str, Sequence[ProcessorTime]]]:
    for processor, lanes in time.by_processor.items():
        yield _name(processor), lanes
    if each_core:
        for lane in sorted(time.processors, key=lambda each: (each.core, each.processor)):
            yield f"{lane.core[0]},{lane.core[1]} {_name(lane.processor)}", [lane]


def _name(processor: Processor) -> str:
    return processor.name if processor in (Processor.BRISC, Processor.NCRISC) else processor.name.lower()


def mean_waits(lanes: Sequence[ProcessorTime]) -> list[tuple[str, float]]:
    """Causes of waits of some processors with their cycles, on average, the longest first."""
    sums: collections.defaultdict[str, float] = collections.defaultdict(float)
    for lane in lanes:
        for wait in lane.waits:
            sums[wait.what] += wait.cycles / len(lanes)
    return sorted(sums.items(), key=lambda item: -item[1])


def _processor_line(name: str, lanes: Sequence[ProcessorTime], time: DeviceTime) -> str:
    busy = sum(lane.busy for lane in lanes) / len(lanes) / time.cycles
    waits = [(what, cycles / time.cycles) for what, cycles in mean_waits(lanes)]
    shown = [f"{what} {part:.0%}" for what, part in waits[:_SHOWN_WAITS] if part >= _LITTLE]
    return f"{name:<14} {busy:>5.0%}  {', '.join(shown) or '-'}"


def _caveats(time: DeviceTime) -> list[str]:
    """Reasons why this time is less certain than others."""
    caveats = []
    unsure = time.unmeasured / time.num_cores / time.cycles
    if unsure > _LITTLE:
        caveats.append(f"{unsure:.0%} of the time is maths without a published cost; the model assumes one.")
    if time.forced:
        caveats.append(f"{time.forced} waits are for something the record does not have: do not rely on this time.")
    if time.polls:
        caveats.append("Kernels look at memory in loops of their own: on a card they may take another way.")
    if time.unknown_nodes:
        caveats.append(f"{time.unknown_nodes} transfers go to NoC coordinates the model does not know.")
    return ["", *caveats] if caveats else []


def time_json(time: DeviceTime, advice: Advice | None = None) -> dict[str, Any]:
    """The same for machines."""
    found: dict[str, Any] = {
        "microseconds": time.microseconds,
        "cycles": time.cycles,
        "cores": time.num_cores,
        "arch": time.arch,
        "rates": [{"name": r.name, "reached": r.reached, "possible": r.possible, "unit": r.unit} for r in rates(time)],
        "processors": [
            {
                "core": list(lane.core),
                "processor": lane.processor.name,
                "kernel": lane.kernel,
                "begin": lane.begin,
                "end": lane.end,
                "busy": lane.busy,
                "waits": [{"for": wait.what, "cycles": wait.cycles, "times": wait.times} for wait in lane.waits],
            }
            for lane in time.processors
        ],
        "unmeasured_cycles": time.unmeasured,
        "forced_waits": time.forced,
        "polls": time.polls,
    }
    if advice is not None:
        found["advice"] = {
            "sentence": advice.sentence,
            "bounds": {effect.words: effect.saving for effect in advice.bounds},
            "helps": {effect.words: effect.saving for effect in advice.helps},
        }
    return found
