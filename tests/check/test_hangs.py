# SPDX-License-Identifier: Apache-2.0
"""Every kind of hang has a rule, a line and numbers; the fixed twin is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright
from tests.check.source_program import check_source, rules, source_program
from tilewright import ttnn
from tilewright._build.compiler import find_compiler
from tilewright._launch.run_options import RunOptions

PUSH = "cb_reserve_back({0}, {1}); cb_push_back({0}, {1});"
TAKE = "cb_wait_front({0}, {1}); cb_pop_front({0}, {1});"


def body(*lines: str) -> str:
    return "void kernel_main() {\n" + "\n".join(lines) + "\n}"


# rule: circular buffers, kernels of the buggy twin, kernels that replace some of them in the fixed one,
# who is named at which line.
HANGS = {
    "hang-missing-producer": (
        {0: 2, 3: 1},
        {
            "reader": body(PUSH.format(0, 1)),
            "compute": body("cb_wait_front(3, 1);", TAKE.format(0, 1), "cb_pop_front(3, 1);"),
        },
        {"reader": body(PUSH.format(3, 1), PUSH.format(0, 1))},
        ("compute", 2, "c_3"),
    ),
    "hang-finished-producer": (
        {0: 4},
        {"reader": body(PUSH.format(0, 2)), "writer": body("", "cb_wait_front(0, 3);", "cb_pop_front(0, 3);")},
        {"writer": body("", "cb_wait_front(0, 2);", "cb_pop_front(0, 2);")},
        ("writer", 3, "c_0"),
    ),
    "hang-full-buffer": (
        {0: 2, 1: 1},
        {
            "reader": body("for (int b = 0; b < 2; b++) {", PUSH.format(1, 1), PUSH.format(0, 1), "}"),
            "writer": body(
                "cb_wait_front(1, 1);", "for (int b = 0; b < 2; b++) {", TAKE.format(0, 1), "}", "cb_pop_front(1, 1);"
            ),
        },
        {"reader": body(PUSH.format(1, 1), "for (int b = 0; b < 2; b++) {", PUSH.format(0, 1), "}")},
        ("reader", 3, "c_1"),
    ),
    "hang-self": (
        {1: 1},
        {"compute": body("for (int i = 0; i < 2; i++) {", PUSH.format(1, 1), "cb_wait_front(1, 1);", "}")},
        {"compute": body("for (int i = 0; i < 2; i++) {", PUSH.format(1, 1), TAKE.format(1, 1), "}")},
        ("compute", 3, "c_1"),
    ),
    "hang-circle": (
        {0: 2, 1: 2},
        {
            "reader": body(TAKE.format(1, 1), PUSH.format(0, 1)),
            "writer": body(TAKE.format(0, 1), PUSH.format(1, 1)),
        },
        {"reader": body(PUSH.format(0, 1), TAKE.format(1, 1))},
        ("reader", 2, "c_1"),
    ),
    "cb-over-capacity": (
        {0: 2},
        {"reader": body("cb_reserve_back(0, 4);")},
        {"reader": body("cb_reserve_back(0, 2);")},
        ("reader", 2, "c_0"),
    ),
}


@pytest.mark.parametrize("rule", HANGS)
def test_a_hang_has_a_rule_a_line_and_numbers(device: ttnn.Device, rule: str) -> None:
    cbs, buggy, _, (kernel, line, cb) = HANGS[rule]
    result = check_source(device, source_program(cbs, **buggy))
    assert rules(result) == [rule]
    (finding,) = result.findings
    assert (finding.kernel, finding.line, finding.cb, finding.cores) == (kernel, line, cb, ((0, 0),))
    assert cb in finding.numbers
    assert finding.cause
    assert finding.cure


@pytest.mark.parametrize("rule", HANGS)
def test_the_cure_is_silent(device: ttnn.Device, rule: str) -> None:
    cbs, buggy, fixed, _ = HANGS[rule]
    result = check_source(device, source_program(cbs, **{**buggy, **fixed}))
    assert rules(result) == []
    assert result.ok


def test_a_finished_producer_has_its_counts_and_the_number_of_the_wait(device: ttnn.Device) -> None:
    program = source_program(
        {0: 2},
        reader=body("for (int i = 0; i < 9; i++) {", PUSH.format(0, 1), "}"),
        writer=body("for (int i = 0; i < 9; i += 2) {", TAKE.format(0, 2), "}"),
    )
    (finding,) = check_source(device, program).findings
    assert finding.numbers == (
        "c_0 will never get the 1 page writer still waits for: reader pushed 9 pages in all and has finished, "
        "writer needs 10 by its wait number 5."
    )


def test_a_semaphore_hang_that_follows_from_another_is_left_out(device: ttnn.Device) -> None:
    wait = "noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);"
    program = source_program({3: 1}, semaphores=1, reader=body("cb_wait_front(3, 1);"), writer=body(wait))
    assert rules(check_source(device, program)) == ["hang-missing-producer"]
    alone = source_program({}, semaphores=1, writer=body(wait))
    result = check_source(device, alone)
    assert rules(result) == ["hang-semaphore"]
    assert "holds 0" in result.findings[0].numbers


def test_a_value_that_was_passed_is_an_overshoot(device: ttnn.Device) -> None:
    program = source_program(
        {},
        semaphores=1,
        reader=body(
            "noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 3); noc_async_atomic_barrier();",
            "noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 2);",
        ),
    )
    assert "semaphore-overshoot" in rules(check_source(device, program))


def test_polling_an_unchanged_word_is_spinning(device: ttnn.Device) -> None:
    poll = "while (*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)) != 7) {"
    program = source_program({}, semaphores=1, reader=body("", poll, "}"))
    result = check_source(device, program, RunOptions(spin_limit=0.2))
    assert "hang-spinning" in rules(result)
    assert next(f.line for f in result.findings if f.rule == "hang-spinning") == 3


def test_deadlock_look_ahead_leaves_no_trace(device: ttnn.Device) -> None:
    """After a deadlock the stuck kernels run on; neither tensors nor the record of the run may show it."""
    tensor = ttnn.zeros([32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    writer = body(
        "cb_wait_front(0, 1);",
        f"noc_async_write(get_read_ptr(0), get_noc_addr_from_bank_id<true>(0, {tensor.buffer_address()}), 2048);",
        "noc_async_write_barrier();",
        'DPRINT << "never printed" << ENDL();',
        "cb_pop_front(0, 1);",
        PUSH.format(1, 1),
    )
    program = source_program({0: 1, 1: 1}, reader=body(TAKE.format(1, 1), PUSH.format(0, 1)), writer=writer)
    result = check_source(device, program)
    assert rules(result) == ["hang-circle"]
    assert (ttnn.to_numpy(tensor) == 0).all()
    assert result.run is not None
    assert all(each.pages_pushed == each.push_calls == each.pop_calls == 0 for each in result.run.traffic)


def test_a_barrier_that_one_core_never_reaches_is_one_finding(device: ttnn.Device) -> None:
    root, last = (device.worker_core_from_logical_core((column, 0)) for column in (0, 3))
    source = """void kernel_main() {
        auto go = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
        auto arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
        const uint32_t root_x = get_arg_val<uint32_t>(0), last_x = get_arg_val<uint32_t>(1);
        const uint32_t y = get_arg_val<uint32_t>(2);
        if (get_absolute_logical_x() == 3) { return; }
        for (uint32_t round = 1; round <= 2; round++) {
            if (get_absolute_logical_x() == 0) {
                noc_semaphore_wait_min(arrived, 3 * round);
                for (uint32_t x = root_x + 1; x <= last_x; x++) {
                    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
                }
            } else {
                noc_semaphore_inc(get_noc_addr(root_x, y, get_semaphore(1)), 1);
                noc_semaphore_wait_min(go, round);
            }
        }
        noc_async_atomic_barrier();
    }"""
    arguments = {"reader": [root.x, last.x, root.y]}
    program = source_program({}, grid=(4, 1), semaphores=2, args=arguments, reader=source)
    (finding,) = check_source(device, program).findings
    assert (finding.rule, finding.line, finding.cores) == ("hang-semaphore", 9, ((0, 0),))
    assert "reader on core (3,0) has not (it has finished)" in finding.numbers


# Every clock runs ten thousand times as fast: code that reads a clock has no time for anything.
FAST_CLOCK = """
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
extern "C" int clock_gettime(clockid_t clock, timespec* now) {
    const long result = syscall(SYS_clock_gettime, clock, now);
    const __int128 nanoseconds = (__int128(now->tv_sec) * 1000000000 + now->tv_nsec) * 10000;
    now->tv_sec = static_cast<time_t>(nanoseconds / 1000000000);
    now->tv_nsec = static_cast<long>(nanoseconds % 1000000000);
    return static_cast<int>(result);
}
"""


def test_how_far_a_stuck_kernel_is_followed_does_not_depend_on_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer waits for c_1, would compute for a tenth of a second and then push what the reader waits for."""
    (tmp_path / "clock.cpp").write_text(FAST_CLOCK)
    made = find_compiler().run(["-O1", "-fPIC", "-shared", "-o", "clock.so", "clock.cpp"], tmp_path)
    assert made.returncode == 0, made.stderr
    compute = [
        "uint64_t x = ~0ull;",
        "for (uint64_t i = 3; i < 15000000; i++) { x = (x / i + ~i) / (i + 5) ^ (~x / (i + 9)); }",
    ]
    writer = body(
        "cb_wait_front(1, 1);", *compute, "if (x == 1) { cb_wait_front(0, 1); } else {", PUSH.format(0, 1), "}"
    )
    program = source_program({0: 1, 1: 1}, reader=body("cb_wait_front(0, 1);"), writer=writer)
    monkeypatch.setenv("LD_PRELOAD", str(tmp_path / "clock.so"))
    device = ttnn.open_device(device_id=1)
    try:
        result = check_source(device, program)
    finally:
        ttnn.close_device(device)
    assert [(finding.rule, finding.cb) for finding in result.findings] == [("hang-missing-producer", "c_1")]


