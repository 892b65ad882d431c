# SPDX-License-Identifier: Apache-2.0
"""Programs that cannot finish end with an explanation."""

from __future__ import annotations

import time

import pytest

from tests.ctrl_c import ctrl_c_after
from tilewright._errors import (
    DeadlockError,
    KernelCompileError,
    KernelError,
    KernelFaultError,
    SpinningError,
    TimeLimitError,
)
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.errors import ProgramError


def test_a_producer_that_stops_early_is_named(chip: Chip, make_program) -> None:
    program = make_program(
        cbs={0: 4},
        reader="void kernel_main() {\n  cb_reserve_back(0, 2);\n  cb_push_back(0, 2);\n}",
        writer="void kernel_main() {\n\n  cb_wait_front(0, 3);\n}",
    )
    with pytest.raises(DeadlockError) as caught:
        chip.launch(program)
    text = str(caught.value)
    assert "deadlock on core (0,0)" in text
    assert "writer.cpp:3  cb_wait_front(c_0, 3)  2 of 3 pages there" in text
    assert "reader  finished" in text
    assert "c_0 will never get the 1 page writer still waits for: reader pushed 2 pages in all" in text


def test_page_pushed_by_two_kernels_has_no_single_producer(chip: Chip, make_program) -> None:
    """As scratch it does no harm; taken as data it is an error, because one has overwritten the other."""
    push = "void kernel_main() { cb_push_back(0, 1); }"
    chip.launch(make_program(cbs={0: 1}, reader=push, writer=push))
    taker = '#include "api/compute/cb_api.h"\nvoid kernel_main() { cb_wait_front(0, 1); }'
    with pytest.raises(KernelError, match=r"c_0, to which several kernels have pushed 2 pages together, but it has 1"):
        chip.launch(make_program(cbs={0: 1}, reader=push, writer=push, compute=taker))


def test_a_buffer_without_producer_is_named(chip: Chip, make_program) -> None:
    program = make_program(cbs={3: 1}, writer="void kernel_main() { cb_wait_front(3, 1); }")
    with pytest.raises(DeadlockError, match="c_3 has no producer"):
        chip.launch(program)


def test_full_buffer_without_pops_is_named(chip: Chip, make_program) -> None:
    program = make_program(
        cbs={0: 2},
        reader="void kernel_main() { for (int i = 0; i < 3; i++) { cb_reserve_back(0, 1); cb_push_back(0, 1); } }",
    )
    with pytest.raises(DeadlockError, match=r"c_0 is full and no kernel on this core pops it: 2 pages pushed"):
        chip.launch(program)


def test_kernels_that_wait_for_each_other_are_named(chip: Chip, make_program) -> None:
    program = make_program(
        cbs={0: 2, 1: 2},
        reader="void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); cb_wait_front(1, 2); "
        "cb_wait_front(1, 1); cb_pop_front(1, 1); cb_reserve_back(0, 2); cb_push_back(0, 1); }",
        writer="void kernel_main() { cb_wait_front(0, 1); cb_reserve_back(1, 2); cb_push_back(1, 2); "
        "cb_reserve_back(1, 2); cb_pop_front(0, 1); }",
    )
    with pytest.raises(DeadlockError, match="they wait for each other"):
        chip.launch(program)


def test_compute_waiting_for_itself_is_named(chip: Chip, make_program) -> None:
    program = make_program(
        cbs={1: 1},
        compute="void kernel_main() { for (int i = 0; i < 3; i++) { cb_reserve_back(1, 1); cb_push_back(1, 1); "
        "cb_wait_front(1, 1); if (i == 0) { cb_pop_front(1, 1); } } }",
    )
    with pytest.raises(DeadlockError, match="compute waits for itself: it is the one that pops c_1"):
        chip.launch(program)


@pytest.mark.parametrize(
    ("calls", "sentence"),
    [
        ("{} cb_pop_front(1, 2); cb_wait_front(1, 2); {}", "it has pushed 2 and popped 2 of them already, before this"),
        ("{} cb_wait_front(1, 3); {}", "it has pushed 2 and pushes more only later"),
        ("cb_wait_front(1, 2); {}", "it pushes the first only later"),
    ],
)
def test_compute_waiting_for_pages_it_should_push_itself(chip: Chip, make_program, calls: str, sentence: str) -> None:
    body = calls.replace("{}", "push_two();")
    # The pack thread would push by itself; packing makes it wait for what the unpack thread unpacks after its wait.
    source = """
#include "api/compute/tile_move_copy.h"
void push_two() {
    cb_reserve_back(1, 2);
    tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit();
    tile_regs_wait(); pack_tile(0, 1); tile_regs_release();
    cb_push_back(1, 2);
}
void kernel_main() { compute_kernel_hw_startup(0, 0, 1); copy_init(0); cb_wait_front(0, 1); BODY }
""".replace("BODY", body)
    reader = "void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); }"
    program = make_program(cbs={0: 1, 1: 4}, reader=reader, compute=source)
    with pytest.raises(DeadlockError) as caught:
        chip.launch(program)
    wanted = calls.split("cb_wait_front(1, ")[1][0]
    assert "compute (unpack)  compute.cpp:" in str(caught.value)
    assert f"compute waits for {wanted} pages of c_1, which no other kernel pushes: {sentence}" in str(caught.value)


