# SPDX-License-Identifier: Apache-2.0
"""Every phase of every operation is right by its reference; faults are found where they are made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tilewright import BroadcastTensor, Matrix, Row, Rows, operation
from tilewright._launch.open_devices import close_device, open_device
from tilewright._planner import line_plan
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._workshop.cases import case_named
from tilewright._workshop.home import built_in_names
from tilewright._workshop.trace.steps import number_upto, steps_of
from tilewright._workshop.trace.tracing import trace
from tilewright._workshop.trace.verdict import PhaseVerdict, Trace
from tilewright.formula import Value, matmul, mean, rsqrt, softmax, square, where
from tilewright.formula import sum as sum_of
from tilewright.ops import OPERATIONS, Operation


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
    assert set(verdicts.values()) <= {PhaseVerdict.EXACT, PhaseVerdict.FLOOR}, verdicts
    assert all(each.difference is not None and each.difference.num_compared for each in found.steps)


@operation
def standardized_columns(x: Rows, gamma: Row) -> Value:
    """Along tile-columns."""
    centred = x - mean(x, dim=-2)
    return centred * rsqrt(mean(square(centred), dim=-2) + 1e-3) * gamma


@operation
def slab_figures(x: Rows) -> tuple[Value, Value]:
    """Over slabs: rows, and one number for each slab."""
    return x - mean(x, dim=(-2, -1)), sum_of(square(x), dim=(-2, -1))


@operation
def masked(x: Rows, mask: BroadcastTensor) -> Value:
    """With a tensor that serves several slabs."""
    return where(mask > 0, x, 0.0) - mean(x)


@operation
def before_and_after(x: Rows, gamma: Row, weights: Matrix) -> Value:
    """A norm before a product, softmax after it."""
    return softmax(matmul(x * rsqrt(mean(square(x)) + 1e-3) * gamma, weights) + x)


@pytest.mark.parametrize(
    ("declared", "case"),
    [
        (standardized_columns, "all kinds of rows"),
        (standardized_columns, "streaming"),
        (slab_figures, "several blocks"),
        (masked, "broadcast"),
        (before_and_after, "all kinds of rows"),
        (before_and_after, "streaming"),
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_phases_of_every_kind_of_declaration(device: Device, declared: Operation, case: str) -> None:
    found = trace(declared, case_named(declared, case), device)
    assert {each.verdict for each in found.steps} <= {PhaseVerdict.EXACT, PhaseVerdict.FLOOR}, found.steps
    assert all(each.difference is not None and each.difference.num_compared for each in found.steps)


@pytest.mark.parametrize(
    ("declared", "name", "wrong"),
    [(standardized_columns, "inverse_height_bits", "mean"), (before_and_after, "inverse_inner_bits", "mean")],
    ids=["columns", "matmul"],
)
def test_a_fault_is_found_where_it_is_made(
    device: Device, monkeypatch: pytest.MonkeyPatch, declared: Operation, name: str, wrong: str
) -> None:
    """A mean of one element too few is off by a hundredth; every later phase is right of what it was given."""
    right = line_plan.compile_time_values

    def off(*given: Any) -> dict[str, int]:
        values = right(*given)
        factor = name.replace("inverse_height", "mean_factor").replace("inverse_inner", "inner_mean_factor")
        return {key: each + (1 << 17) if key in (name, factor) else each for key, each in values.items()}

    monkeypatch.setattr(line_plan, "compile_time_values", off)
    found = trace(declared, case_named(declared, "all kinds of rows"), device)
    assert {each.step.name for each in found.steps if each.verdict is PhaseVerdict.WRONG} >= {wrong}
    assert found.first_wrong is not None
    assert found.first_wrong.step.name == wrong
    assert found.steps[-1].verdict is not PhaseVerdict.WRONG


def test_an_inverse_width_cut_to_bfloat16_is_found(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """1/100 in bfloat16 is 0.4 % off: four units of what the matrix unit sees, so it cannot hide in rounding."""
    whole = line_plan.float_bits
    monkeypatch.setattr(line_plan, "float_bits", lambda value: whole(value) & 0xFFFF0000)
    found = traced(device, "variance_w_rm", "all kinds of rows")
    assert found.first_wrong is not None
    assert found.first_wrong.step.name == "mean"


def test_later_phases_can_be_left_out_one_by_one(device: Device) -> None:
    declared = OPERATIONS["standardize_w_rm"]
    case = case_named(declared, "one tile")
    steps = steps_of(declared.plan(case.shape, DataType.BFLOAT16, device).schedule)
    for upto in range(0, max(each.number for each in steps) + 1, 2):
        found = traced(device, declared.name, case.name, upto)
        assert found.stopped == ""
        active = [each for each in found.steps if each.step.number <= upto]
        assert {each.verdict for each in active} <= {PhaseVerdict.EXACT, PhaseVerdict.FLOOR}
        later = [each.verdict for each in found.steps if each.step.number > upto]
        assert set(later) <= {PhaseVerdict.PASSED_THROUGH}


def test_a_phase_is_named_by_number_or_name(device: Device) -> None:
    steps = steps_of(OPERATIONS["variance_w_rm"].plan((32, 32), DataType.BFLOAT16, device).schedule)
    assert number_upto(steps, "3") == number_upto(steps, "centralized") == 3
    with pytest.raises(Exception, match="--upto is 'nothing'; it must be 0 or a phase by number or name: 1 tilize_x"):
        number_upto(steps, "nothing")
