# SPDX-License-Identifier: Apache-2.0
"""The contract of circular buffers: every rule names the bug at its line and says nothing about the cure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tilewright
from tests.check.cb_access_program import line_of, marked_line, notes, tiles, words
from tests.check.source_program import check_source, source_program
from tilewright import ttnn
from tilewright._errors import DeadlockError, KernelError
from tilewright._record.run import Run


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, grid=(2, 1))
    yield device
    ttnn.close_device(device)


STORE = "*reinterpret_cast<volatile tt_l1_ptr uint32_t*>"
LOAD = "[[maybe_unused]] const uint32_t value = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>"

PRODUCER = f"""void kernel_main() {{
    for (uint32_t page = 0; page < 4; page++) {{
        cb_reserve_back(0, 1);
        {STORE}(get_write_ptr(0)) = page;
        cb_push_back(0, 1);
    }}
}}
"""
CONSUMER = f"""void kernel_main() {{
    for (uint32_t page = 0; page < 4; page++) {{
        cb_wait_front(0, 1);
        {LOAD}(get_read_ptr(0));
        cb_pop_front(0, 1);
    }}
}}
"""

# rule -> reader, writer; c_0 has four pages
TWINS: dict[str, tuple[str, str]] = {
    "cb-write-past-reserve": (
        f"""void kernel_main() {{
    for (uint32_t half = 0; half < 2; half++) {{
        cb_reserve_back(0, 1);                                // -
        cb_reserve_back(0, 2);                                // +
        {STORE}(get_write_ptr(0)) = 1;
        {STORE}(get_write_ptr(0) + {2048}) = 2;  // BUG
        cb_push_back(0, 1);
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
    }}
}}
""",
        CONSUMER,
    ),
    "cb-write-unreserved": (
        f"""void kernel_main() {{
    for (uint32_t page = 0; page < 4; page++) {{
        cb_reserve_back(0, 1);                                // +
        {STORE}(get_write_ptr(0)) = page;  // BUG
        cb_reserve_back(0, 1);                                // -
        cb_push_back(0, 1);
    }}
}}
""",
        CONSUMER,
    ),
    "cb-push-unreserved": (
        """void kernel_main() {
    for (uint32_t page = 0; page < 2; page++) {
        cb_reserve_back(0, 1);                                // -
        cb_reserve_back(0, 2);                                // +
        cb_push_back(0, 2);  // BUG
    }
}
""",
        CONSUMER.replace(LOAD + "(get_read_ptr(0));", ""),
    ),
    "cb-read-past-wait": (
        PRODUCER,
        f"""void kernel_main() {{
    for (uint32_t page = 0; page < 4; page += 2) {{
        cb_wait_front(0, 1);                                  // -
        cb_wait_front(0, 2);                                  // +
        {LOAD}(get_read_ptr(0) + {2048});  // BUG
        cb_wait_front(0, 2);                                  // -
        cb_pop_front(0, 2);
    }}
}}
""",
    ),
    "cb-use-after-pop": (
        PRODUCER,
        f"""void kernel_main() {{
    for (uint32_t page = 0; page < 4; page++) {{
        cb_wait_front(0, 1);
        const uint32_t pointer = get_read_ptr(0);
        cb_pop_front(0, 1);                                   // -
        {LOAD}(pointer);  // BUG
        cb_pop_front(0, 1);                                   // +
    }}
}}
""",
    ),
    "cb-read-write-pointer": (
        PRODUCER,
        f"""void kernel_main() {{
    for (uint32_t page = 0; page < 4; page++) {{
        cb_wait_front(0, 1);
        const uint32_t pointer = get_write_ptr(0);            // -
        const uint32_t pointer = get_read_ptr(0);             // +
        {LOAD}(pointer);  // BUG
        cb_pop_front(0, 1);
    }}
}}
""",
    ),
    "cb-pop-unwaited": (
        PRODUCER,
        """void kernel_main() {
    for (uint32_t page = 0; page < 4; page += 2) {
        cb_wait_front(0, 1);                                  // -
        cb_wait_front(0, 2);                                  // +
        cb_pop_front(0, 2);  // BUG
    }
}
""",
    ),
    "cb-left-over": (
        PRODUCER,
        """void kernel_main() {
    for (uint32_t page = 0; page < 4; page++) {
        cb_wait_front(0, 1);  // BUG
        cb_pop_front(0, 1);                                   // +
    }
}
""",
    ),
}


@pytest.mark.parametrize("rule", TWINS)
def test_a_broken_contract_is_named_at_its_line(device: ttnn.Device, rule: str) -> None:
    reader, writer = TWINS[rule]
    found = notes([words(device)], {0: 4}, fixed=False, reader=reader, writer=writer)
    line = marked_line(reader if "// BUG" in reader else writer)
    assert {(note.rule, note.cb, line_of(note)) for note in found} == {(rule, 0, line)}


@pytest.mark.parametrize("rule", TWINS)
def test_the_cure_is_silent(device: ttnn.Device, rule: str) -> None:
    reader, writer = TWINS[rule]
    assert notes([words(device)], {0: 4}, fixed=True, reader=reader, writer=writer) == []


COPY = """#include "api/compute/tile_move_copy.h"
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    for (uint32_t tile = 0; tile < 4; tile++) {
        cb_wait_front(0, 1);                                  // WAIT
        cb_reserve_back(16, 1);                               // RESERVE
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
        cb_reserve_back(16, 1);
        cb_push_back(16, 1);
    }
}
"""
TILE_READER = """void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(source_args, get_common_arg_val<uint32_t>(0));
    for (uint32_t tile = 0; tile < 4; tile++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(tile, source, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
TILE_WRITER = """void kernel_main() {
    for (uint32_t tile = 0; tile < 4; tile++) {
        cb_wait_front(16, 1);
        cb_pop_front(16, 1);
    }
}
"""


@pytest.mark.parametrize(
    ("forgotten", "rule", "call"),
    [("WAIT", "cb-read-past-wait", "copy_tile"), ("RESERVE", "cb-write-unreserved", "pack_tile")],
)
def test_tile_operations_are_judged_like_loads_and_stores(
    device: ttnn.Device, forgotten: str, rule: str, call: str
) -> None:
    source = tiles(device, 4)
    lines = [line for line in COPY.split("\n") if f"// {forgotten}" not in line]
    kernels = {"reader": TILE_READER, "writer": TILE_WRITER}
    found = notes([source], {0: 2, 16: 2}, fixed=False, compute="\n".join(lines), **kernels)
    assert {note.rule for note in found} == {rule}
    assert {lines[line_of(note) - 1].strip().split("(")[0] for note in found} == {call}
    assert notes([source], {0: 2, 16: 2}, fixed=False, compute=COPY, **kernels) == []


def test_two_producers_with_diverging_write_pointers(device: ttnn.Device) -> None:
    mover = """void kernel_main() {
    cb_reserve_back(CB, 1);
    cb_push_back(CB, 1);
}
"""
    kernels = {"reader": mover.replace("CB", "0"), "writer": mover.replace("CB", "0")}
    found = notes([words(device)], {0: 2, 1: 2}, fixed=False, **kernels)
    assert [note.rule for note in found] == ["cb-two-producers", "cb-left-over"]
    kernels["writer"] = mover.replace("CB", "1")
    found = notes([words(device)], {0: 2, 1: 2}, fixed=True, **kernels)
    assert [note.rule for note in found] == ["cb-left-over", "cb-left-over"]


def test_pages_without_a_waiting_consumer(device: ttnn.Device) -> None:
    """Up to the buffer's depth nothing stops them."""
    push = "void kernel_main() {{ cb_reserve_back(0, 2); cb_push_back(0, 2); {} }}"
    (note,) = notes([words(device)], {0: 2}, fixed=False, reader=push.format(""), writer="void kernel_main() {}")
    assert (note.rule, note.cb) == ("cb-left-over", 0)
    assert "2 pages pushed to c_0 are never waited for" in note.text
    taken = "void kernel_main() { cb_wait_front(0, 2); cb_pop_front(0, 2); }"
    assert notes([words(device)], {0: 2}, fixed=True, reader=push.format(""), writer=taken) == []


TOKEN_TAKER = """void kernel_main() {
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);                                      // +
    cb_pop_front(1, 1);                                       // +
    cb_pop_front(0, 1);
}
"""
TOKEN_WATCHER = """#include "api/compute/cb_api.h"
void kernel_main() {
    cb_wait_front(0, 1);
    cb_reserve_back(1, 1);                                    // +
    cb_push_back(1, 1);                                       // +
}
"""
TOKEN_GIVER = "void kernel_main() {\n    cb_reserve_back(0, 1);\n    cb_push_back(0, 1);\n}\n"


@pytest.mark.parametrize("fixed", [False, True])
def test_two_consumers_are_right_only_in_order(device: ttnn.Device, fixed: bool) -> None:
    """Compute looks at the page the writer pops; in the cure it tells the writer when it has."""
    kernels = {"reader": TOKEN_GIVER, "compute": TOKEN_WATCHER, "writer": TOKEN_TAKER}
    found = notes([words(device)], {0: 1, 1: 1}, fixed=fixed, **kernels)
    assert {note.rule for note in found} == (set() if fixed else {"cb-two-consumers"})


def test_page_popped_by_another_consumer(device: ttnn.Device) -> None:
    """The same bug in the order in which a dataflow processor hangs; compute counts its own pops only, and goes on."""
    kernels = {"reader": TOKEN_GIVER, "writer": TOKEN_TAKER, "compute": TOKEN_WATCHER}
    found = notes([words(device)], {0: 1, 1: 1}, fixed=False, **kernels)
    assert {note.rule for note in found} == {"cb-two-consumers"}
    include, _, watcher = TOKEN_WATCHER.partition("\n")
    kernels = {"compute": f"{include}\n{TOKEN_GIVER}", "writer": TOKEN_TAKER, "reader": watcher}
    with pytest.raises(DeadlockError) as caught:
        notes([words(device)], {0: 1, 1: 1}, fixed=False, **kernels)
    run = caught.value.run
    assert isinstance(run, Run)
    assert "cb-two-consumers" in {note.rule for note in run.notes}


@pytest.mark.parametrize("fixed", [False, True])
def test_an_access_over_the_end_of_a_buffer(device: ttnn.Device, fixed: bool) -> None:
    """A page and a half is read from the last page of c_0; c_1 follows in L1."""
    reader = """void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(source_args, get_common_arg_val<uint32_t>(0));
    cb_reserve_back(0, 2);
    const uint32_t bytes = 3072;                              // -
    const uint32_t bytes = 2048;                              // +
    noc_async_read(source.get_noc_addr(0), get_write_ptr(0) + 2048, bytes);
    noc_async_read_barrier();
}
"""
    found = notes([tiles(device, 1)], {0: 2, 1: 2}, fixed=fixed, reader=reader)
    assert [note.rule for note in found] == ([] if fixed else ["cb-index-wrap"])


@pytest.mark.parametrize("fixed", [False, True])
def test_credit_counters_wrap_at_sixteen_bits(device: ttnn.Device, fixed: bool) -> None:
    """A producer that computes its free pages itself; a checked run starts the counters near the wrap."""
    reader = """void kernel_main() {
    volatile tt_reg_ptr uint32_t* received = get_cb_tiles_received_ptr(0);
    volatile tt_reg_ptr uint32_t* acked = get_cb_tiles_acked_ptr(0);
    for (uint32_t page = 0; page < 100; page++) {
        uint32_t free_pages;
        do {
            invalidate_l1_cache();
            free_pages = 4 - (*received - uint16_t(*acked));                     // -
            free_pages = 4 - uint16_t(uint16_t(*received) - uint16_t(*acked));   // +
        } while (free_pages < 1);
        cb_push_back(0, 1);
    }
}
"""
    writer = "void kernel_main() { for (int i = 0; i < 100; i++) { cb_wait_front(0, 1); cb_pop_front(0, 1); } }"
    found = notes([words(device)], {0: 4}, fixed=fixed, reader=reader, writer=writer)
    assert {note.rule for note in found} == (set() if fixed else {"cb-counter-wrap"})


@pytest.mark.parametrize(
    ("rule", "reader"),
    [
        ("cb-not-configured", "void kernel_main() { cb_reserve_back(5, 1); }"),
        ("cb-over-capacity", "void kernel_main() { cb_reserve_back(0, 5); }"),
        ("cb-index-wrap", "void kernel_main() { for (int i = 0; i < 2; i++) { cb_reserve_back(0, 3); "
         "cb_push_back(0, 3); cb_wait_front(0, 3); cb_pop_front(0, 3); } }"),
    ],
)  # fmt: skip
def test_impossible_request_ends_the_run_with_its_rule(device: ttnn.Device, rule: str, reader: str) -> None:
    with pytest.raises(KernelError) as caught:
        notes([words(device)], {0: 4}, fixed=False, reader=reader)
    assert caught.value.rule == rule


def test_more_pages_popped_than_there_are(device: ttnn.Device) -> None:
    """A card only moves the pointer and the counter, and the run goes on."""
    found = notes([words(device)], {0: 4}, fixed=False, reader="void kernel_main() { cb_pop_front(0, 1); }")
    assert [note.rule for note in found] == ["cb-pop-unwaited"]


def test_pages_left_on_one_core_that_others_take(device: ttnn.Device) -> None:
    """Every core gets a page, only core 0 takes it."""
    reader = """void kernel_main() {
    if (get_arg_val<uint32_t>(0) != 0) { return; }            // +
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
}
"""
    writer = """void kernel_main() {
    if (get_arg_val<uint32_t>(0) == 0) {
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
    }
}
"""
    kernels = {"reader": reader, "writer": writer}
    found = notes([words(device)], {0: 1}, fixed=False, cores=[(0, 0), (1, 0)], **kernels)
    assert [(note.rule, note.core) for note in found] == [("cb-left-over", (1, 0))]
    assert notes([words(device)], {0: 1}, fixed=True, cores=[(0, 0), (1, 0)], **kernels) == []


LEGAL = {
    "an operand that stays: pushed once, waited for again and again, never popped": (
        "void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); }",
        "void kernel_main() { for (int i = 0; i < 3; i++) { cb_wait_front(0, 1); } }",
    ),
    "scratch: a buffer of one kernel that never pushes": (
        f"void kernel_main() {{ {STORE}(get_write_ptr(0) + 2048) = 1; {LOAD}(get_write_ptr(0) + 2048); }}",
        "void kernel_main() {}",
    ),
    "scratch behind the buffer the kernel fills": (
        f"void kernel_main() {{ const uint32_t scratch = get_write_ptr(1); for (int i = 0; i < 8; i++) {{ "
        f"cb_reserve_back(0, 1); {STORE}(scratch) = i; {STORE}(get_write_ptr(0)) = {STORE}(scratch); "
        "cb_push_back(0, 1); } }",
        "void kernel_main() { for (int i = 0; i < 8; i++) { cb_wait_front(0, 1); cb_pop_front(0, 1); } }",
    ),
    "a larger reservation than the push, then the rest without another": (
        f"void kernel_main() {{ cb_reserve_back(0, 4); for (int i = 0; i < 4; i++) {{ {STORE}(get_write_ptr(0)) = 1; "
        "cb_push_back(0, 1); } }",
        CONSUMER,
    ),
    "cumulative waits, one pop": (
        PRODUCER,
        "void kernel_main() { for (int i = 1; i <= 4; i++) { cb_wait_front(0, i); } cb_pop_front(0, 4); }",
    ),
    "a producer that asks whether there is room": (
        "void kernel_main() { for (int i = 0; i < 8; i++) { while (!cb_pages_reservable_at_back(0, 1)) {} "
        "cb_push_back(0, 1); } }",
        "void kernel_main() { for (int i = 0; i < 8; i++) { while (!cb_pages_available_at_front(0, 1)) {} "
        "cb_pop_front(0, 1); } }",
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", LEGAL)
def test_legal_access_is_silent(device: ttnn.Device, title: str) -> None:
    reader, writer = LEGAL[title]
    assert notes([words(device)], {0: 4, 1: 1}, fixed=True, reader=reader, writer=writer) == []


def test_read_after_a_pop_is_named(device: ttnn.Device) -> None:
    writer = f"void kernel_main() {{ cb_wait_front(0, 1); cb_pop_front(0, 1); {LOAD}(get_read_ptr(0)); }}"
    (note,) = notes([words(device)], {0: 4}, fixed=True, reader=PRODUCER, writer=writer)
    assert note.rule == "cb-read-past-wait"
    assert "with 0 pages waited for from page 1 on" in note.text
    assert note.text.endswith("; what it waited for it has popped")


def test_the_address_of_a_note_is_the_cores_own(device: ttnn.Device) -> None:
    reader = f"void kernel_main() {{ {STORE}(get_write_ptr(0) + 65536) = 1; }}"
    (note,) = notes([words(device)], {0: 1}, fixed=True, cores=[(1, 0)], reader=reader)
    assert note.rule == "l1-outside-buffer"
    assert f" at {note.address:#x} of L1" in note.text


def test_a_plain_run_notes_nothing(device: ttnn.Device) -> None:
    core = ttnn.CoreCoord(0, 0)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(core, core)])
    kernel = ttnn.KernelDescriptor(
        kernel_source="void kernel_main() { cb_push_back(0, 1); }",
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        config=ttnn.ReaderConfigDescriptor(),
    )
    buffer = ttnn.CBDescriptor(2048, cores, [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)])
    tensor = words(device)
    assert tilewright.run_program([tensor], ttnn.ProgramDescriptor(kernels=[kernel], cbs=[buffer])).notes == []


def test_a_helper_that_has_popped_the_pages_already_is_named(device: ttnn.Device, tmp_path: Path) -> None:
    helper = tmp_path / "take.h"
    helper.write_text("inline void take_pages(uint32_t cb) {\n    cb_wait_front(cb, 2);\n    cb_pop_front(cb, 2);\n}\n")

    def found(rest: str) -> list[tuple[str, str]]:
        writer = f'#include "{helper}"\nvoid kernel_main() {{\n    take_pages(0);\n    {rest}\n}}'
        reader = "void kernel_main() { for (int i = 0; i < 4; i++) { cb_reserve_back(0, 1); cb_push_back(0, 1); } }"
        program = source_program({0: 4}, reader=reader, writer=writer)
        return [(each.rule, each.numbers) for each in check_source(device, program).findings]

    (wrong,) = found("cb_pop_front(0, 2);")
    assert wrong[0] == "cb-pop-unwaited"
    assert wrong[1].endswith("; the helper called in line 3 has popped its pages already (take.h:3)")
    assert found("cb_wait_front(0, 2); cb_pop_front(0, 2);") == []
