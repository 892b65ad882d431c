# SPDX-License-Identifier: Apache-2.0
"""Kernels of the published ttnn wheel, unmodified, launched through our descriptors.

Every test runs on Wormhole and an eighth of them, always the same ones, on Blackhole too: compiling the rest a second
time takes minutes and differs in little. TILEWRIGHT_BOTH_CHIPS=1 runs all on both.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright import ttnn


@pytest.fixture(scope="session")
def operations(wheel: Path) -> Path:
    """Directory of the stock operations."""
    return wheel / "ttnn" / "cpp" / "ttnn" / "operations"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("TILEWRIGHT_BOTH_CHIPS"):
        return
    left_out = [item for item in items if _is_on_second_chip(item) and zlib.crc32(item.nodeid.encode()) % 8]
    config.hook.pytest_deselected(items=left_out)
    out = set(left_out)
    items[:] = [item for item in items if item not in out]


def _is_on_second_chip(item: pytest.Item) -> bool:
    is_ours = Path(__file__).parent in item.path.parents
    return is_ours and hasattr(item, "callspec") and item.callspec.params.get("device") == "blackhole"


@pytest.fixture(scope="module", params=["wormhole_b0", "blackhole"])
def device(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch=request.param)
    yield device
    ttnn.close_device(device)
