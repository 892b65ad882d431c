# SPDX-License-Identifier: Apache-2.0
"""A program of one data-movement kernel whose arguments say what it transfers; few kernels for all tests."""

from __future__ import annotations

import dataclasses

from tilewright import ttnn
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright._record.call_record import CallRecord
from tilewright.timing import replay

_KERNEL = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0), bytes = get_arg_val<uint32_t>(1);
    const uint32_t kind = get_arg_val<uint32_t>(2), core = get_arg_val<uint32_t>(3), at_once = get_arg_val<uint32_t>(4);
    const bool to_dram = kind & 1, writes = kind & 2, one_bank = kind & 4;
    const uint32_t x = core & 0xff, y = core >> 8;
    constexpr bool with_state = get_compile_time_arg_val(0) == 1, tagged = get_compile_time_arg_val(0) == 2;
    const uint32_t own = get_write_ptr(0);
    const InterleavedAddrGen<true> pages{.bank_base_address = 0x200000, .page_size = bytes};
    if constexpr (with_state) {
        noc_async_read_one_packet_set_state(get_noc_addr(x, y, own), bytes);
    }
    for (uint32_t i = 0; i < count; i++) {
        if constexpr (with_state) {
            noc_async_read_one_packet_with_state(own, own);
            continue;
        }
        const uint64_t other = !to_dram   ? get_noc_addr(x, y, own)
                               : one_bank ? get_noc_addr_from_bank_id<true>(0, 0x200000 + i * bytes)
                                          : pages.get_noc_addr(i);
        if constexpr (tagged) {
            noc_async_read_set_trid(1 + i % 2);
        }
        if (writes) {
            noc_async_write(own, other, bytes);
        } else {
            noc_async_read(other, own, bytes);
        }
        if constexpr (tagged) {
            noc_async_read_barrier_with_trid(1 + (i + 1) % 2);
        } else if ((i + 1) % at_once == 0) {
            writes ? noc_async_write_barrier() : noc_async_read_barrier();
        }
    }
    if constexpr (with_state || tagged) {
        noc_async_read_barrier();
    }
}
"""
_L1_BYTES = 16384


@dataclasses.dataclass(frozen=True)
class Transfers:
    """``count`` transfers of ``bytes``, a barrier after each ``at_once`` of them (by default after all).

    They are of pages that go round all banks, or of ``one_bank``; without ``dram`` they go to another core's L1, or to
    the core's ``own``. Reads ``with_state`` have most of their address from a call before. ``tagged`` ones have two
    transaction ids in turn, and after each the one before is waited for.
    """

    count: int
    bytes: int
    dram: bool = True
    writes: bool = False
    one_bank: bool = False
    at_once: int | None = None
    own: bool = False
    with_state: bool = False
    tagged: bool = False

    def record(self, device: ttnn.Device) -> CallRecord:
        cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
        other = device.worker_core_from_logical_core(ttnn.CoreCoord(0, 0) if self.own else ttnn.CoreCoord(3, 3))
        arguments = ttnn.RuntimeArgs()
        at_once = self.at_once or self.count
        kind = self.dram | self.writes << 1 | self.one_bank << 2
        arguments[0][0] = [self.count, self.bytes, kind, other.x | other.y << 8, at_once]
        kernel = ttnn.KernelDescriptor(
            _KERNEL,
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=cores,
            compile_time_args=[1 if self.with_state else 2 if self.tagged else 0],
            runtime_args=arguments,
            config=ttnn.DataMovementConfigDescriptor(processor=ttnn.DataMovementProcessor.RISCV_0, noc=ttnn.NOC.NOC_0),
        )
        page = ttnn.CBFormatDescriptor(0, ttnn.bfloat16, _L1_BYTES)
        buffer = ttnn.CBDescriptor(total_size=_L1_BYTES, core_ranges=cores, format_descriptors=[page])
        tensor = ttnn.allocate_tensor_on_device(ttnn.Shape([32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
        program = ttnn.ProgramDescriptor(kernels=[kernel], cbs=[buffer])
        calls = run_program([tensor, tensor], program, RunOptions(record_calls=True)).calls
        assert calls is not None
        return calls

    def cycles(self, device: ttnn.Device) -> float:
        (processor,) = replay(self.record(device)).processors
        return processor.end - processor.begin
