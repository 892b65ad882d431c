# SPDX-License-Identifier: Apache-2.0
"""Nothing but the tensor itself reaches a result, and nothing but the result is written.

Fresh L1 and fresh tensors hold NaN, so what is read without having been written shows.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.ops.running import DTYPES, Runner
from tilewright import ttnn
from tilewright._tensor.buffer import Buffer
from tilewright._tensor.chip_memory import PageRange
from tilewright.ops import OPERATIONS, Options, Strategy

WIDTHS = [1, 100]


def bank_bytes(tensor: ttnn.Tensor) -> np.ndarray:
    """All bytes of a tensor's pages, the gaps that align them included."""
    buffer = tensor.buffer()
    return buffer.device.memory.read_pages(whole_pages(buffer))


def whole_pages(buffer: Buffer) -> PageRange:
    return dataclasses.replace(buffer.page_range(), page_bytes=buffer.aligned_page_size)


def fill_gaps(tensor: ttnn.Tensor, pattern: int) -> None:
    """Puts a pattern behind each page, up to where the next one begins."""
    buffer, data = tensor.buffer(), tensor.cpu()
    buffer.device.memory.fill_pages(buffer.page_range(), pattern)
    ttnn.copy_host_to_device_tensor(data, tensor)


@pytest.mark.parametrize("strategy", [Strategy.RESIDENT, Strategy.STREAMING], ids=lambda each: each.value)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_padding_beside_rows_does_not_change_results(
    device: ttnn.Device, generator: np.random.Generator, name: str, width: int, dtype: str, strategy: Strategy
) -> None:
    operation = OPERATIONS[name]
    arrays = {"x": generator.standard_normal((37, width))}
    arrays |= {each.name: generator.standard_normal(width) for each in operation.inputs[1:]}
    tensors = {
        key: ttnn.from_numpy(array, DTYPES[dtype], layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
        for key, array in arrays.items()
    }
    results = []
    for pattern in (0x7FC77FC7, 0x42424242):  # NaN, and 48.5 or so
        for tensor in tensors.values():
            fill_gaps(tensor, pattern)
        results.append(operation.launch(tensors, Options(strategy=strategy)).output)
    first, second = (output.to_numpy() for output in results)
    assert np.isfinite(first.astype(np.float64)).all()
    np.testing.assert_array_equal(first.view(np.uint8), second.view(np.uint8))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_nothing_is_written_beside_the_output(
    run: Runner, generator: np.random.Generator, name: str, width: int
) -> None:
    output = run(name, generator.standard_normal((37, width))).outcome.output
    gaps = bank_bytes(output)[:, output.buffer_page_size() :]
    poison = np.frombuffer(np.uint32(output.dtype.poison).tobytes(), np.uint8)
    first = output.buffer_page_size() % 4
    np.testing.assert_array_equal(gaps, np.broadcast_to(np.resize(np.roll(poison, -first), gaps.shape[1]), gaps.shape))


@pytest.mark.parametrize("name", OPERATIONS)
def test_rows_do_not_meet(run: Runner, generator: np.random.Generator, name: str) -> None:
    x = generator.standard_normal((64, 100))
    clean = run(name, x).y
    x[5], x[40] = np.nan, np.inf
    dirty = run(name, x).y
    others = [row for row in range(64) if row not in (5, 40)]
    np.testing.assert_array_equal(dirty[others], clean[others])
