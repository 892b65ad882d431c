# SPDX-License-Identifier: Apache-2.0
"""A row that unary_bcast spread over a DST tile is one row in memory until a call reads the tile.

Every kind of reader meets such a tile here, over what an older section left in the same slot, and must see what it sees
of a tile that the host filled with the same row 32 times and copy_tile brought.
"""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
from tests.check.compute_programs import circular_buffer, empty, reader
from tests.page_writer import PAGE_WRITER
from tests.tile_program import source_kernel
from tilewright import ttnn
from tilewright._launch.run_options import RunOptions

_HEADERS = (
    "tile_move_copy eltwise_binary bcast reduce matmul pack pack_untilize transpose_dest copy_dest_values "
    "eltwise_binary_sfpu sfpu_binary_bcast compute_kernel_api eltwise_unary/eltwise_unary eltwise_unary/addcmul "
    "eltwise_unary/where eltwise_unary/mac eltwise_unary/typecast"
)
_PROLOGUE = "\n".join(f'#include "api/compute/{name}.h"' for name in _HEADERS.split())

# c_0 has the row, c_1 the same row 32 times, c_2 other data.
_ROUTES = {
    "broadcast": "unary_bcast_init<BroadcastType::ROW>(0); unary_bcast<BroadcastType::ROW>(0, 0, slot);",
    "copied": "copy_init(1); copy_tile(1, 0, slot);",
}
_FUNCTIONS = """
void spread(uint32_t slot) {{ {route} }}
void data(uint32_t slot) {{ copy_init(2); copy_tile(2, 0, slot); }}
constexpr DataFormat FORMAT = DataFormat::Float16_b;
constexpr uint32_t ONE = 0x3f800000, TWO = 0x40000000;
constexpr auto TO_A = EltwiseBinaryReuseDestType::DEST_TO_SRCA, TO_B = EltwiseBinaryReuseDestType::DEST_TO_SRCB;
"""

_PACK = "pack_tile(0, 16);"
# What comes between acquire and commit, and between wait and release.
_READERS: dict[str, tuple[str, str]] = {
    "pack": ("spread(0);", _PACK),
    "pack from the last slot": ("spread(3);", "pack_tile(3, 16);"),
    "pack with relu": (
        "spread(0);",
        f"pack_relu_config(ReluConfig::zero()); {_PACK} pack_relu_config(ReluConfig::none());",
    ),
    "pack added to L1": (
        "spread(0); spread(1);",
        "pack_tile<true>(0, 16, 0); pack_reconfig_l1_acc(1); pack_tile<true>(1, 16, 0); pack_reconfig_l1_acc(0);",
    ),
    "pack_untilize_dest": (
        "spread(0);",
        "pack_untilize_dest_init<1, 1>(16); pack_untilize_dest<1, 1>(16); pack_untilize_uninit(16);",
    ),
    "copy_dest_values": (
        "spread(1); copy_dest_values_init(); copy_dest_values<FORMAT>(1, 0);",
        _PACK,
    ),
    "vector unit, one tile": ("spread(0); square_tile_init(); square_tile(0);", _PACK),
    "vector unit, first of two": (
        "spread(0); data(1); sub_binary_tile_init(); sub_binary_tile(0, 1, 0);",
        _PACK,
    ),
    "vector unit, second of two": (
        "data(0); spread(1); sub_binary_tile_init(); sub_binary_tile(0, 1, 0);",
        _PACK,
    ),
    "vector unit, column of it": (
        "data(0); spread(1); sfpu_add_bcast_col_init(); sfpu_add_bcast_col(0, 1);",
        _PACK,
    ),
    "vector unit, the tile behind": (
        "data(0); square_tile_init(); spread(1); tiled_prod_tile_init(); tiled_prod_tile(0);",
        "pack_tile(1, 16);",
    ),
    "where, condition": (
        "spread(0); data(1); data(2); square_tile_init(); square_tile(2); "
        "where_tile_init(); where_tile<FORMAT>(0, 1, 2, 0);",
        _PACK,
    ),
    "where, value": (
        "data(0); spread(1); data(2); where_tile_init(); where_tile<FORMAT>(0, 1, 2, 0);",
        _PACK,
    ),
    "mac_tile": (
        "data(0); spread(1); spread(2); mac_tile_init<FORMAT>(); mac_tile<FORMAT>(0, 1, 2, 0);",
        _PACK,
    ),
    "transpose": ("spread(0); transpose_dest_init(); transpose_dest(0);", _PACK),
    "matrix unit adds to it": ("spread(0); add_init(2, 2, true); add_tiles(2, 2, 0, 0, 0);", _PACK),
    "matrix unit adds a product": ("spread(0); mul_init(2, 2); mul_tiles(2, 2, 0, 0, 0);", _PACK),
    "DST reused as SrcA": ("spread(0); sub_reuse_dest_init<TO_A>(2); sub_reuse_dest_tiles<TO_A>(2, 0, 0);", _PACK),
    "DST reused as SrcB": ("spread(0); mul_reuse_dest_init<TO_B>(2); mul_reuse_dest_tiles<TO_B>(2, 0, 0);", _PACK),
    "matmul adds to it": ("spread(0); matmul_init(2, 2); matmul_tiles(2, 2, 0, 0, 0);", _PACK),
    "row sums added to it": (
        "spread(0); reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(2, 2, 16); "
        "reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(2, 2, 0, 0, 0); reduce_uninit();",
        _PACK,
    ),
    "column maxima with it": (
        "spread(0); reduce_init<PoolType::MAX, ReduceDim::REDUCE_COL>(2, 2, 16); "
        "reduce_tile<PoolType::MAX, ReduceDim::REDUCE_COL>(2, 2, 0, 0, 0); reduce_uninit();",
        _PACK,
    ),
    "overwritten": ("spread(0); data(0);", _PACK),
    "cleared": ("spread(0); tw_clear_dest(); data(1); add_binary_tile_init(); add_binary_tile(0, 1, 0);", _PACK),
    "spread over data": ("data(0); spread(0);", _PACK),
}
# addcmul_tile takes such tiles as they are, in every place; its result may replace one of them.
_READERS |= {
    f"addcmul, inputs {spread:03b}, result in {out}, by {factor}": (
        " ".join(f"{'spread' if spread >> slot & 1 else 'data'}({slot});" for slot in range(3))
        + f" addcmul_tile_init(); addcmul_tile<FORMAT>(0, 1, 2, {out}, {factor});",
        f"pack_tile({out}, 16);",
    )
    for spread in range(8)
    for out in (0, 1, 2, 3)
    for factor in ("ONE", "TWO")
}
_READERS |= {
    "addcmul of a square": (
        "data(0); spread(1); addcmul_tile_init(); addcmul_tile<FORMAT>(0, 1, 1, 0, ONE);",
        _PACK,
    ),
    "read after addcmul": (
        "data(0); spread(1); addcmul_tile_init(); addcmul_tile<FORMAT>(0, 1, 1, 0, ONE);",
        "pack_tile(1, 16);",
    ),
}

