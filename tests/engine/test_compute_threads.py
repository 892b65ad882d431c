# SPDX-License-Identifier: Apache-2.0
"""The unpack, maths and pack threads of a compute kernel: who may be ahead of whom, and who tells whom what."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright
from tests.page_writer import PAGE_WRITER
from tests.tile_program import CORE, source_kernel
from tilewright import ttnn
from tilewright._errors import DeadlockError, KernelError
from tilewright._launch.run_options import RunOptions

Values = NDArray[np.float32]

READER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto from = TensorAccessor(args, get_common_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < get_common_arg_val<uint32_t>(1); page++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, from, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""


# Modes of one kernel: a compilation costs more than a run.
COMPUTE = """
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/matmul.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"
#include "api/compute/untilize.h"
#include "api/debug/assert.h"

enum Mode : uint32_t { MODES };

void copy_one(uint32_t from, uint32_t to) {
    copy_init(from);
    cb_wait_front(from, 1);
    cb_reserve_back(to, 1);
    tile_regs_acquire();
    copy_tile(from, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
    cb_push_back(to, 1);
    cb_pop_front(from, 1);
}

// Sums of c_0 in the one page of c_1, which the pop at the end makes room in; then what each mode adds.
template <typename Step>
void in_place(uint32_t n, Step step) {
    copy_one(0, 1);
    for (uint32_t i = 1; i < n; i++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(1, 1);
        tile_regs_acquire();
        step();
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 1);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
        cb_push_back(1, 1);
    }
    copy_one(1, 16);
}

// All of c_2 is asked for again before any of it is popped.
template <typename Step>
void bulk(uint32_t n, Step step) {
    cb_reserve_back(2, n);
    for (uint32_t i = 0; i < n; i++) {
        cb_wait_front(2, 1);
        tile_regs_acquire();
        step();
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 2);
        tile_regs_release();
        cb_pop_front(2, 1);
    }
    cb_push_back(2, n);
    copy_one(2, 16);
}

