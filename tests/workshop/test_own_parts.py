# SPDX-License-Identifier: Apache-2.0
"""Operations with own kernels or an own program: reports name what ran and call nothing right that was not compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.custom_operations import doubled_in_cpp, made_by_hand, scaled
from tilewright import Rows, operation
from tilewright._launch.open_devices import close_device, open_device
from tilewright._tensor.creation import zeros
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright._workshop.cases import case_named
from tilewright._workshop.home import Home
from tilewright._workshop.stages.facts import compliance_facts, plan_facts, run_facts
from tilewright._workshop.trace.difference_map import conclusion_lines, trace_json, trace_lines
from tilewright._workshop.trace.steps import NoSuchPhaseError
from tilewright._workshop.trace.tracing import trace
from tilewright._workshop.trace.verdict import PhaseVerdict, Trace
from tilewright.formula import Value
from tilewright.ops import Operation
from tilewright.ops._what_runs import what_runs_json, what_runs_lines

BUFFERS = {"in_rm": 0, "in_tiled": 1, "out_rm": 16}
KERNELS = {"blocked": {"compute": doubled_in_cpp}}


@operation(kernels=KERNELS, buffers=BUFFERS)
def right(x: Rows) -> Value:
    """What the kernel computes."""
    return x * 2.0


@operation(kernels=KERNELS, buffers=BUFFERS)
def wrong_factor(x: Rows) -> Value:
    """The kernel multiplies by two."""
    return x * 3.0


@operation(kernels=KERNELS, buffers={"in_rm": 0, "half": 1, "out_rm": 16})
def other_intermediate(x: Rows) -> Value:
    """The kernel keeps x itself in the buffer that the plan has for a half of it; its result is right."""
    half = x * 0.5
    return half * 4.0


@operation(program=made_by_hand)
def wrong_program(x: Rows, *, factor: float = 3.0) -> Value:
    """The program multiplies by the factor alone."""
    return x * factor * 1.0625


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device(0, grid=(2, 2))
    yield opened
    close_device(opened)


def traced(device: Device, declared: Operation) -> Trace:
    return trace(declared, case_named(declared, "one tile"), device)


def verdicts(found: Trace) -> dict[str, PhaseVerdict]:
    return {each.step.buffer: each.verdict for each in found.steps}


def test_buffers_of_a_right_kernel_are_compared_with_the_references_of_the_plan(device: Device) -> None:
    found = traced(device, right)
    assert verdicts(found) == {
        "in_rm": PhaseVerdict.EXACT,
        "in_tiled": PhaseVerdict.EXACT,
        "out_rm": PhaseVerdict.EXACT,
    }
    assert found.steps[-1].place.endswith("doubled.cpp:41")
    assert "compute doubled_in_cpp is the operation's own" in found.plan


def test_a_wrong_factor_in_a_kernel_of_its_own_is_found_in_its_buffer(device: Device) -> None:
    found = traced(device, wrong_factor)
    assert found.first_wrong is not None
    assert (found.first_wrong.step.buffer, found.first_wrong.verdict) == ("out_rm", PhaseVerdict.WRONG)
    assert found.is_result_wrong
    assert "first wrong: phase 2 result, in out_rm (bfloat16)" in trace_lines(found)


def test_a_buffer_with_other_values_beside_a_right_result_is_not_judged(device: Device) -> None:
    found = traced(device, other_intermediate)
    assert found.first_wrong is None
    assert verdicts(found)["half"] is PhaseVerdict.NOT_JUDGED
    assert verdicts(found)["out_rm"].is_right
    text = "\n".join(trace_lines(found))
    assert "the kernel puts other values here than `x * 0.5`, and the result is right" in text
    assert "every phase that ran" not in text
    assert trace_json(found)["not_judged"] == [each.step.buffer for each in found.not_judged]


def test_phases_of_a_kernel_without_any_cannot_be_left_out(device: Device) -> None:
    case = case_named(right, "one tile")
    with pytest.raises(NoSuchPhaseError, match="the compute kernel doubled_in_cpp calls no phases"):
        trace(right, case, device, 1)
    with pytest.raises(NoSuchPhaseError, match="scaled has a program of its own"):
        trace(scaled, case, device, 1)


def test_buffers_of_a_program_of_its_own_are_pages_of_an_input_or_not_judged(device: Device) -> None:
    found = traced(device, scaled)
    names = [each.step.buffer for each in found.steps]
    assert names[0].startswith("c_"), names
    assert found.result is not None
    assert found.result.is_within_bound
    assert {each.verdict for each in found.steps} == {PhaseVerdict.EXACT, PhaseVerdict.NOT_JUDGED}
    assert found.plan.startswith("a program of its own (")
    said = "\n".join(conclusion_lines(found))
    assert "not judged: " in said
    assert "every phase" not in said


def test_a_wrong_program_of_its_own_has_a_wrong_result_and_no_verdict_on_phases(device: Device) -> None:
    lines = conclusion_lines(traced(device, wrong_program))
    assert lines[0].startswith("the result is wrong: ")
    assert not any("no phase is wrong" in line for line in lines)


def test_facts_of_an_own_program_are_its_configuration(device: Device) -> None:
    home = Home("scaled", Path(__file__).parents[1] / "custom_operations.py", False, Path())
    outcome = scaled.launch({"x": _tensor(device)})
    configured = {f"c_{each.buffer_index}" for cb in outcome.program.cbs for each in cb.format_descriptors}
    planned = plan_facts(scaled, home)
    assert {fields["index"] for event, fields in planned if event == "cb_config"} == configured
    assert not [event for event, _ in planned if event == "cb_requirement"]
    ran = run_facts(scaled, outcome.plan, outcome.run)
    names = [fields["function"] for event, fields in ran if event == "kernel_implemented"]
    assert names == [each.name for each in outcome.program.kernels]
    assert compliance_facts(scaled, outcome.plan) == []


def test_run_and_show_name_the_kernels_files_and_the_configured_buffers(device: Device) -> None:
    outcome = scaled.launch({"x": _tensor(device)})
    lines = what_runs_lines(scaled, outcome.plan, outcome.program, device)
    assert "program  the operation's own, on 1 core" in lines
    assert not any(line.startswith("plan") for line in lines)
    assert what_runs_json(scaled, outcome.plan, outcome.program)["plan"] == "own program"
    plan = right.plan((32, 32), outcome.output.dtype, device)
    shown = what_runs_lines(right, plan, outcome.program, device)
    assert "compute  doubled_in_cpp in doubled.cpp, the operation's own" in shown


def _tensor(device: Device) -> Tensor:
    return zeros((32, 32), device=device, dtype=DataType.BFLOAT16, layout=Layout.ROW_MAJOR)
