# SPDX-License-Identifier: Apache-2.0
"""Random programs whose outcome is known by construction, and faults to put into them.

A program is a chain on one to four cores: a reader, one to three compute stages, a writer. Everything that varies
(blocks, rounds, depths, which stage keeps its input until the end of a round, which adds a constant tile) is a runtime
argument or the depth of a buffer, so all programs share three compiled kernels.

A chain is legal because of three things: every step through a buffer divides the buffer's depth, a buffer inside
compute holds a whole round, and the other two hold at least one step of either side.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import re
from collections.abc import Callable

import numpy as np
from corpus.host import Core, Host
from corpus.model import Launch, Plain
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

FIRST, BIAS, INNER, LAST = 0, 1, (2, 3), 16
# The same programs every time: what is found is found again.
same_every_time = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
ROUNDS_OF = (1, 2, 3, 4, 6)  # tiles in a round


@dataclasses.dataclass(frozen=True)
class Stage:
    """One step of compute: ``block`` tiles at a time; a stage that keeps pops its input at the end of a round."""

    block: int
    keeps: bool
    adds: bool


@dataclasses.dataclass(frozen=True)
class Chain:
    """A legal program."""

    num_cores: int
    rounds: int
    tiles_per_round: int
    reader_block: int
    stages: tuple[Stage, ...]
    writer_block: int
    depths: tuple[int, ...]  # of the buffers from reader to writer

    @property
    def tiles(self) -> int:
        """Tiles of one core."""
        return self.rounds * self.tiles_per_round

    def taken_at_once(self, stage: int) -> int:
        """Pages of its input a stage needs together."""
        return self.tiles_per_round if self.stages[stage].keeps else self.stages[stage].block


def divisors(number: int) -> list[int]:
    return [step for step in range(1, min(number, 6) + 1) if number % step == 0]


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    per_round = draw(st.sampled_from(ROUNDS_OF))
    rounds = draw(st.integers(1, 4))
    stages = tuple(
        Stage(draw(st.sampled_from(divisors(per_round))), draw(st.booleans()), draw(st.booleans()))
        for _ in range(draw(st.integers(1, 3)))
    )
    reader_block, writer_block = (draw(st.sampled_from(divisors(rounds * per_round))) for _ in range(2))
    first = math.lcm(reader_block, per_round if stages[0].keeps else stages[0].block)
    last = math.lcm(stages[-1].block, writer_block)
    least = [first, *[per_round] * (len(stages) - 1), last]
    depths = tuple(depth * draw(st.integers(1, 3)) for depth in least)
    return Chain(draw(st.integers(1, 4)), rounds, per_round, reader_block, stages, writer_block, depths)


class Fault(enum.IntEnum):
    """What is done wrong. The kernels get the number."""

    NONE = 0
    DROP_POP = 1  # a stage never pops its input
    DROP_LAST_PUSH = 2  # the reader keeps its last block for itself
    DROP_LAST_OUTPUT_PUSH = 3  # compute keeps its last block for itself
    SHRINK_BUFFER = 4  # the first buffer is one page smaller than what is asked of it
    WAIT_ONCE_MORE = 5  # the writer waits for a block that nobody makes
    NO_READ_BARRIER = 6
    NO_WRITE_BARRIER = 7
    SKIP_RESERVE = 8
    DST_INDEX = 9
    WRITE_PAST_WINDOW = 10
    WAIT_FOR_TOO_FEW = 11
    NO_LAST_WRITE_BARRIER = 12  # the writer ends with its last block under way
    SKIP_OUTPUT_RESERVE = 13


@dataclasses.dataclass(frozen=True)
class Seeded:
    """A fault in a chain: in which stage of compute, which rules may name it, how a run without checks may end."""

    fault: Fault
    stage: int
    rules: tuple[str, ...]
    plain: frozenset[Plain]


_Consequence = tuple[tuple[str, ...], tuple[Plain, ...]]


def _drop_pop(chain: Chain, stage: int) -> _Consequence:
    if chain.tiles > chain.depths[stage]:
        return ("hang-full-buffer" if stage == 0 else "hang-self",), (Plain.DEADLOCK,)
    return ("cb-left-over",), (Plain.RIGHT, Plain.WRONG)


def _asked_of_first(chain: Chain) -> int:
    """Pages somebody is sure to ask of the first buffer: the reader for its first block, or else compute."""
    return chain.reader_block if chain.reader_block > 1 else chain.taken_at_once(0)


def _shrink(chain: Chain, stage: int) -> _Consequence | None:
    return (("cb-over-capacity",), (Plain.KERNEL_ERROR,)) if _asked_of_first(chain) > 1 else None


def _skip_reserve(chain: Chain, stage: int) -> _Consequence:
    ending = Plain.KERNEL_ERROR if chain.tiles > chain.depths[0] else Plain.RIGHT
    return ("cb-write-unreserved", "cb-push-unreserved"), (ending,)


def _wait_for_too_few(chain: Chain, stage: int) -> _Consequence | None:
    if chain.stages[0].block == 1:
        return None
    return ("cb-read-past-wait",), (Plain.RIGHT, Plain.WRONG, Plain.KERNEL_ERROR)


def _always(*rules: str, plain: tuple[Plain, ...]) -> Callable[[Chain, int], _Consequence]:
    return lambda chain, stage: (rules, plain)


# What each fault leads to.
_CONSEQUENCES: dict[Fault, Callable[[Chain, int], _Consequence | None]] = {
    Fault.DROP_POP: _drop_pop,
    Fault.DROP_LAST_PUSH: _always("hang-finished-producer", plain=(Plain.DEADLOCK,)),
    Fault.DROP_LAST_OUTPUT_PUSH: _always("hang-finished-producer", plain=(Plain.DEADLOCK,)),
    Fault.SHRINK_BUFFER: _shrink,
    Fault.WAIT_ONCE_MORE: _always("hang-finished-producer", plain=(Plain.DEADLOCK,)),
    Fault.NO_READ_BARRIER: _always("noc-push-in-flight", plain=(Plain.RIGHT,)),
    Fault.NO_WRITE_BARRIER: _always("noc-pop-in-flight", plain=(Plain.RIGHT,)),
    Fault.SKIP_RESERVE: _skip_reserve,
    Fault.DST_INDEX: _always("dst-index", plain=(Plain.KERNEL_ERROR,)),
    Fault.WRITE_PAST_WINDOW: _always(
        "cb-write-past-reserve", "l1-outside-buffer", "cb-write-unreserved", plain=(Plain.RIGHT, Plain.WRONG)
    ),
    Fault.WAIT_FOR_TOO_FEW: _wait_for_too_few,
    Fault.NO_LAST_WRITE_BARRIER: _always("noc-exit-in-flight", plain=(Plain.RIGHT,)),
    Fault.SKIP_OUTPUT_RESERVE: _always(
        "cb-write-unreserved", "cb-push-unreserved", plain=(Plain.RIGHT, Plain.WRONG, Plain.KERNEL_ERROR)
    ),
}
FAULTS = tuple(_CONSEQUENCES)
_FIXED_STAGE = {Fault.WAIT_FOR_TOO_FEW: 0, Fault.DROP_LAST_OUTPUT_PUSH: -1, Fault.SKIP_OUTPUT_RESERVE: -1}


def seed(chain: Chain, fault: Fault, stage: int) -> Seeded | None:
    """What a fault does to a chain; None where it would do nothing. Some faults happen in a certain stage only."""
    stage = range(len(chain.stages))[_FIXED_STAGE.get(fault, stage)]
    consequence = _CONSEQUENCES[fault](chain, stage)
    return Seeded(fault, stage, consequence[0], frozenset(consequence[1])) if consequence else None


@st.composite
def faulty_chains(draw: st.DrawFn, fault: Fault) -> tuple[Chain, Seeded]:
    """A legal chain in which a fault matters."""
    chain = draw(chains())
    seeded = seed(chain, fault, draw(st.integers(0, len(chain.stages) - 1)))
    assume(seeded is not None)
    assert seeded is not None
    return chain, seeded


READER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t first_tile = get_arg_val<uint32_t>(1);
    const uint32_t block = get_arg_val<uint32_t>(2);
    const uint32_t fault = get_arg_val<uint32_t>(3);
    constexpr auto src_args = TensorAccessorArgs<0>();
    constexpr auto bias_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    const auto bias = TensorAccessor(bias_args, get_common_arg_val<uint32_t>(1));
    constexpr uint32_t cb_first = 0;
    constexpr uint32_t cb_bias = 1;
    const uint32_t tile_bytes = get_tile_size(cb_first);

    cb_reserve_back(cb_bias, 1);
    noc_async_read_page(0, bias, get_write_ptr(cb_bias));
    noc_async_read_barrier();
    cb_push_back(cb_bias, 1);

    for (uint32_t done = 0; done < num_tiles; done += block) {
        if (fault != SKIP_RESERVE) {
            cb_reserve_back(cb_first, block);  // AT SHRINK_BUFFER DROP_POP
        }
        for (uint32_t i = 0; i < block; i++) {
            const uint32_t page = get_write_ptr(cb_first) + i * tile_bytes;
            noc_async_read_page(first_tile + done + i, src, page);  // AT SKIP_RESERVE
        }
        if (fault == WRITE_PAST_WINDOW && done == 0) {
            noc_async_read_page(first_tile, src, get_write_ptr(cb_first) + block * tile_bytes);  // AT WRITE_PAST_WINDOW
        }
        if (fault != NO_READ_BARRIER) {
            noc_async_read_barrier();
        }
        if (fault != DROP_LAST_PUSH || done + block < num_tiles) {
            cb_push_back(cb_first, block);  // AT NO_READ_BARRIER SKIP_RESERVE DROP_POP
        }
    }
    noc_async_read_barrier();
}
"""

