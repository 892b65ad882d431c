# SPDX-License-Identifier: Apache-2.0
"""Arguments that the host did not set, told from values that look like tt-metal's pattern."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright._card.launches.unset_arguments import mark_unset
from tilewright._wire.runner import UNWRITTEN_ARGUMENT

PATTERN = 0xBEEF0000
SCALAR = int(np.float32(-0.467).view(np.uint32))  # 0xBEEF1AA0


def marked(rows: list[list[int]]) -> list[list[bool]]:
    cores: list[NDArray[np.uint32]] = [np.array(row, np.uint32) for row in rows]
    mark_unset(cores)
    return [(core == UNWRITTEN_ARGUMENT).tolist() for core in cores]


def test_last_words_with_the_pattern_are_unset() -> None:
    rows = [[1, 2, 3]] + [[1, PATTERN + 7 * core, PATTERN + 9 * core] for core in range(1, 5)]
    assert marked(rows) == [[False] * 3] + [[False, True, True]] * 4


def test_a_scalar_with_the_pattern_is_a_value_on_all_cores() -> None:
    assert not np.any(marked([[core, SCALAR] for core in range(8)]))
    assert not np.any(marked([[0, SCALAR], [1, SCALAR]]))
    assert not np.any(marked([[0, SCALAR]]))


def test_a_scalar_with_the_pattern_before_a_set_word_is_a_value() -> None:
    assert not np.any(marked([[PATTERN + core, 5] for core in range(4)]))


def test_unset_words_beside_cores_with_a_scalar_are_unset() -> None:
    rows = [[core, SCALAR] for core in range(4)] + [[PATTERN + 11, PATTERN + 12], [PATTERN + 21, PATTERN + 22]]
    assert marked(rows) == [[False, False]] * 4 + [[True, True]] * 2
