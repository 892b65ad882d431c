# SPDX-License-Identifier: Apache-2.0
"""The replay (``native/replay``) as ctypes sees it; loaded into this process."""

from __future__ import annotations

import ctypes
import functools
import itertools
from ctypes import c_char_p, c_double, c_uint32, c_uint64, c_void_p

from tilewright._build.native_build import COMMON, NativePart, native_files
from tilewright._errors import TilewrightError


class Kernel(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in ("processor", "fidelity", "fp32_dest", "full_sync")]


class Buffer(ctypes.Structure):
    _fields_ = [
        (name, c_uint32)
        for name in ("index", "pages", "page_bytes", "data_format", "to_dest", "first_core", "num_cores")
    ]


class Semaphore(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in ("address", "initial", "first_core", "num_cores")]


class Node(ctypes.Structure):
    _fields_ = [
        *((name, c_uint32) for name in ("noc_x", "noc_y")),
        *((name, c_uint32 * 2) for name in ("place_x", "place_y")),
        *((name, c_uint32) for name in ("is_dram", "index")),
    ]


class Change(ctypes.Structure):
    _fields_ = [
        ("deeper_buffer", c_uint32),
        ("reads_ahead", c_uint32),
        ("writes_ahead", c_uint32),
        ("most_phases", c_uint32),
        ("single_reads", c_uint32),
        ("reserved", c_uint32),
        ("math_factor", c_double),
        ("dram_factor", c_double),
    ]


class Input(ctypes.Structure):
    _fields_ = [
        ("words", c_void_p),
        ("num_words", c_uint64),
        ("kernels", ctypes.POINTER(Kernel)),
        ("buffers", ctypes.POINTER(Buffer)),
        ("semaphores", ctypes.POINTER(Semaphore)),
        ("places", c_void_p),
        ("nodes", ctypes.POINTER(Node)),
        *((name, c_void_p) for name in ("constants", "sfpu_unary", "sfpu_binary", "sfpu_ternary", "sfpu_typecast")),
        *(
            (name, c_uint32)
            for name in (
                "num_kernels",
                "num_buffers",
                "num_semaphores",
                "num_nodes",
                "num_banks",
                "noc_columns",
                "noc_rows",
                "keep_events",
            )
        ),
        ("change", Change),
    ]


class Lane(ctypes.Structure):
    _fields_ = [
        *((name, c_uint32) for name in ("kernel", "core_x", "core_y", "processor")),
        *((name, c_double) for name in ("begin", "end", "busy")),
    ]


class Wait(ctypes.Structure):
    _fields_ = [*((name, c_uint32) for name in ("lane", "kind", "cb", "times")), ("cycles", c_double)]


class Event(ctypes.Structure):
    _fields_ = [
        ("begin", c_double),
        ("end", c_double),
        *((name, c_uint32) for name in ("lane", "amount", "kind", "detail", "entry", "reserved")),
    ]


class Totals(ctypes.Structure):
    _fields_ = [
        *(
            (name, c_double)
            for name in (
                "cycles",
                "dram_read_bytes",
                "dram_write_bytes",
                "noc_bytes",
                "bank_busy",
                "matmul_tiles",
                "matmul_phases",
                "unmeasured",
            )
        ),
        *(
            (name, c_uint64)
            for name in (
                "steps",
                "forced",
                "polls",
                "unknown_nodes",
                "num_lanes",
                "num_waits",
                "num_events",
            )
        ),
    ]


_PART = NativePart("the timing replay", "replay", COMMON, ("replay.so",), ("replay", "abi"))
_MIRRORED = (Kernel, Buffer, Semaphore, Node, Input, Lane, Wait, Event, Totals)


@functools.cache
def replay_library() -> ctypes.CDLL:
    """The library: the wheel's, or built from its sources."""
    library = ctypes.CDLL(str(native_files(_PART)[0]))
    for name in ("constant", "call", "sfpu_unary", "sfpu_binary", "sfpu_ternary"):
        function = getattr(library, f"tw_replay_{name}")
        function.restype, function.argtypes = c_char_p, [c_uint32]
    library.tw_replay_run.restype = c_void_p
    library.tw_replay_run.argtypes = [ctypes.POINTER(Input), ctypes.POINTER(Totals)]
    library.tw_replay_report.restype = None
    library.tw_replay_report.argtypes = [c_void_p, *(ctypes.POINTER(each) for each in (Lane, Wait, Event))]
    library.tw_replay_free.restype = None
    library.tw_replay_free.argtypes = [c_void_p]
    sizes = (c_uint32 * len(_MIRRORED))()
    library.tw_replay_sizes(sizes)
    if list(sizes) != [ctypes.sizeof(each) for each in _MIRRORED]:
        raise TilewrightError("the replay library does not fit this version of tilewright; remove the cache directory")
    return library


@functools.cache
def names(table: str) -> tuple[str, ...]:
    """Names of a table (``constant``, ``sfpu_unary`` ...) in the order the library has them."""
    function = getattr(replay_library(), f"tw_replay_{table}")
    found = itertools.takewhile(lambda name: name is not None, map(function, itertools.count()))
    return tuple(name.decode() for name in found)
