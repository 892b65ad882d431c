# SPDX-License-Identifier: Apache-2.0
"""Time of links between chips: the table of docs/several-chips.md against the model, and the busiest link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilewright.timing._link_times import link_microseconds

PAGE = Path(__file__).resolve().parents[2] / "docs" / "several-chips.md"
ROW = re.compile(r"^\| (T3000|p150 x4) .*? \| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \| \+?(-?\d+) % \|$", re.MULTILINE)
ARCHS = {"T3000": "wormhole_b0", "p150 x4": "blackhole"}
HEADER_BYTES = 48


@pytest.mark.parametrize("row", ROW.findall(PAGE.read_text(encoding="utf-8")), ids=lambda row: f"{row[0]}-{row[2]}")
def test_rates_of_the_documented_table_are_the_models(row: tuple[str, ...]) -> None:
    system, packet, published, model, error = row
    size, count = int(packet.replace(",", "")), 1000
    rate = count * size / link_microseconds(ARCHS[system], count, count * (size + HEADER_BYTES)) / 1e3
    assert rate == pytest.approx(float(model), abs=0.006)
    assert round(100 * (rate / float(published) - 1)) == int(error)


def test_a_link_is_busy_with_its_packets_or_with_its_bytes() -> None:
    assert link_microseconds("wormhole_b0", 1000, 1000 * 64) == pytest.approx(259)
    assert link_microseconds("wormhole_b0", 10, 10 * 118_700) == pytest.approx(100)
