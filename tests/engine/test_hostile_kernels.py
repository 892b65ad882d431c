# SPDX-License-Identifier: Apache-2.0
"""Hostile kernels: the error names the kernel within a second of its limit, and the device works at once."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from tests.ctrl_c import ctrl_c_after
from tilewright._errors import KernelError, KernelFaultError, RunError, SpinningError, TilewrightError, TimeLimitError
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.errors import ProgramError
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.chip_memory import PageRange
from tilewright._tensor.memory_config import BufferType

WHERE = "kernel hostile on core (1,0) at hostile.cpp"
PAGES = np.arange(1024, dtype=np.uint32).view(np.uint8).reshape(2, 2048)
PLACE = PageRange(BufferType.DRAM, 0x100000, 2048, 2048, 2)


def assert_usable(chip: Chip, hostile_program) -> None:
    """Memory is unchanged, and programs run."""
    assert (chip.read_pages(PLACE) == PAGES).all()
    chip.launch(hostile_program(0))
    assert chip.read_semaphore((1, 0), 0) == 7


@pytest.fixture(autouse=True)
def tensor(hostile_chip: Chip) -> None:
    hostile_chip.write_pages(PLACE, PAGES)


# What it does, the error, its words, and whether the line can be told.
ENDED = [
    ("overrun upward", KernelFaultError, "upper end of its stack", "helper"),
    ("overrun downward", KernelFaultError, "stack overflow", "helper"),
    ("locals larger than the stack", KernelFaultError, "stack overflow", "helper"),
    ("locals larger than the guard", KernelFaultError, "stack overflow", "helper"),
    ("endless recursion", KernelFaultError, "stack overflow", "helper"),
    ("exit", KernelError, "called exit()", "case"),
    ("_exit", KernelError, "called _exit()", "case"),
    ("system call exit", KernelFaultError, "called exit, which the runner refuses", "case"),
    ("abort", KernelFaultError, "called abort()", "case"),
    ("pthread_exit", KernelError, "called pthread_exit()", "case"),
    ("thread that faults", KernelError, "starts no threads", "case"),
    ("raise SIGTERM", KernelFaultError, "stopped by SIGTERM", "case"),
    ("raise SIGUSR1", KernelFaultError, "stopped by SIGUSR1", "case"),
    ("raise a real-time signal", KernelFaultError, "stopped by ", "case"),
    ("kill itself", KernelFaultError, "called kill, which the runner refuses", "case"),
    ("kill its owner", KernelFaultError, "called kill, which the runner refuses", "case"),
    ("stop itself", KernelFaultError, "kill, which the runner refuses", "case"),
    ("replace a handler", KernelFaultError, "called sigaction, which the runner refuses", "case"),
    ("double free", KernelFaultError, "damaged the heap", "helper"),
    ("heap damage", KernelFaultError, "damaged the heap", "helper"),
    ("mprotect of L1", KernelFaultError, "touched memory", "case"),
    ("munmap of L1", KernelFaultError, "touched memory", "case"),
    ("open a file", KernelFaultError, "a kernel has no business with files", "case"),
    ("read a file", KernelFaultError, "a kernel has no business with files", "case"),
    ("open a socket", KernelFaultError, "a kernel has no business with the network", "case"),
    ("fork", KernelFaultError, "a kernel starts no process", "case"),
    ("start a program", KernelFaultError, "which the runner refuses", "case"),
    ("jump nowhere", KernelFaultError, "touched memory at 0x1234567890", "case"),
    ("overrun upward by a little", KernelError, "overran an array among its local variables", "helper"),
    ("block signals and fault", KernelFaultError, "", ""),
]


@pytest.mark.parametrize(("name", "error", "words", "line"), ENDED, ids=[row[0] for row in ENDED])
def test_hostile_kernel_ends_in_an_error_with_kernel_core_and_line(
    hostile_chip: Chip, hostile_program, deeds, name: str, error: type[RunError], words: str, line: str
) -> None:
    number, case_line = deeds[name]
    begin = time.monotonic()
    with pytest.raises(error) as caught:
        hostile_chip.launch(hostile_program(number), RunOptions(spin_limit=3))
    assert time.monotonic() - begin < 2
    text = str(caught.value)
    assert text.startswith(WHERE)
    assert words in text
    if line == "case":
        assert text.startswith(f"{WHERE}:{case_line}: ")
    elif line:
        assert re.match(re.escape(WHERE) + r":\d+: ", text)
    assert_usable(hostile_chip, hostile_program)


STUCK = [
    "blocking read",
    "sem_wait",
    "mutex",
    "memset in an endless loop",
    "spin",
    "sleep for ever",
    "block signals and spin",
    "endless output",
    "endless line",
]


@pytest.mark.parametrize("name", STUCK)
def test_limits_act_within_a_second(
    hostile_chip: Chip, hostile_program, deeds, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    number, _ = deeds[name]
    hostile_chip.launch(hostile_program(0))  # compiled and started
    for limits, error in (
        (RunOptions(time_limit=0.2, spin_limit=60), TimeLimitError),
        (RunOptions(spin_limit=0.3), SpinningError),
    ):
        begin = time.monotonic()
        with pytest.raises(error) as caught:
            hostile_chip.launch(hostile_program(number), limits)
        assert time.monotonic() - begin < 1.4
        assert "hostile on core (1,0)" in str(caught.value)
        assert_usable(hostile_chip, hostile_program)


@pytest.mark.parametrize("name", STUCK)
def test_ctrl_c_acts_within_a_second(
    hostile_chip: Chip, hostile_program, deeds, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    number, _ = deeds[name]
    hostile_chip.launch(hostile_program(0))
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.2):
        hostile_chip.launch(hostile_program(number), RunOptions(spin_limit=60))
    assert time.monotonic() - begin < 1.2
    assert_usable(hostile_chip, hostile_program)


def test_limits_act_on_a_spin_under_check(hostile_chip: Chip, hostile_program, deeds) -> None:
    hostile_chip.launch(hostile_program(0), RunOptions(checked=True))
    begin = time.monotonic()
    with pytest.raises(SpinningError, match=r"hostile\.cpp:\d+"):
        hostile_chip.launch(hostile_program(deeds["spin"][0]), RunOptions(checked=True, spin_limit=0.3))
    assert time.monotonic() - begin < 1.3
    with pytest.raises(TimeLimitError):
        hostile_chip.launch(hostile_program(deeds["spin"][0]), RunOptions(checked=True, time_limit=0.2, spin_limit=60))
    assert_usable(hostile_chip, hostile_program)


CONSTRUCTORS = """
struct Early {{ Early() {{ {what} }} }};
Early early;
void kernel_main() {{}}
"""


@pytest.mark.parametrize(
    ("what", "error", "words"),
    [
        ("*(volatile int*)8 = 1;", KernelFaultError, "a static constructor failed"),
        ("cb_reserve_back(0, 1);", KernelFaultError, "a static constructor calls the kernel API"),
        ("volatile int forever = 1; while (forever) {}", SpinningError, "static constructors do not end"),
    ],
)
def test_failing_static_constructor_is_named(
    hostile_chip: Chip, hostile_program, what: str, error: type[RunError], words: str
) -> None:
    begin = time.monotonic()
    with pytest.raises(error, match=words) as caught:
        hostile_chip.launch(hostile_program(0, CONSTRUCTORS.format(what=what)), RunOptions(spin_limit=0.5))
    assert str(caught.value).startswith("kernel hostile, while its library was loaded: ")
    assert time.monotonic() - begin < 30  # it is compiled here
    assert_usable(hostile_chip, hostile_program)


def test_a_gigabyte_of_globals_is_refused(hostile_chip: Chip, hostile_program) -> None:
    source = "uint8_t large[1 << 30];\nvoid kernel_main() { large[get_arg_val<uint32_t>(0)] = 1; }"
    with pytest.raises(ProgramError, match="kernel hostile has 1073741824 bytes of globals"):
        hostile_chip.launch(hostile_program(0, source))
    assert_usable(hostile_chip, hostile_program)


def test_the_runner_ends_with_its_owner(hostile_program, deeds) -> None:
    number, _ = deeds["block signals and spin"]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        chip = Chip(describe_arch("wormhole_b0"), (2, 1))
        chip.launch(hostile_program(0))
        os.write(write, f"{chip._launcher.runner()._process.pid}\n".encode())
        chip.launch(hostile_program(number), RunOptions(spin_limit=60))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        runner = int(told.readline())
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for _ in range(50):
        if not Path(f"/proc/{runner}").exists() or "Z (zombie)" in Path(f"/proc/{runner}/status").read_text():
            return
        time.sleep(0.02)
    os.kill(runner, signal.SIGKILL)
    pytest.fail("the runner outlived its owner")


def test_a_forked_process_leaves_its_parents_runner_alone(hostile_chip: Chip, hostile_program) -> None:
    hostile_chip.launch(hostile_program(0))
    child = os.fork()
    if child == 0:
        try:
            hostile_chip.launch(hostile_program(0))
        except TilewrightError as error:
            os._exit(0 if "was opened by process" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert_usable(hostile_chip, hostile_program)
