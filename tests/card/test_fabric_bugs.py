# SPDX-License-Identifier: Apache-2.0
"""Bugs of kernels that send packets: each is reported with its chip and line, and the chips can be used afterwards."""

from __future__ import annotations

from pathlib import Path

from tests.card.card_process import OnCard

SCRIPT = Path(__file__).with_name("fabric_bugs.py")
# What the report says. A connection that is left open is reported where it is opened again.
REPORTS = {
    "too-many-hops": "a packet that reached chip 1 over channel 1 is to go on where no router is connected",
    "no-hops": "a packet reached chip 1 over channel 1 and has no route there",
    "no-wait-for-slot": "a packet was sent to chip 0 channel 1 while all 8 slots hold packets",
    "no-packet": "no kernel has raised it over the NoC",
    "too-few-packets": "on core (0,0) of chip 0 raised it once with packets that left chip 0 over channel 1",
}
LEFT_OPEN = "a kernel on core (0,0) of chip 0 opened it before and did not close it"


def test_bugs_of_packets_are_reported_and_chips_stay_usable(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    bugs = ["none", *(each for bug in REPORTS for each in (bug, "none")), "not-closed", "none", "none"]
    result = on_card("--system", "n300", str(SCRIPT), *bugs, python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = [line for line in result.stdout.splitlines() if line.startswith(tuple(f"{bug}: " for bug in bugs))]
    assert [line.partition(":")[0] for line in lines] == bugs
    for bug, line, following in zip(bugs, lines, [*lines[1:], ""], strict=True):
        if bug in REPORTS:
            assert REPORTS[bug] in line
            assert "of chip 0" in line or "of chip 1" in line
            assert following == "none: no error"
    assert lines[0] == lines[-1] == "none: no error"
    assert lines[-3] == "not-closed: no error"
    assert LEFT_OPEN in lines[-2]
    assert result.stdout.endswith("closed\n")
