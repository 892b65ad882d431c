# SPDX-License-Identifier: Apache-2.0
"""Time of a process with a card by part: host code, card library, launches, kernels.

For measuring, from within the process that has the card; the library counts from the first question on.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import os


class _LaunchTimes(ctypes.Structure):
    """As native/card/simulator/times.h has them."""

    _fields_ = (
        ("launches", ctypes.c_uint64),
        ("programs", ctypes.c_uint64),
        ("bytes_read", ctypes.c_uint64),
        ("bytes_written", ctypes.c_uint64),
        ("reading", ctypes.c_double),
        ("writing", ctypes.c_double),
        ("launching", ctypes.c_double),
        ("running", ctypes.c_double),
    )


@dataclasses.dataclass(frozen=True)
class CardTimes:
    """Activity of a process's card between two moments.

    Attributes:
        programs: launches of programs that had not been launched before.
        reading, writing: seconds in the card's library while the host read and wrote the card's memory.
        launching: seconds in launches, from the last core's GO until the program had ended.
        running: seconds of those in which the engine ran kernels.
    """

    launches: int
    programs: int
    bytes_read: int
    bytes_written: int
    reading: float
    writing: float
    launching: float
    running: float

    def __sub__(self, earlier: CardTimes) -> CardTimes:
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(earlier), strict=True)
        return CardTimes(*(after - before for after, before in pairs))


@functools.cache
def _library() -> ctypes.CDLL:
    """The instance of the library that tt-metal has loaded: the same path is the same instance."""
    return ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"])


def card_times() -> CardTimes:
    """Activity of this process's card since the first call.

    Example::

        before = card_times()
        ttnn.softmax(x)
        spent = card_times() - before
        print(spent.launching - spent.running)
    """
    times = _LaunchTimes()
    _library().libttsim_times(ctypes.byref(times))
    return CardTimes(*(getattr(times, field.name) for field in dataclasses.fields(CardTimes)))
