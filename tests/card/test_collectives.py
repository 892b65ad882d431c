# SPDX-License-Identifier: Apache-2.0
"""Collectives of the real ttnn between chips, over the modelled fabric."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.card.card_process import OnCard
from tests.card.catalogue.uncalled import ON_SEVERAL_CHIPS

SCRIPT = Path(__file__).with_name("collectives.py")


# Of ttnn's operations, point_to_point writes routes along a line only.
IN_TWO_DIMENSIONS = ("all_gather", "broadcast", "all_broadcast", "reduce_scatter", "all_reduce")


@pytest.mark.parametrize(
    ("system", "shape", "fabric", "topology", "cases"),
    [
        ("n300", (1, 2), "FABRIC_1D", "Linear", ON_SEVERAL_CHIPS),
        ("1x4-torus", (1, 4), "FABRIC_1D_RING", "Ring", ON_SEVERAL_CHIPS),
        ("p150x2", (1, 2), "FABRIC_1D", "Linear", ON_SEVERAL_CHIPS),
        ("t3000", (2, 4), "FABRIC_2D", "Linear", IN_TWO_DIMENSIONS),
        ("p150x4", (2, 2), "FABRIC_2D", "Linear", ("all_gather", "all_reduce")),
    ],
)
def test_collectives_are_right(
    on_card: OnCard,
    real_ttnn_with_torch: str,
    system: str,
    shape: tuple[int, int],
    fabric: str,
    topology: str,
    cases: tuple[str, ...],
) -> None:
    arguments = (*map(str, shape), fabric, topology, *cases)
    result = on_card("--system", system, str(SCRIPT), *arguments, python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stdout + result.stderr
    outcomes = dict(line.split(": ") for line in result.stdout.splitlines() if line.endswith(("right", "wrong")))
    assert set(outcomes.values()) == {"right"}, outcomes
    sides = [axis for axis in (0, 1) if shape[axis] > 1]
    assert set(outcomes) >= {f"{case} {axis}" for case in cases for axis in sides}
    assert result.stdout.endswith("closed\n")


def test_collectives_without_command_queues_are_right(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    arguments = ("1", "2", "FABRIC_1D", "Linear", "all_gather", "reduce_scatter")
    options = ("--system", "n300", "--dispatch", "slow")
    result = on_card(*options, str(SCRIPT), *arguments, python=real_ttnn_with_torch)
    assert result.stdout == "all_gather 1: right\nreduce_scatter 1: right\nclosed\n", result.stderr


def test_packet_without_a_route_is_named(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    arguments = ("2", "2", "FABRIC_2D", "Linear", "point_to_point")
    result = on_card("--system", "2x2", str(SCRIPT), *arguments, python=real_ttnn_with_torch)
    assert result.returncode != 0
    assert "a packet reached chip 0 over channel" in result.stderr, result.stderr
    assert "has no route there" in result.stderr
