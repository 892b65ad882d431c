# SPDX-License-Identifier: Apache-2.0
"""Sharded tensors of the built-in module beside those of the real ttnn: pages, addresses, order of cores, refusals."""

from __future__ import annotations

from pathlib import Path

from tests.card.card_process import OnCard

SCRIPT = Path(__file__).with_name("sharded_tensors.py")


def _lines(on_card: OnCard, *options: str) -> list[str]:
    result = on_card(*options, str(SCRIPT), TT_LOGGER_LEVEL="FATAL")
    assert result.returncode == 0, result.stderr
    return [line for line in result.stdout.splitlines() if " critical " not in line]  # the real ttnn's log of refusals


def test_sharded_tensors_are_those_of_ttnn(on_card: OnCard) -> None:
    ours, theirs = _lines(on_card, "--ttnn", "built-in"), _lines(on_card)
    assert ours == theirs
    said = "\n".join(ours)
    assert "False" not in said
    assert said.count("pages True") == 5
    assert said.count("shards True") == 2
    assert said.count("refused") == 10