# Something else lies in every slot before the row comes.
_LEFT_BEHIND = """
tile_regs_acquire();
for (uint32_t slot = 0; slot < 4; slot++) {{ data(slot); }}
tile_regs_commit(); tile_regs_wait(); tile_regs_release();
"""
_STEP = """
cb_reserve_back(16, 1);
tile_regs_acquire();
{maths}
tile_regs_commit();
tile_regs_wait();
{pack}
tile_regs_release();
cb_push_back(16, 1);
"""


def _compute(route: str) -> str:
    lines = [_PROLOGUE, _FUNCTIONS.format(route=_ROUTES[route]), "void kernel_main() {"]
    lines += ["compute_kernel_hw_startup(2, 2, 16); for (uint32_t cb = 0; cb < 3; cb++) { cb_wait_front(cb, 1); }"]
    lines += [_LEFT_BEHIND.format() + _STEP.format(maths=maths, pack=pack) for maths, pack in _READERS.values()]
    return "\n".join([*lines, "}"])


def _results(
    device: ttnn.Device, route: str, config: ttnn.ComputeConfigDescriptor, checked: bool
) -> tuple[np.ndarray, list[tuple[str, str]]]:
    """Result of each reader, tile by tile, and the checker's findings."""
    row = np.arange(32, dtype=np.float32) % 7 - 3  # with zeros, for where
    noise = np.full((32, 32), 777, np.float32)
    noise[0] = row
    values = (np.arange(1024).reshape(32, 32) * 5 % 23 - 11).astype(np.float32)
    inputs = [
        ttnn.from_numpy(array, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        for array in (noise, np.tile(row, (32, 1)), values)
    ]
    output = empty(device, 32 * len(_READERS), 32)
    program = ttnn.ProgramDescriptor(
        kernels=[
            reader(inputs, [1, 1, 1]),
            source_kernel("compute", _compute(route), config, []),
            source_kernel("writer", PAGE_WRITER, ttnn.WriterConfigDescriptor(), [output], len(_READERS)),
        ],
        cbs=[circular_buffer(index, 1) for index in (0, 1, 2, 16)],
        semaphores=[],
    )
    run = tilewright.run_program([*inputs, output], program, RunOptions(checked=checked))
    results = np.asarray(ttnn.to_numpy(output), np.float32).reshape(len(_READERS), 32, 32)
    return results, [(note.rule, note.text) for note in run.notes]


@pytest.mark.parametrize("checked", [False, True], ids=["plain", "checked"])
@pytest.mark.parametrize("full_sync", [False, True], ids=["half_sync", "full_sync"])
@pytest.mark.parametrize("wide", [False, True], ids=["dst16", "dst32"])
def test_every_reader_sees_the_row_in_every_row(
    device: ttnn.Device, wide: bool, full_sync: bool, checked: bool
) -> None:
    config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=wide, dst_full_sync_en=full_sync)
    broadcast, notes = _results(device, "broadcast", config, checked)
    copied, notes_of_copied = _results(device, "copied", config, checked)
    assert [name for name, *pair in zip(_READERS, broadcast, copied, strict=True) if not np.array_equal(*pair)] == []
    assert notes == notes_of_copied
    row = np.arange(32, dtype=np.float32) % 7 - 3
    np.testing.assert_array_equal(broadcast[0], np.tile(row, (32, 1)))
