# SPDX-License-Identifier: Apache-2.0
"""The cure of each rule, carried out on a program at the place a finding names; or why only its author can."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.bugs.corpus.examine import Finding
from tests.bugs.corpus.model import Launch

Cure = Callable[[Launch, Finding], None]
Edit = Callable[[list[str], int, Finding], None]


def in_kernel(edit: Edit) -> Cure:
    """Changes the lines of the kernel a finding names."""

    def cure(launch: Launch, finding: Finding) -> None:
        kernel = next(each for each in launch.program.kernels if each.name == finding.kernel)
        lines = kernel.kernel_source.split("\n")
        edit(lines, finding.line - 1, finding)
        kernel.kernel_source = "\n".join(lines)

    return cure


def index_of(finding: Finding) -> int:
    assert finding.cb is not None
    return int(finding.cb.split()[0].removeprefix("c_"))


def first(call: str) -> Cure:
    """The call comes before the line; ``{cb}`` is the circular buffer the finding is about."""

    def edit(lines: list[str], at: int, finding: Finding) -> None:
        text = call.format(cb=index_of(finding)) if "{cb}" in call else call
        lines[at] = f"{text} {lines[at]}"

    return in_kernel(edit)


def instead(old: str, new: str) -> Cure:
    def edit(lines: list[str], at: int, finding: Finding) -> None:
        assert re.search(old, lines[at])
        lines[at] = re.sub(old, new, lines[at])

    return in_kernel(edit)


def exchanged(one: str, other: str, *, everywhere: bool = False) -> Cure:
    """The one for the other, and the other way round."""

    def edit(lines: list[str], at: int, finding: Finding) -> None:
        for number in range(len(lines)) if everywhere else [at]:
            lines[number] = re.sub(
                f"{one}|{other}", lambda found: other if found.group() == one else one, lines[number]
            )

    return in_kernel(edit)


def at_the_end(calls: str) -> Cure:
    """The calls are the kernel's last."""

    def edit(lines: list[str], at: int, finding: Finding) -> None:
        end = max(number for number, line in enumerate(lines) if line.strip().startswith("}"))
        lines[end] = f"{calls} {lines[end]}"

    return in_kernel(edit)


def asked_for_first(call: str, ask: str) -> Cure:
    """As many pages as the call at the line moves are asked for before it."""

    def edit(lines: list[str], at: int, finding: Finding) -> None:
        found = re.search(rf"{call}\(([^)]*)\);", lines[at])
        assert found
        lines[at] = f"{ask}({found.group(1)}); {lines[at]}"

    return in_kernel(edit)


def operands_reconfigured(lines: list[str], at: int, finding: Finding) -> None:
    """The unpacker gets the formats of the operands, which come first in every call."""
    found = re.search(r"(\w+)\((\w+), (\w+)", lines[at])
    assert found
    name, one, other = found.groups()
    reads_two = not name.startswith("copy")
    lines[at] = f"reconfig_data_format{f'({one}, {other})' if reads_two else f'_srca({one})'}; {lines[at]}"


def guards_removed(lines: list[str], at: int, finding: Finding) -> None:
    """Calls come out of the guards of a thread."""
    inside = False
    for number, line in enumerate(lines):
        if line.strip().startswith("#ifdef TRISC_"):
            inside, lines[number] = True, ""
        elif inside and line.strip().startswith("#endif"):
            inside, lines[number] = False, ""


def hand_over_first(lines: list[str], at: int, finding: Finding) -> None:
    """Commit and wait that stand after the pack come before it."""
    for number in range(at + 1, len(lines)):
        lines[number] = re.sub(r"tile_regs_(commit|wait)\(\);", "", lines[number])
    lines[at] = f"tile_regs_commit(); tile_regs_wait(); {lines[at]}"


def popped_last(lines: list[str], at: int, finding: Finding) -> None:
    """The pop before the line comes after it."""
    pop = next(number for number in range(at, -1, -1) if "cb_pop_front" in lines[number])
    found = re.search(r"cb_pop_front\([^)]*\);", lines[pop])
    assert found
    lines[pop] = lines[pop].replace(found.group(), "")
    lines[at] = f"{lines[at]} {found.group()}"


