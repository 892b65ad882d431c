# SPDX-License-Identifier: Apache-2.0
"""Unpack and pack out of order, and DST registers without a computed value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from tests.bugs.corpus.host import READER, WRITER, Host, core_set
from tests.bugs.corpus.model import Launch
from tests.bugs.named_at_line.model import Launches, compute, twin
from tilewright import ttnn

ORDER, REGISTERS = "threads", "registers"


def program(
    host: Host, body: str, count: int, expected: Callable[[NDArray[Any]], NDArray[Any]], *buffers: tuple[int, int]
) -> Launch:
    """Tiles through a compute kernel from c_0 to c_16; ``buffers`` are others it has."""
    source, values = host.tiles(count)
    result = expected(values)
    num_tiles = result.shape[1] // 32
    output = host.output_tiles(num_tiles)
    return host.launch(
        [source, output],
        result,
        [
            host.kernel("reader", READER, [count, 0], [source]),
            host.kernel("compute", compute(body)),
            host.kernel("writer", WRITER, [num_tiles, 0], [output]),
        ],
        [host.cb(index, f"cb{index}", pages) for index, pages in ((0, 2), (16, 2), *buffers)],
    )


@twin(ORDER, "pack-unpack-order")
def in_place_twice(host: Host) -> Launches:
    """Pages are doubled where they lie, twice; nothing keeps the second pass behind the first."""
    body = """
    compute_kernel_hw_startup(0, 0, 1);
    cb_wait_front(0, 2);
    cb_reserve_back(1, 2);
    copy_init(0);
    for (uint32_t i = 0; i < 2; i++) {
        tile_regs_acquire();
        copy_tile(0, i, 0);
        pack_section(1);
    }
    cb_push_back(1, 2);
    cb_wait_front(1, 2);
    add_init(1, 1);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < 2; i++) {
            tile_regs_acquire();
            add_tiles(1, 1, i, i, 0);  // BUG
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, 1, i);
            tile_regs_release();
        }
        cb_reserve_back(3, 1);  // +
        cb_push_back(3, 1);     // +
        cb_wait_front(3, 1);    // +
        cb_pop_front(3, 1);     // +
    }
    copy_init(1);
    for (uint32_t i = 0; i < 2; i++) {
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(1, i, 0);
        pack_section(16);
        cb_push_back(16, 1);
    }
    cb_pop_front(1, 2);
    cb_pop_front(0, 2);
    """
    yield program(host, body, 2, lambda values: 4 * values, (1, 2), (3, 1))


@twin(ORDER, "pack-unpack-order")
def no_credits_at_all(host: Host) -> Launches:
    """A page is packed and read again without any call of its circular buffer."""
    body = """
    compute_kernel_hw_startup(0, 0, 16);
    cb_wait_front(0, 1);
    copy_init(0);
    cb_reserve_back(4, 1);  // +
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    pack_section(4);
    cb_push_back(4, 1);   // +
    cb_wait_front(4, 1);  // +
    add_init(0, 4);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    add_tiles(0, 4, 0, 0, 0);  // BUG
    pack_section(16);
    cb_push_back(16, 1);
    cb_pop_front(4, 1);  // +
    cb_pop_front(0, 1);
    """
    yield program(host, body, 1, lambda values: 2 * values, (4, 1))


@twin(ORDER, "pack-unpack-order")
def packed_over_an_operand(host: Host) -> Launches:
    """Two circular buffers share memory; a page of one is packed over a page of the other that is read later."""
    body = """
    compute_kernel_hw_startup(0, 0, 1);
    copy_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(1, 2);
    for (uint32_t i = 0; i < 2; i++) {
        tile_regs_acquire();
        copy_tile(0, 1 - i, 0);  // - BUG
        copy_tile(0, i, 0);      // +
        pack_section(1);
    }
    cb_push_back(1, 2);
    cb_pop_front(0, 2);
    """
    read = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto args = TensorAccessorArgs<0>();
        const auto tensor = TensorAccessor(args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(0, 2);
        for (uint32_t tile = 0; tile < 2; tile++) {
            noc_async_read_page(tile, tensor, get_write_ptr(0) + tile * 2048);
        }
        noc_async_read_barrier();
        cb_push_back(0, 2);
    }
    """
    shared = ttnn.CBDescriptor(
        total_size=2 * 2048,
        core_ranges=core_set([(0, 0)]),
        format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, 2048) for index in (0, 1)],
    )
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", read, (), [source]),
            host.kernel("compute", compute(body)),
            host.kernel("writer", WRITER.replace("cb_out = 16", "cb_out = 1"), [2, 0], [output]),
        ],
        [shared],
    )


@twin(REGISTERS, "dst-unwritten")
def packs_one_register_too_far(host: Host) -> Launches:
    """Registers are counted from one where they are packed."""
    body = """
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 1);
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < 2; i++) {
        pack_tile(i + 1, 16);  // - BUG
        pack_tile(i, 16);      // +
    }
    tile_regs_release();
    cb_push_back(16, 2);
    cb_pop_front(0, 2);
    """
    yield program(host, body, 2, lambda values: values)


@twin(REGISTERS, "dst-unwritten")
def adds_an_empty_register(host: Host) -> Launches:
    """The vector unit adds a register into which nothing was copied."""
    body = """
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 2);  // -
    copy_tile(0, 1, 1);  // +
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);  // BUG
    pack_section(16);
    cb_push_back(16, 1);
    cb_pop_front(0, 2);
    """
    yield program(host, body, 2, lambda values: values[:, :32] + values[:, 32:])


@twin(REGISTERS, "dst-unwritten")
def exponential_of_an_empty_register(host: Host) -> Launches:
    """exp_tile works on another register than the one that was filled."""
    body = """
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    exp_tile_init();
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 1);
    copy_tile(0, 0, 0);  // +
    sub_binary_tile_init();
    sub_binary_tile(1, 1, 1);
    sub_binary_tile(0, 0, 0);  // +
    exp_tile_init();
    exp_tile(0);  // BUG
    pack_section(16);
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    """
    yield program(host, body, 1, lambda values: 0 * values + 1)
