# SPDX-License-Identifier: Apache-2.0
"""Arguments, stacks, and programs that are used again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.check.source_program import check_source, rules, source_program
from tilewright import ttnn
from tilewright._launch.observer import Launch, Observer, observed_launches
from tilewright._record.run import Run
from tilewright.check import check_program
from tilewright.check._reuse import check_reuse, reuse_findings

READS = "void kernel_main() {{\n  volatile uint32_t value = {};\n}}"


def test_an_argument_that_was_not_given_is_found(device: ttnn.Device) -> None:
    source = READS.format("get_arg_val<uint32_t>(2)")
    result = check_source(device, source_program({}, args={"reader": [1, 2]}, reader=source))
    assert rules(result) == ["arg-missing"]
    assert (result.findings[0].line, result.findings[0].kernel) == (2, "reader")
    assert check_source(device, source_program({}, args={"reader": [1, 2, 3]}, reader=source)).ok


def test_unread_arguments_are_noted(device: ttnn.Device) -> None:
    source = READS.format("get_arg_val<uint32_t>(1)")
    result = check_source(device, source_program({}, grid=(2, 1), args={"reader": [1, 2, 3]}, reader=source))
    assert result.ok
    (note,) = result.notes
    assert (note.rule, note.kernel, note.line) == ("arg-unread", "reader", 0)
    assert note.numbers == "arguments that no core reads: runtime 0, 2"


def test_an_argument_that_one_core_reads_is_not_unread(device: ttnn.Device) -> None:
    source = """void kernel_main() {
        volatile uint32_t value = get_arg_val<uint32_t>(get_absolute_logical_x());
    }"""
    result = check_source(device, source_program({}, grid=(2, 1), args={"reader": [1, 2]}, reader=source))
    assert result.notes == []


@pytest.mark.parametrize(("words", "found"), [(1024, ["stack-size"]), (128, [])])
def test_a_large_array_on_the_stack_is_found_at_its_function(device: ttnn.Device, words: int, found: list[str]) -> None:
    source = (
        "void fill(volatile uint32_t* words, uint32_t count) { words[count - 1] = 1; words[0] = 1; }\n"
        "\nvoid kernel_main() {\n  const uint32_t count = get_arg_val<uint32_t>(0);\n"
        "  uint32_t words[count];\n  fill(words, count);\n}"
    )
    result = check_source(device, source_program({}, args={"reader": [words]}, reader=source))
    assert rules(result) == found
    if found:
        assert (result.findings[0].line, result.findings[0].kernel) == (3, "reader")


def test_many_small_frames_are_this_machines_and_not_the_cards(device: ttnn.Device) -> None:
    source = (
        "uint32_t deeper(uint32_t depth) {\n  volatile uint32_t kept[32];\n"
        "  kept[0] = depth == 0 ? 0 : deeper(depth - 1);\n  return kept[0] + 1;\n}\n"
        "void kernel_main() { volatile uint32_t reached = deeper(get_arg_val<uint32_t>(0)); }"
    )
    assert check_source(device, source_program({}, args={"reader": [30]}, reader=source)).findings == []


def copy_program(x: ttnn.Tensor, offset: int, pages: int = 1) -> ttnn.ProgramDescriptor:
    source = "void kernel_main() { volatile uint32_t a = get_arg_val<uint32_t>(0) + get_arg_val<uint32_t>(1); }"
    return source_program({0: pages}, args={"reader": [x.buffer_address(), offset]}, reader=source)


Build = Callable[[ttnn.Tensor, int], ttnn.ProgramDescriptor]


def cached_build(refresh: Callable[[ttnn.ProgramDescriptor, ttnn.Tensor, int], None]) -> Callable[[], Build]:
    """A builder that keeps its first program and refreshes it for every call after that."""

    def make() -> Build:
        cache: list[ttnn.ProgramDescriptor] = []

        def build(x: ttnn.Tensor, offset: int) -> ttnn.ProgramDescriptor:
            if not cache:
                cache.append(copy_program(x, offset))
            refresh(cache[0], x, offset)
            return cache[0]

        return build

    return make


def test_an_argument_that_a_cache_forgets_is_found(device: ttnn.Device) -> None:
    x, y = (ttnn.zeros([32, 32], device=device) for _ in range(2))

    def address_only(program: ttnn.ProgramDescriptor, x: ttnn.Tensor, offset: int) -> None:
        old = next(iter(program.kernels[0].runtime_args))[1][1]
        program.kernels[0].runtime_args = [(ttnn.CoreCoord(0, 0), [x.buffer_address(), old])]

    def everything(program: ttnn.ProgramDescriptor, x: ttnn.Tensor, offset: int) -> None:
        program.kernels[0].runtime_args = [(ttnn.CoreCoord(0, 0), [x.buffer_address(), offset])]

    (found,) = check_reuse(cached_build(address_only), (x, 5), (y, 7))
    assert (found.rule, found.kernel, found.cores) == ("arg-stale", "reader", ((0, 0),))
    assert found.numbers == "in call 2, runtime argument 1 is 0x5, a fresh build gives 0x7"
    assert check_reuse(cached_build(everything), (x, 5), (y, 7)) == []
    with pytest.raises(ValueError, match="at least two calls, not 1"):
        check_reuse(cached_build(everything), (x, 5))


def test_a_program_for_another_call_is_a_collision(device: ttnn.Device) -> None:
    x = ttnn.zeros([32, 32], device=device)

    def make() -> Callable[[int], ttnn.ProgramDescriptor]:
        cache: dict[str, ttnn.ProgramDescriptor] = {}
        return lambda pages: cache.setdefault("all", copy_program(x, 0, pages))

    (found,) = check_reuse(make, (1,), (2,))
    assert found.rule == "cache-collision"
    assert "CB c_0" in found.numbers


def test_a_stale_address_is_seen_from_launch_to_launch(device: ttnn.Device) -> None:
    x, y = (ttnn.zeros([32, 32], device=device) for _ in range(2))
    first = copy_program(x, 3)
    assert check_program([x], first).ok
    result = check_program([y], first)
    assert rules(result) == ["arg-stale"]
    assert f"is still {x.buffer_address():#x}" in result.findings[0].numbers
    assert check_program([x], copy_program(x, 3)).ok
    assert check_program([y], copy_program(y, 3)).ok


def test_an_address_of_another_operation_is_not_stale(device: ttnn.Device) -> None:
    """The second operation gives the program an intermediate tensor, which lies where the first one's tensor lay."""
    x, y = (ttnn.zeros([32, 32], device=device) for _ in range(2))

    class Named(Observer[Run]):
        def __init__(self, operation: str) -> None:
            super().__init__()
            self.operation = operation

        def observe(self, launch: Launch) -> Run:
            launch.operation = self.operation
            found.append([finding.rule for finding in reuse_findings(launch, None)])
            return launch.run(launch.options)

    found: list[list[str]] = []
    program = copy_program(x, 3)
    for operation, tensor in (("ttnn.add", x), ("ttnn.composite", y), ("ttnn.add", y)):
        with observed_launches(Named(operation)):
            ttnn.generic_op([tensor], program)
    assert found == [[], [], ["arg-stale"]]


def test_one_hash_for_two_programs_is_a_collision(device: ttnn.Device) -> None:
    x = ttnn.zeros([32, 32], device=device)
    programs = [copy_program(x, 0, pages) for pages in (1, 2)]
    for program in programs:
        program.custom_program_hash = 0x77
    assert check_program([x], programs[0]).ok
    assert check_program([x], programs[0]).ok
    assert rules(check_program([x], programs[1])) == ["cache-collision"]


def test_a_tensor_that_is_not_in_io_tensors_is_named(device: ttnn.Device) -> None:
    shown, hidden = (ttnn.zeros([32, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT, device) for _ in "ab")
    address = hidden.buffer_address()
    source = """void kernel_main() {
        const uint64_t there = get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0));
        noc_async_read(there, get_write_ptr(0), 2048);
        noc_async_read_barrier();
    }"""
    program = source_program({0: 1}, args={"reader": [address]}, reader=source)
    (finding,) = check_program([shown], program).findings
    assert (finding.rule, finding.line, str(finding.severity)) == ("tensor-not-passed", 3, "warning")
    assert f"the buffer at {address:#x} in DRAM, 2048 bytes a page" in finding.numbers
    assert check_program([hidden, shown], program).findings == []
