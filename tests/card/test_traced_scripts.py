# SPDX-License-Identifier: Apache-2.0
"""Launches of a replayed trace are shown with the ttnn operation that they were captured from."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.card.card_process import OnCard

SCRIPT = Path(__file__).with_name("traced_model.py")
IN_CALLS = ["ttnn.add", "ttnn.generic_op"]
IN_TRACE = ["ttnn.add (trace)", "ttnn.generic_op (trace)"]


@pytest.fixture(scope="module")
def command(real_ttnn: str) -> list[str]:
    return [real_ttnn, "-m", "tilewright"]


def test_time_names_operation_tensors_and_functions(command: list[str], card_environment: dict[str, str]) -> None:
    result = subprocess.run(
        [*command, "time", "--json", str(SCRIPT)],
        capture_output=True,
        text=True,
        env=card_environment,
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    launches = found["launches"]
    assert [each["operation"] for each in launches] == [*IN_CALLS, *IN_TRACE, *IN_TRACE, "ttnn.relu"]
    operations = {each["operation"]: each for each in found["total"]["operations"]}
    assert operations["ttnn.add (trace)"]["launches"] == 2
    assert operations["ttnn.add (trace)"]["tensors"] == operations["ttnn.add"]["tensors"]
    assert operations["ttnn.add"]["tensors"] == "1x1x32x64, 1x1x32x64, 1x1x32x64"
    (layer,) = (each for each in found["total"]["functions"] if each["name"] == "layer")
    assert layer["microseconds"] == pytest.approx(sum(each["microseconds"] for each in launches[:-1]))


def test_check_names_operation_and_keeps_results_of_the_trace(
    command: list[str], card_environment: dict[str, str]
) -> None:
    result = subprocess.run(
        [*command, "check", str(SCRIPT)],
        capture_output=True,
        text=True,
        env=card_environment,
        timeout=600,
        check=False,
    )
    assert result.returncode == 1, result.stderr
    assert (
        "error  cb-pop-unwaited\n  ttnn.generic_op (trace)  RISCV_1  RISCV_1.cpp:1  c_0  on core (0,0), 2 times"
        in result.stdout
    )
    assert "7 launches checked: 1 error" in result.stdout
    assert "after the trace: 3.0 3.0\n" in result.stdout


def test_shown_programs_name_operation(on_card: OnCard) -> None:
    result = on_card("--show-programs", str(SCRIPT))
    assert result.returncode == 0, result.stderr
    for number, operation in enumerate([*IN_CALLS, *IN_TRACE, *IN_TRACE, "ttnn.relu"], 1):
        assert f"launch {number}, {operation}, on " in result.stdout
