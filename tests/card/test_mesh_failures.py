# SPDX-License-Identifier: Apache-2.0
"""One chip of a mesh fails: one error that names it, every chip usable afterwards, no process left."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest

from tests.card.card_process import OnCard, processes_with
from tilewright._card.launches.layout import ReleaseLayout
from tilewright._card.package import CardError
from tilewright._card.products import choose_card
from tilewright._card.systems.known_systems import Mesh
from tilewright._card.systems.routers import RouterKernel, Routers

SCRIPT = Path(__file__).with_name("mesh_failures.py")
RAISED = {
    "faults": "on core (0,0) of chip 1",
    "does not compile": "no_such_function",
    "reads outside": "on core (0,0) of chip 1",
    "ends": "on core (0,0) of chip 0",  # the other chip waits for ever
    "loops": "KeyboardInterrupt",
}


def test_failure_of_one_chip_leaves_the_others_usable(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    mark = uuid.uuid4().hex
    result = on_card("--system", "n300", str(SCRIPT), python=real_ttnn_with_torch, TILEWRIGHT_TEST_MARK=mark)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = dict(line.split(" raised ", 1) for line in result.stdout.splitlines() if " raised " in line)
    assert list(lines) == list(RAISED)
    for name, words in RAISED.items():
        assert words in lines[name]
        assert f"{name}, afterwards: usable\n" in result.stdout
    assert "opened again: usable\na chip closed: usable\nclosed\n" in result.stdout
    assert mark not in os.environ.values()
    assert processes_with(mark) == []


def test_router_without_a_cable_is_refused() -> None:
    kernel = RouterKernel(0, 0, 0, 48, 0, sender_slots=(8, 8), receiver_slots=16, injects=0, acknowledges=False)
    chip = choose_card(system="1x2").chip
    routers = Routers(Mesh(1, 2, links=1), chip, ReleaseLayout({}, {}, {}))
    linked, other = chip.link_order[:2]
    routers.start(0, *chip.ethernet[linked], kernel)
    with pytest.raises(CardError, match=f"a router was launched on chip 0 channel {other}, which has no link"):
        routers.start(0, *chip.ethernet[other], kernel)