def corners_exchanged(lines: list[str], at: int, finding: Finding) -> None:
    for number, line in enumerate(lines):
        lines[number] = re.sub(
            r"get_noc_multicast_addr\((\w+), (\w+), (\w+), (\w+)", r"get_noc_multicast_addr(\3, \4, \1, \2", line
        )


def named_call_first(said: str) -> Cure:
    """The call that the finding misses comes before the line, with the line's first operand if it takes one."""

    def edit(lines: list[str], at: int, finding: Finding) -> None:
        missing, operand = re.search(said, finding.numbers), re.search(r"\((\w+)", lines[at])
        assert missing
        assert operand
        takes_operand = not missing.group(1).endswith("uninit")
        lines[at] = f"{missing.group(1)}({operand.group(1) if takes_operand else ''}); {lines[at]}"

    return in_kernel(edit)


def more_room(launch: Launch, finding: Finding) -> None:
    """The circular buffer gets twice its pages."""
    for buffer in launch.program.cbs:
        if any(each.buffer_index == index_of(finding) for each in buffer.format_descriptors):
            buffer.total_size *= 2


def one_loop_over_the_cores(launch: Launch, finding: Finding) -> None:
    """The writer goes to the cores as the reader does."""
    reader, writer = (
        next(each for each in launch.program.kernels if each.name == name) for name in ("reader", "writer")
    )
    writer.runtime_args = list(reader.runtime_args)


CURES: dict[str, Cure] = {
    "hang-missing-producer": instead(r"cb_wait_front\([^;]*;", ""),
    "hang-self": more_room,
    "cb-over-capacity": more_room,
    "trisc-guard": in_kernel(guards_removed),
    "cb-write-unreserved": first("cb_reserve_back({cb}, 1);"),
    "cb-push-unreserved": asked_for_first("cb_push_back", "cb_reserve_back"),
    "cb-pop-unwaited": asked_for_first("cb_pop_front", "cb_wait_front"),
    "cb-use-after-pop": in_kernel(popped_last),
    "cb-read-write-pointer": exchanged("get_write_ptr", "get_read_ptr"),
    "l1-stale-cache": first("invalidate_l1_cache();"),
    "l1-store-then-credit": first(
        "(void)*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr({cb}) + get_tile_size({cb}) - 4);"
    ),
    "noc-push-in-flight": first("noc_async_read_barrier(); noc_async_writes_flushed();"),
    "noc-pop-in-flight": first("noc_async_writes_flushed(); noc_async_read_barrier();"),
    "noc-reuse-in-flight": first("noc_async_writes_flushed(); noc_async_read_barrier();"),
    "noc-use-in-flight": first("noc_async_read_barrier();"),
    "noc-exit-in-flight": at_the_end("noc_async_write_barrier(); noc_async_atomic_barrier();"),
    "noc-credit-unordered": first("noc_async_write_barrier();"),
    "noc-multicast-order": first("noc_async_writes_flushed();"),
    "noc-multicast-rectangle": in_kernel(corners_exchanged),
    "noc-oversized": instead("_one_packet", ""),
    "semaphore-overshoot": instead(r"noc_semaphore_wait\(", "noc_semaphore_wait_min("),
    "dst-protocol": in_kernel(hand_over_first),
    "format-mismatch": in_kernel(operands_reconfigured),
    "hw-startup-missing": first("compute_kernel_hw_startup(0, 16);"),
    "init-missing": named_call_first(r"needs (\w+_init)"),
    "uninit-missing": named_call_first(r"(\w+_uninit) is missing"),
    "broadcast-region": exchanged("bcast_rows", "bcast_cols", everywhere=True),
    "work-split": one_loop_over_the_cores,
}

# Twins whose rule has a cure that is not theirs.
OTHERWISE = {
    "pointer_taken_before_the_loop": "the pointer has to be asked for again where it is used",
    "commit_on_one_branch": "the commit is there, in a branch: which condition is wrong is for the author to say",
}

