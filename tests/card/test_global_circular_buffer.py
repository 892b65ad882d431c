# SPDX-License-Identifier: Apache-2.0
"""Global circular buffers and prefetcher pipes of the real ttnn: one core fills a ring in others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.card.card_process import OnCard

SCRIPT = str(Path(__file__).with_name("global_circular_buffer.py"))


def test_a_prefetcher_feeds_a_product(on_card: OnCard) -> None:
    result = on_card("--dispatch", "slow", "--grid", "4x1", str(Path(__file__).with_name("prefetcher.py")))
    expected = "product 1: right\nproduct 2: right\nboth at once: right\nboth at once: right\n"
    assert result.stdout == expected, result.stdout + result.stderr


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_a_prefetcher_feeds_products_through_pipes_that_outlive_programs(on_card: OnCard, arch: str) -> None:
    script = str(Path(__file__).with_name("prefetcher_pipes.py"))
    result = on_card("--dispatch", "slow", "--arch", arch, "--grid", "4x1", script)
    labels = [*(f"product {turn}" for turn in (1, 2, 3, 4)), "wider", "wider again", "narrow again"]
    assert result.stdout == "".join(f"{label}: right\n" for label in labels), result.stdout + result.stderr


@pytest.mark.parametrize("dispatch", ["slow", "fast"])
def test_tiles_arrive_and_a_receiver_without_sender_is_named(on_card: OnCard, dispatch: str) -> None:
    without_sender = ["--no-sender"] if dispatch == "slow" else []  # under fast dispatch no call waits
    result = on_card("--dispatch", dispatch, "--arch", "blackhole", SCRIPT, "--apart", *without_sender)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "launch 1: right\nlaunch 2: right\n" in result.stdout
    assert "sender first: right\nreceivers first: right\n" in result.stdout
    assert "alone: ttnn.generic_op, launched before: DeadlockError: deadlock on cores (1,0)-(2,0)" in result.stdout
    assert "which no kernel raises" in result.stdout
    assert "synchronize_device failed" not in result.stderr  # when the device is closed
    if without_sender:
        assert "\nttnn.generic_op: DeadlockError: deadlock on cores (1,0)-(2,0)" in result.stdout


def test_the_checker_is_silent(real_ttnn: str, card_environment: dict[str, str]) -> None:
    command = [real_ttnn, "-m", "tilewright", "check", SCRIPT]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "launch 1: right\nlaunch 2: right\n" in result.stdout
    assert "2 launches checked: nothing found" in result.stdout
