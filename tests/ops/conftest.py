# SPDX-License-Identifier: Apache-2.0
"""Devices for operations, and a way to run one on arrays and keep everything it left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.ops.running import Runner
from tilewright import ttnn


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=4, grid=(2, 2))
    yield device
    ttnn.close_device(device)


@pytest.fixture(scope="module")
def wormhole() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=5)
    yield device
    ttnn.close_device(device)


@pytest.fixture(scope="module")
def blackhole() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=6, arch="blackhole")
    yield device
    ttnn.close_device(device)


@pytest.fixture(scope="module")
def run(device: ttnn.Device) -> Runner:
    return Runner(device)


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(20260116)