COMPUTE = """
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_bias = 1;

struct Stage {
    uint32_t in, out, block, keeps, adds;
};

void run(const Stage& stage, uint32_t num_tiles, uint32_t fault, bool last_round) {
    if (stage.adds) {
        add_init(stage.in, cb_bias);
    } else {
        copy_init(stage.in);
    }
    for (uint32_t done = 0; done < num_tiles; done += stage.block) {
        const uint32_t too_few = fault == WAIT_FOR_TOO_FEW ? 1 : 0;
        const uint32_t needed = (stage.keeps ? done : 0) + stage.block - too_few;
        cb_wait_front(stage.in, needed);  // AT DROP_LAST_PUSH SHRINK_BUFFER DROP_POP
        if (fault != SKIP_OUTPUT_RESERVE) {
            cb_reserve_back(stage.out, stage.block);  // AT DROP_POP
        }
        tile_regs_acquire();
        const uint32_t slot = fault == DST_INDEX ? 8 : 0;
        for (uint32_t i = 0; i < stage.block; i++) {
            const uint32_t tile = (stage.keeps ? done : 0) + i;
            if (stage.adds) {
                add_tiles(stage.in, cb_bias, tile, 0, slot + i);  // AT DST_INDEX WAIT_FOR_TOO_FEW
            } else {
                copy_tile(stage.in, tile, slot + i);  // AT DST_INDEX WAIT_FOR_TOO_FEW
            }
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t i = 0; i < stage.block; i++) {
            pack_tile(slot + i, stage.out);  // AT DROP_POP DST_INDEX SKIP_OUTPUT_RESERVE
        }
        tile_regs_release();
        if (fault != DROP_LAST_OUTPUT_PUSH || !last_round || done + stage.block < num_tiles) {
            cb_push_back(stage.out, stage.block);  // AT DROP_POP SKIP_OUTPUT_RESERVE
        }
        if (!stage.keeps && fault != DROP_POP) {
            cb_pop_front(stage.in, stage.block);
        }
    }
    if (stage.keeps && fault != DROP_POP) {
        cb_pop_front(stage.in, num_tiles);
    }
}

void kernel_main() {
    const uint32_t rounds = get_arg_val<uint32_t>(0);
    const uint32_t tiles_per_round = get_arg_val<uint32_t>(1);
    const uint32_t num_stages = get_arg_val<uint32_t>(2);
    const uint32_t fault = get_arg_val<uint32_t>(3);
    const uint32_t faulty_stage = get_arg_val<uint32_t>(4);
    compute_kernel_hw_startup(0, cb_bias, 16);
    cb_wait_front(cb_bias, 1);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t s = 0; s < num_stages; s++) {
            const uint32_t at = 5 + 5 * s;
            const Stage stage{
                get_arg_val<uint32_t>(at),
                get_arg_val<uint32_t>(at + 1),
                get_arg_val<uint32_t>(at + 2),
                get_arg_val<uint32_t>(at + 3),
                get_arg_val<uint32_t>(at + 4)};
            run(stage, tiles_per_round, s == faulty_stage ? fault : 0, round + 1 == rounds);
        }
    }
    cb_pop_front(cb_bias, 1);
}
"""

