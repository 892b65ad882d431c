# SPDX-License-Identifier: Apache-2.0
"""Every operation against float64, element by element, on rows that are easy and rows that are not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ops.running import Result, Runner
from tilewright.ops import OPERATIONS
from tilewright.ops._accuracy import compare

WIDTHS = [1, 2, 31, 32, 33, 96, 256, 1000, 1024, 4096, 8192]
FLOAT32_WIDTHS = [33, 96, 1000, 2048]
CASES = [(name, "bfloat16", width) for name in OPERATIONS for width in WIDTHS]
CASES += [(name, "float32", width) for name in OPERATIONS for width in FLOAT32_WIDTHS]

# Rows of one tensor, so that each case runs once.
NORMAL, OFFSET, CONSTANT, ALTERNATING, SPIKE, TINY = (
    slice(0, 32),
    slice(32, 64),
    slice(64, 80),
    slice(80, 84),
    slice(84, 88),
    slice(88, 92),
)
CONSTANTS = [0, 1, -1, 5, 0.1, 1 / 3, -3.14159, 100.7, 1000.3, 12345.678, 1e-3, 1e-30, 1e30, 255, 257, -(2.0**-100)]

_results: dict[tuple[str, str, int], Result] = {}


def rows(width: int) -> np.ndarray:
    generator = np.random.default_rng(width)
    x = np.empty((92, width))
    x[NORMAL] = generator.standard_normal((32, width))
    x[OFFSET] = generator.standard_normal((32, width)) + 10
    x[CONSTANT] = np.array(CONSTANTS)[:, None]
    x[ALTERNATING] = np.where(np.arange(width) % 2, 1.0, -1.0) * np.array([[1], [0.5], [3], [100]])
    x[SPIKE] = 0
    x[SPIKE, width // 3] = [1, -1, 50, 1000]
    x[TINY] = generator.standard_normal((4, width)) * 1e-39
    return x


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}-{case[2]}", scope="module")
def result(request: pytest.FixtureRequest, run: Runner) -> Result:
    name, dtype, width = request.param
    if request.param not in _results:
        _results[request.param] = run(name, rows(width), dtype)
    return _results[request.param]


def test_normal_rows_are_within_two_bfloat16_roundings(result: Result) -> None:
    assert result.accuracy(NORMAL).share_of_bound <= 1


def test_rows_with_an_offset_correlate(result: Result) -> None:
    if result.operation.name == "variance_w_rm":
        # The variances of such rows differ by less than bfloat16 shows, so correlation says nothing about them.
        assert result.accuracy(OFFSET).share_of_bound <= 1
    elif result.operands["x"].shape[-1] > 1:
        assert result.accuracy(OFFSET).pcc >= 0.9999


def test_a_constant_row_is_exactly_zero(result: Result) -> None:
    wanted = np.zeros_like(result.y[CONSTANT])
    if "beta" in result.operands:
        wanted += result.operands["beta"].astype(np.float32)
    np.testing.assert_array_equal(result.y[CONSTANT], wanted)


@pytest.mark.parametrize("kind", [ALTERNATING, SPIKE, TINY], ids=["alternating", "spike", "denormal"])
def test_unusual_rows(result: Result, kind: slice) -> None:
    assert result.accuracy(kind).share_of_bound <= 1


def test_the_error_analysis_holds(result: Result) -> None:
    assert result.share_of_analysis <= 1


def test_rows_that_are_not_finite_have_no_error_to_measure() -> None:
    exact = np.array([np.full(3, np.nan), [-1.0, 0.0, 1.0]])
    assert compare(exact, exact, np.ones(3)).largest_error == 0
    for wrong in (np.array([[0.0, 0.0, 0.0], exact[1]]), np.array([exact[0], [-1.0, np.nan, 1.0]])):
        assert not compare(wrong, exact, np.ones(3)).is_within_bound
