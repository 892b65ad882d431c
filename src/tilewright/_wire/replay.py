# SPDX-License-Identifier: Apache-2.0
"""Input and output of the replay of a recorded launch.

The library runs in the caller's process: addresses in ``ReplayInput`` are pointers to the caller's arrays.
"""

import ctypes
import enum
from typing import Annotated

from tilewright._wire.layout import Function, PointerTo, f64, structure, u16, u32, u64

NO_BUFFER = 0xFFFFFFFF
NUM_DATA_FORMATS = 32  # rows and columns of the table of typecasts

PortCoordinates = Annotated["ctypes.Array[ctypes.c_uint32]", ctypes.c_uint32 * 2]
Doubles = Annotated[int, PointerTo("const double")]


class Processor(enum.IntEnum):
    """The five processors of a core; a compute kernel runs on three of them."""

    BRISC = 0
    NCRISC = 1
    UNPACK = 2
    MATH = 3
    PACK = 4


class WaitFor(enum.IntEnum):
    """Causes of a processor's wait."""

    PAGES_FRONT = 0  # of a circular buffer, to be pushed
    PAGES_BACK = 1  # to be popped
    READS = 2
    WRITES = 3
    SEMAPHORE = 4
    SRC_BANK = 5  # unpack: maths to be done with a Src bank
    SRC_DATA = 6  # maths: unpack
    DST_FREE = 7  # maths: pack to be done with a half of DST
    DST_DATA = 8  # pack: maths


class EventKind(enum.IntEnum):
    """Kinds of events in a timeline."""

    CALL = 0
    PUSH = 1
    POP = 2
    WAIT = 3
    READ = 4  # a transfer on its way
    WRITE = 5


@structure
class ReplayKernel(ctypes.Structure):
    processor: u32
    fidelity: u32
    fp32_dest: u32
    full_sync: u32


@structure
class ReplayBuffer(ctypes.Structure):
    index: u32
    pages: u32
    page_bytes: u32
    format: u32
    to_dest: u32
    first_core: u32  # in the list of places
    num_cores: u32


@structure
class ReplaySemaphore(ctypes.Structure):
    address: u32
    initial: u32
    first_core: u32
    num_cores: u32


@structure
class ReplayNode(ctypes.Structure):
    """A node of the NoC: a worker core, or a DRAM bank."""

    noc_x: u32  # as kernels address it
    noc_y: u32
    place_x: PortCoordinates  # on the die; a DRAM bank has a port for each NoC
    place_y: PortCoordinates
    is_dram: u32
    index: u32  # of the core (x | y << 8) or of the bank


@structure
class ReplayChange(ctypes.Structure):
    """Changes of the model whose savings a caller asks for."""

    deeper_buffer: u32  # index of a circular buffer with twice its pages; NO_BUFFER: none
    reads_ahead: u32  # a barrier waits for the reads before the barrier before it
    writes_ahead: u32  # the same of writes
    most_phases: u32  # of the matrix unit, 1 to 4; 0: as recorded
    single_reads: u32  # a barrier after each read
    math_factor: f64  # of the time of matrix and vector unit
    dram_factor: f64  # of the time DRAM banks need


@structure
class ReplayInput(ctypes.Structure):
    words: Annotated[int, PointerTo("const uint64_t")]
    num_words: u64
    kernels: Annotated[int, PointerTo("const ReplayKernel")]
    buffers: Annotated[int, PointerTo("const ReplayBuffer")]
    semaphores: Annotated[int, PointerTo("const ReplaySemaphore")]
    places: Annotated[int, PointerTo("const uint32_t")]  # x | y << 8
    nodes: Annotated[int, PointerTo("const ReplayNode")]
    constants: Doubles  # in the order of native/replay/constants.inl
    sfpu_unary: Doubles  # per face: 16-bit DST, then 32-bit DST; negative: not measured
    sfpu_binary: Doubles
    sfpu_ternary: Doubles
    sfpu_typecast: Doubles  # [from][to]
    num_kernels: u32
    num_buffers: u32
    num_semaphores: u32
    num_nodes: u32
    num_banks: u32
    noc_columns: u32
    noc_rows: u32
    keep_events: u32
    change: ReplayChange


@structure
class ReplayLane(ctypes.Structure):
    """One processor of one core, from its first step to its last."""

    kernel: u32
    core_x: u32
    core_y: u32
    processor: Annotated[int, Processor]
    begin: f64
    end: f64
    busy: f64


@structure
class ReplayWait(ctypes.Structure):
    """How long a processor waited for one thing."""

    lane: u32
    kind: Annotated[int, WaitFor]
    cb: u32
    times: u32
    cycles: f64


@structure
class ReplayEvent(ctypes.Structure):
    """A span of a timeline: work of a processor, its wait, or a transfer on its way."""

    begin: f64
    end: f64
    lane: u32
    amount: u32  # pages or bytes
    kind: Annotated[int, EventKind]
    what: u16  # the recorded call, or WaitFor of a wait
    cb: u16
    entry: u32  # which of its kernel's entries it comes from


@structure
class ReplayTotals(ctypes.Structure):
    cycles: f64
    dram_read_bytes: f64
    dram_write_bytes: f64
    noc_bytes: f64
    bank_busy: f64  # cycles, of all banks
    matmul_tiles: f64  # products of two tiles
    matmul_phases: f64
    unmeasured: f64  # cycles that rest on a cost without a published measurement
    steps: u64
    forced: u64
    polls: u64
    unknown_nodes: u64
    num_lanes: u64
    num_waits: u64
    num_events: u64


_Replay = Annotated[int, PointerTo("void")]
_NAME = Annotated[bytes, ctypes.c_char_p]

FUNCTIONS = (
    # Names in the order of the tables; null behind the last.
    Function("tw_replay_call", _NAME, {"index": u32}),
    Function("tw_replay_sfpu_unary", _NAME, {"index": u32}),
    Function("tw_replay_sfpu_binary", _NAME, {"index": u32}),
    Function("tw_replay_sfpu_ternary", _NAME, {"index": u32}),
    Function("tw_replay_call_has_address", u32, {"index": u32}),
    Function(
        "tw_replay_run",
        _Replay,
        {
            "input": Annotated[int, PointerTo("const ReplayInput")],
            "totals": Annotated[int, PointerTo("ReplayTotals")],
        },
    ),
    Function(
        "tw_replay_report",
        None,
        {
            "replay": _Replay,
            "lanes": Annotated[int, PointerTo("ReplayLane")],
            "waits": Annotated[int, PointerTo("ReplayWait")],
            "events": Annotated[int, PointerTo("ReplayEvent")],
        },
    ),
    Function("tw_replay_free", None, {"replay": _Replay}),
)
