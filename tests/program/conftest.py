# SPDX-License-Identifier: Apache-2.0
"""Devices without an engine: enough for everything that happens before a program runs."""

from __future__ import annotations

import pytest

from tilewright._tensor.arch import BLACKHOLE, WORMHOLE_B0
from tilewright._tensor.device import Device


class NoMemory:
    """Takes what is written and keeps nothing."""

    def check_usable(self) -> None:
        pass

    def fill_pages(self, *arguments: object) -> None:
        pass

    def write_pages(self, *arguments: object) -> None:
        pass


@pytest.fixture
def wormhole() -> Device:
    return Device(WORMHOLE_B0, NoMemory())


@pytest.fixture
def blackhole() -> Device:
    return Device(BLACKHOLE, NoMemory())
