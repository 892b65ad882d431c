# SPDX-License-Identifier: Apache-2.0
"""Order of kernels besides credits and waits: polled words, credits for something later, phases, passed addresses."""

from __future__ import annotations

import pytest

from tests.check.noc_program import run_checked, tiles

WORDS = "reinterpret_cast<volatile tt_l1_ptr uint32_t*>"


def dataflow(body: str) -> str:
    return f"void kernel_main() {{\n{body}\n}}\n"


def compute(body: str) -> str:
    headers = ("common", "tile_move_copy", "compute_kernel_api", "pack", "cb_api", "reg_api", "eltwise_binary")
    includes = "\n".join(f'#include "api/compute/{each}.h"' for each in headers)
    return f"#include <cstdint>\n{includes}\nvoid kernel_main() {{\n{body}\n}}\n"


def found(run) -> set[str]:
    return {note.rule for note in run.notes}


# --- words that a kernel polls by itself ---

# The flag is down before any kernel reads it: a credit orders them.
STORE = f"""
    auto* words = {WORDS}(get_write_ptr(0)); cb_reserve_back(0, 1); words[0] = 0;
    cb_reserve_back(1, 1); cb_push_back(1, 1);
    words[1] = 7; words[0] = 1;
"""
POLL = "while (words[0] != 1) { invalidate_l1_cache(); }"


@pytest.mark.parametrize(
    ("look", "rules"),
    [
        (POLL, set()),
        ("while (words[0] != 1) {}", set()),
        ("while (words[0] != 1 || words[1] != 7) { invalidate_l1_cache(); }", set()),
        ("volatile uint32_t once = words[0];", {"l1-race"}),
        # Looked at twice, with something else between: that is no polling.
        ("for (int i = 0; i < 2; i++) { volatile uint32_t seen = words[0]; cb_reserve_back(2, 1); }", {"l1-race"}),
    ],
)
@pytest.mark.parametrize("storer", ["reader", "writer"])
def test_a_word_polled_until_it_changes(device, look: str, rules: set[str], storer: str) -> None:
    """What its storer did before comes before what follows; a load that is not repeated orders nothing."""
    looker = "writer" if storer == "reader" else "reader"
    words = f"auto* words = {WORDS}(get_read_ptr(0)); cb_wait_front(1, 1);"
    loads = dataflow(f"{words} {look} volatile uint32_t seen = words[1]; cb_pop_front(1, 1);")
    run = run_checked([tiles(device, 1)] * 2, cbs={0: 1, 1: 1, 2: 1}, **{storer: dataflow(STORE), looker: loads})
    assert found(run) == rules


def test_unordered_initialisation_of_a_polled_word_is_a_race(device) -> None:
    """Until the reader clears the word, it holds what an earlier program left: perhaps the value polled for."""
    clear = f"auto* words = {WORDS}(get_write_ptr(0)); cb_reserve_back(0, 1); words[0] = 0;"
    polls = dataflow(f"auto* words = {WORDS}(get_read_ptr(0)); {POLL}")
    run = run_checked([tiles(device, 1)] * 2, cbs={0: 1}, reader=dataflow(f"{clear} words[0] = 1;"), writer=polls)
    assert found(run) == {"l1-race"}


def test_a_polled_word_carries_its_order_to_another_core(device) -> None:
    """The reader writes to a peer, its core's other kernel hears of it by a word in L1, and signals the peer."""
    peer = device.worker_core_from_logical_core((1, 0))
    there = f"get_noc_addr({peer.x}, {peer.y}, "
    reader = dataflow(f"""
        auto* words = {WORDS}(get_write_ptr(0)); cb_reserve_back(0, 1); words[0] = 0; words[4] = 7;
        cb_reserve_back(2, 1); cb_push_back(2, 1);
        cb_reserve_back(1, 1);
        noc_async_write(get_write_ptr(0), {there}get_write_ptr(1)), 64); noc_async_write_barrier(); words[0] = 1;
    """)
    signal = f"noc_semaphore_inc({there}get_semaphore(0)), 1); noc_async_atomic_barrier();"
    waits = "noc_semaphore_wait((volatile tt_l1_ptr uint32_t*)get_semaphore(0), 1);"
    cleared = "cb_wait_front(2, 1); cb_pop_front(2, 1);"
    takes = dataflow(f"{waits} volatile uint32_t seen = {WORDS}(get_write_ptr(1))[4];")
    for look, rules in ((POLL, set()), ("volatile uint32_t once = words[0];", {"l1-race"})):
        run = run_checked(
            [tiles(device, 1)] * 2, grid=(2, 1), cbs={0: 1, 1: 1, 2: 1}, semaphores=1,
            where={"reader": (0, 0), "writer": (0, 0), "reader_peer": (1, 0)},
            reader=reader,
            writer=dataflow(f"auto* words = {WORDS}(get_write_ptr(0)); {cleared} {look} {signal}"),
            reader_peer=takes,
        )  # fmt: skip
        assert found(run) & {"l1-race"} == rules