void kernel_main() {
    const uint32_t mode = get_common_arg_val<uint32_t>(0), n = get_common_arg_val<uint32_t>(1);
    if (mode == START_LATE) {
        // The threads are split before the start-up, which clears DST: the sum adds up in it.
        cb_wait_front(1, 1);
        cb_reserve_back(1, 1);
        cb_push_back(1, 1);
        cb_pop_front(1, 1);
    }
    compute_kernel_hw_startup(0, 1, 1);
    if (mode == START_LATE) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        add_init(0, 0, true);
        for (uint32_t i = 0; i < 2; i++) {
            add_tiles(0, 0, 0, 0, 0);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    } else if (mode == IN_PLACE) {
        add_init(0, 1);
        in_place(n, [] {
            add_init(0, 1);
            add_tiles(0, 1, 0, 0, 0);
            negative_tile_init();
            negative_tile(0);
            negative_tile(0);
        });
    } else if (mode == BULK_COPY) {
        for (uint32_t i = 0; i < n; i++) {
            copy_one(0, 2);
        }
        bulk(n, [] { copy_tile(2, 0, 0); });
    } else if (mode == BULK_PRODUCT) {
        for (uint32_t i = 0; i < n - 1; i++) {
            copy_one(0, 2);
        }
        copy_one(0, 3);
        cb_wait_front(3, 1);
        matmul_init(2, 3);
        bulk(n - 1, [] { matmul_tiles(2, 3, 0, 0, 0); });
    } else if (mode == PUSH_LATER) {
        // Only the unpack thread waits; the pack thread goes on to the push.
        cb_wait_front(1, 1);
        cb_reserve_back(1, 1);
        cb_push_back(1, 1);
        cb_pop_front(1, 1);
        copy_one(0, 16);
    } else if (mode == HALVES) {
        in_place(n, [] {
            UNPACK((llk_unpack_AB_init<BroadcastType::NONE>(0, 1)));
            MATH((llk_math_eltwise_binary_init<EltwiseBinaryType::ELWADD, BroadcastType::NONE>(0, 1)));
            UNPACK((llk_unpack_AB<BroadcastType::NONE>(0, 1, 0, 0)));
            MATH((llk_math_eltwise_binary<EltwiseBinaryType::ELWADD, BroadcastType::NONE>(0)));
        });
    } else if (mode == PRODUCT_HALVES) {
        copy_one(0, 1);
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        // The maths thread's line stands first: a card's threads do not mind.
        MATH((llk_math_matmul_init<MathFidelity::HiFi4>(0, 1)));
        MATH((llk_math_matmul<MathFidelity::HiFi4>(0)));
        UNPACK((llk_unpack_AB_matmul_init(0, 1)));
        UNPACK((llk_unpack_AB_matmul(0, 1, 0, 0)));
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    } else if (mode == TELL) {
        // The unpack thread sends the number of tiles to add; the pack thread releases the maths thread tile by tile.
        uint32_t told = 0;
        UNPACK({
            told = n;
            ckernel::mailbox_write(ckernel::ThreadId::MathThreadId, told);
            ckernel::mailbox_write(ckernel::ThreadId::PackThreadId, told);
        })
        MATH(told = ckernel::mailbox_read(ckernel::ThreadId::UnpackThreadId);)
        PACK(told = ckernel::mailbox_read(ckernel::ThreadId::UnpackThreadId);)
        PACK((t6_semaphore_init(semaphore::PACK_DONE, 1, 2)));
        in_place(told, [] {
            UNPACK((t6_semaphore_wait_on_zero<p_stall::STALL_SYNC>(semaphore::PACK_DONE)));
            UNPACK((t6_semaphore_get<>(semaphore::PACK_DONE)));
            PACK((t6_semaphore_post<p_stall::STALL_PACK>(semaphore::PACK_DONE)));
            add_init(0, 1);
            add_tiles(0, 1, 0, 0, 0);
        });
    } else if (mode == PACK_VECTOR) {
        in_place(n, [] {
            add_init(0, 1);
            add_tiles(0, 1, 0, 0, 0);
            tile_regs_commit();
            PACK(TTI_SEMWAIT(p_stall::STALL_TDMA, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO));
            PACK((negative_tile_init()));
            PACK((negative_tile(0)));
            PACK((negative_tile(0)));
            tile_regs_wait();
            tile_regs_release();
            tile_regs_acquire();
            copy_init(0);
            copy_tile(0, 0, 0);
        });
    } else if (mode == PACK_EXP) {
        copy_one(0, 1);
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(1, 1);
        tile_regs_acquire();
        add_init(0, 1);
        add_tiles(0, 1, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        exp_packthread_tile_init();
        exp_packthread_tile(0);
        pack_tile(0, 1);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
        cb_push_back(1, 1);
        copy_one(1, 16);
    } else if (mode == WAIT_POPPED) {
        // The unpack thread knows what it popped itself, not what the writer did.
        copy_one(0, 16);
        cb_reserve_back(16, 1);
        cb_wait_front(16, 1);
    } else if (mode == TELL_LATE) {
        // The threads are split inside the statement of one of them, which stays that one's.
        uint32_t told = 0;
        for (uint32_t word = 1; word <= 2; word++) {
            UNPACK({
                cb_wait_front(1, 1);
                ckernel::mailbox_write(ckernel::ThreadId::MathThreadId, word);
            })
            MATH(told = 10 * told + ckernel::mailbox_read(ckernel::ThreadId::UnpackThreadId);)
            if (word == 1) {
                cb_reserve_back(1, 1);
                cb_push_back(1, 1);
            }
        }
        MATH(ASSERT(told == 12);)
        copy_one(0, 16);
    } else if (mode == POP_TOO_MUCH) {
        copy_one(0, 16);
        cb_pop_front(1, 2);
    } else if (mode == DIFFERENCE) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        sub_init(0, 0);
        sub_tiles(0, 0, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    } else if (mode == BLOCKS) {
        // Rows become a tile in the one page of c_1, again and again, and rows in the end.
        tilize_init(0, 1, 1);
        for (uint32_t i = 0; i < n; i++) {
            cb_wait_front(0, 1);
            cb_reserve_back(1, 1);
            tilize_block(0, 1, 1);
            cb_push_back(1, 1);
            cb_pop_front(0, 1);
            if (i + 1 < n) {
                cb_wait_front(1, 1);
                cb_pop_front(1, 1);
            }
        }
        tilize_uninit(0, 1);
        copy_one(1, 16);
    }
}
"""

MODES = ["IN_PLACE", "BULK_COPY", "BULK_PRODUCT", "PUSH_LATER", "HALVES", "PRODUCT_HALVES", "TELL", "PACK_VECTOR"]
MODES += ["PACK_EXP", "BLOCKS", "WAIT_POPPED", "TELL_LATE", "POP_TOO_MUCH", "DIFFERENCE", "START_LATE"]


@pytest.fixture(params=["wormhole_b0", "blackhole"], scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch=request.param)
    yield device
    ttnn.close_device(device)


def buffer(index: int, pages: int) -> ttnn.CBDescriptor:
    return ttnn.CBDescriptor(pages * 2048, CORE, [ttnn.CBFormatDescriptor(index, ttnn.bfloat16, 2048)])


def run(
    device: ttnn.Device,
    mode: str,
    tiles: Values,
    full_sync: bool = False,
    checked: bool = False,
    compute: str = COMPUTE,
) -> Values:
    """The kernel's result for tiles (n x 32 x 32) in one mode."""
    layout = ttnn.ROW_MAJOR_LAYOUT if mode == "BLOCKS" else ttnn.TILE_LAYOUT
    shaped = tiles.reshape(-1, 1024) if mode == "BLOCKS" else tiles.reshape(-1, 32)
    source = ttnn.from_numpy(shaped, dtype=ttnn.bfloat16, layout=layout, device=device)
    shape = ttnn.Shape([32, 32])
    output = ttnn.allocate_tensor_on_device(shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG)
    config = ttnn.ComputeConfigDescriptor(dst_full_sync_en=full_sync)
    n = len(tiles)
    program = ttnn.ProgramDescriptor(
        kernels=[
            source_kernel("reader", READER, ttnn.ReaderConfigDescriptor(), [source], n),
            source_kernel("compute", compute.replace("MODES", ", ".join(MODES)), config, [], MODES.index(mode), n),
            source_kernel("writer", PAGE_WRITER, ttnn.WriterConfigDescriptor(), [output], 1),
        ],
        cbs=[
            buffer(0, 2),
            buffer(1, 1),
            buffer(2, n - 1 if mode == "BULK_PRODUCT" else n),
            buffer(3, 1),
            buffer(16, 1),
        ],
        semaphores=[],
    )
    tilewright.run_program([source, output], program, RunOptions(checked=checked))
    return ttnn.to_numpy(output).astype(np.float32)


def some_tiles(count: int) -> Values:
    """Small whole numbers: exact in bfloat16, and so are their sums."""
    return (np.arange(count * 1024).reshape(count, 32, 32) % 7 - 3).astype(np.float32)


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("mode", ["IN_PLACE", "HALVES", "TELL"])
def test_the_pack_thread_waits_for_room_that_the_unpack_thread_makes(
    device: ttnn.Device, mode: str, checked: bool
) -> None:
    tiles = some_tiles(5)
    np.testing.assert_array_equal(run(device, mode, tiles, checked=checked), tiles.sum(axis=0))


@pytest.mark.parametrize(
    ("mode", "full_sync", "ahead"),
    # A copy has four faces for two banks, so only DST lets the unpack thread run ahead; a product has a bank per tile.
    [("BULK_COPY", False, 2), ("BULK_COPY", True, 1), ("BULK_PRODUCT", False, 4), ("BULK_PRODUCT", True, 3)],
)
def test_the_unpack_thread_runs_ahead_by_dst_and_source_registers_and_no_further(
    device: ttnn.Device, mode: str, full_sync: bool, ahead: int
) -> None:
    extra = 1 if mode == "BULK_PRODUCT" else 0
    tiles = some_tiles(ahead + extra)
    expected = tiles[0] @ tiles[-1] if extra else tiles[0]
    np.testing.assert_array_equal(run(device, mode, tiles, full_sync), expected)
    with pytest.raises(DeadlockError) as caught:
        run(device, mode, some_tiles(ahead + extra + 1), full_sync)
    text = str(caught.value)
    assert (
        f"compute (pack)  compute.cpp:55  cb_reserve_back(c_2, {ahead + 1})  {ahead} of {ahead + 1} pages free" in text
    )
    assert "its unpack thread waits for the maths thread to take operands out of the source registers" in text
    assert "its maths thread waits for the pack thread to give a half of DST back" in text


def test_the_pack_thread_pushes_while_the_unpack_thread_waits(device: ttnn.Device) -> None:
    tiles = some_tiles(1)
    np.testing.assert_array_equal(run(device, "PUSH_LATER", tiles), tiles[0])


def test_each_launch_of_threads_that_are_split_before_the_start_up_begins_with_an_empty_dst(
    device: ttnn.Device,
) -> None:
    tiles = some_tiles(1)
    for _ in range(2):
        np.testing.assert_array_equal(run(device, "START_LATE", tiles), 4 * tiles[0])


def test_the_maths_half_of_a_product_may_stand_before_its_unpack_half(device: ttnn.Device) -> None:
    tiles = some_tiles(2)
    np.testing.assert_array_equal(run(device, "PRODUCT_HALVES", tiles), tiles[1] @ tiles[0])


def test_the_pack_thread_drives_the_vector_unit(device: ttnn.Device) -> None:
    tiles = some_tiles(3)
    np.testing.assert_array_equal(run(device, "PACK_VECTOR", tiles), tiles[2])


def test_a_call_of_the_pack_thread_is_left_out_by_the_others(device: ttnn.Device) -> None:
    tiles = some_tiles(2)
    tiles[1] = -tiles[0]
    np.testing.assert_array_equal(run(device, "PACK_EXP", tiles), np.ones((32, 32)))


def test_blocks_pass_from_thread_to_thread(device: ttnn.Device) -> None:
    tiles = some_tiles(3)
    np.testing.assert_array_equal(run(device, "BLOCKS", tiles), tiles[2])


@pytest.mark.parametrize("mode", ["WAIT_POPPED", "TELL_LATE"])
def test_thread_uses_only_its_own_calls(device: ttnn.Device, mode: str) -> None:
    tiles = some_tiles(1)
    np.testing.assert_array_equal(run(device, mode, tiles), tiles[0])


# A number of each thread's own makes three kernels of it, whose threads are split from the start.
CHOICE = (
    "#if defined(TRISC_UNPACK)\n#define ME 0\n#elif defined(TRISC_MATH)\n#define ME 1\n#else\n#define ME 2\n#endif\n"
)


@pytest.mark.parametrize(
    ("mode", "count"),
    [
        ("IN_PLACE", 5),
        ("TELL", 5),
        ("BULK_PRODUCT", 4),
        ("HALVES", 3),
        ("PACK_VECTOR", 3),
        ("PACK_EXP", 2),
        ("BLOCKS", 3),
    ],
)
def test_a_kernel_compiled_for_each_thread_does_the_same(device: ttnn.Device, mode: str, count: int) -> None:
    tiles = some_tiles(count) / 4
    once = run(device, mode, tiles)
    named = "UNPACK((t6_semaphore_get<>(semaphore::PACK_DONE)));"
    guarded = "\n#ifdef TRISC_UNPACK\nt6_semaphore_get<>(semaphore::PACK_DONE);\n#endif\n"
    assert named in COMPUTE
    np.testing.assert_array_equal(run(device, mode, tiles, compute=CHOICE + COMPUTE.replace(named, guarded)), once)


def test_surplus_final_pop_is_harmless_and_found_by_a_checked_run(device: ttnn.Device) -> None:
    tiles = some_tiles(1)
    np.testing.assert_array_equal(run(device, "POP_TOO_MUCH", tiles), tiles[0])
    with pytest.raises(KernelError, match=r"cb_pop_front\(c_1, 2\) runs past the end"):
        run(device, "POP_TOO_MUCH", tiles, checked=True)


def test_equal_infinities_cancel_as_large_numbers_do(device: ttnn.Device) -> None:
    tiles = some_tiles(1)
    tiles[0, :2] = [[np.inf], [-np.inf]]
    np.testing.assert_array_equal(run(device, "DIFFERENCE", tiles), np.zeros((32, 32)))
