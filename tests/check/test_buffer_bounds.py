# SPDX-License-Identifier: Apache-2.0
"""Stores and transfers that leave a buffer, and addresses of buffers that are not there."""

from __future__ import annotations

import pytest

import tilewright
from tests.check.noc_program import run_checked, tiles
from tilewright import ttnn
from tilewright._errors import KernelError
from tilewright._launch.run_options import RunOptions
from tilewright._record.run import Run

# Both buffers are the kernel's own to write: only where a store comes from tells that it went too far.
FILL = """
void fill(uint32_t address, uint32_t words) {{
    for (uint32_t i = 0; i < words; i++) {{
        reinterpret_cast<volatile uint32_t*>(address)[i] = 7;
    }}
}}
void kernel_main() {{
    cb_reserve_back(0, 1);
    cb_reserve_back(1, 1);
    {}
    cb_push_back(0, 1);
    cb_push_back(1, 1);
}}
"""
TAKE = """
void kernel_main() {
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
}
"""


def rules(run: Run) -> list[str]:
    return [note.rule for note in run.notes if note.rule != "arg-unread"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("fill(get_write_ptr(0), 512); fill(get_write_ptr(1), 512);", []),
        ("for (uint32_t cb = 0; cb < 2; cb++) { fill(get_write_ptr(cb), 512); }", []),
        ("fill(get_write_ptr(0), 513); fill(get_write_ptr(1), 512);", ["l1-outside-buffer"]),
        ("fill(get_write_ptr(1), 512); fill(get_write_ptr(0), 600);", ["l1-outside-buffer"]),
        ("noc_async_read(get_noc_addr(get_write_ptr(2)), get_write_ptr(0), 2064); noc_async_read_barrier();", None),
    ],
)
def test_stores_that_run_into_the_next_buffer(device: ttnn.Device, body: str, expected: list[str] | None) -> None:
    x = tiles(device, 1)
    fill_source = "fill(get_write_ptr(2), 516);" if expected is None else ""
    run = run_checked([x, x], cbs={0: 1, 1: 1, 2: 2}, reader=FILL.format(fill_source + body), writer=TAKE)
    found = rules(run)
    if expected is None:
        assert found[0] == "cb-index-wrap"
    else:
        assert found == expected


@pytest.mark.parametrize(
    "use",
    [
        "*reinterpret_cast<volatile uint32_t*>(get_write_ptr(5)) = 1;",
        "volatile uint32_t word = *reinterpret_cast<volatile uint32_t*>(get_read_ptr(5)); (void)word;",
        "noc_async_read(get_noc_addr(get_write_ptr(0)), get_write_ptr(5), 32);",
        "noc_async_write(get_read_ptr(5), get_noc_addr(get_write_ptr(0)), 32);",
        "noc_async_write(get_write_ptr(0), get_noc_addr(get_read_ptr(5)), 32);",
        "cb_reserve_back(5, 1);",
        "constexpr uint32_t size = get_tile_size(5);"
        "noc_async_read(get_noc_addr(get_write_ptr(0)), get_write_ptr(0), size);",
        "volatile uint32_t five = 5;"
        "noc_async_write(get_read_ptr(0), get_noc_addr(get_write_ptr(0)), 2 * get_tile_size(five));",
        "const InterleavedAddrGen<true> tensor{4096, get_tile_size(5)};"
        "noc_async_read(get_noc_addr(0, tensor), get_write_ptr(0), 32);",
    ],
)
def test_a_buffer_the_core_does_not_have(device: ttnn.Device, use: str) -> None:
    x = tiles(device, 1)
    with pytest.raises(KernelError, match=r"c_5, which is not configured on core \(0,0\)") as caught:
        run_checked([x, x], cbs={0: 1}, reader=f"void kernel_main() {{ {use} }}")
    assert caught.value.rule == "cb-not-configured"
    assert rules(caught.value.run) == []


def test_a_buffer_another_core_does_not_have(device: ttnn.Device) -> None:
    """The sender has c_1, the receiver has only c_0: what is sent to c_1's address lands nowhere."""
    x = tiles(device, 1)
    there = device.worker_core_from_logical_core((1, 0))
    send = """void kernel_main() {
        volatile uint32_t* words = reinterpret_cast<volatile uint32_t*>(get_write_ptr(1));
        for (uint32_t i = 0; i < 8; i++) { words[i] = i; }
        noc_async_write(get_write_ptr(1), get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), BASE), 32);
        noc_async_write_barrier();
    }"""
    cores = {
        name: ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(last, 0))])
        for name, last in (("both", 1), ("first", 0))
    }
    second = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(1, 0), ttnn.CoreCoord(1, 0))])

    def buffer(index: int, where: ttnn.CoreRangeSet) -> ttnn.CBDescriptor:
        return ttnn.CBDescriptor(
            total_size=2048,
            core_ranges=where,
            format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, 2048)],
        )

    def kernel(source: str, where: ttnn.CoreRangeSet, name: str) -> ttnn.KernelDescriptor:
        return ttnn.KernelDescriptor(
            kernel_source=source,
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=where,
            runtime_args=[(core, [there.x, there.y]) for core in where],
            config=ttnn.ReaderConfigDescriptor(),
            name=name,
        )

    def found(base: str) -> list[str]:
        kernels = [
            kernel(send.replace("BASE", base), cores["first"], "reader_sender"),
            kernel("void kernel_main() {}", second, "reader_receiver"),
        ]
        cbs = [buffer(0, cores["both"]), buffer(1, cores["first"])]
        program = ttnn.ProgramDescriptor(kernels=kernels, cbs=cbs, semaphores=[])
        return rules(tilewright.run_program([x, x], program, RunOptions(checked=True)))

    assert found("get_write_ptr(1)") == ["cb-not-configured"]
    assert found("get_write_ptr(0)") == []


@pytest.mark.parametrize(("pointer", "expected"), [("get_write_ptr", ["cb-read-write-pointer"]), ("get_read_ptr", [])])
def test_the_wrong_pointer_that_happens_to_be_right(device: ttnn.Device, pointer: str, expected: list[str]) -> None:
    x = tiles(device, 1)
    push = FILL.format("fill(get_write_ptr(0), 512); fill(get_write_ptr(1), 512);")
    take = TAKE.replace(
        "    cb_pop_front(0, 1);",
        f"    volatile uint32_t word = *reinterpret_cast<volatile uint32_t*>({pointer}(0)); (void)word;\n"
        "    cb_pop_front(0, 1);",
    )
    assert rules(run_checked([x, x], cbs={0: 1, 1: 1}, reader=push, writer=take)) == expected