_INTENT = "how many pages, or which, are meant, only the author knows: "
NOT_MECHANICAL = {
    "hang-finished-producer": _INTENT + "either side's count may be the wrong one",
    "hang-full-buffer": _INTENT + "more room would end the hang and leave pages behind",
    "hang-circle": "which of two kernels may go first depends on what they hand over",
    "hang-semaphore": _INTENT + "an increment, a core or a semaphore id may be wrong",
    "hang-spinning": "the word that is polled has to become a semaphore or a circular buffer",
    "time-limit": "a limit is raised by who set it; a loop's bound is the author's",
    "cb-write-past-reserve": _INTENT + "reserve more, or push in between",
    "cb-read-past-wait": _INTENT + "wait for more, or read less",
    "cb-two-producers": "a second buffer needs its pages, its index and its consumer",
    "cb-two-consumers": "a second buffer has to be filled by the producer, too",
    "cb-index-wrap": _INTENT + "a size, or an index, has to change",
    "cb-counter-wrap": "the comparison is written anew",
    "cb-not-configured": "either the buffer goes to the core, or the kernel does not run there",
    "cb-left-over": _INTENT + "pop more, or push less",
    "cb-layout": "a tilize needs a buffer for its result",
    "cb-page-convention": "one of two page sizes is right",
    "l1-outside-buffer": _INTENT + "a size, or a loop's bound, has to change",
    "l1-misaligned": "the type of the access, or the address, has to change",
    "l1-uninitialised": "what should be in the memory is not known",
    "l1-race": "a semaphore or a page has to go from the one to the other",
    "dram-race": "pages are divided anew, or a semaphore has to go from the one to the other",
    "noc-unaligned": "an address has to change on both sides",
    "noc-page-out-of-range": _INTENT + "a loop's bound has to change",
    "noc-page-stride": "the address is computed anew",
    "noc-multicast-address": "which core of the rectangle was meant is not known",
    "noc-multicast-count": "the number or the rectangle is wrong",
    "noc-multicast-no-receiver": "the receivers are not known",
    "noc-multicast-outside": "the rectangle is too large, or a buffer is missing there",
    "noc-multicast-misses": "the rectangle of data or that of the flag is wrong",
    "fabric-route": "which chip was meant is not known",
    "fabric-no-free-slot": "the connection's name is the author's",
    "fabric-deadlock": "the routes of several kernels have to change",
    "fabric-not-closed": "the kernel may end in several places",
    "fabric-signal-early": "the header of the signal, or its connection, has to change",
    "fabric-memory-in-use": "a signal has to come back from the other chip",
    "fabric-packet-size": _INTENT + "the packet or the address is wrong",
    "fabric-multicast-misses": "the range, or the receiver's wait, is wrong",
    "semaphore-lost-reset": "the reset goes to where the author knows all increments to be consumed",
    "semaphore-shared": "a second semaphore has to be made and told to its senders",
    "dst-index": "work is divided anew",
    "dst-unwritten": "which register was meant is not known",
    "dst-width": "the host's configuration has to change",
    "scaler-size": "the host, or another kernel, computes the scaler",
    "pack-unpack-order": "pages go through the buffer, or a small buffer is added",
    "geometry-mismatch": "which of the earlier operations is to be undone depends on what follows",
    "value-uninitialised": "what should be in the operand is not known",
    "value-padding": "a mask has to be made",
    "output-unwritten": "work is divided anew",
    "arg-missing": "the value of the argument is not known",
    "arg-no-address": "which argument was left out is not known",
    "arg-unread": "the kernel may be wrong, or the host",
    "arg-stale": "the host's code has to set it",
    "cache-stale": "the host's code has to set it, or to put it into the hash",
    "cache-collision": "the host's key has to change",
    "work-overlap": _INTENT + "where a share begins may be wrong, or how long it is",
    "tensor-page-size": "the dtype of the tensor or of the buffer is wrong",
    "tensor-not-passed": "the caller has to pass the tensor",
    "tensor-format": "the dtype of the tensor or the format of the buffer is wrong",
    "l1-budget": "work is divided anew",
    "stack-size": "an array has to move to a buffer that is made for it",
    "program-invalid": "the message names the descriptor and what is allowed",
    "kernel-refused": "the message names the call and what is allowed",
    "kernel-fault": "a pointer is wrong",
    "divide-by-zero": "what to do where there is nothing to divide is the author's",
}
