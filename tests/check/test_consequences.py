# SPDX-License-Identifier: Apache-2.0
"""One mistake is one finding, and what follows from it is listed under it."""

from __future__ import annotations

import pytest

from tests.check.source_program import check_source, source_program
from tilewright import ttnn
from tilewright.check import check_program

# A word of the page, used so that the compiler keeps it.
LOAD = "volatile uint32_t sum = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(0));"
STORE = "*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0)) = 1;"
PRODUCER = f"cb_reserve_back(0, 1); {STORE} cb_push_back(0, 1);"
CONSUMER = f"cb_wait_front(0, 1); {LOAD} cb_pop_front(0, 1);"


def thrice(*lines: str) -> str:
    return "\n".join(["void kernel_main() {", "for (int i = 0; i < 3; i++) {", *lines, "}", "}"])


@pytest.mark.parametrize(
    ("reader", "writer", "root", "follows"),
    [
        (PRODUCER, CONSUMER.replace("cb_wait_front(0, 1);", ""), "cb-read-past-wait", {"cb-pop-unwaited"}),
        (PRODUCER.replace("cb_reserve_back(0, 1);", ""), CONSUMER, "cb-write-unreserved", {"cb-push-unreserved"}),
    ],
    ids=["no wait", "no reserve"],
)
def test_a_missing_wait_or_reserve_is_one_finding(
    device: ttnn.Device, reader: str, writer: str, root: str, follows: set[str]
) -> None:
    result = check_source(device, source_program({0: 2}, reader=thrice(reader), writer=thrice(writer)))
    assert [each.rule for each in result.findings] == [root]
    assert follows <= {each.rule for each in result.findings[0].consequences}


def test_a_buffer_that_lost_count_hangs_because_of_the_pop(device: ttnn.Device) -> None:
    """The consumer is first, and pops pages that were not pushed yet."""
    consumer = thrice("cb_pop_front(0, 1);", "cb_wait_front(1, 1); cb_pop_front(1, 1);")
    producer = thrice("cb_reserve_back(0, 1); cb_push_back(0, 1);", "cb_reserve_back(1, 1); cb_push_back(1, 1);")
    result = check_source(device, source_program({0: 1, 1: 1}, reader=consumer, writer=producer))
    (finding,) = result.findings
    assert (finding.rule, finding.kernel, finding.line) == ("cb-pop-unwaited", "reader", 3)
    (hang,) = finding.consequences
    assert hang.rule == "hang-full-buffer"
    assert hang.numbers.startswith("c_0 has lost count: reader popped 1 page when 0 had been pushed")


UNTILIZE = """
#include "api/compute/pack_untilize.h"
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    pack_untilize_init<1>(0, 16);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    pack_untilize_block<1>(0, 1, 16);
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
}
"""


def test_a_call_without_its_init_is_one_finding_by_the_name_of_that(device: ttnn.Device) -> None:
    """The packer, the maths side and the unpackers all lack it."""
    kernels = {
        "reader": "void kernel_main() { cb_reserve_back(0, 1); cb_push_back(0, 1); }",
        "compute": UNTILIZE.replace("    pack_untilize_init<1>(0, 16);\n", ""),
        "writer": "void kernel_main() { cb_wait_front(16, 1); cb_pop_front(16, 1); }",
    }
    found = check_source(device, source_program({0: 1, 16: 1}, **kernels)).findings
    (finding,) = [each for each in found if each.rule == "init-missing"]
    assert "pack_untilize_block needs pack_untilize_init" in finding.numbers
    assert [each.rule for each in finding.consequences] == ["init-missing"]


PLACE = "const InterleavedAddrGen<true> pages = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};"
READ = (
    "cb_reserve_back(0, 1); noc_async_read(get_noc_addr(i, pages), get_write_ptr(0), 2048);"
    "noc_async_read_barrier(); cb_push_back(0, 1);"
)
WRITE = (
    "cb_wait_front(0, 1); noc_async_write(get_read_ptr(0), get_noc_addr(i, pages), 2048);"
    "noc_async_write_barrier(); cb_pop_front(0, 1);"
)


def moved(turns: str, step: str) -> str:
    return f"void kernel_main() {{ {PLACE} for (uint32_t i = 0; i < {turns}; i++) {{ {step} }} }}"


@pytest.mark.parametrize(
    ("reader", "writer", "arguments", "pages", "root", "follows"),
    [
        (moved("3", READ), moved("2", WRITE), "x3", (2, 2048), "cb-left-over", "output-unwritten"),
        (moved("3", READ), moved("3", WRITE), "x3", (3, 1024), "cb-page-convention", "l1-outside-buffer"),
        (
            moved("get_arg_val<uint32_t>(1)", READ),
            moved("3", WRITE),
            "3x",
            (2, 2048),
            "arg-no-address",
            "hang-full-buffer",
        ),
        (
            moved("3", READ),
            moved("3", WRITE.replace("(i,", "(i + 1,")),
            "x3",
            (2, 2048),
            "noc-page-out-of-range",
            "output-unwritten",
        ),
    ],
    ids=["a page not taken", "pages of another format", "arguments swapped", "one page too far"],
)
def test_a_wrong_count_or_size_is_one_finding(
    device: ttnn.Device, reader: str, writer: str, arguments: str, pages: tuple[int, int], root: str, follows: str
) -> None:
    x = ttnn.ones([96, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    y = ttnn.empty([96, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    given = [x.buffer_address() if each == "x" else int(each) for each in arguments]
    args = {"reader": given, "writer": [y.buffer_address()]}
    program = source_program({0: 2}, reader=reader, writer=writer, args=args)
    number, page_bytes = pages
    program.cbs[0].total_size = number * page_bytes
    program.cbs[0].format_descriptors = [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, page_bytes)]
    result = check_program([x, y], program)
    assert [each.rule for each in result.findings] == [root]
    assert follows in {each.rule for each in result.findings[0].consequences}


COPY = """
#include "api/compute/tile_move_copy.h"
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_pop_front(0, 1);
    cb_push_back(16, 1);
}
"""


def test_rows_in_a_kernel_of_tiles_are_named_by_their_layout(device: ttnn.Device) -> None:
    """And not by pages behind the end, which a tile's bytes take in."""
    x = ttnn.ones([64, 64], dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    y = ttnn.empty([32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    args = {"reader": [x.buffer_address()], "writer": [y.buffer_address()]}
    write = moved("1", WRITE).replace("(0", "(16").replace("<uint32_t>(16)", "<uint32_t>(0)")
    program = source_program({0: 1, 16: 1}, reader=moved("1", READ), compute=COPY, writer=write, args=args)
    (finding,) = check_program([x, y], program).findings
    assert finding.rule == "cb-layout"
    assert "noc-page-out-of-range" in {each.rule for each in finding.consequences}


def test_two_producers_are_one_finding(device: ttnn.Device) -> None:
    take = "void kernel_main() { cb_wait_front(0, 6); cb_pop_front(0, 6); }"
    program = source_program({0: 6}, reader=thrice(PRODUCER), compute=take, writer=thrice(PRODUCER))
    (finding,) = check_source(device, program).findings
    assert finding.rule == "cb-two-producers"
    assert "cb-two-producers" in {each.rule for each in finding.consequences}
