# SPDX-License-Identifier: Apache-2.0
"""Semaphores whose outcome depends on who comes first, told from one run, and orders tried by seed."""

from __future__ import annotations

import pytest

from tests.check.noc_program import rules, run_checked, tiles
from tilewright import ttnn
from tilewright._errors import DeadlockError
from tilewright._launch.run_options import RunOptions
from tilewright._record.run import RunStatus

SEEDS = range(1, 17)
PLACES = """
const uint32_t root_x = get_arg_val<uint32_t>(0), root_y = get_arg_val<uint32_t>(1);
const uint32_t peer_x = get_arg_val<uint32_t>(2), peer_y = get_arg_val<uint32_t>(3);
volatile uint32_t* go = (volatile uint32_t*)get_semaphore(0);
volatile uint32_t* done = (volatile uint32_t*)get_semaphore(1);
const uint64_t root_done = get_noc_addr(root_x, root_y, get_semaphore(1));
const uint64_t peer_go = get_noc_addr(peer_x, peer_y, get_semaphore(0));
"""


def kernel(body: str) -> str:
    return f"void kernel_main() {{ {PLACES} {body} }}"


def run_pair(device: ttnn.Device, root: str, peer: str, seed: int = 0, **more: str):
    """A root on core (0,0) and a peer on core (1,0), with semaphores 0 (go) and 1 (done) on both."""
    x = tiles(device, 1)
    root_place, peer_place = (device.worker_core_from_logical_core((column, 0)) for column in (0, 1))
    return run_checked(
        [x, x],
        grid=(2, 1),
        semaphores=2,
        args=[root_place.x, root_place.y, peer_place.x, peer_place.y],
        where={"reader": (0, 0), "reader_peer": (1, 0), "writer": (1, 0)},
        seed=seed,
        reader=kernel(root),
        reader_peer=kernel(peer),
        **{name: kernel(body) for name, body in more.items()},
    )


def seeds_that_hang(run) -> list[int]:
    hanging = []
    for seed in SEEDS:
        try:
            run(seed)
        except DeadlockError:
            hanging.append(seed)
    return hanging


COUNTING_ROOT = """
for (uint32_t step = 1; step <= 3; step++) {{
    noc_inline_dw_write(peer_go, step); noc_async_write_barrier(); {}
}}
"""
COUNTING_PEER = """
for (uint32_t step = 1; step <= 3; step++) {{ noc_semaphore_wait{}(go, step); {} }}
noc_async_atomic_barrier();
"""
WAIT_FOR_PEER = "noc_semaphore_wait(done, step);"
TELL_ROOT = "noc_semaphore_inc(root_done, 1);"


def test_an_exact_wait_that_can_be_overshot(device) -> None:
    def buggy(seed: int):
        return run_pair(device, COUNTING_ROOT.format(""), COUNTING_PEER.format("", ""), seed)

    hanging = seeds_that_hang(buggy)
    assert hanging, "no order in which the peer misses a value"
    assert len(hanging) < len(SEEDS), "no order that ends well"
    for seed in SEEDS:
        if seed not in hanging:  # no hang, and reported all the same
            assert rules(buggy(seed)) == {"semaphore-overshoot"}
    with pytest.raises(DeadlockError) as caught:
        buggy(hanging[0])
    stuck = [note for note in caught.value.run.notes if "which held it until" in note.text]  # type: ignore[attr-defined]
    assert [note.rule for note in stuck] == ["semaphore-overshoot"]
    assert "in semaphore 0 of core (1,0), which held it until reader on core (0,0) set it to" in stuck[0].text


def test_a_wait_for_at_least_cannot_be_overshot(device) -> None:
    for seed in SEEDS:
        run = run_pair(device, COUNTING_ROOT.format(""), COUNTING_PEER.format("_min", ""), seed)
        assert not rules(run)


def test_an_exact_wait_with_an_answer_cannot_be_overshot(device) -> None:
    for seed in (0, *SEEDS):
        run = run_pair(device, COUNTING_ROOT.format(WAIT_FOR_PEER), COUNTING_PEER.format("", TELL_ROOT), seed)
        assert not rules(run)


def test_seed_reproduces_the_run(device) -> None:
    def outcome(seed: int) -> tuple[str, int]:
        try:
            return "ends", run_pair(device, COUNTING_ROOT.format(""), COUNTING_PEER.format("", ""), seed).switches
        except DeadlockError as error:
            return str(error), error.run.switches  # type: ignore[attr-defined]

    outcomes = [outcome(seed) for seed in SEEDS]
    assert outcomes == [outcome(seed) for seed in SEEDS]
    assert len(set(outcomes)) > 1


RESET_ROOT = "{} noc_semaphore_set(done, 0); {} noc_semaphore_wait(done, 1);"


def test_a_reset_that_can_wipe_out_a_raise(device) -> None:
    peer = TELL_ROOT + "noc_async_atomic_barrier();"

    def buggy(seed: int):
        return run_pair(device, RESET_ROOT.format("", ""), peer, seed)

    hanging = seeds_that_hang(buggy)
    assert hanging, "no order in which the raise is lost"
    for seed in SEEDS:
        if seed not in hanging:
            assert rules(buggy(seed)) == {"semaphore-lost-reset"}
    # The peer raises only when it has been told that the reset is over.
    tell = "noc_semaphore_inc(peer_go, 1); noc_async_atomic_barrier();"
    for seed in (0, *SEEDS):
        assert not rules(run_pair(device, RESET_ROOT.format("", tell), "noc_semaphore_wait(go, 1);" + peer, seed))


