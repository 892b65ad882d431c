# SPDX-License-Identifier: Apache-2.0
"""A host that writes L1 itself places arguments, semaphores and circular buffers, and orders the banks of L1."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.kernel import ArgumentsInL1, KernelDescriptor, SourceType
from tilewright._program.kernel_config import DataMovementConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.dtype import DataType

CORES = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(1, 0))])
ARGUMENTS, COMMON, SEMAPHORES, BUFFER = 0x9000, 0x9100, 0x9200, 0x40000
SOURCE = """
void kernel_main() {
    volatile uint32_t* page = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));
    page[0] = get_arg_val<uint32_t>(0) + get_arg_val<uint32_t>(1);
    page[1] = get_common_arg_val<uint32_t>(0);
    page[2] = *reinterpret_cast<volatile uint32_t*>(get_semaphore(1));
    page[3] = static_cast<uint32_t>(get_noc_addr_from_bank_id<false>(1, 0) >> 36);
    page[5] = page[4];
}
"""


def make(arguments: int = ARGUMENTS, semaphores: int = SEMAPHORES) -> ProgramDescriptor:
    config = DataMovementConfigDescriptor()
    kernel = KernelDescriptor(SOURCE, SourceType.SOURCE_CODE, CORES, config=config, name="host placed")
    kernel.arguments_in_l1 = ArgumentsInL1(arguments, 2, COMMON, 1)
    cb = CBDescriptor(4096, CORES, [CBFormatDescriptor(0, DataType.BFLOAT16, 2048)])
    cb.host_address = BUFFER
    program = ProgramDescriptor([kernel], [SemaphoreDescriptor(1, core_ranges=CORES, initial_value=7)], [cb])
    program.semaphore_bases = {(0, 0): semaphores, (1, 0): semaphores}
    return program


def put(chip: Chip, core: int, address: int, *words: int) -> None:
    files = chip.memory_files()
    with mmap.mmap(files.l1, 0) as memory:
        begin = core * files.l1_slot_bytes + address
        memory[begin : begin + 4 * len(words)] = np.array(words, np.uint32).tobytes()


def page(chip: Chip, core: int) -> list[int]:
    return chip.read_l1((core, 0), BUFFER, 24).view(np.uint32).tolist()


def test_kernel_finds_host_placed_arguments_and_buffers(chip: Chip) -> None:
    for core in range(2):
        put(chip, core, ARGUMENTS, 10 + core, 100)
        put(chip, core, COMMON, 5)
        put(chip, core, BUFFER + 16, 44)  # what lies there already is the host's: no poison is written over it
    chip.launch(make(), RunOptions(keep_l1=True))
    bank_1 = 18 << 6 | 19
    assert page(chip, 0) == [110, 5, 7, bank_1, 44, 44]
    assert page(chip, 1) == [111, 5, 7, bank_1, 44, 44]
    assert chip.read_l1((0, 0), SEMAPHORES + 16, 4).view(np.uint32)[0] == 7


def test_another_place_is_another_program(chip: Chip) -> None:
    put(chip, 0, ARGUMENTS, 1, 1)
    put(chip, 0, 0xA000, 2, 2)
    assert [
        chip.launch(make(place), RunOptions(keep_l1=True)) and page(chip, 0)[0] for place in (ARGUMENTS, 0xA000)
    ] == [2, 4]
    chip.launch(make(semaphores=0xA100), RunOptions(keep_l1=True))
    assert chip.read_l1((0, 0), 0xA110, 4).view(np.uint32)[0] == 7


def test_banks_of_l1_have_the_hosts_order() -> None:
    chip = Chip(describe_arch("wormhole_b0"))
    cores = list(range(64))
    cores[1], cores[9] = cores[9], cores[1]
    chip.set_l1_banks(cores)
    chip.launch(make(), RunOptions(keep_l1=True))
    assert page(chip, 0)[3] == 19 << 6 | 19
    with pytest.raises(ValueError, match="each of the 8x8 cores once"):
        chip.set_l1_banks([0, 0])
    chip.close()
