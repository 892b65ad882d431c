# SPDX-License-Identifier: Apache-2.0
"""Collectives of the real ttnn between chips, over the modelled fabric."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.card.card_process import OnCard
from tests.card.catalogue.uncalled import ON_SEVERAL_CHIPS

SCRIPT = Path(__file__).with_name("collectives.py")


@pytest.mark.parametrize(
    ("system", "chips", "fabric", "topology"),
    [
        ("n300", "2", "FABRIC_1D", "Linear"),
        ("1x4-torus", "4", "FABRIC_1D_RING", "Ring"),
        ("p150x2", "2", "FABRIC_1D", "Linear"),
    ],
)
def test_collectives_are_right(
    on_card: OnCard, real_ttnn_with_torch: str, system: str, chips: str, fabric: str, topology: str
) -> None:
    result = on_card("--system", system, str(SCRIPT), chips, fabric, topology, python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stdout + result.stderr
    outcomes = dict(line.split(": ") for line in result.stdout.splitlines() if line.endswith(("right", "wrong")))
    assert set(outcomes.values()) == {"right"}, outcomes
    assert set(ON_SEVERAL_CHIPS) <= set(outcomes)
    assert result.stdout.endswith("closed\n")
