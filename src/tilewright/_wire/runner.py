# SPDX-License-Identifier: Apache-2.0
"""Messages between the runner and the process that owns it, and the memory page both have mapped.

A message is a ``MessageHeader`` and its body. A body is one of the structures below, followed by what it counts; every
part begins at a multiple of 8 bytes::

    owner                                             runner
    CHIP    ChipRequest, x and y of each node,        READY    ReadyAnswer
            the core of each L1 bank if the host
            has chosen
    LOAD    LoadRequest, programs to forget,          LOADED   LoadedAnswer, a u64 for each library of each
            semaphore bases, kernels, circular                 kernel: its load address
            buffers, semaphores, scratchpads
    RUN     RunRequest, ConfigBasesMessage and what   PRINTED  PrintedLine, kernel, line: any number
            it counts, arguments of each kernel,      STOPPED  StoppedMessage and what it counts: any number, each
            host buffers; of a debugged run                    answered with RESUME, a ResumeRequest
            BreakpointsRequest and what it counts
                                                      RAN      RanAnswer and what it counts
    any                                               FAILED   a sentence
"""

import ctypes
import enum
from typing import Annotated

from tilewright._wire.layout import f64, i32, structure, u32, u64
from tilewright._wire.run_report import Frames, KernelPlace, RunStatus

EVERY_CORE = 0xFFFFFFFF  # both coordinates of a breakpoint on all cores of its kernel
CRASH_TEXT_BYTES = 512
UNWRITTEN_ARGUMENT = 0xA5C3F00D  # in L1 where a card's host could have put a runtime argument and did not

CrashText = Annotated[bytes, ctypes.c_char * CRASH_TEXT_BYTES]


class MessageKind(enum.IntEnum):
    """Kinds of messages. The owner sends those below 10."""

    CHIP = 1
    LOAD = 2
    RUN = 3
    RESUME = 4
    READY = 11
    LOADED = 12
    RAN = 13
    PRINTED = 14
    FAILED = 15
    STOPPED = 16


class RunnerActivity(enum.IntEnum):
    """Activities of a runner, as its owner sees them while it waits."""

    NOTHING = 0
    LOADING = 1
    RUNNING = 2


class DstPhase(enum.IntEnum):
    """Which side DST belongs to."""

    IDLE = 0
    ACQUIRED = 1
    COMMITTED = 2
    PACKING = 3


class StopReason(enum.IntEnum):
    """Why a kernel is looked at."""

    BREAKPOINT = 1
    STEP = 2
    HANG = 3


class Go(enum.IntEnum):
    """How a stopped kernel goes on."""

    ON = 0  # to the next breakpoint
    TO_NEXT_CALL = 1
    TO_NEXT_LINE = 2


class HostLayout(enum.IntEnum):
    """Layout of a host buffer's pages."""

    UNKNOWN = 0
    ROW_MAJOR = 1
    TILE = 2


@structure
class MessageHeader(ctypes.Structure):
    kind: Annotated[int, MessageKind]
    bytes: u64  # of the body


@structure
class ChipConfig(ctypes.Structure):
    num_dies: u32  # chips of one system: each has the grid and the banks below, and NoC coordinates of its own
    grid_x: u32
    grid_y: u32
    l1_bytes: u32
    dram_banks: u32
    dram_bank_bytes: u64
    num_circular_buffers: u32
    config_base: u32  # L1 offset where arguments and semaphores begin
    config_bytes: u32
    unreserved_base: u32  # first L1 offset that programs and buffers may use
    poison: u32  # word that fills memory before its first write
    has_l1_cache: u32  # processors read L1 through a cache
    brisc_local_bytes: u32  # local memory of a data-movement processor
    trisc_local_bytes: u32  # local memory of a compute processor
    dram_read_alignment: u32
    writes_keep_order: u32  # writes of one sender on one NoC to a core arrive in the order of their issue
    clock_hz: u32  # of the processors: the wall clock counts its cycles


