# SPDX-License-Identifier: Apache-2.0
"""Runtime arguments that the host did not set, in fast dispatch.

Command queues write arguments on every core of a kernel, zeros where the host set none. With tt-metal's watcher enabled
the host fills those places with a pattern first, so a checked launch enables it. Before the launch the pattern becomes
the mark that the engine knows; a kernel that loads it gets zero, as without the watcher, and a finding.

An argument can have the pattern by itself: it is the upper half of floats near -0.467. Unset words are the last ones of
a core and have random lower halves, so a word that cores share at one place is a value.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._wire.runner import UNWRITTEN_ARGUMENT

WATCHER = "TT_METAL_WATCHER"
_NEVER = "1000000"  # seconds between the watcher's looks at the card
_PATTERN, _PATTERN_BITS = 0xBEEF0000, 0xFFFF0000  # the other bits are random
_CORES_OF_A_VALUE = 3  # with the same word; that 64 random halves have one of 16 bits three times is 1 in 100,000
# Its checks on the card, which firmware makes and the simulated card has not.
_FEATURES = ("PAUSE", "RING_BUFFER", "STACK_USAGE", "SANITIZE_NOC", "WAYPOINT", "DISPATCH", "ETH", "CB_SANITIZE")


def showing_unset_arguments() -> dict[str, str]:
    """Variables with which tt-metal marks arguments that the host does not set; none if the user sets them."""
    if WATCHER in os.environ:
        return {}
    off = {f"{WATCHER}_DISABLE_{feature}": "1" for feature in _FEATURES}
    return {WATCHER: _NEVER, f"{WATCHER}_SKIP_LOGGING": "1", **off}


def mark_unset(cores: Sequence[NDArray[np.uint32]]) -> None:
    """Replace tt-metal's pattern by the mark of the engine, in place.

    Args:
        cores: the arguments of one kernel on each of its cores, equally many.

    >>> set_all, set_one = np.array([[7, 8], [7, 0xBEEF1234]], np.uint32)
    >>> mark_unset([set_all, set_one])
    >>> set_one.tolist() == [7, UNWRITTEN_ARGUMENT]
    True
    >>> aligned = np.array([[8, UNWRITTEN_ARGUMENT], [0xBEEF1234, UNWRITTEN_ARGUMENT]], np.uint32)
    >>> mark_unset(list(aligned))
    >>> aligned[1].tolist() == [UNWRITTEN_ARGUMENT] * 2
    True
    """
    table = np.array(cores)
    # Words of alignment behind the arguments keep the mark of an earlier launch.
    is_open = ((table & np.uint32(_PATTERN_BITS)) == _PATTERN) | (table == UNWRITTEN_ARGUMENT)
    is_unset = np.logical_and.accumulate(is_open[:, ::-1], axis=1)[:, ::-1]
    for place in np.flatnonzero(is_unset.any(axis=0)):
        words, counts = np.unique(table[:, place], return_counts=True)
        values = words[counts >= min(_CORES_OF_A_VALUE, len(cores))]
        is_unset[:, place] &= ~np.isin(table[:, place], values)
    for words_of_core, unset in zip(cores, is_unset, strict=True):
        words_of_core[unset] = UNWRITTEN_ARGUMENT