def test_a_thread_that_only_comes_along_loads_nothing(device) -> None:
    """The reader's page comes after the pack thread's, which therefore leaves the unpack thread behind."""
    body = f"""
        compute_kernel_hw_startup(0, 0, 1);
        UNPACK(({{
            cb_wait_front(0, 1);
            volatile uint32_t seen = {WORDS}(get_local_cb_interface(0).fifo_rd_ptr << 4)[0];
            cb_pop_front(0, 1);
        }}));
        cb_reserve_back(1, 1);
        cb_push_back(1, 1);
    """
    reader = dataflow(f"""
        cb_wait_front(1, 1); cb_pop_front(1, 1);
        cb_reserve_back(0, 1); {WORDS}(get_write_ptr(0))[0] = 5; cb_push_back(0, 1);
    """)
    run = run_checked([tiles(device, 1)] * 2, cbs={0: 1, 1: 1}, reader=reader, compute=compute(body))
    assert found(run) == set()


# --- pages of compute's own ---

OWN_PAGES = """
    compute_kernel_hw_startup(0, 0, 1);
    copy_init(0);
    auto pack_copy = [&](uint32_t cb) {
        tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit();
        tile_regs_wait(); pack_tile(0, cb); tile_regs_release();
    };
    auto produce = [&](uint32_t cb) { cb_reserve_back(cb, 1); pack_copy(cb); cb_push_back(cb, 1); };
    cb_wait_front(0, 1);
    produce(1);
"""
READ_OWN = (
    "tile_regs_acquire(); copy_init(1); copy_tile(1, 0, 0); tile_regs_commit(); tile_regs_wait(); tile_regs_release();"
)


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        # The pack thread pushes in order: who has waited for page 2 knows of page 1.
        (f"produce(2); cb_wait_front(2, 1); {READ_OWN} cb_pop_front(1, 1); cb_pop_front(2, 1);", set()),
        (f"produce(2); {READ_OWN} cb_wait_front(2, 1); cb_pop_front(1, 1); cb_pop_front(2, 1);", {"cb-read-past-wait"}),
        # Adding to a page that only its own unpack thread will read, once it has been pushed again.
        (
            "pack_reconfig_l1_acc(1); pack_copy(1); pack_reconfig_l1_acc(0); cb_wait_front(1, 1); cb_pop_front(1, 1);",
            set(),
        ),
        ("pack_copy(1); cb_wait_front(1, 1); cb_pop_front(1, 1);", {"cb-write-unreserved"}),
    ],
)
def test_pages_that_compute_packed_itself(device, body: str, rules: set[str]) -> None:
    x = tiles(device, 1)
    reader = dataflow("cb_reserve_back(0, 1); fill(); cb_push_back(0, 1);").replace(
        "fill();", f"for (int i = 0; i < 512; i++) {{ {WORDS}(get_write_ptr(0))[i] = 0; }}"
    )
    body = OWN_PAGES + body + "cb_pop_front(0, 1);"
    run = run_checked([x, x], cbs={0: 1, 1: 1, 2: 1}, reader=reader, compute=compute(body))
    assert found(run) & {"cb-read-past-wait", "cb-write-unreserved", "cb-write-past-reserve"} == rules


# --- a third kernel ---


