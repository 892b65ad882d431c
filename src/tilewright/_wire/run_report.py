# SPDX-License-Identifier: Apache-2.0
"""The record of a run as the runner sends it: how it ended, where each kernel stands, traffic, findings, pushes."""

import ctypes
import enum
from typing import Annotated

from tilewright._wire.layout import i32, structure, u32, u64

MAX_FRAMES = 24  # of a call stack
MAX_RELATED_FRAMES = 12  # of the call stack of a finding's second place
NO_KERNEL = 0xFFFFFFFF
NO_CIRCULAR_BUFFER = 0xFFFFFFFF
NO_SEMAPHORE = 0xFFFFFFFF
NO_LINK = 0xFFFFFFFF

Frames = Annotated["ctypes.Array[ctypes.c_uint64]", ctypes.c_uint64 * MAX_FRAMES]
RelatedFrames = Annotated["ctypes.Array[ctypes.c_uint64]", ctypes.c_uint64 * MAX_RELATED_FRAMES]


class RunStatus(enum.IntEnum):
    """How a run ended."""

    OK = 0
    DEADLOCK = 1
    KERNEL_ERROR = 2  # the engine refused what a kernel asked
    FAULT = 3  # a signal: bad memory access, illegal instruction, ...
    SPINNING = 4  # a kernel polls memory that nothing changes
    TIME_LIMIT = 5
    INTERRUPTED = 6


class KernelState(enum.IntEnum):
    """States of a kernel on one core at the end of a run."""

    READY = 0
    BLOCKED = 1
    POLLING = 2
    YIELDED = 3
    FINISHED = 4
    FAILED = 5


class WaitKind(enum.IntEnum):
    """Causes of a kernel's wait."""

    NONE = 0
    CB_WAIT_FRONT = 1
    CB_RESERVE_BACK = 2
    SEMAPHORE_EQUAL = 3
    SEMAPHORE_AT_LEAST = 4
    SPIN = 5  # polls memory in a loop of its own
    # One thread of a compute kernel for another of its threads.
    DST_FREE = 6  # maths, for a half of DST
    DST_READY = 7  # pack, for a half with results
    SOURCE_READY = 8  # maths, for operands
    SOURCE_FREE = 9  # unpack, for room in the source registers
    THREAD_SEMAPHORE = 10


class ComputeThread(enum.IntEnum):
    """One of the threads a card runs a compute kernel on, where they no longer went together."""

    ALL = 0
    UNPACK = 1
    MATHS = 2
    PACK = 4


@structure
class InstanceReport(ctypes.Structure):
    """Where a kernel stands on a core; one for each thread of a compute kernel whose threads are split."""

    kernel: u32
    core_x: u32
    core_y: u32
    thread: u32  # ComputeThread
    state: Annotated[int, KernelState]
    wait_kind: Annotated[int, WaitKind]
    wait_cb: u32
    wait_amount: u32
    wait_have: u32
    wait_semaphore: u32  # NO_SEMAPHORE: none
    wait_word: u32  # of L1, which it polls; 0: none
    would_push: u64  # circular buffers, as bits
    would_pop: u64
    is_error: u32
    num_frames: u32
    frames: Frames


@structure
class RaiseReport(ctypes.Structure):
    """How often a kernel set or raised a semaphore of another core, or with a packet any word."""

    kernel: u32
    core_x: u32
    core_y: u32
    on_x: u32
    on_y: u32
    word: u32  # its place in L1
    link_chip: u32  # that its packets left; NO_LINK: it was no packet
    link_channel: u32  # of ethernet, that they left over
    count: u32
    later: u32  # how often it would still do so


@structure
class LinkReport(ctypes.Structure):
    """Packets that crossed a link between two chips, in one direction."""

    chip: u32
    channel: u32  # of ethernet
    to_chip: u32
    to_channel: u32
    packets: u64
    bytes: u64  # of headers and payloads


@structure
class TrafficReport(ctypes.Structure):
    kernel: u32
    core_x: u32
    core_y: u32
    cb: u32
    push_calls: u32
    pop_calls: u32
    wait_calls: u32
    reserve_calls: u32
    pages_pushed: u64
    pages_popped: u64
    blocked_waits: u32
    blocked_reserves: u32
    largest_wait: u32
    largest_reserve: u32


@structure
class CircularBufferReport(ctypes.Structure):
    core_x: u32
    core_y: u32
    index: u32
    num_pages: u32
    page_bytes: u32
    peak: u32
    pushed: u64
    popped: u64


@structure
class FindingReport(ctypes.Structure):
    """A broken rule; its id and its text follow."""

    rule_bytes: u32
    text_bytes: u32
    kernel: u32
    core_x: u32
    core_y: u32
    cb: u32
    address: u64
    count: u64
    num_frames: u32
    frames: Frames
    related_kernel: u32  # NO_KERNEL: none
    related_x: u32
    related_y: u32
    related_num_frames: u32
    related_frames: RelatedFrames


@structure
class PushReport(ctypes.Structure):
    """A recorded cb_push_back; its pages follow."""

    kernel: u32
    core_x: u32
    core_y: u32
    cb: u32
    pages: u32
    page_bytes: u32
    num_frames: u32
    frames: Frames


@structure
class WatchReport(ctypes.Structure):
    """How often a kernel on a core executed a watched instruction."""

    kernel: u32
    core_x: u32
    core_y: u32
    address: u64
    count: u64


@structure
class RanAnswer(ctypes.Structure):
    """The record of a run. Its error text, the rule's id, and as many InstanceReport, RaiseReport, LinkReport,
    TrafficReport, CircularBufferReport, FindingReport, PushReport, words of recorded calls and WatchReport follow."""

    status: Annotated[int, RunStatus]
    fault_signal: i32
    fault_address: u64
    switches: u64
    l1_base: u32  # slot pointer of the core the error is on; 0: none
    spent: u32  # the process that ran the program must end
    text_bytes: u64
    rule_bytes: u64
    num_instances: u64
    num_raises: u64
    num_links: u64
    num_traffic: u64
    num_circular_buffers: u64
    num_findings: u64
    num_pushes: u64
    num_calls: u64
    num_watched: u64


@structure
class KernelPlace(ctypes.Structure):
    kernel: u32  # NO_KERNEL: none, or not known
    core_x: u32
    core_y: u32
