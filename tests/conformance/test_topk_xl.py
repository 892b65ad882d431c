# SPDX-License-Identifier: Apache-2.0
"""Top-k of long rows: each length, fused and not, against the network of compare-and-swap steps in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

HEADERS = """
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/experimental/topk_xl.h"
"""

# Two chunks of a row, the second with COUNT elements; the larger half of both with their places in the row.
SELECT = (
    HEADERS
    + """
void sort_chunk(uint32_t first, uint32_t dst, uint32_t count, bool ascending, uint32_t chunk) {
    topk_xl_copy_tile_init(0);
    topk_xl_copy_tile<LENGTH>(0, dst, first, count);
    topk_xl_add_lsb_indices_init();
    topk_xl_add_lsb_indices_rt<LENGTH>(dst, chunk);
    topk_xl_init<LENGTH>();
    topk_xl_local_sort<LENGTH>(dst, ascending);
}

void kernel_main() {
    constexpr uint32_t tiles = LENGTH > 1024 ? 2 : 1;
    constexpr uint32_t second = FUSED ? tiles : 2 * tiles;
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(0, 2 * tiles);
    cb_reserve_back(16, 2 * tiles);
    tile_regs_acquire();
    if constexpr (!FUSED && SEGMENT) {
        topk_xl_separate_indices_row_major_init_upper<3>(0);
    } else if constexpr (!FUSED) {
        topk_xl_separate_indices_row_major_init_static<0, 0>();
    }
    sort_chunk(0, 0, LENGTH, false, 0);
    if constexpr (!FUSED) {
        topk_xl_separate_indices_row_major<LENGTH>(0);
        topk_xl_separate_indices_row_major_advance_chunk_base<LENGTH>();
    }
    sort_chunk(tiles, second, COUNT, true, FUSED);
    if constexpr (!FUSED) {
        topk_xl_separate_indices_row_major<LENGTH>(second);
        topk_xl_init<LENGTH, false>();
    }
    topk_xl_merge<LENGTH, FUSED>(0);
    topk_xl_rebuild<LENGTH, FUSED>(0, ASCENDING);
    if constexpr (FUSED) {
        topk_xl_separate_indices_row_major_global_init();
        if constexpr (SEGMENT) {
            topk_xl_separate_indices_row_major_global_base<LENGTH>(0, 3u << 16);
        } else {
            topk_xl_separate_indices_row_major_global<LENGTH>(0);
        }
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < 2 * tiles; i++) {
        pack_tile(i, 16);
    }
    tile_regs_release();
    cb_push_back(16, 2 * tiles);
}
"""
)

COLUMNS = (
    HEADERS
    + """
void kernel_main() {
    constexpr uint32_t tiles = LENGTH / 1024;
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(0, tiles);
    cb_reserve_back(16, tiles);
    tile_regs_acquire();
    topk_xl_copy_tile_init(0);
    topk_xl_copy_tile<LENGTH>(0, 0, 0, LENGTH);
    topk_xl_init<LENGTH>();
    topk_xl_local_sort_generic<LENGTH, true>(0, false);
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < tiles; i++) {
        pack_tile(i, 16);
    }
    tile_regs_release();
    cb_push_back(16, tiles);
}
"""
)

# Stamps in DST's order, split off with a group in front, and by themselves.
STAMPS = (
    HEADERS
    + """
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    topk_xl_copy_tile_init(0);
    topk_xl_copy_tile<1024>(0, 0, 0, 1024);
    topk_xl_add_lsb_indices_init();
    topk_xl_add_lsb_indices<1024, 3, true>(0);
    topk_xl_copy_tile_init(0);
    topk_xl_copy_tile<1024>(0, 2, 0, 1024);
    topk_xl_add_lsb_indices<1024, 5>(2);
    topk_xl_separate_indices_init(20);
    topk_xl_separate_indices<1024, 7>(2);
    tile_regs_commit();
    tile_regs_wait();
    topk_xl_remove_msb_values_init();
    topk_xl_remove_msb_values<1024>(0);
    pack_tile(0, 16);
    pack_tile(3, 16);
    tile_regs_release();
    cb_push_back(16, 2);
}
"""
)


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch="blackhole")
    yield device
    ttnn.close_device(device)


def dst_order(tiles: np.ndarray) -> np.ndarray:
    """The words of tiles below each other, face by face."""
    return tiles.reshape(-1, 2, 16, 2, 16).transpose(0, 1, 3, 2, 4).reshape(-1)


def as_tiles(words: np.ndarray) -> np.ndarray:
    return words.reshape(-1, 2, 2, 16, 16).transpose(0, 1, 3, 2, 4).reshape(-1, 32)


def run(device: ttnn.Device, row: np.ndarray, source: str, tiles: int, dtype: Any, **defines: int) -> np.ndarray:
    """The kernel's result, in DST's order, for a row that lies in the tiles of c_0 word after word."""
    result = run_tiles(
        device,
        [(as_tiles(row), ttnn.bfloat16)],
        source,
        (32 * tiles, 32),
        dtype,
        defines={name: str(int(value)) for name, value in defines.items()},
        fp32_dest_acc_en=True,
        dst_full_sync_en=True,
    )
    return dst_order(np.asarray(result))


def swapped(values: np.ndarray, indices: np.ndarray, low: np.ndarray, high: np.ndarray, ascending: bool) -> None:
    """One step of the network: a pair trades places only where it has to."""
    first, second = values[low].copy(), values[high].copy()
    out_of_order = first > second if ascending else first < second
    for each in (values, indices):
        each[low], each[high] = (
            np.where(out_of_order, each[high], each[low]),
            np.where(out_of_order, each[low], each[high]),
        )


def stamps(length: int) -> np.ndarray:
    """Where the words of a chunk say they came from: column, tile, row."""
    tile, row_face, column_face, row, column = np.unravel_index(np.arange(length), (2, 2, 2, 16, 16))
    return (16 * column_face + column) * 64 + tile * 32 + row_face * 16 + row


def sorted_chunk(values: np.ndarray, start: int, ascending: bool) -> tuple[np.ndarray, np.ndarray]:
    """Equal values in the order of their stamps. For values without a sign."""
    order = np.lexsort((stamps(len(values)), values))
    order = order if ascending else order[::-1]
    return values[order], start + order


def selected(first: np.ndarray, second: np.ndarray, ascending: bool) -> tuple[np.ndarray, np.ndarray]:
    length = len(first)
    pairs = (sorted_chunk(first, 0, False), sorted_chunk(second, length, True))
    values, indices = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    swapped(values, indices, np.arange(length), np.arange(length) + length, False)
    distance = length // 2
    while distance:
        low = np.array([i for i in range(length) if not i & distance])
        swapped(values, indices, low, low + distance, ascending)
        distance //= 2
    return values[:length], indices[:length]


def in_sequence(words: np.ndarray) -> np.ndarray:
    """Words in DST's order as the sequence they are: down the first column of sixteen, then the next."""
    return words.reshape(-1, 16).T.reshape(-1)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("length", [512, 1024, 2048])