@structure
class FabricRouter(ctypes.Structure):
    """A router on an ethernet core, with its end of a link; addresses are L1 offsets."""

    die: u32
    channel: u32  # of ethernet
    noc_x: u32
    noc_y: u32
    peer_die: u32  # at the other end of the link
    peer_channel: u32
    downstream: u64  # routers of this die that packets go on to: 16 bits for each way, x and y << 8; 0: none
    mesh_rows: u32  # of a fabric with routes in two dimensions; 0: routes along a line
    mesh_y: u32  # the die's place in that mesh
    mesh_x: u32
    direction: u32  # of the link, as tt-metal counts directions
    header_bytes: u32  # of a packet
    handshake: u32  # word a worker writes to open and close its connection
    worker_location: u32  # where a worker writes its coordinates and the addresses for answers
    connections: u32  # of a worker core: where it finds the connections of all channels
    receiver_slots: u32  # packets that its receiver channel holds
    sender_slots: u64  # the same of each sender channel: 8 bits each; the worker's comes first
    injects: u32  # sender channels that leave one slot of the receiver free: a bit each
    acknowledges: u32  # a packet's slot of the sender channel is free when the packet has crossed the link


@structure
class ChipRequest(ctypes.Structure):
    config: ChipConfig
    num_nodes: u64
    num_l1_banks: u64
    num_routers: u64


@structure
class ReadyAnswer(ctypes.Structure):
    filter_error: i32  # why system calls are not filtered; 0: they are


@structure
class LoadRequest(ctypes.Structure):
    program: u64
    num_forgotten: u32
    num_kernels: u32
    num_circular_buffers: u32
    num_semaphores: u32
    num_scratchpads: u32
    num_semaphore_bases: u32  # 0: semaphores lie where the chip has them


@structure
class SemaphoreBase(ctypes.Structure):
    """Offset of the first semaphore on a core from the launch's configuration."""

    x: u32
    y: u32
    offset: u32


@structure
class KernelMessage(ctypes.Structure):
    """A kernel; its name, its cores (x, y pairs of u16) and its libraries follow."""

    name_bytes: u32
    num_libraries: u32  # one, or one for each thread of a compute kernel
    num_cores: u64
    kind: u32
    processor: u32
    noc_index: u32
    noc_mode: u32
    fp32_dest: u32
    full_sync: u32
    fidelity: u32
    # Arguments that the host puts into L1 itself, at the same offsets from the launch's configuration on all cores.
    has_arguments_in_l1: u32
    args_offset: u32
    num_args: u32
    common_args_offset: u32
    num_common_args: u32


@structure
class LibraryMessage(ctypes.Structure):
    """A library of a kernel; its path follows. Addresses are offsets from the library's load address."""

    path_bytes: u64
    statics: u64
    statics_bytes: u64
    text_begin: u64
    text_end: u64


@structure
class CircularBufferMessage(ctypes.Structure):
    """A circular buffer; its cores follow."""

    index: u32
    offset: u32
    total_bytes: u32
    page_bytes: u32
    owns_memory: u32
    is_over_tensor: u32
    format: u32
    num_faces: u32
    face_rows: u32
    tile_rows: u32
    tile_cols: u32
    tile_bytes: u32
    unpack_to_dest_fp32: u32
    num_cores: u64


@structure
class SemaphoreMessage(ctypes.Structure):
    """A semaphore; its cores follow."""

    id: u32
    initial: u32
    num_cores: u64


@structure
class ScratchpadMessage(ctypes.Structure):
    """A scratchpad; its cores follow."""

    offset: u32
    bytes: u32
    num_cores: u64


@structure
class LoadedAnswer(ctypes.Structure):
    num_libraries: u64


@structure
class RunRequest(ctypes.Structure):
    program: u64
    time_limit: f64
    spin_limit: f64
    seed: u64
    recorded_circular_buffers: u64
    threads: u32
    checked: u32
    fast: u32
    keep_l1: u32
    num_host_buffers: u32
    debugged: u32
    watched: u32
    host_buffers_are_all: u32  # 0: the device has other buffers too