def test_a_reset_after_the_wait_for_every_raise(device) -> None:
    root = """
    for (uint32_t round = 0; round < 3; round++) {
        noc_semaphore_wait(done, 1); noc_semaphore_set(done, 0);
        noc_semaphore_inc(peer_go, 1);
    }
    noc_async_atomic_barrier();
    """
    peer = """
    for (uint32_t round = 1; round <= 3; round++) {{ noc_semaphore_inc(root_done, 1); {} }}
    noc_async_atomic_barrier();
    """
    for seed in (0, *SEEDS):
        assert not rules(run_pair(device, root, peer.format("noc_semaphore_wait(go, round);"), seed))


def test_a_reset_after_a_wait_for_fewer_raises_than_there_may_be(device) -> None:
    root = "noc_semaphore_wait_min(done, 1); noc_semaphore_set(done, 0); {}"
    peer = "for (int i = 0; i < 2; i++) {{ noc_semaphore_inc(root_done, 1); {} }} noc_async_atomic_barrier();"
    for seed in (0, *SEEDS):
        assert rules(run_pair(device, root.format(""), peer.format(""), seed)) == {"semaphore-lost-reset"}
    again = root + root
    tell = "noc_semaphore_inc(peer_go, 1); noc_async_atomic_barrier();"
    for seed in (0, *SEEDS):
        run = run_pair(device, again.format(tell, tell), peer.format("noc_semaphore_wait(go, i + 1);"), seed)
        assert not rules(run)


def test_one_semaphore_for_two_kernels(device) -> None:
    root = """
    for (int i = 0; i < 2; i++) {
        noc_semaphore_wait(done, i); noc_semaphore_inc(peer_go, 1); noc_async_atomic_barrier();
    }
    noc_semaphore_wait(done, 2);
    """
    waiter = "noc_semaphore_wait_min(go, 1); {} noc_semaphore_inc(root_done, 1); noc_async_atomic_barrier();"
    reset = "noc_semaphore_set(go, *go - 1);"
    shared = run_pair(device, root, waiter.format(reset), writer=waiter.format(reset))
    assert "semaphore-shared" in rules(shared)
    # Two that only look at one flag do not get in each other's way.
    flag = "noc_semaphore_inc(peer_go, 1); noc_async_atomic_barrier(); noc_semaphore_wait_min(done, 2);"
    for seed in (0, *SEEDS):
        assert not rules(run_pair(device, flag, waiter.format(""), seed, writer=waiter.format("")))


def test_one_counter_that_two_kernels_wait_for_and_one_clears_in_the_end(device) -> None:
    leader = """
    for (uint32_t step = 1; step <= 3; step++) {
        noc_semaphore_set(go, step); noc_semaphore_wait_min(go, step);
    }
    noc_semaphore_wait(done, 1); noc_semaphore_set(go, 0);
    """
    helper = """
    for (uint32_t step = 1; step <= 3; step++) { noc_semaphore_wait_min(go, step); }
    noc_semaphore_inc(get_noc_addr(peer_x, peer_y, get_semaphore(1)), 1); noc_async_atomic_barrier();
    """
    assert run_pair(device, "", leader, writer=helper).notes == []


@pytest.mark.parametrize(("value", "found"), [(1, set()), (2, {"noc-reuse-in-flight"})])
def test_a_flag_stored_again_while_it_is_sent(device, value: int, found: set[str]) -> None:
    root = f"""
    const uint64_t peers = get_noc_multicast_addr(peer_x, peer_y, peer_x, peer_y, get_semaphore(0));
    noc_semaphore_set(go, 1); noc_semaphore_set_multicast(get_semaphore(0), peers, 1);
    noc_semaphore_set(go, {value}); noc_async_write_barrier();
    """
    assert set(rules(run_pair(device, root, "noc_semaphore_wait_min(go, 1);"))) == found


def test_two_consumers_of_one_page_by_seed(device) -> None:
    """Whether the writer still finds the page depends on whether compute has popped it."""
    x = tiles(device, 1)

    def run(seed: int, pops: str):
        return run_checked(
            [x, x],
            cbs={0: 1},
            seed=seed,
            reader="void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); }",
            compute=f"void kernel_main() {{ cb_wait_front(0, 1); {pops} }}",
            writer="void kernel_main() { cb_wait_front(0, 1); }",
        )

    hanging = seeds_that_hang(lambda seed: run(seed, "cb_pop_front(0, 1);"))
    assert hanging
    assert len(hanging) < len(SEEDS)
    assert not seeds_that_hang(lambda seed: run(seed, ""))


def test_the_first_seeds_let_each_kernel_run_ahead_and_behind(device) -> None:
    """The writer finds the page unless compute, which pops it, is faster."""
    x = tiles(device, 1)

    def run(seed: int):
        return run_checked(
            [x, x],
            cbs={0: 1},
            seed=seed,
            reader="void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); }",
            compute="void kernel_main() { cb_wait_front(0, 1); cb_pop_front(0, 1); }",
            writer="void kernel_main() { cb_wait_front(0, 1); }",
        )

    compute_ahead, compute_behind, writer_ahead, writer_behind = 3, 4, 5, 6
    with pytest.raises(DeadlockError):
        run(compute_ahead)
    with pytest.raises(DeadlockError):
        run(writer_behind)
    assert run(compute_behind).status is run(writer_ahead).status is RunStatus.OK


def test_a_seed_belongs_to_a_checked_run(device) -> None:
    chip = device.memory
    program = ttnn.ProgramDescriptor()
    with pytest.raises(ValueError, match="give checked=True"):
        chip.launch(program, RunOptions(seed=3))
    with pytest.raises(ValueError, match="seed must be a whole number"):
        chip.launch(program, RunOptions(checked=True, seed=-1))
