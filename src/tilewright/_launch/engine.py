# SPDX-License-Identifier: Apache-2.0
"""The engine's library, which this process uses for a chip's memory; programs run elsewhere (``runner.py``)."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_char_p, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

from tilewright._build.engine_build import find_engine
from tilewright._errors import TilewrightError
from tilewright._record.wire_layout import ChipConfig, HostMemory, MemoryFiles, mirrored_layout

_SIGNATURES: dict[str, tuple[object, list[object]]] = {
    "tw_api_layout": (c_char_p, []),
    "tw_last_error": (c_char_p, []),
    "tw_chip_new": (c_void_p, [POINTER(ChipConfig), POINTER(c_uint8), POINTER(MemoryFiles), c_uint32]),
    "tw_chip_files": (None, [c_void_p, POINTER(MemoryFiles)]),
    "tw_chip_free": (None, [c_void_p]),
    "tw_chip_settle": (None, [c_void_p]),
    "tw_chip_set_l1_banks": (None, [c_void_p, POINTER(c_uint16)]),
    "tw_core_l1": (c_uint64, [c_void_p, c_uint32, c_uint32]),
    "tw_core_kept_l1": (c_uint32, [c_void_p, c_uint32, c_uint32, c_uint32, c_uint32]),
    "tw_write_pages": (None, [c_void_p, c_uint32, c_uint64, c_uint64, c_uint64, c_uint64, c_void_p]),
    "tw_read_pages": (None, [c_void_p, c_uint32, c_uint64, c_uint64, c_uint64, c_uint64, c_void_p]),
    "tw_fill_pages": (None, [c_void_p, c_uint32, c_uint64, c_uint64, c_uint64, c_uint32]),
    "tw_unwritten_pages": (c_uint64, [c_void_p, POINTER(HostMemory), POINTER(c_uint64)]),
}


@functools.cache
def engine() -> ctypes.CDLL:
    """The engine's library, built if need be and loaded once."""
    library = ctypes.CDLL(str(find_engine().library))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    if library.tw_api_layout().decode() != mirrored_layout():
        raise TilewrightError("the engine library does not fit this version of tilewright; remove the cache directory")
    return library
