# SPDX-License-Identifier: Apache-2.0
"""Chains on one to four cores: a reader, one to three compute stages, a writer.

What varies: blocks, rounds (each core has its own number), depths, transaction ids or barriers, pushes page by page,
waits that grow, stages that keep their input until the end of a round, stages that add a constant tile, DST modes.

A chain is legal because of three things: every step through a buffer divides the buffer's depth, a buffer inside
compute holds a whole round, and the other two hold at least one step of either side.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from hypothesis import strategies as st

from tests.bugs.corpus.host import Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.generated.chain_kernels import COMPUTE, READER, WRITER
from tests.bugs.generated.model import Family, Fault, always, divisors, number_of, numbered
from tilewright import ttnn

FIRST, BIAS, INNER, SPARE, LAST = 0, 1, (2, 3), 4, 16
BY_BLOCK, BY_TRANSACTION, BY_PAGE = range(3)
# 32-bit DST, full sync -> slots
DST_SLOTS = {(False, False): 8, (True, False): 4, (False, True): 16}


@dataclasses.dataclass(frozen=True)
class Stage:
    """One step of compute: ``block`` tiles at a time; a stage that keeps pops its input at the end of a round."""

    block: int
    keeps: bool
    adds: bool
    early: bool  # waits grow tile by tile


@dataclasses.dataclass(frozen=True)
class Chain:
    """A legal program."""

    rounds: tuple[int, ...]  # of each core
    tiles_per_round: int
    reader_block: int
    reader_way: int
    stages: tuple[Stage, ...]
    writer_block: int
    writer_way: int
    depths: tuple[int, ...]  # of the buffers from reader to writer
    dst_mode: tuple[bool, bool]
    first_slot: int
    faulty_stage: int  # where a fault in compute goes

    @property
    def tiles(self) -> tuple[int, ...]:
        """Tiles of each core."""
        return tuple(rounds * self.tiles_per_round for rounds in self.rounds)

    def taken_at_once(self, stage: int) -> int:
        """Pages of its input a stage needs together."""
        return self.tiles_per_round if self.stages[stage].keeps else self.stages[stage].block


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    per_round = draw(st.sampled_from((1, 2, 3, 4, 6)))
    rounds = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    dst_mode = draw(st.sampled_from(list(DST_SLOTS)))
    slots = DST_SLOTS[dst_mode]
    stages = tuple(
        Stage(
            draw(st.sampled_from(divisors(per_round, min(slots, 6)))),
            draw(st.booleans()),
            draw(st.booleans()),
            draw(st.booleans()),
        )
        for _ in range(draw(st.integers(1, 3)))
    )
    together = per_round * math.gcd(*rounds)
    reader_block, writer_block = (draw(st.sampled_from(divisors(together))) for _ in range(2))
    first = math.lcm(reader_block, per_round if stages[0].keeps else stages[0].block)
    last = math.lcm(stages[-1].block, writer_block)
    least = [first, *[per_round] * (len(stages) - 1), last]
    return Chain(
        rounds,
        per_round,
        reader_block,
        draw(st.integers(0, 2)),
        stages,
        writer_block,
        draw(st.integers(0, 2)),
        tuple(depth * draw(st.integers(1, 3)) for depth in least),
        dst_mode,
        draw(st.integers(0, slots - max(stage.block for stage in stages))),
        draw(st.integers(0, len(stages) - 1)),
    )


# --- what faults lead to ---

Rules = tuple[str, ...]


def _drop_pop(chain: Chain) -> Rules:
    stage = chain.faulty_stage
    if any(tiles > chain.depths[stage] for tiles in chain.tiles):
        return ("hang-full-buffer" if stage == 0 else "hang-self",)
    # Pages that are all waited for at once and stay are an operand that is kept.
    taken, block = chain.taken_at_once(stage), chain.reader_block if stage == 0 else chain.stages[stage - 1].block
    return ("cb-left-over",) if any(tiles - taken >= block for tiles in chain.tiles) else ()


def _asked_of_first(chain: Chain) -> int:
    """Pages that a kernel surely requests of the first buffer: the reader for its first block, or else compute."""
    return chain.reader_block if chain.reader_block > 1 else chain.taken_at_once(0)


def _when(condition: bool, *rules: str) -> Rules:
    return rules if condition else ()


def _skip_init(chain: Chain) -> Rules:
    """A stage like the one before it finds everything set."""
    stage = chain.faulty_stage
    return _when(stage == 0 or chain.stages[stage].adds != chain.stages[stage - 1].adds, "init-missing")


def _split_over_the_end(chain: Chain) -> Rules:
    block = chain.stages[0].block
    fits = not chain.stages[0].keeps and chain.reader_block == 1 and block > 1
    return _when(fits and max(chain.tiles) >= 2 * block, "cb-index-wrap")


def _pop_too_many(chain: Chain) -> Rules:
    """An extra page that is sure to be there (of a larger block, or made by compute) is missing from a later wait."""
    if chain.faulty_stage:
        return ("cb-pop-unwaited", "hang-self")
    comes_in_larger_blocks = _pushed_at_once(chain) > chain.taken_at_once(0)
    return ("cb-pop-unwaited", "hang-finished-producer") if comes_in_larger_blocks else ("cb-pop-unwaited",)


def _pack_uncomputed(chain: Chain) -> Rules:
    used = chain.first_slot + 2 * max(stage.block for stage in chain.stages)
    return _when(used <= DST_SLOTS[chain.dst_mode], "dst-unwritten")


def _swap_writers(chain: Chain) -> Rules:
    return _when(len(chain.rounds) > 1 and chain.tiles[0] == chain.tiles[1], "work-split")


def _leave_last(chain: Chain) -> Rules:
    return _when(chain.depths[-1] > chain.writer_block or max(chain.tiles) == chain.writer_block, "cb-left-over")


def _share_consuming(chain: Chain) -> Rules:
    """Where the output goes round, its credits order the writer's look at the bias before compute's pop of it."""
    return _when(min(chain.tiles) <= chain.depths[-1], "cb-two-consumers")


def _pushed_at_once(chain: Chain) -> int:
    return 1 if chain.reader_way == BY_PAGE else chain.reader_block


def _more_than_one_push(chain: Chain) -> bool:
    return all(tiles > _pushed_at_once(chain) for tiles in chain.tiles)


FAULTS = (
    Fault("DROP_POP", _drop_pop),
    Fault("DROP_LAST_PUSH", always("hang-finished-producer", "hang-missing-producer")),
    Fault("DROP_LAST_OUTPUT_PUSH", always("hang-finished-producer", "hang-missing-producer")),
    Fault("SHRINK_BUFFER", lambda chain: _when(_asked_of_first(chain) > 1, "cb-over-capacity")),
    Fault("WAIT_ONCE_MORE", always("hang-finished-producer")),
    Fault("WAIT_IN_A_CIRCLE", always("hang-circle")),
    Fault("SKIP_BIAS_PUSH", always("hang-finished-producer")),
    Fault("WAIT_WITHOUT_PRODUCER", always("hang-missing-producer")),
    Fault("POLL_FOR_EVER", always("hang-spinning")),
    Fault("GUARD_THE_PUSH", always("trisc-guard")),
    Fault("SKIP_RESERVE", lambda chain: _when(_more_than_one_push(chain), "cb-write-unreserved", "cb-push-unreserved")),
    Fault("RESERVE_TOO_FEW", lambda chain: _when(chain.reader_block > 1, "cb-write-past-reserve")),
    Fault("WRITE_PAST_WINDOW", always("cb-write-past-reserve", "l1-outside-buffer", "cb-write-unreserved")),
    Fault("PUSH_TOO_MANY", lambda chain: _when(chain.depths[0] > chain.reader_block, "cb-push-unreserved")),
    Fault("SKIP_OUTPUT_RESERVE", always("cb-write-unreserved", "cb-push-unreserved")),
    Fault("WAIT_FOR_TOO_FEW", lambda chain: _when(chain.taken_at_once(chain.faulty_stage) > 1, "cb-read-past-wait")),
    Fault("POP_TOO_MANY", _pop_too_many),
    Fault(
        "POP_EARLY",
        lambda chain: ("cb-use-after-pop",) if chain.depths[-1] > chain.writer_block else ("cb-read-past-wait",),
    ),
    Fault("READ_WRITE_POINTER", always("cb-read-write-pointer")),
    Fault("SHARE_CONSUMING", _share_consuming),
    Fault("SHARE_PRODUCING", always("cb-two-producers")),
    Fault("SPLIT_OVER_THE_END", _split_over_the_end),
    Fault("LEAVE_LAST", _leave_last),
    Fault("LEAVE_OUT_CORES", lambda chain: _when(len(chain.rounds) > 1, "cb-not-configured")),
    Fault("NO_READ_BARRIER", always("noc-push-in-flight")),
    Fault("WRONG_BARRIER", always("noc-push-in-flight")),
    Fault("NO_WRITE_BARRIER", always("noc-pop-in-flight")),
    Fault("BARRIER_OF_READS", always("noc-pop-in-flight")),
    Fault("NO_LAST_BARRIER", always("noc-exit-in-flight")),
    Fault("USE_IN_FLIGHT", always("noc-use-in-flight")),
    Fault("STORE_IN_FLIGHT", always("noc-reuse-in-flight")),
    Fault("UNALIGNED_READ", always("noc-unaligned")),
    Fault("OVERSIZED", lambda chain: _when(chain.reader_block >= 5, "noc-oversized")),
    Fault("READ_PAGE_BEYOND", always("noc-page-out-of-range")),
    Fault("WRITE_PAGE_BEYOND", always("noc-page-out-of-range")),
    Fault("STORE_OUTSIDE", always("l1-outside-buffer")),
    Fault("MISALIGNED_STORE", always("l1-misaligned")),
    Fault("LOAD_UNWRITTEN", always("l1-uninitialised")),
    Fault("RACE", always("l1-race")),
    Fault("DST_INDEX", always("dst-index")),
    Fault("SKIP_ACQUIRE", always("dst-protocol")),
    Fault("SKIP_COMMIT", always("dst-protocol")),
    Fault("SKIP_DST_WAIT", always("dst-protocol")),
    Fault("SKIP_RELEASE", always("dst-protocol")),
    Fault("PACK_UNCOMPUTED", _pack_uncomputed),
    Fault("SKIP_INIT", _skip_init),
    Fault("SKIP_STARTUP", always("hw-startup-missing")),
    Fault("SKIP_READ", always("value-uninitialised")),
    Fault("SKIP_WRITE", always("output-unwritten"), in_kernel=False),
    Fault("BIG_STACK", always("stack-size")),
    Fault("DIVIDE_BY_ZERO", always("divide-by-zero")),
    Fault("NO_SUCH_ADDRESS", always("kernel-fault")),
    Fault("NO_SUCH_CORE", always("kernel-refused")),
    Fault("LEAVE_OUT_ARGUMENT", always("arg-missing")),
    Fault("SHIFT_ARGUMENTS", always("arg-no-address")),
    Fault("OTHER_DTYPE", always("tensor-page-size")),
    Fault("WRITE_THE_SAME", lambda chain: _when(len(chain.rounds) > 1, "dram-race")),
    Fault("SWAP_WRITERS", _swap_writers, in_kernel=False),
    Fault("UNREAD_ARGUMENT", always("arg-unread"), in_kernel=False),
    Fault("STALE_ADDRESS", always("arg-stale"), in_kernel=False),
    Fault("OTHER_DEPTHS", always("cache-collision"), in_kernel=False),
    Fault("TOO_DEEP", always("l1-budget"), in_kernel=False),
    Fault("NO_SUCH_BUFFER", always("program-invalid"), in_kernel=False),
    Fault("OTHER_FORMAT", always("tensor-format")),
    Fault("LEAVE_OUT_TENSOR", always("tensor-not-passed")),
)
NAMES = tuple(fault.name for fault in FAULTS)


# --- the host's side ---


def build(host: Host, chain: Chain, fault: str = "") -> Launch:
    """The program of a chain, with one fault in it or none, and its right output."""
    launch = _build(host, chain, fault)
    if fault == "STALE_ADDRESS":
        other = _build(host, chain, "")
        return dataclasses.replace(launch, io_tensors=other.io_tensors, fresh_program=other.program)
    if fault == "OTHER_DEPTHS":
        deeper = dataclasses.replace(chain, depths=tuple(2 * depth for depth in chain.depths))
        return dataclasses.replace(launch, fresh_program=_build(host, deeper, "").program)
    if fault == "LEAVE_OUT_TENSOR":
        source, bias, output = launch.io_tensors
        host.keep(bias)
        return dataclasses.replace(launch, io_tensors=[source, output])
    return launch


def _build(host: Host, chain: Chain, fault: str) -> Launch:
    cores: list[Core] = [(x, 0) for x in range(len(chain.rounds))]
    all_tiles = sum(chain.tiles)
    dtype = {"OTHER_DTYPE": ttnn.float32, "OTHER_FORMAT": ttnn.uint16}.get(fault, ttnn.bfloat16)
    source, values = host.tiles(all_tiles, dtype)
    bias, bias_values = host.tiles(1)
    output = host.output_tiles(all_tiles)
    number = number_of(fault, NAMES)
    share = {core: [number, chain.tiles[core[0]], sum(chain.tiles[: core[0]])] for core in cores}
    mover = {
        "reader": {core: [*share[core], chain.reader_block, all_tiles, chain.reader_way] for core in cores},
        "writer": {core: [*share[core], chain.writer_block, all_tiles, chain.writer_way] for core in cores},
    }
    if fault == "LEAVE_OUT_ARGUMENT":
        mover["reader"] = {core: args[:-1] for core, args in mover["reader"].items()}
    if fault == "WRITE_THE_SAME":
        mover["writer"] = {core: [*args[:2], 0, *args[3:]] for core, args in mover["writer"].items()}
    if fault == "SWAP_WRITERS":
        first, second = cores[:2]
        writer = mover["writer"]
        writer[first], writer[second] = writer[second], writer[first]
    if fault == "UNREAD_ARGUMENT":
        mover["writer"] = {core: [*args, 7] for core, args in mover["writer"].items()}
    compute = COMPUTE
    if fault == "GUARD_THE_PUSH":
        compute = compute.replace("// GUARD", "#ifdef TRISC_UNPACK").replace("// END OF GUARD", "#endif")
    fp32, full_sync = chain.dst_mode
    reader = host.kernel("reader", numbered(READER, NAMES), mover["reader"], [source, bias], cores)
    if fault == "SHIFT_ARGUMENTS":
        reader.common_runtime_args = [all_tiles, source.buffer_address()]
    return host.launch(
        [source, bias, output],
        values + sum(stage.adds for stage in chain.stages) * np.tile(bias_values, all_tiles),
        [
            reader,
            host.kernel(
                "compute",
                numbered(compute, NAMES),
                {core: _compute_arguments(chain, chain.rounds[core[0]], fault) for core in cores},
                (),
                cores,
                ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=fp32, dst_full_sync_en=full_sync),
            ),
            host.kernel("writer", numbered(WRITER, NAMES), mover["writer"], [output], cores),
        ],
        _buffers(host, chain, fault, cores),
    )


def _path(chain: Chain) -> list[int]:
    return [FIRST, *INNER[: len(chain.stages) - 1], LAST]


def _compute_arguments(chain: Chain, rounds: int, fault: str) -> list[int]:
    last_stage = len(chain.stages) - 1
    stage = {"DROP_LAST_OUTPUT_PUSH": last_stage, "SKIP_OUTPUT_RESERVE": last_stage}.get(fault, chain.faulty_stage)
    slot = chain.first_slot
    if fault == "DST_INDEX":
        slot = DST_SLOTS[chain.dst_mode] - chain.stages[stage].block + 1
    arguments = [number_of(fault, NAMES), rounds, chain.tiles_per_round, len(chain.stages), slot, stage]
    for each, cb_in, cb_out in zip(chain.stages, _path(chain), _path(chain)[1:], strict=False):
        arguments += [cb_in, cb_out, each.block, int(each.keeps), int(each.adds), int(each.early)]
    return arguments


def _buffers(host: Host, chain: Chain, fault: str, cores: list[Core]) -> list[ttnn.CBDescriptor]:
    """Every program has all buffers: what is generated around a kernel depends on which there are."""
    depths = list(chain.depths)
    if fault == "SHRINK_BUFFER":
        depths[0] = _asked_of_first(chain) - 1
    if fault == "SPLIT_OVER_THE_END":
        depths[0] = chain.stages[0].block + 1
    if fault == "TOO_DEEP":
        depths[-1] = 1000
    pages = {FIRST: 1, BIAS: 1, INNER[0]: 1, INNER[1]: 1, SPARE: 2, LAST: 1}
    pages |= dict(zip(_path(chain), depths, strict=True))
    if fault == "NO_SUCH_BUFFER":
        pages[64] = 1
    on = {LAST: cores[:1]} if fault == "LEAVE_OUT_CORES" else {}
    return [host.cb(index, f"buffer_{index}", pages[index], cores=on.get(index, cores)) for index in sorted(pages)]


CHAINS = Family("chains", chains(), build, {"reader": READER, "compute": COMPUTE, "writer": WRITER}, FAULTS)
