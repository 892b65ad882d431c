# SPDX-License-Identifier: Apache-2.0
"""Constants of the time model, each with its source.

Cycles of the chip's clock, bytes per cycle. ``measured`` figures were published by others who measured them on a card;
``documented`` ones stand in the vendor's texts or sources; ``derived`` ones follow from published figures by the
arithmetic that is said; ``assumed`` ones are a guess of ours that nothing published contradicts; ``fitted`` ones were
chosen so that the calibration rows of docs/timing.md come out best. What one chip lacks is taken from the other, and
said to be.
"""

from __future__ import annotations

import dataclasses
import enum

# Microseconds between two launches that a trace replays: measured, tt-metal's op-to-op latency benchmark.
LAUNCH_GAP_US = {"wormhole_b0": 2.05, "blackhole": 2.08}


class Source(enum.Enum):
    MEASURED = "measured"
    DOCUMENTED = "documented"
    DERIVED = "derived"
    ASSUMED = "assumed"
    FITTED = "fitted"


@dataclasses.dataclass(frozen=True)
class Constant:
    """One figure of the model on both chips."""

    name: str
    wormhole: float
    blackhole: float
    source: Source
    where: str


_NPE = "tt-npe device models"
_LATENCIES = "tt-metal data-movement latency tables"
_COSTS = "tt-lang Blackhole cost table"
_WORMHOLE_GUESS = "; Wormhole: from the rates of whole pipelines published for it"
_BOTH = "; Wormhole has Blackhole's"


def _rows(source: Source, where: str, **values: tuple[float, float]) -> list[Constant]:
    return [Constant(name, *pair, source, where) for name, pair in values.items()]


