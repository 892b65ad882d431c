# SPDX-License-Identifier: Apache-2.0
"""The registers that count a circular buffer's pages, as kernels read and write them that were fused of several."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright
from tilewright import ttnn
from tilewright._errors import KernelError
from tilewright._launch.run_options import RunOptions

CORE = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])

# Fills the buffer twice. In between no kernel pops: the register of popped pages is written, by a 32-bit address.
WRITER = """
#include "api/dataflow/dataflow_api.h"
#include "api/debug/assert.h"

void kernel_main() {
    for (uint32_t phase = 0; phase < 2; phase++) {
        cb_reserve_back(0, 2);
        cb_push_back(0, 2);
        const uint16_t received = *get_cb_tiles_received_ptr(0), acked = *get_cb_tiles_acked_ptr(0);
        ASSERT(uint16_t(received - acked) == 2);
        const uint32_t address = (uint32_t)(uintptr_t)get_cb_tiles_acked_ptr(0);
        *(volatile tt_reg_ptr uint32_t*)(uintptr_t)address = received;
    }
    ASSERT(cb_pages_reservable_at_back(0, 2));
    ASSERT(*get_cb_tiles_received_ptr(5) == *get_cb_tiles_acked_ptr(5));  // a buffer the core does not have
}
"""

COMPUTE = """
#include "api/compute/common.h"
#include "api/compute/cb_api.h"
#include "api/debug/assert.h"

void kernel_main() {
    cb_wait_front(0, 2);
    const uint16_t received = ckernel::reg_read((uint32_t)(uintptr_t)get_cb_tiles_received_ptr(0));
    ASSERT(uint16_t(received - get_local_cb_interface(0).tiles_acked) >= 2);
}
"""

ELSEWHERE = """
#include "api/compute/common.h"
void kernel_main() { ckernel::reg_read(0xFFB11000); }
"""


def run(writer: str, compute: str, checked: bool = False) -> None:
    def kernel(source: str, config: Any) -> ttnn.KernelDescriptor:
        text = ttnn.KernelDescriptor.SourceType.SOURCE_CODE
        return ttnn.KernelDescriptor(kernel_source=source, source_type=text, core_ranges=CORE, config=config)

    device = ttnn.open_device(device_id=0)
    shape, layout = ttnn.Shape([32, 32]), ttnn.TILE_LAYOUT
    tensor = ttnn.allocate_tensor_on_device(shape, ttnn.bfloat16, layout, device, ttnn.DRAM_MEMORY_CONFIG)
    program = ttnn.ProgramDescriptor(
        kernels=[kernel(writer, ttnn.WriterConfigDescriptor()), kernel(compute, ttnn.ComputeConfigDescriptor())],
        cbs=[ttnn.CBDescriptor(4096, CORE, [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)])],
        semaphores=[],
    )
    tilewright.run_program([tensor, tensor], program, RunOptions(checked=checked))


@pytest.mark.parametrize("checked", [False, True])
def test_written_credit_register_counts(checked: bool) -> None:
    run(WRITER, COMPUTE, checked)


def test_other_registers_are_refused_by_their_address() -> None:
    with pytest.raises(KernelError, match="reg_read of 0xffb11000 is not simulated: credits of circular buffers"):
        run("void kernel_main() {}", ELSEWHERE)
