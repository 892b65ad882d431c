# SPDX-License-Identifier: Apache-2.0
"""Kernels nobody here wrote: those of the published ttnn wheel, unmodified, driven through our descriptors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright import ttnn


@pytest.fixture(scope="session")
def operations(wheel: Path) -> Path:
    """Directory of the stock operations."""
    return wheel / "ttnn" / "cpp" / "ttnn" / "operations"


@pytest.fixture(scope="module", params=["wormhole_b0", "blackhole"])
def device(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch=request.param)
    yield device
    ttnn.close_device(device)