# Wormhole, Blackhole.
TABLE: tuple[Constant, ...] = (
    *_rows(Source.DOCUMENTED, "tt-metal noc_parameters.h: longest packet", packet_bytes=(8192, 16384)),
    *_rows(Source.DOCUMENTED, "tt-isa-documentation NoC: one flit before the data", packet_head=(32, 64)),
    *_rows(Source.MEASURED, _LATENCIES + ": slope of large transfers", port_rate=(28.5, 60)),
    *_rows(
        Source.MEASURED,
        "one reader or writer at one bank: tt-isa-documentation DRAM tile; Blackhole: "
        + _LATENCIES
        + ", packets of 2 and 4 KiB (only those of 16 KiB reach 46)",
        bank_read_rate=(22.3, 42.4),
        bank_write_rate=(21.9, 41.3),
    ),
    *_rows(Source.MEASURED, "tt-metal issue 55898: reads a DRAM endpoint takes", bank_read_interval=(6.8, 16.4)),
    *_rows(
        Source.DERIVED,
        _LATENCIES + ": all cores write 64 bytes; Wormhole: assumed as reads",
        bank_write_interval=(6.8, 4.4),
    ),
    *_rows(
        Source.FITTED,
        "a bank that reads and writes at the same time, from rows of a Blackhole whose cores do both",
        bank_mixed_efficiency=(0.8, 0.8),
    ),
    *_rows(
        Source.DERIVED,
        _LATENCIES + ": 256 small transactions less one, a 255th of it; those of DRAM at one bank",
        issue_dram_read=(21.3, 22.1),
        issue_l1_read=(25, 34.9),
        issue_l1_read_with_state=(17.4, 33.9),
        issue_dram_write=(24.9, 26),
        issue_l1_write=(22, 23),
        issue_l1_write_with_state=(20, 20),
    ),
    *_rows(
        Source.DERIVED,
        _LATENCIES + ": transactions of pages that go round all banks against those at one, reads and writes alike. "
        "Blackhole has 8 banks, so it finds the bank of a page by a shift; Wormhole has 12 and must divide. What one "
        "does not do is taken from the other",
        page_shifted=(4.9, 4.9),
        page_divided=(14.7, 14.7),
    ),
    *_rows(Source.ASSUMED, "no less than a read of DRAM takes its processor", issue_own_l1_read=(21.3, 22.1)),
    *_rows(
        Source.DERIVED,
        "tt-metal conv2d: rates its planner takes for reads of a core's own L1, 16 bytes at a time, which are of calls "
        "that set half of an address",
        issue_own_l1_read_with_state=(18.4, 19.2),
    ),
    *_rows(
        Source.ASSUMED,
        "more packets of one call; atomics as a short write",
        issue_packet=(12, 12),
        issue_atomic=(30, 30),
    ),
    *_rows(
        Source.DERIVED,
        _LATENCIES + ": one transaction less issue, service, barrier and hops",
        dram_read_latency=(116, 159),
        dram_write_latency=(140, 50),
        l1_latency=(37, 41),
    ),
    *_rows(Source.DOCUMENTED, "tt-isa-documentation NoC: cycles of a router", hop_latency=(9, 9)),
    *_rows(Source.DOCUMENTED, _NPE + ": a link between two routers", link_rate=(30, 60.9)),
    *_rows(
        Source.DERIVED,
        "packets of several cores stand in each other's way: rates of all cores at all banks (tt-isa-documentation "
        "DRAM tile) against those of the links alone; Blackhole's reads: assumed little better than Wormhole's, which "
        "the rates of one reader for each bank (tt-metal pull request 47885) do not contradict; Blackhole's writes: "
        "fitted with rows that only write to DRAM",
        link_read_efficiency=(0.85, 0.88),
        link_write_efficiency=(0.64, 0.7),
    ),
    *_rows(
        Source.DERIVED,
        _LATENCIES + ": multicast rows",
        issue_multicast=(40, 40),
        multicast_latency=(270, 350),
        multicast_rate=(25, 45),
        multicast_overhead=(120, 60),
    ),
    *_rows(
        Source.FITTED,
        "a call of a data-movement kernel that moves nothing: one figure for all, from rows of one tile at a time",
        mover_wait=(28, 28),
        mover_pop=(28, 28),
        mover_reserve=(28, 28),
        mover_push=(28, 28),
        mover_barrier=(28, 28),
        mover_semaphore=(28, 28),
    ),
    *_rows(Source.ASSUMED, "a turn of a loop that polls", poll=(10, 10)),
    *_rows(
        Source.FITTED,
        "work of a data-movement kernel between calls, per basic block above those every call has",
        mover_block=(5, 2.5),
        mover_free_blocks=(24, 24),
    ),
    *_rows(
        Source.DERIVED,
        "processors of one core start within 14 to 63 ns of each other: a column of the published profiler tables",
        start_brisc=(0, 0),
        start_ncrisc=(40, 40),
        start_trisc=(40, 40),
    ),
    *_rows(
        Source.MEASURED,
        "first to last core that starts: the same column, launches on 2 to 20 cores, and on 64 and more",
        start_core=(30, 10),
        start_spread=(1900, 190),
    ),
    *_rows(
        Source.ASSUMED,
        "stream registers, not L1",
        compute_wait=(8, 8),
        compute_pop=(8, 8),
        compute_reserve=(8, 8),
        compute_push=(8, 8),
        dst_acquire=(10, 10),
        dst_commit=(10, 10),
        dst_wait=(10, 10),
        dst_release=(10, 10),
    ),
    *_rows(Source.DOCUMENTED, "tt-isa-documentation: matrix unit", math_latency=(5, 5)),
    *_rows(
        Source.MEASURED,
        _COSTS + _BOTH,
        startup_unpack=(145, 145),
        startup_math=(93, 93),
        startup_pack=(206, 206),
        sfpu_init=(55, 55),
    ),
    *_rows(
        Source.DERIVED,
        "half of what the cost table has for the call by itself: in a loop an init with its reconfiguration takes 70 "
        "cycles (tt-metal issue 56692)" + _BOTH,
        binary_init_math=(43, 43),
        unpack_loop=(33, 33),
        copy_init_unpack=(46, 46),
        matmul_init_unpack=(35, 35),
        math_loop=(41, 41),
        pack_loop=(30, 30),
        pack_mask=(30, 30),
    ),
    *_rows(
        Source.ASSUMED,
        "the rest of those 70 cycles",
        pack_config=(20, 20),
        reconfig_unpack=(17, 17),
        reconfig_math=(10, 10),
        reconfig_pack=(30, 30),
    ),
    *_rows(
        Source.MEASURED,
        _COSTS + _WORMHOLE_GUESS,
        copy_unpack=(45, 41.8),
        copy_unpack_block_float=(40, 41.5),
        copy_unpack_fp32=(42.2, 42.2),
        copy_unpack_to_dest=(120.8, 120.8),
        binary_unpack=(64, 37.1),
        binary_unpack_block_float=(45, 37.2),
        binary_unpack_fp32=(128, 40.1),
        reduce_unpack=(37, 37),
        reduce_scalar_unpack=(51.3, 51.3),
        copy_math=(25, 18.9),
        add_math=(25, 18.9),
        multiply_math_1=(25, 18.9),
        multiply_math_2=(40, 36.4),
        multiply_math_3=(64, 60.3),
        multiply_math_4=(90, 84.1),
        reduce_row_math_1=(15.2, 15.2),
        reduce_row_math_2=(28.1, 28.1),
        reduce_row_math_3=(40, 40),
        reduce_row_math_4=(52, 52),
        reduce_row_max_math=(85.5, 85.5),
        reduce_column_math_1=(19.3, 19.3),
        reduce_column_math_2=(37.9, 37.9),
        reduce_column_math_3=(62, 62),
        reduce_column_math_4=(85.9, 85.9),
        reduce_column_max_math=(19.2, 19.2),
        reduce_scalar_math_1=(44, 44),
        reduce_scalar_math_2=(73, 73),
        reduce_scalar_math_3=(102.8, 102.8),
        reduce_scalar_math_4=(133, 133),
        reduce_scalar_max_math=(43.9, 43.9),
        pack_16=(40, 29.8),
        pack_block_float=(35, 30),
        pack_32=(70, 44),
    ),
    *_rows(
        Source.ASSUMED,
        "between copy and binary",
        transpose_unpack=(80, 60),
        reuse_unpack=(25, 25),
        reuse_math=(20, 20),
        transpose_dest_math=(60, 60),
    ),
    *_rows(
        Source.DERIVED,
        "16 cycles a phase (tt-isa-documentation) at the best utilisation published: 16.5 Wormhole, 16.2 Blackhole",
        matmul_math_phase=(16.5, 16.2),
        matmul_math_tile=(1, 1),
        matmul_math_call=(12, 12),
        matmul_fp32_factor=(1.07, 1.07),
        matmul_unpack=(36, 20),
        matmul_unpack_block_float=(20, 20),
    ),
    *_rows(
        Source.MEASURED,
        "tt-llk pull requests 130, 131, 916; tt-metal conv2d tilize table",
        tilize_unpack=(52, 25),
        tilize_pack=(61, 73),
        untilize_unpack=(393, 512),
        untilize_pack=(47, 25),
        pack_untilize_unpack=(38, 28),
        pack_untilize_pack_tile=(48, 64),
    ),
    *_rows(
        Source.FITTED,
        "tt-llk pull request 916; Blackhole: a row whose blocks are two tiles wide (the pull request has 192)",
        pack_untilize_pack_block=(17, 394),
    ),
    *_rows(
        Source.ASSUMED,
        "where no cost of the function was published; reports say how much of a time rests on it",
        sfpu_unary_default=(100, 100),
        sfpu_binary_default=(200, 200),
        sfpu_ternary_default=(300, 300),
        sfpu_typecast_default=(150, 150),
        sfpu_other_default=(300, 300),
    ),
)


def constants_of(arch: str) -> dict[str, float]:
    """The table for a chip, by name.

    >>> constants_of("blackhole")["packet_bytes"]
    16384
    """
    return {each.name: each.blackhole if arch == "blackhole" else each.wormhole for each in TABLE}
