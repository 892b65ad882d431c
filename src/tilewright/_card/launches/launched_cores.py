# SPDX-License-Identifier: Apache-2.0
"""A LAUNCH as the card's library sends it: a program's key, and the cores that got a GO message."""

from __future__ import annotations

import dataclasses
import functools
import struct

from tilewright._wire import card as wire
from tilewright._wire.layout import packer

_REQUEST = packer(wire.LaunchRequest)
_CORE = packer(wire.LaunchedCore)
_KEY_BYTES = 16
_BASES = struct.Struct("<II")


@dataclasses.dataclass(frozen=True)
class LaunchedCores:
    """Cores of one launch.

    Attributes:
        key: the same for every launch of the program, whatever its arguments and wherever its configuration lies.
        config_base: where the configuration lies on the first core.
        bases_differ: it lies elsewhere on other cores.
        data: a ``LaunchedCore`` for each core.
    """

    key: bytes
    config_base: int
    bases_differ: bool
    data: bytes

    @classmethod
    def of(cls, message: bytes) -> LaunchedCores:
        base, differ = _BASES.unpack_from(message, _KEY_BYTES)
        return cls(message[:_KEY_BYTES], base, bool(differ), message[_REQUEST.size :])

    @functools.cached_property
    def cores(self) -> list[tuple[int, int, int, int, int]]:
        """Card and NoC coordinates of each core, the addresses of its launch message and of its configuration."""
        return list(_CORE.iter_unpack(self.data))