@structure
class ConfigBasesMessage(ctypes.Structure):
    """L1 offset of the configuration that the host made for a launch; cores with another one follow."""

    usual: u32
    num_others: u32


@structure
class ConfigBase(ctypes.Structure):
    x: u32
    y: u32
    base: u32


@structure
class ArgumentsMessage(ctypes.Structure):
    """Arguments of a kernel; offsets, words and common words follow."""

    num_offsets: u32
    num_words: u32
    num_common: u32


@structure
class HostBufferMessage(ctypes.Structure):
    """A buffer of the host, for a checked run; bits of the bytes outside the tensor's shape follow, then the places."""

    is_dram: u32
    layout: Annotated[int, HostLayout]
    address: u64
    page_bytes: u64
    stride: u64
    num_pages: u64
    element_bytes: u32
    poison: u32
    host_wrote: u32
    poison_is_a_value: u32
    zeros_pad: u32
    data_format: u32  # 255: not known
    height: u32  # of the last two dimensions, without padding; 0: not known
    width: u32
    outside_bytes: u64
    pages_per_shard: u64  # of row-major shards in L1, the same on each core; 0: it is interleaved, or in tiles
    pages_per_bank: u64  # with num_places
    num_places: u64  # num_pages of a sharded tensor: bank * pages_per_bank + page of the bank, as u32; 0: interleaved


@structure
class BreakpointsRequest(ctypes.Structure):
    """Where a debugged run stops; the breakpoints and the lines of code follow."""

    num_breakpoints: u64
    num_lines: u64


@structure
class BreakpointMessage(ctypes.Structure):
    """An instruction of a kernel to stop at, on one core or on EVERY_CORE."""

    kernel: u32
    core_x: u32
    core_y: u32
    address: u64


@structure
class WatchRequest(ctypes.Structure):
    """The instructions whose executions a run counts; they follow."""

    num_instructions: u64


@structure
class WatchedInstruction(ctypes.Structure):
    """An instruction of a kernel; where it is late, the kernel waits before it until no other kernel can run."""

    kernel: u32
    is_late: u32
    address: u64


@structure
class CodeLineMessage(ctypes.Structure):
    """A range of a kernel's own code, outside our headers, and its line."""

    begin: u64
    end: u64
    line: u32


@structure
class ResumeRequest(ctypes.Structure):
    """How a stopped kernel goes on; the breakpoints from now on follow."""

    how: Annotated[int, Go]
    num_breakpoints: u64


@structure
class PrintedLine(ctypes.Structure):
    core_x: u32
    core_y: u32
    kernel_bytes: u32
    line_bytes: u32


@structure
class StopPlace(ctypes.Structure):
    """A kernel that stopped, or that waits for ever."""

    kernel: u32
    core_x: u32
    core_y: u32
    threads: u32  # of a compute kernel: bits of ComputeThread
    reason: Annotated[int, StopReason]


@structure
class StoppedMessage(ctypes.Structure):
    """A stop; the core's DST tiles (1024 words each, in the order of their faces), instance reports and circular
    buffer reports follow."""

    stop: StopPlace
    dst_tiles: u32  # 0: nothing computes on the core, or not yet
    dst_phase: Annotated[int, DstPhase]
    dst_is_32_bit: u32
    unpack_format: u32
    num_instances: u64
    num_circular_buffers: u64


@structure
class CrashRecord(ctypes.Structure):
    """The page both processes have mapped (native/engine/signals/crash_record.h)."""

    activity: Annotated[int, RunnerActivity]
    place: KernelPlace  # of the kernel that is loaded, or that runs, if one thread runs them all
    beats: u64  # ticks of the run; they stop where a kernel blocks signals
    owner_processor: i32  # the owner's processor when it sent its request
    # The crash itself; `status` is written last.
    status: Annotated[int, RunStatus]  # OK: none
    signal_number: i32
    address: u64
    l1_base: u64
    crashed: KernelPlace
    num_frames: u32
    frames: Frames
    text: CrashText
