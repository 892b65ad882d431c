# SPDX-License-Identifier: Apache-2.0
"""One core sends tiles to two others through a global circular buffer of four tiles, which wraps around.

Each block has a tile for each receiver, side by side. Receivers find them in a circular buffer of their own that lies
on the ring, double them, and write them to DRAM. A second launch goes on where the first one's pointers stopped. Sender
and receivers may also be programs of their own, which run together if ttnn does not wait for each program.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import ttnn

TILES, PAGE = 7, 2048
REMOTE, LOCAL, DOUBLED, STAGED = 31, 0, 1, 2

SENDER = """
#include "api/dataflow/dataflow_api.h"
#include "api/remote_circular_buffer.h"
void kernel_main() {
    const InterleavedAddrGen<true> from = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); i++) {
        cb_reserve_back(2, 2);
        noc_async_read(get_noc_addr(2 * i, from), get_write_ptr(2), 2048);
        noc_async_read(get_noc_addr(2 * i + 1, from), get_write_ptr(2) + 2048, 2048);
        noc_async_read_barrier();
        experimental::remote_cb_reserve_back(31, 1);
        experimental::remote_cb_push_back_and_write_pages<false>(31, get_write_ptr(2), 1, 1, 1, 2048);
        noc_async_writes_flushed();
    }
    experimental::remote_cb_sender_barrier(31);
    experimental::update_remote_cb_config_in_l1(31);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
"""
RECEIVER = """
#include "api/dataflow/dataflow_api.h"
#include "api/remote_circular_buffer.h"
void kernel_main() {
    const InterleavedAddrGen<true> to = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); i++) {
        cb_reserve_back(0, 1);
        experimental::remote_cb_wait_front(31, 1);
        cb_push_back(0, 1);
        cb_wait_front(1, 1);  // the ring's page has been read
        experimental::remote_cb_pop_front(31, 1);
        noc_async_write(get_read_ptr(1), get_noc_addr(2 * i + get_arg_val<uint32_t>(2), to), 2048);
        noc_async_write_barrier();
        cb_pop_front(1, 1);
    }
    experimental::update_remote_cb_config_in_l1(31);
    noc_async_atomic_barrier();
}
"""
DOUBLER = """
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary.h"
void kernel_main() {
    binary_op_init_common(0, 0, 1);
    add_tiles_init(0, 0);
    for (uint32_t i = 0; i < get_compile_time_arg_val(0); i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(1, 1);
        tile_regs_acquire();
        add_tiles(0, 0, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 1);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(1, 1);
    }
}
"""


def cores(*columns: int) -> Any:
    first, last = ttnn.CoreCoord(columns[0], 0), ttnn.CoreCoord(columns[-1], 0)
    return ttnn.CoreRangeSet([ttnn.CoreRange(first, last)])


def kernel(
    text: str, where: Any, config: Any, arguments: dict[int, list[int]], compile_time: tuple[int, ...] = ()
) -> Any:
    given = ttnn.RuntimeArgs()
    for column, values in arguments.items():
        given[column][0] = values
    return ttnn.KernelDescriptor(
        kernel_source=text,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=where,
        compile_time_args=list(compile_time),
        runtime_args=given,
        config=config,
    )


def buffer(index: int, pages: int, where: Any) -> Any:
    descriptor = ttnn.CBFormatDescriptor(buffer_index=index, data_format=ttnn.bfloat16, page_size=PAGE)
    return ttnn.CBDescriptor(total_size=pages * PAGE, core_ranges=where, format_descriptors=[descriptor])


def on_ring(where: Any, *, has_local: bool) -> Any:
    remote = ttnn.CBFormatDescriptor(buffer_index=REMOTE, data_format=ttnn.bfloat16, page_size=PAGE)
    local = ttnn.CBFormatDescriptor(buffer_index=LOCAL, data_format=ttnn.bfloat16, page_size=PAGE)
    cb = ttnn.CBDescriptor(total_size=4 * PAGE, core_ranges=where, format_descriptors=[local] if has_local else [])
    cb.remote_format_descriptors = [remote]
    cb.set_global_circular_buffer(ring)
    return cb


def launch(count: int, who: str = "both") -> None:
    sender = kernel(SENDER, cores(0), ttnn.ReaderConfigDescriptor(), {0: [source.buffer_address(), count]})
    receiver = kernel(
        RECEIVER,
        cores(1, 2),
        ttnn.WriterConfigDescriptor(),
        {column: [result.buffer_address(), count, column - 1] for column in (1, 2)},
    )
    doubler = kernel(DOUBLER, cores(1, 2), ttnn.ComputeConfigDescriptor(), {}, (count,))
    buffers = [on_ring(cores(0), has_local=False), buffer(STAGED, 2, cores(0)), on_ring(cores(1, 2), has_local=True)]
    sent, received = buffers[:2], [buffers[2], buffer(DOUBLED, 1, cores(1, 2))]
    kernels = {"both": [sender, receiver, doubler], "sender": [sender], "receivers": [receiver, doubler]}[who]
    cbs = {"both": [*sent, *received], "sender": sent, "receivers": received}[who]
    # Where semaphores lie in L1 each program has for itself.
    semaphores = [ttnn.SemaphoreDescriptor(id=0, core_ranges=cores(0), initial_value=0)] if who == "sender" else []
    ttnn.generic_op([source, result], ttnn.ProgramDescriptor(kernels=kernels, semaphores=semaphores, cbs=cbs))


def show(turn: str) -> None:
    right = np.array_equal(result.cpu().to(ttnn.ROW_MAJOR_LAYOUT).to_list(), (values + values).tolist())
    print(f"{turn}:", "right" if right else "wrong")


def zeros() -> Any:
    return ttnn.Tensor(np.zeros_like(values), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)


is_slow = "TT_METAL_SLOW_DISPATCH_MODE" in os.environ  # else launches are asynchronous anyway
device = ttnn.open_device(device_id=0)
ring = ttnn.create_global_circular_buffer(device, [(ttnn.CoreCoord(0, 0), cores(1, 2))], 4 * PAGE)
values = np.random.default_rng(0).integers(-100, 100, (32, 32 * 2 * TILES)).astype(np.float32)
source = ttnn.Tensor(values, ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
for turn in range(2):
    result = zeros()
    launch(TILES)
    show(f"launch {turn + 1}")
if "--apart" in sys.argv:
    if is_slow:
        ttnn.device.enable_asynchronous_slow_dispatch(device)
    for first, second in (("sender", "receivers"), ("receivers", "sender")):
        result = zeros()
        launch(TILES, first)
        launch(TILES, second)
        show(f"{first} first")
    launch(1, "receivers")
    try:
        ttnn.synchronize_device(device)
    except RuntimeError as error:
        print(f"alone: {error}")
    if is_slow:
        ttnn.device.disable_asynchronous_slow_dispatch(device)
if "--no-sender" in sys.argv:
    try:
        launch(1, "receivers")
    except RuntimeError as error:
        print(error)
ttnn.close_device(device)
