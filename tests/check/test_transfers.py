# SPDX-License-Identifier: Apache-2.0
"""Rules for kernels whose NoC transfers are in flight. Every bug has a twin without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tilewright
from tests.check.noc_program import kernel, multicast, rules, run_checked, run_pair, tiles
from tilewright import ttnn
from tilewright._errors import KernelError
from tilewright._launch.run_options import RunOptions

CONSUMER = "void kernel_main() { for (int i = 0; i < %d; i++) { cb_wait_front(0, 1); cb_pop_front(0, 1); } }"


@pytest.fixture(scope="module", params=["wormhole_b0", "blackhole"])
def device(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch=request.param)
    yield device
    ttnn.close_device(device)


def run_with(device: ttnn.Device, pages: int = 2, **sources: str):
    x = tiles(device, 4)
    return run_checked([x, x], cbs={0: pages, 1: 2}, args=[x.buffer_address()], **sources)


def found(run) -> list[tuple[str, int, int]]:
    """Rule, line of the note and line of the call it is also about."""

    def line(stack) -> int:
        return next((at.line for at in stack if at.path.endswith(("reader.cpp", "writer.cpp"))), 0)

    return [
        (note.rule, line(note.stack), line(note.related.stack) if note.related else 0)
        for note in run.notes
        if note.rule.startswith("noc-")
    ]


def test_a_page_pushed_before_its_read_has_landed(device) -> None:
    body = "cb_reserve_back(0, 1);\n noc_async_read_tile(0, x, get_write_ptr(0));\n {}\n cb_push_back(0, 1);\n {}"
    buggy = run_with(device, reader=kernel(body.format("", "noc_async_read_barrier();")), writer=CONSUMER % 1)
    ((rule, line, issued),) = found(buggy)
    assert rule == "noc-push-in-flight"
    assert line == issued + 2
    assert "pushes 1 page of c_0 while 1 transfer into it may still be arriving" in buggy.notes[0].text
    assert not rules(run_with(device, reader=kernel(body.format("noc_async_read_barrier();", "")), writer=CONSUMER % 1))


def test_a_barrier_of_another_kind_does_not_count(device) -> None:
    body = "cb_reserve_back(0, 1); noc_async_read_tile(0, x, get_write_ptr(0)); {} cb_push_back(0, 1);"
    for barrier, fires in [
        ("noc_async_write_barrier();", True),
        ("noc_async_read_barrier(1 - noc_index);", True),
        ("noc_async_read_barrier_with_trid(3);", True),
        ("noc_async_read_barrier_with_trid(0);", False),  # without an id it is 0
        ("noc_async_full_barrier();", False),
        ("while (!ncrisc_noc_reads_flushed(noc_index)) {}", False),
    ]:
        run = run_with(device, reader=kernel(body.format(barrier)), writer=CONSUMER % 1)
        assert rules(run) == ({"noc-push-in-flight"} if fires else set()), barrier


def test_transaction_ids_are_waited_for_one_by_one(device) -> None:
    body = """
    cb_reserve_back(0, 2);
    noc_async_read_set_trid(1); noc_async_read_tile(0, x, get_write_ptr(0));
    noc_async_read_set_trid(2); noc_async_read_tile(1, x, get_write_ptr(0) + 2048);
    noc_async_read_barrier_with_trid({first}); cb_push_back(0, 1);
    noc_async_read_barrier_with_trid({second}); cb_push_back(0, 1);
    """
    assert not rules(run_with(device, reader=kernel(body.format(first=1, second=2)), writer=CONSUMER % 2))
    swapped = run_with(device, reader=kernel(body.format(first=2, second=1)), writer=CONSUMER % 2)
    assert rules(swapped) == {"noc-push-in-flight"}


def test_a_page_popped_while_a_write_takes_data_from_it(device) -> None:
    reader = kernel("cb_reserve_back(0, 1); cb_push_back(0, 1);")
    body = "cb_wait_front(0, 1); noc_async_write_tile(0, x, get_read_ptr(0)); {} cb_pop_front(0, 1); {}"
    buggy = run_with(device, reader=reader, writer=kernel(body.format("", "noc_async_write_barrier();")))
    assert rules(buggy) == {"noc-pop-in-flight"}
    for sent in ("noc_async_writes_flushed();", "noc_async_write_barrier();"):
        assert not rules(
            run_with(device, reader=reader, writer=kernel(body.format(sent, "noc_async_write_barrier();")))
        )


def test_a_page_popped_while_a_local_read_takes_data_from_it(device) -> None:
    reader = kernel("cb_reserve_back(0, 1); cb_push_back(0, 1);")
    body = (
        "cb_wait_front(0, 1); noc_async_read(get_noc_addr(get_read_ptr(0)), get_write_ptr(1), 2048); {} "
        "cb_pop_front(0, 1); {}"
    )
    buggy = run_with(device, reader=reader, writer=kernel(body.format("", "noc_async_read_barrier();")))
    assert rules(buggy) == {"noc-pop-in-flight"}
    assert not rules(run_with(device, reader=reader, writer=kernel(body.format("noc_async_read_barrier();", ""))))


def test_memory_written_while_a_write_from_it_is_in_flight(device) -> None:
    body = """
    volatile uint32_t* scratch = (volatile uint32_t*)get_write_ptr(1);
    for (uint32_t page = 0; page < 3; page++) {{
        for (int i = 0; i < 8; i++) {{ scratch[i] = page; }}
        noc_async_write_tile(page, x, get_write_ptr(1));
        {}
    }}
    noc_async_write_barrier();
    """
    buggy = run_with(device, writer=kernel(body.format("")))
    assert rules(buggy) == {"noc-reuse-in-flight"}
    assert not rules(run_with(device, writer=kernel(body.format("noc_async_writes_flushed();"))))


def test_memory_read_into_while_a_local_read_takes_data_from_it(device) -> None:
    body = """
    for (uint32_t page = 0; page < 2; page++) {{
        noc_async_read_tile(page, x, get_write_ptr(1)); noc_async_read_barrier();
        noc_async_read(get_noc_addr(get_write_ptr(1)), get_write_ptr(0) + page * 2048, 2048);
        {}
    }}
    noc_async_read_barrier();
    """
    assert rules(run_with(device, reader=kernel(body.format("")))) == {"noc-reuse-in-flight"}
    assert not rules(run_with(device, reader=kernel(body.format("noc_async_read_barrier();"))))


def test_a_value_used_before_the_read_has_landed(device) -> None:
    body = """
    volatile uint32_t* words = (volatile uint32_t*)get_write_ptr(1);
    noc_async_read_tile(0, x, get_write_ptr(1)); {}
    if (words[5] == 12345) {{ words[6] = 1; }}
    {}
    """
    assert rules(run_with(device, reader=kernel(body.format("", "noc_async_read_barrier();")))) == {"noc-use-in-flight"}
    assert not rules(run_with(device, reader=kernel(body.format("noc_async_read_barrier();", ""))))


def test_a_write_from_memory_that_a_read_has_not_filled(device) -> None:
    body = "noc_async_read_tile(0, x, get_write_ptr(1)); {} noc_async_write_tile(1, x, get_write_ptr(1)); {}"
    late = "noc_async_read_barrier(); noc_async_write_barrier();"
    assert rules(run_with(device, reader=kernel(body.format("", late)))) == {"noc-use-in-flight"}
    assert not rules(run_with(device, reader=kernel(body.format("noc_async_read_barrier();", late))))


@pytest.mark.parametrize(
    ("call", "barrier"),
    [
        ("noc_async_read_tile(0, x, get_write_ptr(1));", "noc_async_read_barrier();"),
        ("noc_async_write_tile(0, x, get_write_ptr(1));", "noc_async_write_barrier();"),
        ("noc_async_write_tile(0, x, get_write_ptr(1)); noc_async_writes_flushed();", "noc_async_write_barrier();"),
        ("noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 1);", "noc_async_atomic_barrier();"),
    ],
    ids=["read", "write", "flushed-write", "atomic"],
)
def test_a_kernel_that_ends_with_something_in_flight(call: str, barrier: str, device) -> None:
    x = tiles(device, 4)

    def run(body: str):
        return run_checked([x, x], cbs={1: 2}, semaphores=1, args=[x.buffer_address()], writer=kernel(body))

    buggy = run(call)
    assert rules(buggy) == {"noc-exit-in-flight"}
    assert any("ends with 1" in note.text for note in buggy.notes)
    assert not rules(run(call + barrier))


def test_a_multicast_source_refilled_before_the_multicast_has_left(device) -> None:
    sender = """
    for (uint32_t page = 0; page < 3; page++) {{
        cb_reserve_back(0, 1); noc_async_read_tile(page, x, get_write_ptr(0)); noc_async_read_barrier();
        {multicast} {sent}
        cb_push_back(0, 1);
    }}
    noc_async_write_barrier();
    """
    buggy = run_pair(device, sender.format(multicast=multicast(), sent=""), "", writer=CONSUMER % 3)
    assert rules(buggy) == {"noc-reuse-in-flight"}
    fixed = sender.format(multicast=multicast(), sent="noc_async_writes_flushed();")
    assert not rules(run_pair(device, fixed, "", writer=CONSUMER % 3))


def test_receiver_reply_orders_the_multicast(device) -> None:
    """Stock matmul does this: no flush, but two pages, and receivers answer before the older one is refilled."""
    sender = """
    volatile uint32_t* answers = (volatile uint32_t*)get_semaphore(1);
    noc_semaphore_set(ready, 1);
    for (uint32_t page = 0; page < 4; page++) {{
        cb_reserve_back(0, 1); noc_async_read_tile(page, x, get_write_ptr(0)); noc_async_read_barrier();
        {wait} noc_semaphore_set(answers, 0);
        {multicast}
        noc_semaphore_set_multicast(
            get_semaphore(0), get_noc_multicast_addr(there_x, there_y, there_x, there_y, get_semaphore(0)), 1);
        cb_push_back(0, 1);
    }}
    noc_async_write_barrier();
    """
    receiver = """
    for (uint32_t page = 0; page < 4; page++) {
        noc_semaphore_set(ready, 0);
        noc_semaphore_inc(get_noc_addr(here_x, here_y, get_semaphore(1)), 1);
        noc_semaphore_wait(ready, 1);
    }
    noc_async_atomic_barrier();
    """
    wait = "noc_semaphore_wait(answers, 1);"
    text = sender.format(multicast=multicast("true"), wait=wait)
    assert not rules(run_pair(device, text, receiver, pages=2, writer=CONSUMER % 4))
    one_page = run_pair(device, text, receiver, pages=1, writer=CONSUMER % 4)
    assert rules(one_page) == {"noc-reuse-in-flight"}


def test_an_answer_of_the_receiver_ends_a_flushed_write(device) -> None:
    """Global circular buffers end so: their sender waits until the receivers have taken the last page."""
    sender = """
    noc_async_write(get_write_ptr(0), get_noc_addr(there_x, there_y, get_write_ptr(0)), 2048);
    noc_async_writes_flushed();
    noc_semaphore_inc(there_ready, 1); noc_async_atomic_barrier();
    noc_semaphore_wait((volatile uint32_t*)get_semaphore(1), 1);
    """
    answer = "noc_semaphore_inc(get_noc_addr(here_x, here_y, get_semaphore(1)), 1); noc_async_atomic_barrier();"
    wait = "noc_semaphore_wait(ready, 1);"
    assert not rules(run_pair(device, sender, wait + answer))
    assert rules(run_pair(device, sender, answer + wait)) == {"noc-exit-in-flight"}


def test_a_credit_that_may_overtake_its_payload(device) -> None:
    receiver = "noc_semaphore_wait(ready, 1);"
    sender = """
    noc_async_write(get_write_ptr(0), get_noc_addr(there_x, there_y, get_write_ptr(0)), 2048); {}
    noc_semaphore_inc(there_ready, 1);
    noc_async_write_barrier(); noc_async_atomic_barrier();
    """
    buggy = run_pair(device, sender.format(""), receiver)
    assert rules(buggy) == {"noc-credit-unordered"}
    assert not rules(run_pair(device, sender.format("noc_async_writes_flushed();"), receiver))
    # What has left on one NoC may still be overtaken on the other.
    other = sender.format("noc_async_writes_flushed();").replace(
        "inc(there_ready, 1)", "inc(there_ready, 1, 1 - noc_index)"
    )
    other = other.replace("atomic_barrier()", "atomic_barrier(1 - noc_index)")
    assert rules(run_pair(device, other, receiver)) == {"noc-credit-unordered"}
    acknowledged = other.replace("noc_async_writes_flushed();", "noc_async_write_barrier();")
    assert not rules(run_pair(device, acknowledged, receiver))


def test_a_flag_written_after_its_payload(device) -> None:
    """Writes of one core on one NoC keep their order on Wormhole; an atomic has none with them."""
    sender = """
    noc_semaphore_set(ready, 1);
    noc_async_write(get_write_ptr(0), get_noc_addr(there_x, there_y, get_write_ptr(0)), 2048); {}
    noc_semaphore_set_remote(get_semaphore(0), there_ready);
    noc_async_write_barrier();
    """
    receiver = "noc_semaphore_wait(ready, 1);"
    keeps_order = device.description.name == "wormhole_b0"
    expected = set() if keeps_order else {"noc-credit-unordered"}
    assert rules(run_pair(device, sender.format(""), receiver)) == expected
    assert not rules(run_pair(device, sender.format("noc_async_writes_flushed();"), receiver))


@pytest.mark.parametrize("linked", ["true", "false"])
def test_a_multicast_flag_after_multicast_data(linked: str, device) -> None:
    """Ordered on Wormhole, and where the two are linked; otherwise worth a look on Blackhole."""
    sender = """
    noc_semaphore_set(ready, 1); {multicast} {sent}
    noc_semaphore_set_multicast(
        get_semaphore(0), get_noc_multicast_addr(there_x, there_y, there_x, there_y, get_semaphore(0)), 1);
    noc_async_write_barrier();
    """
    receiver = "noc_semaphore_wait(ready, 1);"
    run = run_pair(device, sender.format(multicast=multicast(linked), sent=""), receiver)
    fires = linked == "false" and device.description.name == "blackhole"
    assert rules(run) == ({"noc-multicast-order"} if fires else set())
    flushed = sender.format(multicast=multicast(linked), sent="noc_async_writes_flushed();")
    assert not rules(run_pair(device, flushed, receiver))


def test_source_and_destination_that_do_not_agree_in_alignment(device) -> None:
    body = "noc_async_read(x.get_noc_addr(0) + {}, get_write_ptr(1) + {}, 64); noc_async_read_barrier();"
    step = device.description.dram_alignment
    for source, destination, fires in [(0, 16, True), (4, 4, False), (step, 0, False), (0, step // 2, True)]:
        run = run_with(device, reader=kernel(body.format(source, destination)))
        assert rules(run) == ({"noc-unaligned"} if fires else set()), (source, destination)
    write = "noc_async_write(get_write_ptr(1) + {}, x.get_noc_addr(0), 64); noc_async_write_barrier();"
    assert rules(run_with(device, writer=kernel(write.format(4)))) == {"noc-unaligned"}
    assert not rules(run_with(device, writer=kernel(write.format(16))))


def test_more_than_one_packet_in_a_call_for_one_packet(device) -> None:
    body = """
    noc_async_read{}(get_noc_addr(get_write_ptr(0)), get_write_ptr(0) + NOC_MAX_BURST_SIZE + 64,
                     NOC_MAX_BURST_SIZE + 32);
    noc_async_read_barrier();
    """
    buggy = run_with(device, pages=32, reader=kernel(body.format("_one_packet")))
    assert rules(buggy) == {"noc-oversized"}
    assert not rules(run_with(device, pages=32, reader=kernel(body.format(""))))


def test_a_page_past_the_end_of_its_tensor(device) -> None:
    """Another tensor lies right behind, so the address alone is a good one."""
    x = tiles(device, 4)
    behind = tiles(device, 64)
    body = "noc_async_read_tile({}, x, get_write_ptr(1)); noc_async_read_barrier();"

    def run(page: int):
        return run_checked([x, behind], cbs={1: 2}, args=[x.buffer_address()], reader=kernel(body.format(page)))

    beyond = device.num_dram_channels() + 1
    buggy = run(beyond)
    assert rules(buggy) == {"noc-page-out-of-range"}
    assert f"reads page {beyond} of tensor 0, which has 4 pages" in buggy.notes[0].text
    assert rules(run(4)) == {"noc-page-out-of-range"}
    assert not rules(run(3))


def test_addresses_where_no_buffer_lies(device) -> None:
    x = tiles(device, 4)
    body = "noc_async_write(get_write_ptr(1), x.get_noc_addr(0) + {}, 2048); noc_async_write_barrier();"

    def run(offset: int):
        return run_checked([x, x], cbs={1: 2}, args=[x.buffer_address()], writer=kernel(body.format(offset)))

    assert rules(run(1 << 24)) == {"noc-page-out-of-range"}
    assert not rules(run(0))


def test_pages_taken_for_contiguous_that_are_not(device) -> None:
    """A page of 80 bytes takes 96 bytes of a bank on Wormhole, 128 on Blackhole."""
    import numpy as np

    pages = 2 * device.num_dram_channels()
    x = ttnn.from_torch(
        np.ones((pages, 40), np.float32), dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device
    )
    stride = 96 if device.description.dram_alignment == 32 else 128
    body = "noc_async_read({}, get_write_ptr(1), {}); noc_async_read_barrier();"
    bank = "get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0) + {})"

    def run(offset: int, size: int):
        source = kernel(body.format(bank.format(offset), size))
        return run_checked([x, x], cbs={1: 2}, args=[x.buffer_address()], reader=source)

    assert rules(run(0, 160)) == {"noc-page-stride"}
    assert rules(run(80, 16)) >= {"noc-page-stride"}
    assert not rules(run(stride, 80))
    assert not rules(run(0, stride))


def test_logical_coordinates_in_a_noc_address_are_converted_in_the_message(device) -> None:
    with pytest.raises(KernelError, match=r"The logical core \(0,0\) has NoC coordinates"):
        run_pair(device, "noc_async_read(get_noc_addr(0, 0, get_write_ptr(0)), get_write_ptr(0), 32);", "")


@pytest.mark.parametrize(
    ("buffer", "found"),
    [
        (ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 1024, tile=ttnn.TileDescriptor(16, 32)), set()),
        (ttnn.CBFormatDescriptor(0, ttnn.bfloat8_b, 1088), {"tensor-page-size"}),
    ],
)
def test_the_upper_half_of_a_tile_is_a_tile_of_half_the_rows(device, buffer, found: set[str]) -> None:
    """Attention reads few heads so; a buffer of smaller whole tiles has another dtype."""
    x = tiles(device, 1)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    body = f"noc_async_read(x.get_noc_addr(0), get_write_ptr(0), {buffer.page_size}); noc_async_read_barrier();"
    reader = ttnn.KernelDescriptor(
        kernel_source=kernel("cb_reserve_back(0, 1);" + body),
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        runtime_args=[(ttnn.CoreCoord(0, 0), [x.buffer_address()])],
        config=ttnn.ReaderConfigDescriptor(),
    )
    pages = ttnn.CBDescriptor(total_size=buffer.page_size, core_ranges=cores, format_descriptors=[buffer])
    program = ttnn.ProgramDescriptor(kernels=[reader], cbs=[pages], semaphores=[])
    run = tilewright.run_program([x, x], program, RunOptions(checked=True))
    assert {note.rule for note in run.notes if note.rule.startswith("tensor")} == found
