# SPDX-License-Identifier: Apache-2.0
"""Calls that pooling makes: maxima with indices, rows tilized into a reduction, integers beside floats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

MAXIMA = """
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, 4);
    cb_reserve_back(16, 2);
    max_reduce_with_indices_init<DataLayout::ROW_MAJOR>();
    tile_regs_acquire();
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        copy_tile(0, chunk, 0);
        copy_tile(0, 2 + chunk, 2);
        max_reduce_with_indices<ROWS, DataLayout::ROW_MAJOR, (CHUNKS > 1)>(0, 2, chunk);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(2, 16);
    tile_regs_release();
    cb_push_back(16, 2);
    cb_pop_front(0, 4);
}
"""


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def in_faces(rows: np.ndarray) -> np.ndarray:
    """A tile whose words lie in DST as the rows do: the tile layout undone."""
    return rows.reshape(2, 2, 16, 16).transpose(0, 2, 1, 3).reshape(32, 32)


def from_faces(tile: np.ndarray) -> np.ndarray:
    return tile.reshape(2, 16, 2, 16).transpose(0, 2, 1, 3).reshape(32, 32)


@pytest.mark.parametrize(("rows", "taken", "chunks"), [(9, 9, 1), (32, 32, 1), (32, 32, 2)])
def test_the_largest_and_its_index(device: ttnn.Device, rows: int, taken: int, chunks: int) -> None:
    generator = np.random.default_rng(6)
    values = [generator.permutation(1024).reshape(32, 32).astype(np.float32) for _ in range(2)]
    indices = [np.arange(1024, dtype=np.float32).reshape(32, 32) + 1024 * chunk for chunk in range(2)]
    tiles = [in_faces(each) for each in (*values, *indices)]
    result = run_tiles(
        device,
        [(np.concatenate(tiles), ttnn.float32)],
        MAXIMA,
        (64, 32),
        ttnn.float32,
        defines={"ROWS": str(rows), "CHUNKS": str(chunks)},
        fp32_dest_acc_en=True,
        unpack_to_dest=(0,),
    )
    used = np.concatenate([each[:taken] for each in values[:chunks]])
    beside = np.concatenate([each[:taken] for each in indices[:chunks]])
    best = used.argmax(axis=0)
    np.testing.assert_array_equal(from_faces(result[:32])[0], used.max(axis=0))
    np.testing.assert_array_equal(from_faces(result[32:])[0], np.take_along_axis(beside, best[None], axis=0)[0])


MASK = """
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/comp.h"

// Where the index is zero, the value: the comparison leaves 1.0 in a UInt16 tile.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    reconfig_data_format_srca(1);
    copy_init(1);
    eqz_tile_init();
    tile_regs_acquire();
    copy_tile(1, 0, 0);
    eqz_tile(0);
    tile_regs_commit();
    cb_pop_front(1, 1);
    cb_reserve_back(1, 1);
    tile_regs_wait();
    tile_regs_wait();
    pack_reconfig_data_format(1);
    pack_tile(0, 1);
    tile_regs_release();
    cb_push_back(1, 1);
    cb_wait_front(1, 1);
    reconfig_data_format(0, 1);
    mul_init(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    mul_tiles(0, 1, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(16);
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
}
"""


def test_a_comparison_of_integers_masks_floats(device: ttnn.Device) -> None:
    values = np.arange(1, 1025, dtype=np.float32).reshape(32, 32) % 64 + 1
    indices = (np.arange(1024) % 5).astype(np.uint16).reshape(32, 32)
    result = run_tiles(device, [(values, ttnn.bfloat16), (indices, ttnn.uint16)], MASK, (32, 32), ttnn.bfloat16)
    np.testing.assert_array_equal(result, np.where(indices == 0, values, 0))


SUMS = """
#include "api/compute/reduce.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    reduce_init<PoolType::SUM, AXIS>(0, 1, 16);
    reduce_tile<PoolType::SUM, AXIS>(0, 1, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(16, 1);
}
"""


@pytest.mark.parametrize("axis", ["REDUCE_COL", "REDUCE_ROW"])
def test_zero_weights_exclude_any_scaler_value(device: ttnn.Device, axis: str) -> None:
    """Pools scale four rows and leave the rest of the scaler as it is; the rows it would scale are zero."""
    data = np.zeros((32, 32), np.float32)
    scaler = np.full((32, 32), np.nan, np.float32)
    lines = [0, 1, 2, 3, 16, 17, 18, 19]
    data[lines] = np.arange(256).reshape(8, 32) % 5 + 1
    if axis == "REDUCE_ROW":
        data = data.T
        scaler[:, 16:20] = 1  # of the row sum, every row
        scaler[:, :4] = 1
    else:
        scaler[np.ix_([0, 16], lines)] = 1
    dtype = ttnn.bfloat16
    found = run_tiles(
        device, [(data, dtype), (scaler, dtype)], SUMS, (32, 32), dtype, defines={"AXIS": f"ReduceDim::{axis}"}
    )
    wanted = data.sum(0 if axis == "REDUCE_COL" else 1)
    np.testing.assert_array_equal(found[0] if axis == "REDUCE_COL" else found[:, 0], wanted)
