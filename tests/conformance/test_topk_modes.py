# SPDX-License-Identifier: Apache-2.0
"""Top-k calls whose behaviour depends on a define or a template argument, one case for each value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

HEADERS = """
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
#include "api/compute/transpose.h"
#include "api/compute/topk.h"
#include "api/compute/reconfig_data_format.h"
"""

PREPARE = (
    HEADERS
    + """
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    topk_uint16_prepare_value_tile_for_pack(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
}
"""
)

# 64 values of a column and their indices, sorted with ties in the order of the indices in one of three ways.
SORT = (
    HEADERS
    + """
void kernel_main() {
    constexpr bool largest = LARGEST;
    constexpr auto ties = topk_tie_order_from_global_direction(largest);
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_reserve_back(16, 4);
    topk_tile_init<FUSED, STAMPED, TAG_BITS>();
    tile_regs_acquire();
    copy_init(0);
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 1);
    reconfig_data_format_srca(1);
    copy_init(1);
    copy_tile(1, 0, 2);
    copy_tile(1, 1, 3);
    if constexpr (FUSED) {
        topk_fuse_tile<largest>(0);
    }
    if constexpr (STAMPED) {
        topk_stamp_local_positions<largest, TAG_BITS>(0);
    }
    topk_local_sort<STABLE, true, FUSED, STAMPED, ties>(0, !largest, 4);
    topk_merge<!largest, STABLE, true, FUSED, STAMPED, ties, TAG_BITS>(0, 0, 32);
    topk_rebuild<STABLE, true, FUSED, STAMPED, ties>(0, !largest, 0, 32, 5, 1);
    if constexpr (FUSED) {
        topk_defuse_tile<largest>(0, 2);
    }
    if constexpr (STAMPED) {
        topk_strip_rank_tags<TAG_BITS>(0);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(2, 16);
    pack_tile(0, 16);
    pack_tile(2, 16);
    tile_regs_release();
    cb_push_back(16, 4);
}
"""
)


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize("defined", [False, True])
def test_values_are_masked_only_where_they_are_integers(device: ttnn.Device, defined: bool) -> None:
    values = np.arange(1024, dtype=np.float32).reshape(32, 32) - 512
    defines = {"TOPK_UINT16_FP32_DEST": "1"} if defined else {}
    result = run_tiles(
        device, [(values, ttnn.float32)], PREPARE, (32, 32), ttnn.float32, defines=defines, fp32_dest_acc_en=True
    )
    expected = (values.view(np.uint32) & np.uint32(0xFFFF)).view(np.float32) if defined else values
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize(("way", "tag_bits"), [("STABLE", 16), ("FUSED", 16), ("STAMPED", 16), ("STAMPED", 8)])
def test_ties_come_in_the_order_of_their_indices(device: ttnn.Device, way: str, tag_bits: int, largest: bool) -> None:
    generator = np.random.default_rng(3)
    values = generator.integers(-4, 5, (64, 32)).astype(np.float32)
    indices = np.repeat(np.arange(64, dtype=np.uint32)[:, None], 32, axis=1)
    defines = {name: str(int(name == way)) for name in ("STABLE", "FUSED", "STAMPED")} | {"TAG_BITS": str(tag_bits)}
    result = run_tiles(
        device,
        [(values, ttnn.float32), (indices, ttnn.uint32)],
        SORT,
        (128, 32),
        ttnn.float32,
        defines={**defines, "LARGEST": str(int(largest))},
        fp32_dest_acc_en=True,
        unpack_to_dest=(0, 1),
    )
    order = np.argsort(-values if largest else values, axis=0, kind="stable")[:32]
    np.testing.assert_array_equal(result[:32], np.take_along_axis(values, order, axis=0))
    np.testing.assert_array_equal(result[32:64].view(np.uint32), order)
