# SPDX-License-Identifier: Apache-2.0
"""Plans in which cores have a part of a tile-row each: found among those of the clock, run, judged and checked."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright import ttnn
from tilewright._launch.observer import observed_launches
from tilewright._launch.run_program import run_program
from tilewright._planner.plan import Plan
from tilewright._tensor.tensor import allocate_tensor_on_device
from tilewright.check._check_program import check_program
from tilewright.ops import Operation, Options
from tilewright.ops._accuracy import held, judge
from tilewright.ops._options import USUAL_OPTIONS
from tilewright.ops._plan_by_clock import Candidate
from tilewright.timing._observer import TimeObserver


def exchanging_plans(
    of: Operation, tensors: Mapping[str, ttnn.Tensor], options: Options = USUAL_OPTIONS
) -> list[Candidate]:
    """The fastest first; none where rows are not cut."""
    fitted = of.specialised_for({name: tuple(each.shape) for name, each in tensors.items()})
    main = tensors[fitted.main_input.name]
    device = main.device()
    assert device is not None
    ordered = [tensors[each.name] for each in fitted.inputs]
    found = fitted.decision(
        tuple(main.shape), [each.dtype for each in ordered], device, options, layout=[each.layout for each in ordered]
    )
    return [each for each in found.candidates if each.plan.rows.line_parts > 1]


def run_plan(of: Operation, plan: Plan, tensors: Mapping[str, ttnn.Tensor]) -> float:
    """Cycles by the record of a run that must be within its bound and clean."""
    fitted = of.specialised_for({name: tuple(each.shape) for name, each in tensors.items()})
    main = tensors[fitted.main_input.name]
    device = main.device()
    assert device is not None
    layout = fitted.output_layouts(main.layout)[0]
    shapes, dtypes = fitted.output_shapes(plan.rows.shape), fitted.output_dtypes(main.dtype)
    outputs = {
        name: allocate_tensor_on_device(shape, dtype, layout, device)
        for name, shape, dtype in zip(fitted.output_names, shapes, dtypes, strict=True)
    }
    program = fitted.program(plan, {**tensors, **outputs})
    everything = [*tensors.values(), *outputs.values()]
    with observed_launches(TimeObserver()) as launches:
        run_program(everything, program)
    accuracy = judge([each.to_numpy() for each in outputs.values()], fitted.bounds(plan, held(tensors)))
    assert accuracy.is_within_bound, f"{plan.describe()}: {accuracy.text}"
    assert check_program(everything, program).findings == []
    return launches[0].time.cycles
