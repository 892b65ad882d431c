# SPDX-License-Identifier: Apache-2.0
"""Every phase of every operation is right by its reference; faults are found where they are made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

from tilewright.device.open_devices import close_device, open_device
from tilewright.ops import OPERATIONS, row_program
from tilewright.tensor.device import Device
from tilewright.workshop.home import built_in_names, find_operation
from tilewright.workshop.spec.model import Spec, TestCase
from tilewright.workshop.trace.floor import floor_of, unit_in_last_place
from tilewright.workshop.trace.steps import number_upto, steps_of
from tilewright.workshop.trace.tracing import Trace, Verdict, trace


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device(0, grid=(2, 2))
    yield opened
    close_device(opened)


def spec_of(name: str) -> Spec:
    return find_operation(name).spec()


def case_of(spec: Spec, name: str) -> TestCase:
    return next(each for each in spec.tests if each.name == name)


def traced(device: Device, name: str, case: str, spec: Spec | None = None, upto: int | None = None) -> Trace:
    chosen = spec or spec_of(name)
    return trace(OPERATIONS[name], chosen, case_of(chosen, case), device, upto)


def with_reference(spec: Spec, phase: str, expression: str) -> Spec:
    phases = tuple(
        dataclasses.replace(each, reference=expression) if each.name == phase else each for each in spec.phases
    )
    return dataclasses.replace(spec, phases=phases)


@pytest.mark.parametrize("name", built_in_names())
@pytest.mark.parametrize("case", ["batched", "W ends inside a tile", "float32", "wide row"])
def test_every_phase_is_right(device: Device, name: str, case: str) -> None:
    found = traced(device, name, case)
    verdicts = {each.step.name: each.verdict for each in found.steps}
    assert set(verdicts.values()) <= {Verdict.EXACT, Verdict.FLOOR}, verdicts
    assert all(each.difference is not None and each.difference.num_compared for each in found.steps)


def test_the_first_wrong_phase_is_the_one_that_differs_from_its_reference(device: Device) -> None:
    spec = with_reference(spec_of("standardize_w_rm"), "variance", "1.01 * square_row.mean(-1, keepdims=True)")
    found = traced(device, "standardize_w_rm", "batched", spec)
    wrong = found.first_wrong
    assert wrong is not None
    assert wrong.step.name == "variance"
    assert [each.step.name for each in found.steps if each.verdict.is_wrong] == ["variance"]
    assert wrong.difference is not None
    assert wrong.difference.num_wrong == wrong.difference.num_compared == 6 * 32


def test_an_inverse_width_cut_to_bfloat16_is_no_floor(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """1/96 in bfloat16 is 0.4 % off: four units of what the matrix unit sees, so it cannot hide in rounding."""

    whole = row_program.float_bits
    monkeypatch.setattr(row_program, "float_bits", lambda value: whole(value) & 0xFFFF0000)
    found = traced(device, "variance_w_rm", "W is no power of two")
    assert found.first_wrong is not None
    assert found.first_wrong.step.name == "mean"


@pytest.mark.parametrize("name", built_in_names())
def test_later_phases_can_be_left_out_one_by_one(device: Device, name: str) -> None:
    spec = spec_of(name)
    for upto in range(len(spec.phases) + 1):
        found = traced(device, name, "W ends inside a tile", spec, upto)
        assert found.stopped == ""
        active = [each for each in found.steps if each.step.number <= upto]
        assert {each.verdict for each in active} <= {Verdict.EXACT, Verdict.FLOOR}
        later = [each.verdict for each in found.steps if each.step.number > upto]
        assert later == [Verdict.PASSED_THROUGH] * (len(spec.phases) - upto)


def test_a_phase_is_named_by_number_or_name() -> None:
    steps = steps_of(spec_of("variance_w_rm"))
    assert number_upto(steps, "3") == number_upto(steps, "centre") == 3
    with pytest.raises(Exception, match="--upto is 'nothing'; it must be 0 or a phase by number or name: 1 tilize_row"):
        number_upto(steps, "nothing")


def test_a_unit_in_the_last_place() -> None:
    values = np.array([1.0, 1.5, -2.0, 0.75, 0.0])
    # bfloat16 has 8 significant bits: neighbours of 1 are 2^-7 away, those of 0.75 half as far.
    np.testing.assert_array_equal(unit_in_last_place(values, 8)[:4], [2.0**-7, 2.0**-7, 2.0**-6, 2.0**-8])


def test_the_floor_of_a_difference_that_cancels_follows_its_operands() -> None:
    operands = {"a": np.full((1, 4), 1000.0), "b": np.full((1, 4), 999.0)}
    step = 2.0**-10
    floor = floor_of(lambda names: names["a"] - names["b"], operands, {"a": step, "b": step}, 24)
    assert (floor > 1999 * step).all()  # each operand may move by so much of itself
    assert (floor < 8 * 1999 * step).all()