WRITER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t first_tile = get_arg_val<uint32_t>(1);
    const uint32_t block = get_arg_val<uint32_t>(2);
    const uint32_t fault = get_arg_val<uint32_t>(3);
    constexpr auto dst_args = TensorAccessorArgs<0>();
    const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
    constexpr uint32_t cb_last = 16;
    for (uint32_t done = 0; done < num_tiles; done += block) {
        cb_wait_front(cb_last, block);  // AT DROP_LAST_OUTPUT_PUSH
        for (uint32_t i = 0; i < block; i++) {
            const uint32_t page = get_read_ptr(cb_last) + i * get_tile_size(cb_last);
            noc_async_write_page(first_tile + done + i, dst, page);  // AT NO_LAST_WRITE_BARRIER
        }
        const bool last = done + block == num_tiles;
        if (fault != NO_WRITE_BARRIER && (fault != NO_LAST_WRITE_BARRIER || !last)) {
            noc_async_write_barrier();
        }
        cb_pop_front(cb_last, block);  // AT NO_WRITE_BARRIER
    }
    if (fault == WAIT_ONCE_MORE) {
        cb_wait_front(cb_last, block);  // AT WAIT_ONCE_MORE
    }
    if (fault != NO_LAST_WRITE_BARRIER) {
        noc_async_write_barrier();
    }
}  // AT NO_LAST_WRITE_BARRIER
"""


def places(fault: Fault) -> set[tuple[str, int]]:
    """Kernels and lines at which a finding may name the fault."""
    sources = {"reader": READER, "compute": COMPUTE, "writer": WRITER}
    mark = re.compile(rf"// AT .*\b{fault.name}\b")
    return {
        (kernel, number)
        for kernel, source in sources.items()
        for number, line in enumerate(source.split("\n"), 1)
        if mark.search(line)
    }


def with_fault_numbers(source: str) -> str:
    """The kernel, knowing the faults by name; the line numbers stay."""
    numbers = ", ".join(f"{fault.name} = {fault.value}" for fault in Fault if fault is not Fault.NONE)
    return f"enum : uint32_t {{ {numbers} }};" + source


def build(host: Host, chain: Chain, seeded: Seeded | None = None) -> Launch:
    """The program of a chain, with one fault in it or none, and its right output."""
    fault, faulty_stage = (seeded.fault, seeded.stage) if seeded else (Fault.NONE, 0)
    cores: list[Core] = [(x, 0) for x in range(chain.num_cores)]
    source, values = host.tiles(chain.tiles * chain.num_cores)
    bias, bias_values = host.tiles(1)
    output = host.output_tiles(chain.tiles * chain.num_cores)
    depths = list(chain.depths)
    if fault is Fault.SHRINK_BUFFER:
        depths[0] = _asked_of_first(chain) - 1
    path = [FIRST, *INNER[: len(chain.stages) - 1], LAST]
    compute_args = [chain.rounds, chain.tiles_per_round, len(chain.stages), int(fault), faulty_stage]
    for stage, cb_in, cb_out in zip(chain.stages, path, path[1:], strict=False):
        compute_args += [cb_in, cb_out, stage.block, int(stage.keeps), int(stage.adds)]
    share = {core: [chain.tiles, chain.tiles * core[0]] for core in cores}
    # Every program has all buffers: what is generated around a kernel depends on which there are.
    pages = {FIRST: 1, BIAS: 1, INNER[0]: 1, INNER[1]: 1, LAST: 1} | dict(zip(path, depths, strict=True))
    return host.launch(
        [source, bias, output],
        values + sum(stage.adds for stage in chain.stages) * np.tile(bias_values, chain.tiles * chain.num_cores),
        [
            host.kernel(
                "reader",
                with_fault_numbers(READER),
                {core: [*share[core], chain.reader_block, int(fault)] for core in cores},
                [source, bias],
                cores,
            ),
            host.kernel("compute", with_fault_numbers(COMPUTE), compute_args, (), cores),
            host.kernel(
                "writer",
                with_fault_numbers(WRITER),
                {core: [*share[core], chain.writer_block, int(fault)] for core in cores},
                [output],
                cores,
            ),
        ],
        [host.cb(index, f"buffer_{index}", pages[index], cores=cores) for index in sorted(pages)],
    )