def test_compute_without_pop_is_named_at_its_reserve(chip: Chip, make_program) -> None:
    source = "void kernel_main() {\n for (int i = 0; i < 2; i++) {\n  cb_reserve_back(1, 1);\n  cb_push_back(1, 1);\n"
    program = make_program(cbs={1: 1}, compute=source + "  cb_wait_front(1, 1);\n }\n}")
    with pytest.raises(DeadlockError) as caught:
        chip.launch(program)
    assert "compute.cpp:3  cb_reserve_back(c_1, 1)" in str(caught.value)
    assert "c_1 is full and was never popped: compute pushed 1 page" in str(caught.value)


def test_cores_stuck_alike_are_one_report(chip: Chip, make_program) -> None:
    program = make_program(grid=(8, 8), cbs={0: 1}, writer="void kernel_main() { cb_wait_front(0, 1); }")
    with pytest.raises(DeadlockError) as caught:
        chip.launch(program)
    assert "deadlock on cores (0,0)-(7,7)" in str(caught.value)
    assert str(caught.value).count("deadlock") == 1


def test_a_loop_of_a_million_turns_does_not_hide_the_cause(chip: Chip, make_program) -> None:
    """The consumer would go on for long, and pushes nothing: the producer has finished one page short."""
    reader = "void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); }"
    writer = "void kernel_main() { for (int i = 0; i < 1000000; i++) { cb_wait_front(0, 1); cb_pop_front(0, 1); } }"
    with pytest.raises(DeadlockError) as caught:
        chip.launch(make_program(cbs={0: 1}, reader=reader, writer=writer))
    assert "c_0 will never get the 1 page writer still waits for: reader pushed 1 page in all" in str(caught.value)


def test_a_loop_that_changes_only_memory_is_followed_to_its_end(chip: Chip, make_program) -> None:
    """Registers and stack are the same in every turn; the push comes after it."""
    count = "auto* word = (volatile uint32_t*)get_semaphore(0); while (*word != 40000000) { *word = *word + 1; }"
    writer = f"void kernel_main() {{ cb_wait_front(1, 1); {count} cb_reserve_back(0, 1); cb_push_back(0, 1); }}"
    reader = "void kernel_main() { cb_wait_front(0, 1); }"
    with pytest.raises(DeadlockError) as caught:
        chip.launch(make_program(cbs={0: 1, 1: 1}, semaphores=1, reader=reader, writer=writer))
    assert "c_1 has no producer" in str(caught.value)
    assert "c_0 has no producer" not in str(caught.value)


def test_kernels_that_raised_a_semaphore_are_listed(chip: Chip, make_program) -> None:
    """Core (0,0) waits for three; the writers of (1,0) and (2,0) raise it, that of (3,0) waits for itself."""
    reader = """void kernel_main() {
        if (get_absolute_logical_x() == 0) {
            noc_semaphore_wait((volatile uint32_t*)get_semaphore(0), 3);
        }
    }"""
    writer = """void kernel_main() {
        const uint32_t x = get_absolute_logical_x();
        if (x == 3) {
            noc_semaphore_wait((volatile uint32_t*)get_semaphore(1), 1);
        }
        if (x != 0) {
            noc_semaphore_inc(get_noc_addr(my_x[0] - x, my_y[0], get_semaphore(0)), 1);
        }
    }"""
    with pytest.raises(DeadlockError) as caught:
        chip.launch(make_program(grid=(4, 1), semaphores=2, reader=reader, writer=writer))
    text = str(caught.value)
    assert "writer on cores (1,0)-(2,0) raised it once each" in text
    assert "writer on core (3,0) has not (it waits for semaphore 1)" in text


def test_a_semaphore_raised_past_its_value_is_named(chip: Chip, make_program) -> None:
    program = make_program(
        semaphores=1,
        reader="void kernel_main() { auto s = (volatile uint32_t*)get_semaphore(0); *s = 3; "
        "noc_semaphore_wait(s, 2); }",
    )
    with pytest.raises(DeadlockError, match="until semaphore 0 is exactly 2, but it already holds 3"):
        chip.launch(program)


def test_a_semaphore_the_program_does_not_have_is_named(chip: Chip, make_program) -> None:
    source = "void kernel_main() {\n  noc_semaphore_wait((volatile uint32_t*)get_semaphore(3), 1);\n}"
    with pytest.raises(DeadlockError) as caught:
        chip.launch(make_program(semaphores=1, reader=source))
    assert "reader.cpp:2  noc_semaphore_wait(semaphore 3, 1)" in str(caught.value)
    assert "semaphore 3 is not configured on core (0,0)" in str(caught.value)


