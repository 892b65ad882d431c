# SPDX-License-Identifier: Apache-2.0
"""A small simulated chip, closed when the tests of a file are done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright import ttnn


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, grid=(2, 2))
    yield device
    ttnn.close_device(device)
