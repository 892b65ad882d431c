# SPDX-License-Identifier: Apache-2.0
"""Plans that the clock chooses: faster than those by rule, right, and explained."""

from __future__ import annotations

import numpy as np
import pytest

from examples.operations.activations_rm import swiglu_rm
from examples.operations.rms_norm_w_rm import rms_norm_w_rm
from examples.operations.softmax_rm import softmax_rm
from tilewright import Column, Rows, operation, ttnn
from tilewright._launch.observer import observed_launches
from tilewright._tensor.paper_device import paper_device
from tilewright.check._check_program import check_program
from tilewright.formula import Value, gelu, mean, square
from tilewright.ops import Operation, Options, Strategy, layernorm_fused_rm
from tilewright.ops._accuracy import held, judge
from tilewright.ops._plan_by_clock import WORTH_IT, Decision, plan_words, why_lines
from tilewright.timing._observer import TimeObserver


@operation
def spread(x: Rows) -> Value:
    """Variance; a declaration that leaves buffers open."""
    return mean(square(x - mean(x)))


@operation
def scaled(x: Rows, factors: Column) -> Value:
    """Rows times numbers of their own: each segment of a tile-row needs these."""
    return gelu(x * factors)


def decided(of: Operation, shape: tuple[int, ...], arch: str = "wormhole_b0", **options: object) -> Decision:
    return of.decision(shape, ttnn.bfloat16, paper_device(arch), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
@pytest.mark.parametrize("of", [rms_norm_w_rm, softmax_rm, swiglu_rm, spread])
def test_chosen_plan_is_the_fastest_if_it_saves_enough(of: Operation, arch: str) -> None:
    found = decided(of, (96, 1024), arch)
    times = {id(each.plan): each.time.cycles for each in found.candidates}
    fastest = found.candidates[0].time.cycles
    assert times[id(found.chosen)] <= fastest / (1 - WORTH_IT)
    assert found.chosen is found.rule or times[id(found.chosen)] == fastest
    assert all(each.plan.l1_bytes <= each.plan.l1_budget for each in found.candidates)


def test_cores_share_tile_rows_whose_blocks_do_not_need_each_other() -> None:
    alone, shared = (found for found in (decided(swiglu_rm, (64, 1024)).rule, decided(swiglu_rm, (64, 1024)).chosen))
    assert (len(alone.split.work), alone.rows.segments) == (2, 1)
    assert len(shared.split.work) == 2 * shared.rows.segments > 8
    assert decided(spread, (64, 1024)).chosen.rows.segments == 1  # a mean needs the whole row
    assert "segments of each on different cores" in shared.describe()


def test_values_go_through_buffers_where_the_chip_is_faster_that_way() -> None:
    assert decided(spread, (32, 4096), "blackhole").chosen.values_in_buffers
    assert not decided(spread, (32, 4096), "wormhole_b0").chosen.values_in_buffers


def test_plan_that_options_or_declaration_decide_is_not_compared() -> None:
    found = decided(spread, (64, 128), options=Options(strategy=Strategy.STREAMING))
    assert found.candidates == ()
    assert found.chosen.strategy is Strategy.STREAMING
    assert why_lines(found)[0].endswith("nothing was predicted: the options decide the plan")
    declared = decided(layernorm_fused_rm, (64, 128))
    assert declared.chosen is declared.rule
    assert why_lines(declared)[0].endswith("the declaration decides about buffers, pages or kernels")


def test_runner_up_and_deciding_cost_are_printed() -> None:
    found = decided(swiglu_rm, (64, 1024))
    lines = why_lines(found)
    assert lines[0] == f"{len(found.candidates)} plans predicted, without a run:"
    assert sum("chosen" in line for line in lines) == sum("by rule" in line for line in lines) == 1
    second = next(each for each in found.candidates if each.plan is not found.chosen)
    assert lines[-3].startswith(f"runner-up: {plan_words(second.plan)}, ")
    assert " us longer on a core" in lines[-3]
    assert lines[-1] == "LoFi: the matrix unit makes no products"


@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT])
@pytest.mark.parametrize(
    ("of", "shapes"), [(swiglu_rm, [(2, 40, 200)] * 2), (scaled, [(40, 200), (40, 1)]), (spread, [(40, 200)])]
)
def test_plans_of_the_clock_are_right_and_clean(
    of: Operation, shapes: list[tuple[int, ...]], layout: ttnn.Layout, generator: np.random.Generator
) -> None:
    device = ttnn.open_device(device_id=7)
    try:
        tensors = {
            each.name: ttnn.as_tensor(
                generator.standard_normal(shape, dtype=np.float32), ttnn.bfloat16, layout=layout, device=device
            )
            for each, shape in zip(of.inputs, shapes, strict=True)
        }
        with observed_launches(TimeObserver()) as launches:
            outcome = of.launch(tensors)
        bounds = of.outcome_bounds(outcome, held(tensors))
        assert judge([each.to_numpy() for each in outcome.outputs], bounds).is_within_bound
        assert not check_program([*tensors.values(), *outcome.outputs], outcome.program).findings
        chosen = of.decision(shapes[0], ttnn.bfloat16, device, layout=layout, columns=outcome.plan.rows.shape[-1])
        assert chosen.chosen == outcome.plan
        predicted = next(each.time for each in chosen.candidates if each.plan is chosen.chosen)
        # Basic blocks are counted in Python; zeros behind each stick are some 30 of them, give or take two.
        assert launches[0].time.cycles == pytest.approx(predicted.cycles, rel=0.03)
    finally:
        ttnn.close_device(device)
