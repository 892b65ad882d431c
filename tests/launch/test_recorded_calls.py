# SPDX-License-Identifier: Apache-2.0
"""A run can keep every call that would cost a card time."""

from __future__ import annotations

import collections
import pickle
from collections.abc import Iterator

import numpy as np
import pytest

from tilewright._launch.open_devices import close_device, open_device
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright._record.call_record import CallRecord
from tilewright._record.run import Run
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.ops import centralize_w_rm

ROWS, WIDTH = 96, 64
BLOCKS, PUSH_BACK, NOC_READ, NOC_WRITE = 1, 4, 7, 8  # numbers of RecordedCall
WITH_ADDRESS = frozenset({*range(7, 14), *range(15, 18)})


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device(0, grid=(2, 1))
    yield opened
    close_device(opened)


def _run(device: Device, *, record_calls: bool, checked: bool = False) -> Run:
    values = np.random.default_rng(0).standard_normal((ROWS, WIDTH), np.float32)
    plan = centralize_w_rm.plan((ROWS, WIDTH), DataType.FLOAT32, device)
    tensors = centralize_w_rm.allocate(plan, device)
    tensors["x"] = Tensor(values, DataType.FLOAT32, device, Layout.ROW_MAJOR)
    program = centralize_w_rm.program(plan, tensors)
    return run_program(list(tensors.values()), program, RunOptions(record_calls=record_calls, checked=checked))


def _entries(record: CallRecord) -> Iterator[tuple[str, tuple[int, int], int, int]]:
    """Kernel, core, call and its number c, entry by entry."""
    words = iter(record.words.tolist())
    for head in words:
        left = head >> 32
        while left:
            entry, left = next(words), left - 1
            yield record.kernels[head & 0xFFFF].name, (head >> 16 & 0xFF, head >> 24 & 0xFF), entry & 0xFF, entry >> 32
            if entry & 0xFF in WITH_ADDRESS:
                next(words)
                left -= 1


def test_the_record_has_every_transfer_and_push_of_every_core(device: Device) -> None:
    run = _run(device, record_calls=True)
    assert run.calls is not None
    moved: collections.Counter[tuple[int, tuple[int, int]]] = collections.Counter()
    pushes: collections.Counter[str] = collections.Counter()
    for kernel, core, call, number in _entries(run.calls):
        if call in (NOC_READ, NOC_WRITE):
            moved[call, core] += number
        pushes[kernel] += number if call == PUSH_BACK else 0
    row_bytes = WIDTH * 4
    scaler_bytes = 2048  # zeros that the reader copies into the scaler's tile
    for core, rows in (((0, 0), 64), ((1, 0), 32)):
        assert moved[NOC_READ, core] == rows * row_bytes + scaler_bytes
        assert moved[NOC_WRITE, core] == rows * row_bytes
    counted = {run.kernel_label(each.kernel): 0 for each in run.traffic}
    for each in run.traffic:
        counted[run.kernel_label(each.kernel)] += each.pages_pushed
    assert {kernel: pages for kernel, pages in pushes.items() if pages} == {k: p for k, p in counted.items() if p}


def test_work_between_calls_is_counted(device: Device) -> None:
    """The reader writes the scaler's rows in a loop of eight words before its first push."""
    run = _run(device, record_calls=True)
    assert run.calls is not None
    assert max(number for *_, call, number in _entries(run.calls) if call == BLOCKS) > 8


def test_the_record_is_the_same_each_time_and_can_be_sent(device: Device) -> None:
    first, second = _run(device, record_calls=True).calls, _run(device, record_calls=True).calls
    assert first is not None
    assert second is not None
    sent = pickle.loads(pickle.dumps(second))
    np.testing.assert_array_equal(first.words, sent.words)
    assert first.buffers == sent.buffers


def test_a_plain_run_keeps_none(device: Device) -> None:
    assert _run(device, record_calls=False).calls is None


def test_a_checked_run_cannot_record(device: Device) -> None:
    with pytest.raises(ValueError, match="record_calls keeps the calls of a plain run"):
        _run(device, record_calls=True, checked=True)
