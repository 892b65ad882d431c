# SPDX-License-Identifier: Apache-2.0
"""The engine's library, which this process uses for a chip's memory; programs run elsewhere (``runner.py``)."""

from __future__ import annotations

import ctypes
import functools

from tilewright._build.engine_build import find_engine
from tilewright._wire.engine import FUNCTIONS
from tilewright._wire.layout import declare


@functools.cache
def engine() -> ctypes.CDLL:
    """The engine's library, built if need be and loaded once."""
    library = ctypes.CDLL(str(find_engine().library))
    declare(library, FUNCTIONS)
    return library
