# SPDX-License-Identifier: Apache-2.0
"""A run can keep the pages of circular buffers as they are pushed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright._launch.open_devices import close_device, open_device
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright._record.run import Run
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.ops import centralize_w_rm

ROWS, WIDTH = 96, 64


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device(0, grid=(2, 1))
    yield opened
    close_device(opened)


def _run(device: Device, record: list[int]) -> tuple[np.ndarray, Run]:
    values = np.random.default_rng(0).standard_normal((ROWS, WIDTH), np.float32)
    plan = centralize_w_rm.plan((ROWS, WIDTH), DataType.FLOAT32, device)
    tensors = centralize_w_rm.allocate(plan, device)
    tensors["x"] = Tensor(values, DataType.FLOAT32, device, Layout.ROW_MAJOR)
    return values, run_program(
        list(tensors.values()), centralize_w_rm.program(plan, tensors), RunOptions(record=record)
    )


def test_recorded_pages_have_pushed_bytes_in_order_per_core(device: Device) -> None:
    values, run = _run(device, [0, 1])
    sticks = [each for each in run.pages if each.cb == 0]
    assert [each.core for each in sticks] == [(0, 0), (0, 0), (1, 0)]
    for position, push in enumerate(sticks):
        assert push.data.shape == (2, 4096)
        rows = push.data.reshape(-1).view(np.float32).reshape(32, WIDTH)
        np.testing.assert_array_equal(rows, values[32 * position : 32 * position + 32])
    tiles = next(each for each in run.pages if each.cb == 1)
    first_face = tiles.data[1].view(np.float32).reshape(4, 16, 16)[0]
    np.testing.assert_array_equal(first_face, values[:16, 32:48])


def test_recorded_push_has_its_line(device: Device) -> None:
    _, run = _run(device, [1])
    functions = [line.path.rpartition("/")[2] for line in run.pages[0].stack]
    assert "tilize.py" in functions
    assert any(each.startswith("centralize_w_rm_resident") for each in functions)
    assert run.kernel_label(run.pages[0].kernel) == "compute_centralize_w_rm"


def test_a_plain_run_keeps_nothing(device: Device) -> None:
    _, run = _run(device, [])
    assert run.pages == []


def test_a_buffer_the_program_has_not_is_refused(device: Device) -> None:
    with pytest.raises(ValueError, match=r"record names circular buffer 9, .* it has \[0, 1, 2, 3, 16\]"):
        _run(device, [9])
