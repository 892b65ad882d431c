# SPDX-License-Identifier: Apache-2.0
"""The replay's library (``native/replay``), loaded into this process."""

from __future__ import annotations

import ctypes
import functools
import itertools

from tilewright._build.native_build import COMMON, NativePart, native_files
from tilewright._wire.layout import declare
from tilewright._wire.replay import FUNCTIONS

_PART = NativePart("the timing replay", "replay", COMMON, ("replay.so",), ("replay", "abi"))


@functools.cache
def replay_library() -> ctypes.CDLL:
    """The library: the wheel's, or built from its sources."""
    library = ctypes.CDLL(str(native_files(_PART)[0]))
    declare(library, FUNCTIONS)
    return library


@functools.cache
def names(table: str) -> tuple[str, ...]:
    """Names of a table (``call``, ``sfpu_unary`` ...) in the order the library has them."""
    function = getattr(replay_library(), f"tw_replay_{table}")
    found = itertools.takewhile(lambda name: name is not None, map(function, itertools.count()))
    return tuple(name.decode() for name in found)
