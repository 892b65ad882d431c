# SPDX-License-Identifier: Apache-2.0
"""``tilewright time`` as people use it."""

from __future__ import annotations

import json

import pytest

from tilewright.cli.main import main

_OPERATION = ["time", "centralize_w_rm", "--shape", "64x64", "--grid", "2x1"]


def test_an_operation_is_timed_in_lines_that_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*_OPERATION, "--cores"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("time ")
    assert "us on 2 cores of wormhole_b0, by the model" in shown
    assert "1,0 NCRISC" in shown
    assert "By the model " in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_same_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*_OPERATION, "--json"]) == 0
    (launch,) = json.loads(capsys.readouterr().out)["launches"]
    assert launch["cores"] == 2
    assert launch["microseconds"] > 0
    assert launch["advice"]["sentence"].startswith("By the model ")
