# SPDX-License-Identifier: Apache-2.0
"""Errors on the card are raised in the call that launched, and the card stays usable."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.card.card_process import OnCard

SCRIPT = str(Path(__file__).with_name("failing_launches.py"))


@pytest.fixture(scope="session")
def said(on_card: OnCard) -> dict[str, str]:
    """Errors of the launches by name; "end" is how the script itself ended."""
    result = on_card(SCRIPT, "interrupt")
    parts = dict(each.split(" raised ", 1) for each in result.stdout.split("\n\n") if " raised " in each)
    return {**parts, "output": result.stdout, "end": f"{result.returncode} {result.stderr[-2000:]}"}


def test_deadlock_names_the_waiting_kernels(said: dict[str, str]) -> None:
    assert said["hangs"].startswith("ttnn.generic_op: DeadlockError: deadlock on core (0,0)"), said["end"]
    assert "cb_wait_front(c_0, 1)" in said["hangs"]


def test_kernel_compile_error_quotes_the_compiler(said: dict[str, str]) -> None:
    assert "KernelCompileError" in said["does not compile"]
    assert "no_such_function" in said["does not compile"]


def test_a_fault_names_the_line(said: dict[str, str]) -> None:
    assert "KernelFaultError" in said["faults"]
    assert "null pointer" in said["faults"]


def test_device_keeps_working_and_reopens_after_errors(said: dict[str, str]) -> None:
    assert "works raised nothing" in said["output"]
    assert "opened again 2048.0" in said["output"]


def test_printed_line_has_core_and_kernel(said: dict[str, str]) -> None:
    assert "(0,0) " in said["output"]
    assert ": hello\n" in said["output"]


def test_ctrl_c_ends_a_launch_and_the_script_ends_cleanly_without_closing(said: dict[str, str]) -> None:
    assert "loops raised KeyboardInterrupt" in said["output"]
    assert said["end"].startswith("0 ")
