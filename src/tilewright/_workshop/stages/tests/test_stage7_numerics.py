# SPDX-License-Identifier: Apache-2.0
"""Stage 7: every element is as near to float64 as the error analysis of its plan says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilewright._tensor.device import Device
from tilewright._workshop.cases import OperationCase, run_case
from tilewright.ops import Operation

_zeros: dict[str, bool] = {}


def test_numbers(
    operation: Operation, device: Device, case: OperationCase, record_property: Callable[[str, object], None]
) -> None:
    result = run_case(operation, case, device)
    _zeros[case.name] = result.would_zeros_pass
    record_property("share_of_tolerance", result.accuracy.share_of_bound)
    assert result.accuracy.is_within_bound, result.text


def test_zeros_would_not_pass(operation: Operation) -> None:
    if not _zeros:
        pytest.skip("no case was run")
    assert not all(_zeros.values()), f"a result of zeros would pass every case of {operation.name}"
