# SPDX-License-Identifier: Apache-2.0
"""Stage 3: a valid call reaches the program factory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright.ops import operation as operation_module
from tilewright.workshop.cases import case_tensors
from tilewright.workshop.spec import read_spec

from rms_norm_w_rm.op import rms_norm_w_rm

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


class ReachedError(Exception):
    """Raised instead of building the program."""


@pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)
def test_valid_tensors_get_to_the_program(device: ttnn.Device, case, monkeypatch: pytest.MonkeyPatch) -> None:
    def factory(*arguments: object) -> None:
        raise ReachedError

    monkeypatch.setattr(operation_module, "borrowed_program", factory)
    with pytest.raises(ReachedError):
        rms_norm_w_rm(*case_tensors(rms_norm_w_rm, case, device).values())
