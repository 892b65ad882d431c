# SPDX-License-Identifier: Apache-2.0
"""The map of wrong pages, as a terminal shows it."""

from __future__ import annotations

import numpy as np

from tilewright._workshop.trace.comparing import Expected, compare
from tilewright._workshop.trace.difference_map import difference_lines, overview_lines
from tilewright._workshop.trace.recorded import Recorded
from tilewright.kernels.phases import Region


def tiles_of(values: np.ndarray) -> Recorded:
    rows, columns = values.shape[0] // 32, values.shape[1] // 32
    places = [(row, column) for row in range(rows) for column in range(columns)]
    tiles = [values[32 * row : 32 * row + 32, 32 * column : 32 * column + 32].copy() for row, column in places]
    return Recorded(tiles, [row for row, _ in places], [32 * column for _, column in places])


def expected(values: np.ndarray, floor: float, region: Region = Region.TILE) -> Expected:
    return Expected(values, np.full(values.shape, floor), region, 32)


def test_the_map_shows_tiles_rows_and_columns() -> None:
    right = np.ones((64, 96))
    given = right.copy()
    given[32:48, 64:80] += 0.5  # a face of tile 2 of tile-row 1
    given[40, 64] = np.nan
    given[33, 70] += 100
    difference = compare(tiles_of(given), expected(right, 0.1))
    assert difference.num_compared == 64 * 96
    assert difference.num_wrong == 256
    assert difference_lines(difference, "bfloat16") == [
        "256 of 6144 elements are wrong; largest error inf, beyond all measure",
        "first wrong element: row 32, column 64 is 1.5, expected 1",
        "",
        "tile-rows (2 of 3 tiles, one mark for each tile):",
        "        0  ...",
        "        1  ..N",
        "",
        "tile-row 1, tile 2 (columns 64 to 95):",
        "     rows  0       8       16      24",
        "        0  xxxxxxxxxxxxxxxx................",
        "        1  xxxxxxXxxxxxxxxx................",
        "      2-7  xxxxxxxxxxxxxxxx................",
        "        8  Nxxxxxxxxxxxxxxx................",
        "     9-15  xxxxxxxxxxxxxxxx................",
        "    16-31  ................................",
        ". right   x wrong   X far off   N not a number   blank: not compared",
    ]


def test_an_error_within_the_floor_is_right_and_not_exact() -> None:
    right = np.ones((32, 32))
    difference = compare(tiles_of(right + 0.05), expected(right, 0.1))
    assert difference.is_right
    assert not difference.is_exact
    assert 0.49 < difference.share_of_floor < 0.51


def test_only_the_column_that_holds_data_is_compared() -> None:
    right = np.arange(32.0).reshape(32, 1)
    given = np.full((32, 32), np.nan)
    given[:, 0] = right[:, 0]
    column = Expected(right, np.full((32, 1), 0.1), Region.COLUMN_0, 32)
    difference = compare(Recorded([given], [0], [0]), column)
    assert difference.num_compared == 32
    assert difference.is_exact


def test_rows_beyond_the_tensor_are_not_compared() -> None:
    right = np.ones((40, 32))
    given = np.full((64, 32), np.nan)
    given[:40] = 1
    difference = compare(tiles_of(given), expected(right, 0.1))
    assert difference.num_compared == 40 * 32
    assert difference.is_exact


def test_wide_rows_and_many_of_them_are_condensed() -> None:
    overview = ["." * 200] * 40
    overview[7] = "." * 199 + "x"
    lines = overview_lines(overview)
    assert lines[0] == "tile-rows (40 of 200 tiles, one mark for 4 tiles):"
    assert lines[1:] == [f"      0-6  {'.' * 50}", f"        7  {'.' * 49}x", f"     8-39  {'.' * 50}"]
    assert max(map(len, lines)) <= 80


def test_a_noisy_tile_takes_two_rows_a_line() -> None:
    generator = np.random.default_rng(0)
    right = np.zeros((32, 32))
    given = np.where(generator.random((32, 32)) < 0.5, 1.0, 0.0)
    lines = difference_lines(compare(tiles_of(given), expected(right, 0.1)), "float32")
    rows = lines[lines.index("     rows  0       8       16      24") + 1 : -1]
    assert rows[0].startswith("      0-1  ")
    assert len(rows) == 16
