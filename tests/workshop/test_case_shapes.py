# SPDX-License-Identifier: Apache-2.0
"""Test cases satisfy an operation's requirements; counter-examples break one of them alone; cases and tolerances of
the declaration's own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright import OwnCase, OwnTolerance, Requirement, Rows, operation, ttnn
from tilewright._workshop.case_shapes import breaking_shape, broken_requirements
from tilewright._workshop.cases import NoCaseError, check_operation, derived_cases, run_case
from tilewright._workshop.stages.tests import test_stage2_validation as stage_2
from tilewright.formula import Value
from tilewright.ops import OperationError
from tilewright.ops._accuracy import judge

WHOLE_TILES = Requirement("x.shape[-1] % 32 == 0", "Width must be a multiple of 32, got {x.shape[-1]}")
SQUARE = Requirement("x.shape[-1] == x.shape[-2]", "Must be square, got {x.shape[-2]} x {x.shape[-1]}")
LARGE = Requirement("x.shape[-1] >= 64", "Width must be 64 or more, got {x.shape[-1]}")
RANK = Requirement("len(x.shape) == 3", "Must have rank 3, got {len(x.shape)}")


@operation(requires=[WHOLE_TILES, SQUARE, LARGE, RANK])
def demanding(x: Rows) -> Value:
    """2 * x of whole square tiles."""
    return x * 2.0


@operation(requires=[Requirement("x.shape[-1] == 12345", "Width must be 12345")])
def impossible(x: Rows) -> Value:
    """2 * x."""
    return x * 2.0


@operation(
    requires=[Requirement("x.shape[-1] == 12345", "Width must be 12345")],
    cases=[OwnCase("mine", (2, 12345), why="the only width there is")],
)
def given(x: Rows) -> Value:
    """2 * x."""
    return x * 2.0


@operation(tolerance=OwnTolerance(relative=0.5, reason="a test of tolerances"))
def loose(x: Rows) -> Value:
    """2 * x."""
    return x * 2.0


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    opened = ttnn.open_device(device_id=0)
    yield opened
    ttnn.close_device(opened)


def test_cases_satisfy_several_requirements_at_once() -> None:
    cases = derived_cases(demanding)
    assert {each.name for each in cases} >= {
        "one element",
        "one tile",
        "all kinds of rows",
        "float32",
        "several blocks",
    }
    for case in cases:
        assert broken_requirements(demanding, case.shape) == (), case


def test_a_counter_example_breaks_one_requirement_alone(device: ttnn.Device) -> None:
    for each in demanding.requirements:
        shape = breaking_shape(demanding, each, (2, 64, 64))
        assert shape is not None
        assert broken_requirements(demanding, shape) == (each,)
        stage_2.test_each_condition(demanding, device, each)


def test_declaration_without_a_possible_case_gets_an_error_with_the_cure() -> None:
    with pytest.raises(NoCaseError, match=r"no shape was found that satisfies `x.shape\[-1\] == 12345`: give one"):
        derived_cases(impossible)
    assert [(each.name, each.shape) for each in derived_cases(given)] == [("mine", (2, 12345))]


def test_a_case_that_breaks_a_requirement_is_refused() -> None:
    declared = operation(requires=[WHOLE_TILES], cases=[OwnCase("odd", (2, 33))])(loose.function)
    with pytest.raises(NoCaseError, match="case 'odd' breaks its requirement"):
        derived_cases(declared)


def test_a_tolerance_takes_the_place_of_the_bound(device: ttnn.Device) -> None:
    result = run_case(loose, derived_cases(loose)[1], device)
    wanted = loose.bounds(result.outcome.plan, result.operands)
    off = [each.to_numpy().astype(np.float64) * factor for each in result.outcome.outputs for factor in (1.4, 1.6)]
    assert judge([off[0]], wanted).is_within_bound
    assert not judge([off[1]], wanted).is_within_bound
    for wrong in ({"relative": 0.1}, {"reason": "none given"}, {"relative": -1.0, "reason": "negative"}):
        with pytest.raises(OperationError, match="OwnTolerance: "):
            OwnTolerance(**wrong)


def test_the_example_of_the_declarations_page_passes(device: ttnn.Device) -> None:
    declared = operation(requires=[WHOLE_TILES])(loose.function)
    assert all(each.accuracy.is_within_bound for each in check_operation(declared, device).values())
    stage_2.test_each_condition(declared, device, WHOLE_TILES)
