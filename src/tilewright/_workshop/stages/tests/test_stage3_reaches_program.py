# SPDX-License-Identifier: Apache-2.0
"""Stage 3: a valid call reaches the program factory."""

from __future__ import annotations

import pytest

from tilewright._tensor.device import Device
from tilewright._workshop.cases import OperationCase, case_tensors
from tilewright.ops import Operation
from tilewright.ops._kept_calls import KeptCall


class ReachedError(Exception):
    """Raised instead of building the program."""


def test_valid_tensors_get_to_the_program(
    operation: Operation, device: Device, case: OperationCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def factory(*arguments: object) -> None:
        raise ReachedError

    monkeypatch.setattr(KeptCall, "compiled", factory)
    monkeypatch.setattr(Operation, "_own_program", factory)
    with pytest.raises(ReachedError):
        operation(*case_tensors(operation, case, device).values())
