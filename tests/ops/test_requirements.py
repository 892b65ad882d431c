# SPDX-License-Identifier: Apache-2.0
"""Requirements of a declaration: enforced where it is stated, in its words, and in an exported package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright import Requirement, Rows, operation, ttnn
from tilewright._workshop.stages.tests import test_stage2_validation as stage_2
from tilewright.formula import Value
from tilewright.ops import OperationError
from tilewright.ops._export import export_operation

EVEN = Requirement("x.shape[-1] % 32 == 0", "Width must be a multiple of 32, got {x.shape[-1]}")
SMALL = Requirement("factor < 100", "Factor must be below 100, got {factor}", broken={"factor": 200.0})
NEVER = Requirement("x.shape[-1] < 2**40", "Width must be below 2^40")


@operation(requires=[EVEN, SMALL])
def scaled(x: Rows, *, factor: float = 2.0) -> Value:
    """x * factor."""
    return x * factor


@operation(requires=[NEVER])
def copied(x: Rows) -> Value:
    """x * 1."""
    return x * 1.0


def test_call_that_breaks_a_requirement_is_refused() -> None:
    with pytest.raises(OperationError, match="Width must be a multiple of 32, got 40"):
        scaled(np.ones((32, 40), np.float32))
    with pytest.raises(OperationError, match=r"Factor must be below 100, got 200\.0"):
        scaled(np.ones((32, 64), np.float32), factor=200)


def test_stage_2_reports_a_requirement_without_a_check(device: ttnn.Device) -> None:
    for each in scaled.requirements:
        stage_2.test_each_condition(scaled, device, each)
    with pytest.raises(AssertionError, match="nothing breaks"):
        stage_2.test_each_condition(copied, device, NEVER)


def test_unenforced_requirement_fails_stage_2(device: ttnn.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.ops._operation.check_call", lambda called, tensors, parameters: None)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        stage_2.test_each_condition(scaled, device, EVEN)


def test_exported_package_checks_requirements(tmp_path: Path) -> None:
    export_operation(scaled, tmp_path, shape=(32, 64))
    text = (tmp_path / "scaled" / "op.py").read_text()
    assert '_refuse(not (x.shape[-1] % 32 == 0), f"Width must be a multiple of 32, got {x.shape[-1]}")' in text


def test_requirement_without_expression_is_refused() -> None:
    with pytest.raises(OperationError, match=r"`x\.shape\[-1\] %` is no Python expression"):
        Requirement("x.shape[-1] %", "Width")
