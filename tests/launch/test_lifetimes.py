# SPDX-License-Identifier: Apache-2.0
"""Devices, tensors and runs that several threads, coroutines and forked processes use and close at will."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.ttnn_script import Run
from tilewright import ttnn

ROOT = Path(__file__).parents[2]


def test_calls_work_or_raise_beside_calls_of_other_threads(python: Run) -> None:
    result = python("-X", "faulthandler", "-m", "tests.launch.lifetimes", "24", cwd=ROOT, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr


def test_addresses_of_a_held_buffer_are_freed_at_the_end_of_the_last_call(device: ttnn.Device) -> None:
    x = ttnn.from_numpy(np.ones((32, 32), np.float32), layout=ttnn.TILE_LAYOUT, device=device)
    buffer = x.buffer()
    buffer.hold()
    buffer.hold()
    x.deallocate()
    others = [ttnn.from_numpy(np.zeros((32, 32)), layout=ttnn.TILE_LAYOUT, device=device) for _ in range(3)]
    assert buffer.address not in [each.buffer_address() for each in others]
    with pytest.raises(RuntimeError, match=r"Tensor is not allocated\."):
        ttnn.to_numpy(x)
    buffer.release()
    buffer.release()
    again = ttnn.from_numpy(np.zeros((32, 32), np.float32), layout=ttnn.TILE_LAYOUT, device=device)
    assert again.buffer_address() == buffer.address
