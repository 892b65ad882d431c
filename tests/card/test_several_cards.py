# SPDX-License-Identifier: Apache-2.0
"""Several cards in one machine: devices of their own in one process, and a mesh."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.card.card_process import OnCard
from tilewright._card.package import CardError
from tilewright._card.products import choose_card

SCRIPT = Path(__file__).with_name("several_cards.py")


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_two_devices_and_a_mesh_of_both(on_card: OnCard, real_ttnn_with_torch: str, arch: str) -> None:
    result = on_card("--arch", arch, "--cards", "2", str(SCRIPT))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "two devices: right\n" in result.stdout
    assert "mesh: right\n" in result.stdout
    assert re.search(r"\ntilewright: a kernel on ethernet core \d+-\d+ was launched; .* no collectives ", result.stdout)


@pytest.mark.parametrize("cards", ["0", "9", "two", "-1"])
def test_a_number_of_cards_that_is_none_is_refused(cards: str) -> None:
    with pytest.raises(CardError, match=f"--cards {cards} is no number of cards for n150; .* 1, 2, 3, 4, 5, 6, 7, 8$"):
        choose_card(cards=cards)


@pytest.mark.parametrize(("grid", "cards", "allowed"), [("p100a", "2", "1"), ("p150", "3", "1, 2, 4, 8")])
def test_machines_that_tt_metal_does_not_know_are_refused(grid: str, cards: str, allowed: str) -> None:
    with pytest.raises(CardError, match=f"no number of cards for {grid}; tt-metal knows machines of {allowed}$"):
        choose_card(grid=grid, cards=cards)