def test_a_stuck_kernel_that_would_never_end_is_left_after_a_count(device: ttnn.Device) -> None:
    """It counts in memory, so that no state comes twice; nothing is known of what it would push after that."""
    forever = "for (volatile uint64_t i = 0;; i = i + 1) {}"
    program = source_program({0: 1}, reader=body("cb_wait_front(0, 1);", forever, PUSH.format(0, 1)))
    (finding,) = check_source(device, program).findings
    assert (finding.rule, finding.cb) == ("hang-missing-producer", "c_0")


def test_cause_beyond_the_look_ahead_is_marked_uncertain(device: ttnn.Device) -> None:
    """The reader would push what the writer waits for, after more steps than it is followed for."""
    long = "for (volatile uint32_t i = 0; i < 100000000; i = i + 1) {}"
    program = source_program(
        {0: 1, 1: 1},
        reader=body("cb_wait_front(1, 1);", long, PUSH.format(0, 1)),
        writer=body("cb_wait_front(0, 1);", PUSH.format(1, 1)),
    )
    (finding,) = check_source(device, program).findings
    assert finding.rule == "hang-circle"
    assert finding.numbers.endswith("What reader would do later was not followed to its end.")


def test_pages_of_a_buffer_over_a_tensor_do_not_come_back(device: ttnn.Device) -> None:
    """A writer that reads a tensor in L1 twice, popping it the first time."""
    tensor = ttnn.full([1, 2048], 1.0, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, device, ttnn.L1_MEMORY_CONFIG)
    first, again = TAKE.format(0, 2), "cb_wait_front(0, 2);"

    def found(*lines: str) -> list[str]:
        program = source_program({0: 2}, reader=body(PUSH.format(0, 2)), writer=body(*lines))
        program.cbs[0].set_buffer_from_tensor(tensor)
        return [each.numbers for each in tilewright.check_program([tensor], program).findings]

    (text,) = found(first, again, "cb_pop_front(0, 2);")
    assert "pushed 2 pages in all and has finished, writer needs 4" in text
    assert "lies over a tensor, and popping only moves its read pointer on" in text
    assert found(again, first) == []
