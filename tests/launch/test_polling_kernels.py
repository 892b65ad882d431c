# SPDX-License-Identifier: Apache-2.0
"""Kernels that poll L1 without a call of the engine, for a word that a kernel of another core changes."""

from __future__ import annotations

from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import DataMovementConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet

CORES = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(1, 0))])
EXCHANGES = 300
SOURCE = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile uint32_t* mine = reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
    const uint64_t other = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0));
    const bool is_first = get_arg_val<uint32_t>(2);
    for (uint32_t count = 1; count <= get_arg_val<uint32_t>(3); count++) {
        if (is_first) {
            noc_semaphore_inc(other, 1);
        }
        while (*mine < count) {
        }
        if (!is_first) {
            noc_semaphore_inc(other, 1);
        }
    }
    noc_async_atomic_barrier();
}
"""


def test_polling_kernels_take_short_turns() -> None:
    """With turns of 40 ms the exchanges took 12 seconds."""
    config = DataMovementConfigDescriptor()
    kernel = KernelDescriptor(SOURCE, SourceType.SOURCE_CODE, CORES, config=config, name="poll")
    kernel.runtime_args = [((0, 0), [19, 18, 1, EXCHANGES]), ((1, 0), [18, 18, 0, EXCHANGES])]
    semaphore = SemaphoreDescriptor(0, core_ranges=CORES, initial_value=0)
    chip = Chip(describe_arch("wormhole_b0"), (2, 1))
    try:
        run = chip.launch(ProgramDescriptor([kernel], [semaphore], []), RunOptions())
    finally:
        chip.close()
    assert run.seconds < 6
