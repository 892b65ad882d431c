# SPDX-License-Identifier: Apache-2.0
"""A device for the programs of a test file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright import ttnn


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)
