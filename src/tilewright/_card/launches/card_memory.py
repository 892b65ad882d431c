# SPDX-License-Identifier: Apache-2.0
"""Copies of a chip's memory: what its files hold, without the parts that nothing was ever written to.

A program of the real ttnn can write anywhere: its results, sharded tensors and global semaphores are the host's, and a
launch does not list them. So a copy has everything; memory that is not in use is a hole in the file and costs nothing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilewright._launch.chip import MemoryFiles

Range = tuple[int, int]


class FileCopy:
    """The bytes of a sparse file at one time."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._parts = {begin: _read(file, begin, end) for begin, end in _written_parts(file)}

    def restore(self) -> None:
        """Write the bytes back, and zeros where there was a hole."""
        now = list(_written_parts(self._file))
        if now != self.ranges:
            for begin, end in now:
                _write_zeros(self._file, begin, end, self._parts)
        for begin, data in self._parts.items():
            _write(self._file, begin, data)

    def bytes_at(self, begin: int, end: int) -> NDArray[np.uint8]:
        """Bytes of a range; those of holes are zeros."""
        found = np.zeros(end - begin, np.uint8)
        for start, data in self._parts.items():
            first, last = max(begin, start), min(end, start + len(data))
            if first < last:
                found[first - begin : last - begin] = data[first - start : last - start]
        return found

    @property
    def ranges(self) -> list[Range]:
        return [(begin, begin + len(data)) for begin, data in self._parts.items()]

    def same_as(self, other: FileCopy) -> bool:
        """Whether both hold the same bytes."""
        if self.ranges == other.ranges:
            return all(np.array_equal(data, other._parts[begin]) for begin, data in self._parts.items())
        ranges = {*self.ranges, *other.ranges}
        return all(np.array_equal(self.bytes_at(*each), other.bytes_at(*each)) for each in ranges)


class CardMemory:
    """L1 of all cores, DRAM, and what the engine notes about them."""

    def __init__(self, files: MemoryFiles) -> None:
        self.l1, self.dram, self._state = FileCopy(files.l1), FileCopy(files.dram), FileCopy(files.state)

    def restore(self) -> None:
        for each in (self.l1, self.dram, self._state):
            each.restore()


def _written_parts(file: int) -> Iterator[Range]:
    """Parts of a sparse file that are no holes."""
    end, size = 0, os.fstat(file).st_size
    while end < size:
        try:
            begin = os.lseek(file, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole is left
                return
            raise
        end = os.lseek(file, begin, os.SEEK_HOLE)
        yield begin, end


_MOST_BYTES = 1 << 30  # of one call


def _read(file: int, begin: int, end: int) -> NDArray[np.uint8]:
    data = np.empty(end - begin, np.uint8)
    done = 0
    while done < len(data):
        done += os.preadv(file, [data.data[done : done + _MOST_BYTES]], begin + done)
    return data


def _write(file: int, begin: int, data: NDArray[np.uint8]) -> None:
    done = 0
    while done < len(data):
        done += os.pwrite(file, data.data[done : done + _MOST_BYTES], begin + done)


def _write_zeros(file: int, begin: int, end: int, kept: dict[int, NDArray[np.uint8]]) -> None:
    """Write zeros to a range, except where other bytes are written anyway."""
    at = begin
    for start, data in sorted(kept.items()):
        if start >= end:
            break
        if start > at:
            _write(file, at, np.zeros(start - at, np.uint8))
        at = max(at, start + len(data))
    if at < end:
        _write(file, at, np.zeros(end - at, np.uint8))
