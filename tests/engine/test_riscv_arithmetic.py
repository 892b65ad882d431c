# SPDX-License-Identifier: Apache-2.0
"""Integer division and shifts as RISC-V does them: nothing traps."""

from __future__ import annotations

import platform

import pytest

from tilewright._launch.chip import Chip

DIVIDE = """
template <typename T>
__attribute__((noinline)) uint64_t quotient(volatile T& a, volatile T& b) { return static_cast<uint64_t>(a / b); }
template <typename T>
__attribute__((noinline)) uint64_t remainder(volatile T& a, volatile T& b) { return static_cast<uint64_t>(a % b); }

template <typename T>
void divide(uint64_t dividend, uint64_t divisor, uint32_t at) {
    volatile T a = static_cast<T>(dividend), b = static_cast<T>(divisor);
    volatile uint32_t* result = reinterpret_cast<volatile uint32_t*>(get_semaphore(at));
    result[0] = static_cast<uint32_t>(static_cast<T>(quotient<T>(a, b)));
    result[1] = static_cast<uint32_t>(static_cast<T>(remainder<T>(a, b)));
}

// A divisor in memory, with a base and an index register.
__attribute__((noinline)) uint32_t by_element(uint32_t dividend, const uint32_t* table, uint32_t index) {
    return dividend / table[index];
}

void kernel_main() {
    divide<uint32_t>(77, 0, 0);
    divide<int32_t>(-77, 0, 1);
    divide<int32_t>(0x80000000u, 0xffffffffu, 2);
    divide<uint64_t>(78, 0, 3);
    divide<int64_t>(-78, 0, 4);
    divide<uint16_t>(79, 0, 5);
    divide<int8_t>(-79, 0, 6);
    divide<uint32_t>(77, 5, 7);
    volatile uint32_t zeros[4] = {0, 0, 0, 0};
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(8)) = by_element(1, const_cast<const uint32_t*>(zeros), 2);
    volatile uint32_t one = 1, distance = 33;
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(9)) = one << distance;
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(10)) = 0x80000000u >> distance;
}
"""
ALL_ONES = 0xFFFFFFFF


def _negative(number: int) -> int:
    return 2**32 - number


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors give 0 (docs/limits.md)")
def test_division_by_zero_gives_all_ones_and_the_dividend(chip: Chip, make_program) -> None:
    chip.launch(make_program(semaphores=11, writer=DIVIDE))
    quotients = [chip.read_semaphore((0, 0), index) for index in range(11)]
    assert quotients[:7] == [ALL_ONES, ALL_ONES, 0x80000000, ALL_ONES, ALL_ONES, 0xFFFF, ALL_ONES]
    assert quotients[7:] == [15, ALL_ONES, 2, 0x40000000]


# Only the first word of a semaphore can be read back.
REMAINDERS = DIVIDE.replace("result[0]", "result[2]").replace("result[1]", "result[0]")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors give 0 (docs/limits.md)")
def test_the_remainder_is_the_dividend(chip: Chip, make_program) -> None:
    chip.launch(make_program(semaphores=11, writer=REMAINDERS))
    remainders = [chip.read_semaphore((0, 0), index) for index in range(8)]
    assert remainders == [77, _negative(77), 0, 78, _negative(78), 79, _negative(79), 2]
