# SPDX-License-Identifier: Apache-2.0
"""Mutable globals of a kernel: on a card every core has its own, fresh at every launch."""

from __future__ import annotations

import copy

import pytest

from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet

# Counts in .data, .bss and a function's static, with turns to other cores in between.
COUNTING = """
uint32_t in_data = 100;
uint32_t in_bss[64];
namespace { struct Pair { uint32_t first, second; } pair = {7, 8}; }

uint32_t count_calls() {
    static uint32_t calls = 10;
    return ++calls;
}

uint32_t computed(uint32_t seed) {
    static uint32_t start = seed + get_absolute_logical_x();
    return start++;
}

void kernel_main() {
    const uint32_t rounds = get_absolute_logical_x() + 2;
    uint32_t calls = 0, start = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        in_data++;
        in_bss[round]++;
        pair.second++;
        calls = count_calls();
        start = computed(1000);
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
    }
    uint32_t touched = 0;
    for (uint32_t i = 0; i < 64; i++) {
        touched += in_bss[i];
    }
    auto* out = reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
    out[0] = in_data;
    out[1] = touched;
    out[2] = calls;
    out[3] = pair.first * 100 + pair.second;
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(1)) = start;
}
"""
CONSUMER = """
void kernel_main() {
    for (uint32_t i = 0; i < get_absolute_logical_x() + 2; i++) {
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
    }
}
"""


def results(chip: Chip, x: int) -> list[int]:
    words = chip.read_l1((x, 0), 32 * 1024, 20).view("uint32")
    return [int(word) for word in words]


@pytest.mark.parametrize("threads", [1, 2])
def test_every_core_and_every_launch_has_its_own(chip: Chip, make_program, threads: int) -> None:
    program = make_program(grid=(4, 1), cbs={0: 1}, semaphores=2, reader=COUNTING, writer=CONSUMER)
    for _ in range(3):
        chip.launch(program, RunOptions(threads=threads))
        for x in range(4):
            rounds = x + 2
            assert results(chip, x) == [100 + rounds, rounds, 10 + rounds, 708 + rounds, 1000 + x + rounds - 1]


def test_two_kernels_with_the_same_code_have_their_own(chip: Chip, make_program) -> None:
    program = make_program(grid=(2, 1), cbs={0: 1}, semaphores=2, reader=COUNTING, writer=CONSUMER)
    first = next(kernel for kernel in program.kernels if kernel.kernel_source == COUNTING)
    second = copy.copy(first)
    first.core_ranges, second.core_ranges = (
        CoreRangeSet([CoreRange(CoreCoord(x, 0), CoreCoord(x, 0))]) for x in range(2)
    )
    program.kernels = [*program.kernels, second]
    chip.launch(program)
    for x in range(2):
        rounds = x + 2
        assert results(chip, x) == [100 + rounds, rounds, 10 + rounds, 708 + rounds, 1000 + x + rounds - 1]


def test_another_program_with_the_same_kernel_starts_afresh(chip: Chip, make_program) -> None:
    source = "uint32_t runs = 5; void kernel_main() { runs++; *(volatile uint32_t*)get_semaphore(0) = runs; }"
    other = Chip(describe_arch("wormhole_b0"), (2, 2))
    for grid in ((1, 1), (2, 1), (1, 2)):
        for each in (chip, other):
            each.launch(make_program(grid=grid, semaphores=1, reader=source))
            assert each.read_semaphore((0, 0), 0) == 6
    other.close()


def test_a_kernel_that_fails_leaves_nothing_behind(chip: Chip, make_program) -> None:
    source = (
        "uint32_t runs = 5; void kernel_main() { runs++; *(volatile uint32_t*)get_semaphore(0) = runs; "
        "if (get_arg_val<uint32_t>(0)) { runs = 77; *(volatile int*)8 = 1; } }"
    )
    for bad in (0, 1, 0):
        program = make_program(semaphores=1, args={"reader": [bad]}, reader=source)
        if bad:
            with pytest.raises(Exception, match="null pointer"):
                chip.launch(program)
        else:
            chip.launch(program)
        assert chip.read_semaphore((0, 0), 0) == 6