@pytest.mark.parametrize(
    ("answer", "rules"),
    [
        ("noc_semaphore_wait_min(done, 1);", set()),
        ("", {"cb-read-past-wait"}),
        ("for (int i = 0; i < 4; i++) { invalidate_l1_cache(); }", {"l1-race"}),  # the writer comes first
    ],
)
def test_pages_lent_to_a_kernel_without_credits(device, answer: str, rules: set[str]) -> None:
    """The writer sends what the reader has read, told by a semaphore; before the reader reads again it must be told."""
    x = tiles(device, 2)
    peer = device.worker_core_from_logical_core((1, 0))
    flags = "auto* go = (volatile uint32_t*)get_semaphore(0); auto* done = (volatile uint32_t*)get_semaphore(1);"
    reader = dataflow(f"""
        {flags}
        const uint32_t page = get_write_ptr(0);
        const uint64_t from = get_noc_addr_from_bank_id<true>(0, {x.buffer_address()});
        cb_reserve_back(0, 1); noc_async_read(from, page, 2048); noc_async_read_barrier(); cb_push_back(0, 1);
        cb_reserve_back(0, 1); noc_semaphore_set(go, 1);
        {answer} noc_async_read(from, page, 2048); noc_async_read_barrier(); cb_push_back(0, 1);
    """)
    writer = dataflow(f"""
        {flags}
        noc_semaphore_wait_min(go, 1);
        noc_async_write(get_write_ptr(0), get_noc_addr({peer.x}, {peer.y}, get_write_ptr(1)), 2048);
        noc_async_write_barrier(); noc_semaphore_set(done, 1);
    """)
    takes = compute("for (int i = 0; i < 2; i++) { cb_wait_front(0, 1); cb_pop_front(0, 1); }")
    run = run_checked(
        [x, x], grid=(2, 1), cbs={0: 1, 1: 1}, semaphores=2,
        where={"reader": (0, 0), "writer": (0, 0), "compute": (0, 0), "reader_peer": (1, 0)},
        reader=reader, writer=writer, compute=takes, reader_peer=dataflow("cb_reserve_back(1, 1);"),
    )  # fmt: skip
    assert found(run) & {"l1-race", "cb-read-past-wait"} == rules


@pytest.mark.parametrize(
    ("address", "rules"), [("words[0]", set()), ("get_write_ptr(1) + 2048", {"l1-outside-buffer"})]
)
def test_address_passed_in_a_word(device, address: str, rules: set[str]) -> None:
    reader = dataflow(f"""
        cb_reserve_back(2, 1); cb_reserve_back(1, 1);
        {WORDS}(get_write_ptr(1))[0] = get_write_ptr(2); cb_push_back(1, 1);
    """)
    writer = dataflow(f"""
        cb_wait_front(1, 1);
        auto* words = {WORDS}(get_read_ptr(1));
        const uint32_t address = {address};
        *{WORDS}(address) = 3;
    """)
    run = run_checked([tiles(device, 1)] * 2, cbs={1: 1, 2: 1}, reader=reader, writer=writer)
    assert found(run) - {"cb-left-over"} == rules


def test_a_semaphore_used_in_turn(device) -> None:
    """Reader and writer wait for one semaphore and set it back, each when the other is known to be done with it."""
    here = device.worker_core_from_logical_core((1, 0))
    up = f"noc_semaphore_inc(get_noc_addr({here.x}, {here.y}, get_semaphore(0)), 1); noc_async_atomic_barrier();"
    flag = "auto* shared = (volatile uint32_t*)get_semaphore(0);"
    take = "noc_semaphore_wait(shared, 1); noc_semaphore_set(shared, 0);"
    there = device.worker_core_from_logical_core((0, 0))
    tell = f"noc_semaphore_inc(get_noc_addr({there.x}, {there.y}, get_semaphore(1)), 1); noc_async_atomic_barrier();"
    kernels = {
        "reader": dataflow(f"{flag} {take} cb_reserve_back(0, 1); cb_push_back(0, 1); {tell}"),
        "writer": dataflow(f"{flag} cb_wait_front(0, 1); {take} cb_pop_front(0, 1);"),
        "reader_peer": dataflow(f"{up} noc_semaphore_wait_min((volatile uint32_t*)get_semaphore(1), 1); {up}"),
    }
    where = {"reader": (1, 0), "writer": (1, 0), "reader_peer": (0, 0)}
    run = run_checked([tiles(device, 1)] * 2, grid=(2, 1), cbs={0: 1}, semaphores=2, where=where, **kernels)
    assert found(run) == set()