def test_more_pages_than_the_buffer_has_fails_at_the_call(chip: Chip, make_program) -> None:
    program = make_program(cbs={0: 2}, reader="void kernel_main() {\n  cb_reserve_back(0, 4);\n}")
    with pytest.raises(KernelError, match=r"reader on core \(0,0\) at reader.cpp:2: .*can never succeed.* 2 pages"):
        chip.launch(program)


def test_a_polling_loop_is_ended(chip: Chip, make_program) -> None:
    spin = "void kernel_main() {\n  auto s = (volatile uint32_t*)get_semaphore(0);\n  while (*s != 7) {}\n}"
    program = make_program(semaphores=1, reader=spin)
    with pytest.raises(SpinningError, match=r"reader.cpp:3: loops without end: it polls memory that"):
        chip.launch(program, RunOptions(spin_limit=0.2))


def test_polling_loop_sees_writes_of_another_kernel(chip: Chip, make_program) -> None:
    program = make_program(
        semaphores=1,
        reader="void kernel_main() { auto s = (volatile uint32_t*)get_semaphore(0); while (*s != 7) {} *s = 8; }",
        writer="void kernel_main() { *(volatile uint32_t*)get_semaphore(0) = 7; }",
    )
    chip.launch(program)
    assert chip.read_semaphore((0, 0), 0) == 8


def test_a_time_limit_stops_a_run(chip: Chip, make_program) -> None:
    forever = "void kernel_main() {\n  volatile int x = 0;\n  for (;;) { x = x + 1; }\n}"
    begin = time.monotonic()
    with pytest.raises(TimeLimitError, match=r"time limit of 0.3 s"):
        chip.launch(make_program(reader=forever), RunOptions(time_limit=0.3, spin_limit=60))
    assert time.monotonic() - begin < 5


def test_ctrl_c_stops_a_run(chip: Chip, make_program) -> None:
    program = make_program(reader="void kernel_main() { volatile int x = 0; for (;;) { x = x + 1; } }")
    chip.load(chip.executable(program))
    with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.5):
        chip.launch(program, RunOptions(spin_limit=60))
    chip.launch(make_program(reader="void kernel_main() {}"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("*(volatile uint32_t*)0x7f000000 = 1;", "touched memory at 0x7f000000"),
        ("__builtin_trap();", "SIGILL"),
    ],
)
def test_a_fault_names_kernel_core_and_line(chip: Chip, make_program, body: str, words: str) -> None:
    program = make_program(reader="void kernel_main() {\n\n  " + body + "\n}")
    with pytest.raises(KernelFaultError) as caught:
        chip.launch(program)
    assert f"kernel reader on core (0,0) at reader.cpp:3: {words}" in str(caught.value).replace("stopped by ", "")


def test_a_stack_overflow_is_named(chip: Chip, make_program) -> None:
    source = "int deep(volatile int* p) { volatile int x[64]; return deep(x) + x[0] + *p; }\n"
    program = make_program(reader=source + "void kernel_main() { volatile int y = 0; deep(&y); }")
    with pytest.raises(KernelFaultError, match="stack overflow"):
        chip.launch(program)


def test_the_process_survives_a_fault(chip: Chip, make_program) -> None:
    for _ in range(3):
        with pytest.raises(KernelFaultError):
            chip.launch(make_program(reader="void kernel_main() { *(volatile int*)0x7f000000 = 1; }"))
        chip.launch(make_program(reader="void kernel_main() { }"))


def test_a_compile_error_points_at_the_users_line(chip: Chip, make_program) -> None:
    program = make_program(reader="void kernel_main() {\n  cb_wait_frnt(0, 1);\n}")
    with pytest.raises(KernelCompileError) as caught:
        chip.launch(program)
    text = str(caught.value)
    assert "reader.cpp:2" in text
    assert "cb_wait_frnt" in text
    assert len(text.splitlines()) < 12


def test_source_without_kernel_main_is_named(chip: Chip, make_program) -> None:
    with pytest.raises(KernelCompileError, match=r"reader\.cpp has no `void kernel_main\(\)`"):
        chip.launch(make_program(reader="void other() {}"))


def test_prints_carry_core_and_kernel(chip: Chip, make_program, capsys: pytest.CaptureFixture[str]) -> None:
    program = make_program(
        args={"reader": [5]},
        reader='void kernel_main() { DPRINT << "five is " << get_arg_val<uint32_t>(0) << ENDL(); }',
    )
    chip.launch(program)
    assert capsys.readouterr().out == "(0,0) reader: five is 5\n"


def test_a_core_the_chip_does_not_have_is_refused(chip: Chip, make_program) -> None:
    with pytest.raises(ProgramError, match="outside the 8x8 grid"):
        chip.launch(make_program(grid=(9, 1), reader="void kernel_main() {}"))
