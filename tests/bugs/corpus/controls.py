# SPDX-License-Identifier: Apache-2.0
"""Programs that were reported as wrong and are right: a checker has to stay silent on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bugs.corpus.host import TILE_BYTES, Host
from tests.bugs.corpus.model import BLACKHOLE, WORMHOLE, Control, Launch, title_of
from tests.bugs.corpus.noc_order import MULTICAST_SENDER, multicast
from tilewright import ttnn


def linked_multicast_and_flag(host: Host) -> Iterator[Launch]:
    """Linked multicasts of data and flag keep their order: no flush between them is needed."""
    sender = MULTICAST_SENDER.replace("LINKED", "true").replace("// AFTER", "noc_async_writes_flushed();")
    yield multicast(host, sender)


def steps_that_do_not_divide(host: Host) -> Iterator[Launch]:
    """Steps that do not divide the capacity are fine as long as every round adds up to it."""
    source, values = host.tiles(8)
    output = host.output_tiles(8)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        constexpr uint32_t steps[] = {3, 1, 3, 1};
        uint32_t tile = 0;
        for (uint32_t step : steps) {
            cb_reserve_back(16, step);
            for (uint32_t i = 0; i < step; i++) {
                noc_async_read_page(tile++, src, get_write_ptr(16) + i * get_tile_size(16));
            }
            noc_async_read_barrier();
            cb_push_back(16, step);
        }
    }
    """
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        constexpr uint32_t steps[] = {1, 3, 2, 2};
        uint32_t tile = 0;
        for (uint32_t step : steps) {
            cb_wait_front(16, step);
            for (uint32_t i = 0; i < step; i++) {
                noc_async_write_page(tile++, dst, get_read_ptr(16) + i * get_tile_size(16));
            }
            noc_async_write_barrier();
            cb_pop_front(16, step);
        }
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, (), [source]),
            host.kernel("writer", writer, (), [output]),
        ],
        [host.cb(16, "out", 4)],
    )


def reserve_one_use_all(host: Host) -> Iterator[Launch]:
    """A buffer that is a tensor's own memory: one page is reserved and all of it written."""
    yield _into_l1_tensor(host, pages_reserved=1)


def pushed_for_the_host(host: Host) -> Iterator[Launch]:
    """A buffer that is the output's own memory is pushed, and no kernel of the core pops its pages."""
    yield _into_l1_tensor(host, pages_reserved=4)


def _into_l1_tensor(host: Host, pages_reserved: int) -> Launch:
    """Four tiles' worth of bytes into an L1 tensor that has one page, and so lies on one core."""
    values = (np.arange(4096).reshape(1, 4096) * 37 % 61 + 1).astype(np.float64)
    source = host.tensor(values, layout=ttnn.ROW_MAJOR_LAYOUT)
    output = host.output(1, 4096, layout=ttnn.ROW_MAJOR_LAYOUT, memory_config=ttnn.L1_MEMORY_CONFIG)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t pages_reserved = get_arg_val<uint32_t>(0);
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(16, pages_reserved);
        noc_async_read_page(0, src, get_write_ptr(16));
        noc_async_read_barrier();
        cb_push_back(16, pages_reserved);
    }
    """
    out = host.cb(16, "out", 4, page_size=TILE_BYTES)
    out.set_buffer_from_tensor(output)
    return host.launch([source, output], values, [host.kernel("reader", reader, [pages_reserved], [source])], [out])


CONTROLS = [
    Control(id, title_of(build), build, archs)
    for id, build, archs in (
        ("FP-1", linked_multicast_and_flag, (BLACKHOLE, WORMHOLE)),
        ("FP-3", steps_that_do_not_divide, (WORMHOLE,)),
        ("FP-4", reserve_one_use_all, (WORMHOLE,)),
        ("FP-5", pushed_for_the_host, (WORMHOLE,)),
    )
]
