# SPDX-License-Identifier: Apache-2.0
"""The wall clock in kernels: its registers, polled without a call of the engine, and get_timestamp()."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import DataMovementConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.dtype import DataType

CORES = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(0, 0))])
BUFFER = 0x20000
SECONDS = 0.1
SOURCE = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile uint tt_reg_ptr* low = reinterpret_cast<volatile uint tt_reg_ptr*>(RISCV_DEBUG_REG_WALL_CLOCK_L);
    volatile uint tt_reg_ptr* high = reinterpret_cast<volatile uint tt_reg_ptr*>(RISCV_DEBUG_REG_WALL_CLOCK_H);
    const uint64_t before = get_timestamp();
    const uint64_t begin = uint64_t(low[0]) | uint64_t(high[0]) << 32;
    uint64_t now = begin;
    while (now < begin + get_arg_val<uint32_t>(0)) {
        now = uint64_t(low[0]) | uint64_t(high[0]) << 32;
    }
    const uint64_t after = get_timestamp();
    volatile uint32_t* page = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));
    page[0] = uint32_t(now - begin);
    page[1] = uint32_t(after - before);
    page[2] = begin <= before && now <= after;
}
"""


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_registers_of_the_wall_clock_count_cycles_while_a_kernel_polls_them(arch: str) -> None:
    described = describe_arch(arch)
    cycles = int(SECONDS * described.clock_hz)
    kernel = KernelDescriptor(
        SOURCE, SourceType.SOURCE_CODE, CORES, config=DataMovementConfigDescriptor(), name="delay"
    )
    kernel.runtime_args = [((0, 0), [cycles])]
    cb = CBDescriptor(4096, CORES, [CBFormatDescriptor(0, DataType.BFLOAT16, 2048)])
    cb.host_address = BUFFER
    chip = Chip(described, (1, 1))
    try:
        run = chip.launch(ProgramDescriptor([kernel], [], [cb]), RunOptions(keep_l1=True))
        by_registers, by_calls, in_order = chip.read_l1((0, 0), BUFFER, 12).view(np.uint32).tolist()
    finally:
        chip.close()
    assert run.seconds >= 0.9 * SECONDS
    assert cycles <= by_registers <= by_calls <= (run.seconds + 0.1) * described.clock_hz
    assert in_order == 1
