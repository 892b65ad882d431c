# SPDX-License-Identifier: Apache-2.0
"""Every phase of every operation is right by its reference; faults are found where they are made."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright.device.open_devices import close_device, open_device
from tilewright.ops import OPERATIONS, line_plan
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.workshop.cases import case_named
from tilewright.workshop.home import built_in_names
from tilewright.workshop.trace.steps import number_upto, steps_of
from tilewright.workshop.trace.tracing import Trace, Verdict, trace


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device(0, grid=(2, 2))
    yield opened
    close_device(opened)


def traced(device: Device, name: str, case: str, upto: int | None = None) -> Trace:
    return trace(OPERATIONS[name], case_named(OPERATIONS[name], case), device, upto)


@pytest.mark.parametrize("name", built_in_names())
@pytest.mark.parametrize("case", ["all kinds of rows", "float32", "streaming"])
def test_every_phase_is_right(device: Device, name: str, case: str) -> None:
    found = traced(device, name, case)
    verdicts = {each.step.name: each.verdict for each in found.steps}
    assert set(verdicts.values()) <= {Verdict.EXACT, Verdict.FLOOR}, verdicts
    assert all(each.difference is not None and each.difference.num_compared for each in found.steps)


def test_an_inverse_width_cut_to_bfloat16_is_found(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """1/100 in bfloat16 is 0.4 % off: four units of what the matrix unit sees, so it cannot hide in rounding."""
    whole = line_plan.float_bits
    monkeypatch.setattr(line_plan, "float_bits", lambda value: whole(value) & 0xFFFF0000)
    found = traced(device, "variance_w_rm", "all kinds of rows")
    assert found.first_wrong is not None
    assert found.first_wrong.step.name == "mean"


def test_later_phases_can_be_left_out_one_by_one(device: Device) -> None:
    operation = OPERATIONS["standardize_w_rm"]
    case = case_named(operation, "one tile")
    steps = steps_of(operation.plan(case.shape, DataType.BFLOAT16, device).schedule)
    for upto in range(0, max(each.number for each in steps) + 1, 2):
        found = traced(device, operation.name, case.name, upto)
        assert found.stopped == ""
        active = [each for each in found.steps if each.step.number <= upto]
        assert {each.verdict for each in active} <= {Verdict.EXACT, Verdict.FLOOR}
        later = [each.verdict for each in found.steps if each.step.number > upto]
        assert set(later) <= {Verdict.PASSED_THROUGH}


def test_a_phase_is_named_by_number_or_name(device: Device) -> None:
    steps = steps_of(OPERATIONS["variance_w_rm"].plan((32, 32), DataType.BFLOAT16, device).schedule)
    assert number_upto(steps, "3") == number_upto(steps, "centralized") == 3
    with pytest.raises(Exception, match="--upto is 'nothing'; it must be 0 or a phase by number or name: 1 tilize_x"):
        number_upto(steps, "nothing")
