# SPDX-License-Identifier: Apache-2.0
"""Faults in kernels become exceptions; the process, its signal handlers and its other threads go on."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import threading
import time

import pytest

from tests.ctrl_c import ctrl_c_after
from tilewright._errors import KernelFaultError, TilewrightError
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._tensor.arch import describe_arch


def l1_pointer(offset: int) -> str:
    return f"(volatile uint32_t*)(uintptr_t)((get_semaphore(0) & ~0x1fffffu) + {offset})"


@pytest.mark.parametrize(
    ("access", "words"),
    [
        ("*(volatile uint32_t*)0 = 1;", "touched memory at 0x0, a null pointer"),
        ("volatile uint32_t x = *(volatile uint32_t*)12;", "touched memory at 0xc, a null pointer"),
        ("*(volatile uint32_t*)0x8000 = 1;", "touched memory at 0x8000: L1 below 0x10000 is the firmware's"),
        (f"*{l1_pointer(1464 * 1024)} = 1;", "0 bytes past the end of this core's L1"),
        (f"volatile uint32_t x = *{l1_pointer(1500 * 1024)};", "36864 bytes past the end of this core's L1"),
        ("*(volatile uint32_t*)0x16e000 = 1;", "touched memory at 0x16e000, which is not in this core's L1"),
        (
            "*(volatile uint32_t*)0x7fffffff0000 = 1;",
            "touched memory at 0x7fffffff0000, which is not in this core's L1",
        ),
    ],
)
def test_memory_outside_l1_is_named(chip: Chip, make_program, access: str, words: str) -> None:
    program = make_program(semaphores=1, reader="void kernel_main() {\n  " + access + "\n}")
    with pytest.raises(KernelFaultError) as caught:
        chip.launch(program)
    assert str(caught.value).startswith("kernel reader on core (0,0) at reader.cpp:2: touched ")
    assert words in str(caught.value)


def test_all_of_l1_is_reached_by_pointer_and_by_offset(chip: Chip, make_program) -> None:
    # By the pointer kernels are given, and by the plain offset a card has.
    last = 1464 * 1024 - 4
    read = f"*(volatile uint32_t*)get_semaphore(0) = *(volatile uint32_t*){last};"
    source = f"void kernel_main() {{ *{l1_pointer(last)} = 9; {read} }}"
    chip.launch(make_program(semaphores=1, reader=source))
    assert chip.read_semaphore((0, 0), 0) == 9


@pytest.mark.parametrize("threads", [1, 2])
def test_the_plain_offset_is_each_cores_own(chip: Chip, make_program, threads: int) -> None:
    source = (
        "void kernel_main() { auto* p = (volatile uint32_t*)0x100000; *p = get_absolute_logical_x() + 5;"
        " cb_reserve_back(0, 1); cb_push_back(0, 1); cb_reserve_back(0, 1);"
        " *(volatile uint32_t*)get_semaphore(0) = *p; }"
    )
    writer = "void kernel_main() { cb_wait_front(0, 1); cb_pop_front(0, 1); }"
    program = make_program(grid=(3, 1), cbs={0: 1}, semaphores=1, reader=source, writer=writer)
    chip.launch(program, RunOptions(threads=threads))
    assert [chip.read_semaphore((x, 0), 0) for x in range(3)] == [5, 6, 7]


def test_handlers_are_as_before_after_a_fault(chip: Chip, make_program) -> None:
    was_enabled = faulthandler.is_enabled()
    faulthandler.enable()
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KernelFaultError):
        chip.launch(make_program(reader="void kernel_main() { *(volatile int*)8 = 1; }"))
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert faulthandler.is_enabled()
    if not was_enabled:
        faulthandler.disable()


def test_a_fault_in_python_itself_is_still_pythons(chip: Chip, make_program) -> None:
    def crash() -> None:
        # After a run, and in a process of its own.
        own = Chip(describe_arch("wormhole_b0"), (1, 1))
        own.launch(make_program(reader="void kernel_main() {}"))
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGSEGV)

    process = multiprocessing.get_context("fork").Process(target=crash)
    process.start()
    process.join(30)
    assert process.exitcode == -signal.SIGSEGV


def test_a_forked_process_must_open_its_own_device(chip: Chip, make_program) -> None:
    def use_parents() -> None:
        try:
            chip.launch(make_program(reader="void kernel_main() {}"))
        except TilewrightError as error:
            os._exit(7 if "was opened by process" in str(error) else 1)
        os._exit(2)

    process = multiprocessing.get_context("fork").Process(target=use_parents)
    process.start()
    process.join(30)
    assert process.exitcode == 7


def test_a_run_in_another_thread_works_and_faults_alike(chip: Chip, make_program) -> None:
    seen: list[str] = []

    def use() -> None:
        chip.launch(make_program(semaphores=1, reader="void kernel_main() { *(volatile int*)get_semaphore(0) = 3; }"))
        try:
            chip.launch(make_program(reader="void kernel_main() { *(volatile int*)8 = 1; }"))
        except KernelFaultError as error:
            seen.append(str(error))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join(30)
    assert "a null pointer" in seen[0]


def test_ctrl_c_reaches_a_kernel_that_is_always_inside_the_engine(chip: Chip, make_program) -> None:
    source = (
        "void kernel_main() { mm_init(0, 0, 1); tile_regs_acquire(); cb_reserve_back(0, 1); cb_push_back(0, 1);"
        " for (;;) { matmul_tiles(0, 0, 0, 0, 0); } }"
    )
    program = make_program(cbs={0: 1, 1: 1}, compute='#include "api/compute/matmul.h"\n' + source)
    chip.load(chip.executable(program))
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.5):
        chip.launch(program, RunOptions(spin_limit=60))
    assert time.monotonic() - begin < 3


def test_denormals_stay_flushed_when_a_kernel_loses_its_turn(chip: Chip, make_program) -> None:
    # The reader polls until the tick takes its turn away; what runs then must compute as everything else does.
    reader = "void kernel_main() { auto* s = (volatile uint32_t*)get_semaphore(0); while (*s == 99) {} }"
    writer = (
        "void kernel_main() { volatile float tiny = 1.2e-38f; volatile float half = tiny * 0.5f;"
        " *(volatile float*)get_semaphore(1) = half; *(volatile uint32_t*)get_semaphore(0) = 1; }"
    )
    program = make_program(semaphores=2, reader=reader, writer=writer)
    for semaphore in program.semaphores:
        semaphore.initial_value = 99
    chip.launch(program)
    assert chip.read_semaphore((0, 0), 1) == 0


def test_many_programs_stay_loaded_without_using_up_memory_maps(chip: Chip, make_program) -> None:
    def mappings() -> int:
        with open("/proc/self/maps") as maps:  # noqa: PTH123
            return sum(1 for _ in maps)

    source = "void kernel_main() { volatile uint32_t x = get_compile_time_arg_val(0); }"
    before = 0
    for number in range(6):
        program = make_program(grid=(8, 8), reader=source, writer=source)
        for kernel in program.kernels:
            kernel.compile_time_args = [1]
            kernel.common_runtime_args = [number]
        program.cbs = make_program(grid=(1, 1), cbs={number: 1}).cbs
        chip.launch(program)
        before = before or mappings()
    assert mappings() < before + 60


def test_abort_ends_the_run_and_not_the_process(chip: Chip, make_program) -> None:
    program = make_program(reader="#include <cstdlib>\nvoid kernel_main() { abort(); }")
    with pytest.raises(KernelFaultError, match=r"kernel reader on core \(0,0\) .*: called abort\(\)"):
        chip.launch(program)
    chip.launch(make_program(reader="void kernel_main() {}"))


@pytest.mark.parametrize(
    ("core", "address", "words"),
    [((8, 0), 0, "outside the 8x8 grid"), ((0, 0), 1464 * 1024, "do not lie in"), ((0, 0), -4, "do not lie in")],
)
def test_reading_outside_a_cores_l1_is_refused(chip: Chip, core: tuple[int, int], address: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        chip.read_l1(core, address, 4)
