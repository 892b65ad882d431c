# SPDX-License-Identifier: Apache-2.0
"""Several chips in one system: devices of their own in one process, and a mesh."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.card.card_process import OnCard
from tilewright._card.package import CardError
from tilewright._card.products import choose_card, cluster_descriptor
from tilewright._card.systems.known_systems import Mesh

SCRIPT = Path(__file__).with_name("several_cards.py")
REOPENED = Path(__file__).with_name("reopened_mesh.py")


@pytest.mark.parametrize(("system", "dispatch"), [("n300", "fast"), ("n300", "slow"), ("p150x2", "fast")])
def test_two_devices_and_a_mesh_of_both(on_card: OnCard, real_ttnn_with_torch: str, system: str, dispatch: str) -> None:
    result = on_card("--system", system, "--dispatch", dispatch, str(SCRIPT), python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "two devices: right\n" in result.stdout
    assert "mesh: right\n" in result.stdout
    assert (
        "tilewright: open_mesh_device: mesh_shape 2x4 needs 8 chips; the simulated system has 2 chips; give "
        "--system 2x4 (or t3000, p150x8)\n" in result.stdout
    )
    refused = [f"tilewright: {name}: another device is open." for name in ("open_device", "open_mesh_device")]
    assert [words in result.stdout for words in refused] == [dispatch == "fast"] * 2


def test_mesh_opened_again_counts_completions_from_zero(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    result = on_card("--system", "t3000", "--dispatch", "fast", str(REOPENED), python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "(1, 8): right\n(2, 4): right\n" in result.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"system": "quietbox"}, "--system quietbox is unknown; allowed: n300, t3000, "),
        ({"system": "4x9"}, "--system 4x9 is unknown; allowed: .* rows x columns of at most 32 chips"),
        ({"system": "0x2"}, "--system 0x2 is unknown"),
        ({"system": "1x3", "arch": "blackhole"}, "--system 1x3 has 3 p150; tt-metal knows machines of 1, 2, 4, 8$"),
        ({"system": "1x2", "grid": "p100a"}, "--system 1x2 has 2 p100a; tt-metal knows machines of 1$"),
        ({"system": "t3000", "arch": "blackhole"}, "--system t3000 has wormhole_b0 chips, but --arch says blackhole$"),
        ({"system": "n300", "grid": "p150"}, "--system n300 has chips of n300, but --grid says p150$"),
        (
            {"system": "8x4"},
            "--system 8x4 with 8x8 cores a chip has 2048 cores; at most 1920 .* give fewer with --grid",
        ),
    ],
)
def test_a_system_that_cannot_be_simulated_is_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises(CardError, match=words):
        choose_card(**options)


def test_neighbours_of_a_torus_are_linked_once_with_every_channel_used_once() -> None:
    cables = list(Mesh(4, 2, links=2, is_torus=True).cables(range(16)))
    ends = [end for cable in cables for end in cable]
    assert len(set(ends)) == len(ends)
    pairs = {frozenset((left[0], right[0])) for left, right in cables}
    across = {frozenset((2 * row, 2 * row + 1)) for row in range(4)}
    down = {frozenset((chip, (chip + 2) % 8)) for chip in range(8)}  # closed to rings; two columns are linked directly
    assert pairs == across | down
    assert len(cables) == 2 * len(pairs)


def test_every_chip_of_a_product_is_described_with_board_and_bus() -> None:
    text = cluster_descriptor(choose_card(system="t3000"))
    assert text.count("board_type: n300") == 8
    assert "  - 7: 7\n" in text
