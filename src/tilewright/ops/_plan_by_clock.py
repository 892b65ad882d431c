# SPDX-License-Identifier: Apache-2.0
"""Choose the plan of a call by the time it would take on the card.

The planner's rules give a plan that fits (:func:`tilewright._planner.plan.make_plan`). Around it stand other plans:
every strategy, in blocks of several sizes, and sums of values in buffers in the place of sums in DST. Each is predicted
from its kernels without a run (:mod:`tilewright.timing._predicted_time`), and the fastest is taken. The rules' plan
stays where nothing is clearly faster, and where kernels cannot be predicted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from tilewright._planner.fidelity import FIDELITIES, missed, products_of
from tilewright._planner.plan import Plan
from tilewright._planner.plan_text import table
from tilewright._planner.row_split import counted
from tilewright._record.call_record import Core
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright.timing._device_time import DeviceTime
from tilewright.timing._predicted_time import PredictedTime, predict
from tilewright.timing._traced_calls import NotTracedError

# A plan that saves less is not worth being different from what the rules say: predictions are as exact as this.
WORTH_IT = 0.03
# Steps of replays for one decision, some half a second; plans that come later are not looked at.
_MOST_STEPS = 6_000_000


Chip: TypeAlias = tuple[str, Core]  # its name, and columns and rows of worker cores


def chip_of(device: Device) -> Chip:
    grid = device.compute_with_storage_grid_size()
    return device.description.name, (grid.x, grid.y)


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A plan and its predicted time."""

    plan: Plan
    time: PredictedTime


@dataclasses.dataclass(frozen=True)
class Decision:
    """Why a plan was chosen.

    Attributes:
        rule: what the planner's rules say.
        candidates: everything that was predicted, the fastest first; empty where nothing could be.
        chosen: what is used.
        reason: why nothing was predicted; empty if something was.
    """

    rule: Plan
    candidates: tuple[Candidate, ...]
    chosen: Plan
    reason: str = ""


def decide(
    rule: Plan,
    others: Iterable[Plan],
    dtypes: Mapping[str, DataType],
    arch: str,
    grid: Core,
) -> Decision:
    """The fastest of the rules' plan and others, by their predicted times.

    Args:
        dtypes: of all tensors by name.
        grid: columns and rows of worker cores.
    """
    found: list[Candidate] = []
    steps = 0
    try:
        for plan in (rule, *others):
            if steps < _MOST_STEPS:
                time = predict(plan, dtypes, arch, grid)
                found.append(Candidate(plan, time))
                steps += time.traced.steps
    except NotTracedError as error:
        if not found:
            return Decision(rule, (), rule, str(error))
    by_rule = found[0]
    found.sort(key=lambda each: each.time.cycles)
    is_worth_it = found[0].time.cycles < (1 - WORTH_IT) * by_rule.time.cycles
    return Decision(rule, tuple(found), found[0].plan if is_worth_it else rule)


def plan_words(plan: Plan) -> str:
    """Strategy, blocks and form in a few words."""
    blocks = f"{counted(plan.num_blocks, 'block')} of {counted(plan.block_tiles, 'tile')}"
    shared = [f"{plan.rows.segments} segments"] if plan.rows.segments > 1 else []
    shared += [f"{plan.rows.line_parts} parts of a row"] if plan.rows.line_parts > 1 else []
    return ", ".join([plan.strategy.value, blocks, *shared, *(["values in buffers"] if plan.values_in_buffers else [])])


def why_lines(decision: Decision) -> list[str]:
    """The predicted plans with their times, the runner-up, and what decided between it and the chosen plan."""
    if not decision.candidates:
        rule = f"by the planner's rules: {plan_words(decision.rule)}; nothing was predicted: {decision.reason}"
        return [rule, "", fidelity_line(decision.chosen)]
    chosen = next(each for each in decision.candidates if each.plan is decision.chosen)
    rows = [
        (
            f"{each.time.microseconds:.1f} us",
            plan_words(each.plan),
            f"{each.time.dram_bytes / 1024:.0f} KiB DRAM",
            " ".join([*(["chosen"] if each is chosen else []), *(["by rule"] if each.plan is decision.rule else [])]),
        )
        for each in decision.candidates
    ]
    lines = [f"{counted(len(rows), 'plan')} predicted, without a run:", *table(rows, right=(0,))]
    others = [each for each in decision.candidates if each is not chosen]
    if others:
        lines += ["", _what_decided(chosen, others[0])]
    return [*lines, "", fidelity_line(chosen.plan)]


def fidelity_line(plan: Plan) -> str:
    """The fidelity, what it leaves out of products, and why it is no lower."""
    fidelity, schedule = plan.fidelity, plan.schedule
    if plan.error == 0:
        return f"{fidelity.name} leaves nothing out of products: the plan, its declaration or error=0 asks for it"
    if not products_of(schedule):
        return f"{fidelity.name}: the matrix unit makes no products"
    line = f"{fidelity.name} leaves out {missed(schedule, fidelity):.2g} of a product at most"
    if fidelity is FIDELITIES[0]:
        return f"{line}, within error={plan.error:.2g}"
    lower = FIDELITIES[FIDELITIES.index(fidelity) - 1]
    return f"{line}, within error={plan.error:.2g}; {lower.name} would leave out {missed(schedule, lower):.2g}"


def _what_decided(chosen: Candidate, other: Candidate) -> str:
    """One sentence: what the runner-up spends more time with."""
    share = other.time.cycles / chosen.time.cycles - 1
    if share < 0:
        return (
            f"runner-up: {plan_words(other.plan)}, {-share:.1%} faster; the rules' plan stays where less than "
            f"{WORTH_IT:.0%} are saved"
        )
    mine, theirs = (_spent(each.time.traced) for each in (chosen, other))
    more = {what: cycles - mine.get(what, 0.0) for what, cycles in theirs.items()}
    what, cycles = max(more.items(), key=lambda each: each[1])
    microseconds = cycles / chosen.time.traced.clock_hz * 1e6
    return f"runner-up: {plan_words(other.plan)}, {share:.1%} slower; {what} {microseconds:.1f} us longer on a core"


def _spent(time: DeviceTime) -> dict[str, float]:
    """Cycles by what the processors of a core do or wait for, as the mean of the cores."""
    spent: dict[str, float] = {}
    for processor, lanes in time.by_processor.items():
        name = processor.name.lower()
        spent[f"{name} works"] = sum(lane.busy for lane in lanes) / len(lanes)
        for lane in lanes:
            for wait in lane.waits:
                what = f"{name} waits for {wait.what}"
                spent[what] = spent.get(what, 0.0) + wait.cycles / len(lanes)
    return spent
