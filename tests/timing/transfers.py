# SPDX-License-Identifier: Apache-2.0
"""A program of one data-movement kernel whose arguments say what it transfers; one kernel for all tests."""

from __future__ import annotations

import dataclasses

from tilewright import ttnn
from tilewright.device.call_record import CallRecord
from tilewright.device.run_options import RunOptions
from tilewright.device.run_program import run_program
from tilewright.timing import replay

_KERNEL = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0), bytes = get_arg_val<uint32_t>(1);
    const bool to_dram = get_arg_val<uint32_t>(2), writes = get_arg_val<uint32_t>(3);
    const uint32_t banks = get_arg_val<uint32_t>(4), x = get_arg_val<uint32_t>(5), y = get_arg_val<uint32_t>(6);
    const uint32_t at_once = get_arg_val<uint32_t>(7);
    const uint32_t own = get_write_ptr(0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t there = 0x200000 + (i / banks) * bytes;
        const uint64_t other = to_dram ? get_noc_addr_from_bank_id<true>(i % banks, there) : get_noc_addr(x, y, own);
        if (writes) {
            noc_async_write(own, other, bytes);
        } else {
            noc_async_read(other, own, bytes);
        }
        if ((i + 1) % at_once == 0) {
            writes ? noc_async_write_barrier() : noc_async_read_barrier();
        }
    }
}
"""
_L1_BYTES = 16384


@dataclasses.dataclass(frozen=True)
class Transfers:
    """``count`` transfers of ``bytes``, a barrier after each ``at_once`` of them (by default after all).

    Without ``dram`` they go to another core's L1, or to the core's ``own``.
    """

    count: int
    bytes: int
    dram: bool = True
    writes: bool = False
    banks: int | None = None
    at_once: int | None = None
    own: bool = False

    def record(self, device: ttnn.Device) -> CallRecord:
        cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
        other = device.worker_core_from_logical_core(ttnn.CoreCoord(0, 0) if self.own else ttnn.CoreCoord(3, 3))
        arguments = ttnn.RuntimeArgs()
        banks = self.banks or device.description.num_dram_banks
        at_once = self.at_once or self.count
        arguments[0][0] = [self.count, self.bytes, self.dram, self.writes, banks, other.x, other.y, at_once]
        kernel = ttnn.KernelDescriptor(
            _KERNEL,
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=cores,
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
