# SPDX-License-Identifier: Apache-2.0
"""``tilewright check`` of kernels that send packets: each bug breaks its rule, its repaired twin breaks none."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.card.card_process import OnCard

CIRCLE = Path(__file__).with_name("packet_circle.py")
SCRIPT = Path(__file__).with_name("packet_twins.py")
# Rule of each bug, and words of its finding.
RULES = {
    "no-flush": ("fabric-signal-early", "with a packet that leaves chip 0 over channel 1"),
    "other-link": ("fabric-signal-early", "with a packet that leaves chip 0 over channel 1"),
    "same-page": ("fabric-memory-in-use", "sends a packet with 2048 bytes of page 0 of tensor 1 of chip 1"),
    "two-pages": ("fabric-packet-size", "a packet of 4096 bytes to byte 0 of a page of tensor 1 on chip 1"),
    "not-closed": ("fabric-not-closed", "opens the connection to chip 0 channel 0 and ends without closing it"),
    "short-multicast": ("fabric-multicast-misses", "multicasts to chips 1, 2 what"),
}


def findings(python: str, environment: dict[str, str], *variants: str) -> list[dict[str, Any]]:
    command = [python, "-m", "tilewright", "check", "--json", "--seeds", "0", "--system", "1x4", str(SCRIPT)]
    result = subprocess.run(
        [*command, *variants], capture_output=True, text=True, env=environment, timeout=600, check=False
    )
    found: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return found


def test_each_bug_of_packets_breaks_its_rule(real_ttnn_with_torch: str, card_environment: dict[str, str]) -> None:
    found = findings(real_ttnn_with_torch, card_environment, *RULES)
    told = {(each["rule"], each["numbers"]) for each in found}
    for rule, words in RULES.values():
        assert any(each == rule and words in " ".join(numbers.split()) for each, numbers in told), (rule, words, told)
    assert {each["rule"] for each in found} == {rule for rule, _ in RULES.values()}
    # Two pages without a flush and two over the other link: one line of a header, so one finding.
    assert sum(each["count"] for each in found if each["rule"] == "fabric-signal-early") == 4


def test_repaired_kernels_break_no_rule(real_ttnn_with_torch: str, card_environment: dict[str, str]) -> None:
    repaired = (f"{bug}-repaired" for bug in RULES)
    assert findings(real_ttnn_with_torch, card_environment, *repaired) == []


def test_packets_that_wait_for_each_other_in_a_circle_are_named(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    """A circle of routes alone is no error: a few packets find slots. Chips can be used after a circle that is full."""
    variants = ("few-in-a-circle", "circle", "few-in-a-circle", "circle-repaired")
    result = on_card("--system", "2x2", str(CIRCLE), *variants, python=real_ttnn_with_torch)
    lines = [line for line in result.stdout.splitlines() if line.startswith(variants)]
    assert result.stdout.endswith("closed\n"), result.stdout + result.stderr
    assert [lines[index] for index in (0, 2, 3)] == [f"{variants[index]}: ended" for index in (0, 2, 3)]
    assert "packets wait for each other's slots in a circle and none can move" in lines[1]
    links = [("0 channel 1", "1 channel 1"), ("1 channel 7", "3 channel 1")]
    links += [("3 channel 7", "2 channel 7"), ("2 channel 1", "0 channel 7")]
    assert all(f"chip {one} to chip {other}" in lines[1] for one, other in links), lines[1]


def test_check_explores_the_order_of_packets_without_finding(
    real_ttnn_with_torch: str, card_environment: dict[str, str]
) -> None:
    command = [real_ttnn_with_torch, "-m", "tilewright", "check", "--json", "--seeds", "6", "--system", "2x2"]
    result = subprocess.run(
        [*command, str(CIRCLE), "circle-repaired"],
        capture_output=True,
        text=True,
        env=card_environment,
        timeout=600,
        check=False,
    )
    assert json.loads(result.stdout)["findings"] == []
