# SPDX-License-Identifier: Apache-2.0
"""Random formulas: planned, they are right against float64 within their own bound, in every plan; or refused."""

from __future__ import annotations

import itertools
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator

import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, Phase, given, settings

from tests.ops.exchanging import exchanging_plans, run_plan
from tests.ops.random_formulas import Case, cases, planned
from tilewright import ttnn
from tilewright._tensor.paper_device import paper_device
from tilewright.check._check_program import check_program
from tilewright.ops import Operation, Options, Outcome, Strategy
from tilewright.ops._accuracy import held, judge

# Each takes some seconds of compiling; `TILEWRIGHT_RANDOM_FORMULAS=500` is for those who change the planner.
NUM_RUN = int(os.environ.get("TILEWRIGHT_RANDOM_FORMULAS", "3"))
# Each allows another fidelity; the first is the default.
ERRORS = [None, 0.0, 2.0**-7, 0.25]
# What became of them; `pytest -s` shows it.
TALLY: Counter[str] = Counter()


@pytest.fixture(scope="module")
def devices() -> Iterator[dict[str, ttnn.Device]]:
    opened = {arch: ttnn.open_device(9 + i, arch, grid=(3, 2)) for i, arch in enumerate(("wormhole_b0", "blackhole"))}
    yield opened
    print("\n".join(["", *(f"{count:5} {what}" for what, count in TALLY.most_common())]))
    for device in opened.values():
        ttnn.close_device(device)


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(cases())
def test_every_formula_has_kernels_for_every_plan_or_is_refused(case: Case) -> None:
    operation = case.operation()
    variants, refusal = planned(operation)
    if refusal:
        assert "`" in refusal or "circular buffers" in refusal
        return
    for strategy, variant in variants.items():
        plan = operation.plan((64, 100), ttnn.bfloat16, paper_device(case.arch), strategy=strategy)
        assert plan.l1_bytes <= plan.l1_budget
        for kernel in variant.kernels:
            assert "void kernel_main() {" in kernel.cpp_source()


@settings(
    max_examples=NUM_RUN,
    deadline=None,
    derandomize=True,
    # Smaller examples of a failure would have to be compiled, one after the other.
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(case=cases())
def test_results_are_within_their_bound_in_every_plan(devices: dict[str, ttnn.Device], case: Case) -> None:
    operation = case.operation()
    tensors = case.tensors(operation, devices[case.arch])
    dtypes, layouts = ([getattr(each, name) for each in tensors.values()] for name in ("dtype", "layout"))
    variants, refusal = planned(operation, dtypes, layouts)
    TALLY["formulas refused: " + re.sub(r"`[^`]*`", "`...`", refusal) if refusal else "formulas run"] += 1
    errors = itertools.cycle(ERRORS[zlib.crc32(operation.formula.encode()) % len(ERRORS) :] + ERRORS)
    for strategy in variants:
        for block_tiles in (1,) if strategy.keeps_lines else (None, 2):
            options = Options(
                case.result_memory(operation, tensors), error=next(errors), strategy=strategy, block_tiles=block_tiles
            )
            outcome = operation.launch(tensors, options)
            results = [each.to_numpy() for each in outcome.outputs]
            accuracy = judge(results, operation.bounds(outcome.plan, held(tensors)))
            assert accuracy.is_within_bound, f"{case}\n{operation.formula}: {accuracy.text}"
            assert findings(operation, tensors, outcome) == [], f"{case}\n{operation.formula}"
            TALLY[f"plans run and checked: {strategy.value} on {case.arch}"] += 1
    if variants:
        for each in exchanging_plans(operation, tensors)[:1]:
            run_plan(operation, each.plan, tensors)
            TALLY[f"plans run and checked: parts of rows on {case.arch}"] += 1


@settings(
    max_examples=NUM_RUN,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(case=cases(is_split=True))
def test_split_formulas_are_within_their_bound(devices: dict[str, ttnn.Device], case: Case) -> None:
    operation = case.operation()
    tensors = case.tensors(operation, devices[case.arch])
    for strategy in (None, Strategy.STREAMING):
        if strategy is not None and len(operation.parts) == 1:
            continue
        outcome = operation.launch(tensors, Options(case.result_memory(operation, tensors), strategy=strategy))
        results = [each.to_numpy() for each in outcome.outputs]
        accuracy = judge(results, operation.outcome_bounds(outcome, held(tensors)))
        assert accuracy.is_within_bound, f"{case}\n{operation.formula}: {accuracy.text}"
        for each in outcome.parts:
            assert check_program([*each.tensors.values()], each.program).findings == [], f"{case}\n{each.operation}"
    TALLY[f"formulas of {len(operation.parts)} programs on {case.arch}"] += 1


def findings(operation: Operation, tensors: dict[str, ttnn.Tensor], outcome: Outcome) -> list[object]:
    """Findings of the checker on a launch."""
    outputs = dict(zip(operation.output_names, outcome.outputs, strict=True))
    program = operation.program(outcome.plan, {**tensors, **outputs})
    return list(check_program([*tensors.values(), *outcome.outputs], program).findings)
