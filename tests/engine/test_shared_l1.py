# SPDX-License-Identifier: Apache-2.0
"""Independent cores share one L1 backing store; only a look at memory after the run shows it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright._errors import KernelError, KernelFaultError, TilewrightError
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.arch import describe_arch

PAGE_BYTES = 2048
GRID = (4, 1)

# Writes its number to its page, lets the writer see it, and notes whose number was there before.
NUMBERED = """
void kernel_main() {
    cb_reserve_back(0, 1);
    auto* page = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(1)) = page[0];
    page[0] = 100 + get_absolute_logical_x();
    cb_push_back(0, 1);
}
"""
SHOWS_NUMBER = """
void kernel_main() {
    cb_wait_front(0, 1);
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(0)) =
        *reinterpret_cast<volatile uint32_t*>(get_read_ptr(0));
    cb_pop_front(0, 1);
}
"""


@pytest.fixture
def own_chip() -> Iterator[Chip]:
    """A chip no other test has used: every L1 is still poisoned."""
    chip = Chip(describe_arch("wormhole_b0"))
    yield chip
    chip.close()


def semaphores(chip: Chip, semaphore_id: int, grid: tuple[int, int] = GRID) -> list[int]:
    return [chip.read_semaphore((x, y), semaphore_id) for y in range(grid[1]) for x in range(grid[0])]


def circular_buffer(chip: Chip, x: int) -> int:
    return int(chip.read_l1((x, 0), chip.arch.l1_unreserved_base, 4).view("uint32")[0])


def numbered(make_program) -> ProgramDescriptor:
    return make_program(grid=GRID, cbs={0: 1}, semaphores=2, reader=NUMBERED, writer=SHOWS_NUMBER)


@pytest.mark.parametrize("threads", [1, 2])
def test_cores_share_one_l1_from_the_second_launch_on(own_chip, make_program, threads) -> None:
    program = numbered(make_program)
    own_chip.launch(program, RunOptions(threads=threads))
    poison = semaphores(own_chip, 1)
    assert poison == [poison[0]] * 4
    assert poison[0] not in range(100, 104)
    for _ in range(2):
        own_chip.launch(program, RunOptions(threads=threads))
        assert semaphores(own_chip, 0) == [100, 101, 102, 103]
    # Each thread has an L1 for its cores.
    assert semaphores(own_chip, 1) == ([103, 100, 101, 102] if threads == 1 else [101, 100, 103, 102])


def test_each_os_thread_shares_an_l1_of_its_own(chip: Chip, make_program) -> None:
    reader = """
    void kernel_main() {
        cb_reserve_back(0, 64);
        auto* words = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));
        for (uint32_t i = 0; i < 64 * 512; i++) {
            words[i] = get_absolute_logical_x() * 100000 + i;
        }
        cb_push_back(0, 64);
    }"""
    writer = """
    void kernel_main() {
        cb_wait_front(0, 64);
        auto* words = reinterpret_cast<volatile uint32_t*>(get_read_ptr(0));
        for (uint32_t i = 0; i < 64 * 512; i++) {
            if (words[i] != get_absolute_logical_x() * 100000 + i) {
                __builtin_trap();
            }
        }
        cb_pop_front(0, 64);
    }"""
    program = make_program(grid=(8, 1), cbs={0: 64}, reader=reader, writer=writer)
    for _ in range(4):
        chip.launch(program, RunOptions(threads=2))
    for x in range(8):
        with pytest.raises(TilewrightError, match="is gone"):
            circular_buffer(chip, x)


def test_reading_overwritten_l1_is_refused(own_chip: Chip, make_program) -> None:
    program = numbered(make_program)
    own_chip.launch(program)
    assert [circular_buffer(own_chip, x) for x in range(4)] == [100, 101, 102, 103]
    own_chip.launch(program)
    for x in range(4):
        with pytest.raises(TilewrightError, match=rf"core \({x},0\) left at address .* is gone.*keep_l1=True"):
            circular_buffer(own_chip, x)
    circular_buffer(own_chip, 4)  # had no part in it
    own_chip.launch(program, RunOptions(keep_l1=True))
    assert [circular_buffer(own_chip, x) for x in range(4)] == [100, 101, 102, 103]


def test_checked_and_recorded_runs_use_separate_l1(chip: Chip, make_program) -> None:
    program = numbered(make_program)
    for _ in range(2):
        chip.launch(program)
    recorded = chip.launch(program, RunOptions(record=[0]))
    assert [int(pages.data.view("uint32").flat[0]) for pages in recorded.pages] == [100, 101, 102, 103]
    assert [circular_buffer(chip, x) for x in range(4)] == [100, 101, 102, 103]


# Copies page to page over the NoC, by its own coordinates, by a slot pointer and by the plain offset.
COPIES = """
void kernel_main() {
    const uint32_t from = get_write_ptr(0), to = get_write_ptr(1);
    auto* first = reinterpret_cast<volatile uint32_t*>(from);
    auto* second = reinterpret_cast<volatile uint32_t*>(to);
    first[0] = 7 + get_absolute_logical_x();
    first[8] = 70 + get_absolute_logical_x();
    noc_async_read(get_noc_addr(from), to, 32);
    noc_async_write(from + 32, get_noc_addr(my_x[0], my_y[0], to & 0x1fffff) + 32, 32);
    noc_async_read_barrier();
    noc_async_write_barrier();
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(0)) = second[0];
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(1)) = second[8];
}
"""


def test_a_core_reaches_its_own_l1_over_the_noc(chip: Chip, make_program) -> None:
    program = make_program(grid=GRID, cbs={0: 1, 1: 1}, semaphores=2, reader=COPIES)
    for _ in range(3):
        chip.launch(program)
        assert semaphores(chip, 0) == [7, 8, 9, 10]
        assert semaphores(chip, 1) == [70, 71, 72, 73]
    with pytest.raises(TilewrightError, match="is gone"):  # they shared one L1
        circular_buffer(chip, 1)


# Core 0 leaves a number in its own page and, if told to, sends one to core 3; core 3, if told to, fetches core 0's.
# Nothing orders the two: what is sent is long enough to arrive at once.
MEETS = """
void kernel_main() {
    const uint32_t x = get_absolute_logical_x(), sends = get_arg_val<uint32_t>(0), fetches = get_arg_val<uint32_t>(1);
    const uint32_t first = get_write_ptr(0), second = get_write_ptr(1);
    auto* own = reinterpret_cast<volatile uint32_t*>(first);
    auto* got = reinterpret_cast<volatile uint32_t*>(second);
    own[0] = 50 + x;
    if (sends != 0 && x == 0) {
        noc_async_write(first, get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), second), 128);
        noc_async_write_barrier();
    }
    if (fetches != 0 && x == 3) {
        noc_async_read(get_noc_addr(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), first), second, 128);
        noc_async_read_barrier();
    }
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(0)) = x == 3 ? got[0] : 0;
}
"""


def meeting(chip: Chip, make_program, sends: bool, fetches: bool) -> ProgramDescriptor:
    nodes = [chip.arch.worker_core_from_logical_core((x, 0)) for x in (3, 0)]
    args = [int(sends), int(fetches), *(part for node in nodes for part in (node.x, node.y))]
    return make_program(grid=GRID, cbs={0: 1, 1: 1}, semaphores=1, reader=MEETS, args={"reader": args})


@pytest.mark.parametrize(("sends", "fetches"), [(True, False), (False, True)])
def test_communicating_cores_use_separate_l1(chip: Chip, make_program, sends: bool, fetches: bool) -> None:
    program = meeting(chip, make_program, sends, fetches)
    for _ in range(3):
        chip.launch(program)
        assert chip.read_semaphore((3, 0), 0) == 50
        assert [circular_buffer(chip, x) for x in range(4)] == [50, 51, 52, 53]


def test_first_send_reaches_a_core_that_has_not_started(chip: Chip, make_program) -> None:
    for _ in range(2):
        chip.launch(meeting(chip, make_program, sends=False, fetches=False))
    chip.launch(meeting(chip, make_program, sends=True, fetches=False))
    assert chip.read_semaphore((3, 0), 0) == 50


def test_first_remote_read_of_overwritten_l1_fails_and_the_next_launch_succeeds(chip: Chip, make_program) -> None:
    for _ in range(2):
        chip.launch(meeting(chip, make_program, sends=False, fetches=False))
    program = meeting(chip, make_program, sends=False, fetches=True)
    with pytest.raises(KernelError, match=r"circular buffer of core \(0,0\), which has finished .*; launch again"):
        chip.launch(program)
    chip.launch(program)
    assert chip.read_semaphore((3, 0), 0) == 50


# Core 0 waits, if told to, until core 3 has raised its semaphore; what it had in its page must still be there.
WAITS = """
void kernel_main() {
    const uint32_t x = get_absolute_logical_x(), waits = get_arg_val<uint32_t>(0);
    auto* page = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));
    page[0] = 60 + x;
    auto* raised = reinterpret_cast<volatile uint32_t*>(get_semaphore(1));
    if (waits != 0 && x == 0) {
        noc_semaphore_wait(raised, 1);
    }
    if (waits != 0 && x == 3) {
        const uint64_t node = get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_semaphore(1));
        noc_semaphore_inc(node, 1);
    }
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(0)) = page[0];
}
"""


def test_waiting_core_keeps_its_own_l1(chip: Chip, make_program) -> None:
    node = chip.arch.worker_core_from_logical_core((0, 0))
    for waits in (0, 0, 1, 1, 0, 0, 1):
        args = {"reader": [waits, node.x, node.y]}
        chip.launch(make_program(grid=GRID, cbs={0: 1}, semaphores=2, reader=WAITS, args=args))
        assert semaphores(chip, 0) == [60, 61, 62, 63]


def test_fault_past_a_shared_l1_is_reported_as_past_the_cores_own(chip: Chip, make_program) -> None:
    reader = """
    void kernel_main() {
        const uint32_t past = get_arg_val<uint32_t>(0);
        auto* page = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0) & ~0x1fffffu);
        if (past != 0 && get_absolute_logical_x() == 2) {
            page[past / 4] = 1;
        }
    }"""

    def launch(past: int) -> None:
        chip.launch(make_program(grid=GRID, cbs={0: 1}, reader=reader, args={"reader": [past]}))

    launch(0)
    launch(0)
    with pytest.raises(KernelFaultError, match=r"core \(2,0\) .* 64 bytes past the end of this core's L1"):
        launch(chip.arch.l1_bytes + 64)