def test_largest_of_two_chunks_with_their_indices(device: ttnn.Device, length: int, fused: bool) -> None:
    generator = np.random.default_rng(length + fused)
    # Few different values without a sign, so that most places are decided by ties.
    values = generator.integers(0, 40, 2 * length).astype(np.float32)
    count, ascending = length - 37, length == 1024
    tiles = -(-length // 1024)
    chunks = np.zeros((2, tiles * 1024), np.float32)
    chunks[:, :length] = values.reshape(2, length)
    has_segment = length == 2048  # of a longer row, which begins elsewhere
    defines = {"LENGTH": length, "FUSED": fused, "COUNT": count, "ASCENDING": ascending, "SEGMENT": has_segment}
    found = run(device, chunks.reshape(-1), SELECT, 2 * tiles, ttnn.uint32, **defines).astype(np.uint32)
    second = np.where(np.arange(length) < count, values[length:], -np.inf).astype(np.float32)
    expected, indices = selected(values[:length], second, ascending)
    halves = found.reshape(2, -1)[:, :length]
    np.testing.assert_array_equal(in_sequence(halves[0]).view(np.float32), expected)
    if fused:  # ties are decided by chunk and stamp, which are part of the word
        row = np.concatenate([values[:length], second])
        marks = np.concatenate([stamps(length), 2048 + stamps(length)])
        indices = np.lexsort((marks, row))[-length:]
        indices = indices if ascending else indices[::-1]
    np.testing.assert_array_equal(in_sequence(halves[1]), indices + (3 << 16) * has_segment)


@pytest.mark.parametrize("length", [1024, 2048])
def test_columns_by_themselves(device: ttnn.Device, length: int) -> None:
    values = np.random.default_rng(length).permutation(length).astype(np.float32) % 256 - 100
    found = in_sequence(run(device, values, COLUMNS, length // 1024, ttnn.float32, LENGTH=length)).reshape(-1, 64)
    expected = -np.sort(-in_sequence(values).reshape(-1, 64), axis=1)
    if length == 2048:  # those of the second tile the other way round
        expected[1::2] = expected[1::2, ::-1]
    np.testing.assert_array_equal(found, expected)


def test_stamps(device: ttnn.Device) -> None:
    values = np.ones(1024, np.float32)
    found = run(device, values, STAMPS, 2, ttnn.uint32).astype(np.uint32)
    offsets = np.arange(1024, dtype=np.uint32)
    np.testing.assert_array_equal(found[:1024], 3 << 11 | offsets)
    row, column = dst_order(np.indices((32, 32))[0]), dst_order(np.indices((32, 32))[1])
    np.testing.assert_array_equal(found[1024:], 7 << 20 | 5 << 11 | column << 6 | row)
