# SPDX-License-Identifier: Apache-2.0
"""Copies of a chip's memory files: what was written comes back, holes stay zeros."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from tilewright._card.launches.card_memory import FileCopy

PAGE = 1 << 21  # as large as a page of any system


@pytest.fixture
def file() -> Iterator[int]:
    """A sparse file of eight pages with bytes in the third and the sixth."""
    descriptor = os.memfd_create("memory")
    os.ftruncate(descriptor, 8 * PAGE)
    os.pwrite(descriptor, b"third", 2 * PAGE)
    os.pwrite(descriptor, b"sixth", 5 * PAGE + 7)
    yield descriptor
    os.close(descriptor)


def test_bytes_come_back_and_holes_become_zeros(file: int) -> None:
    copy = FileCopy(file)
    for place in (0, 2 * PAGE + 1, 4 * PAGE, 5 * PAGE, 7 * PAGE):
        os.pwrite(file, b"\xff" * 9, place)
    assert not copy.same_as(FileCopy(file))
    copy.restore()
    assert copy.same_as(FileCopy(file))
    assert FileCopy(file).same_as(copy)
    assert os.pread(file, 5, 2 * PAGE) + os.pread(file, 5, 5 * PAGE + 7) == b"thirdsixth"
    assert not np.any(np.frombuffer(os.pread(file, 2 * PAGE, 0), np.uint8))


def test_copy_holds_only_written_memory(file: int) -> None:
    ranges = FileCopy(file).ranges
    assert sum(end - begin for begin, end in ranges) <= 2 * PAGE
    assert [begin // PAGE for begin, _ in ranges] == [2, 5]


def test_a_range_over_a_hole_is_read_as_zeros(file: int) -> None:
    found = FileCopy(file).bytes_at(2 * PAGE - 2, 5 * PAGE + 12)
    assert found[:7].tobytes() == b"\0\0third"
    assert found[-5:].tobytes() == b"sixth"
    assert not found[7:-5].any()
