# SPDX-License-Identifier: Apache-2.0
"""Stage 7: every element is as near to float64 as the spec says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright.workshop.cases import run_case
from tilewright.workshop.spec import read_spec

from rms_norm_w_rm.op import rms_norm_w_rm

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


@pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)
def test_numbers(device: ttnn.Device, case, record_property) -> None:
    result = run_case(rms_norm_w_rm, SPEC, case, device)
    record_property("share_of_tolerance", result.share)
    assert result.share <= 1, result.text
