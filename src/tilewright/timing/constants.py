# SPDX-License-Identifier: Apache-2.0
"""The model's constants: one table, each figure with where it comes from.

Cycles of the chip's clock, bytes per cycle. ``measured`` figures were published by others who measured them on a card;
``documented`` ones stand in the vendor's texts or sources; ``derived`` ones follow from published figures by the
arithmetic that is said; ``assumed`` ones are a guess of ours that nothing published contradicts; ``fitted`` ones were
chosen so that the calibration rows of docs/timing.md come out best. What one chip lacks is taken from the other, and
said to be.
"""

from __future__ import annotations

import dataclasses
import enum


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
    *_rows(Source.MEASURED, _LATENCIES + ": slope of large transfers", port_rate=(28.5, 60)),
    *_rows(
        Source.MEASURED,
        "one reader or writer at one bank: tt-isa-documentation DRAM tile; tt-metal issue 47885",
        bank_read_rate=(22.3, 46),
        bank_write_rate=(21.9, 46),
    ),
    *_rows(Source.MEASURED, "tt-metal issue 55898: reads a DRAM endpoint takes", bank_read_interval=(6.8, 16.4)),
    *_rows(Source.ASSUMED, "writes: as reads on Wormhole, half of it on Blackhole", bank_write_interval=(6.8, 8)),
    *_rows(
        Source.DERIVED,
        _LATENCIES + ": slope of 256 small transactions",
        issue_dram_read=(37, 29),
        issue_l1_read=(26, 36),
        issue_dram_write=(41, 32),
        issue_l1_write=(23, 24),
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
        dram_read_latency=(90, 123),
        dram_write_latency=(123, 50),
        l1_latency=(12, 15),
    ),
    *_rows(Source.DOCUMENTED, "tt-isa-documentation NoC: cycles of a router", hop_latency=(9, 9)),
    *_rows(Source.DOCUMENTED, _NPE + ": a link between two routers", link_rate=(30, 60.9)),
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
        mover_wait=(35, 35),
        mover_pop=(35, 35),
        mover_reserve=(35, 35),
        mover_push=(35, 35),
        mover_barrier=(35, 35),
        mover_semaphore=(35, 35),
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
        "kernel durations of programs with nothing to do: 0.1 to 0.25 us",
        start_brisc=(100, 100),
        start_ncrisc=(150, 150),
        start_trisc=(150, 150),
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
        binary_init_unpack=(66, 66),
        binary_init_math=(87, 87),
        copy_init_unpack=(92, 92),
        copy_init_math=(83, 83),
        pack_mask=(59, 59),
        sfpu_init=(55, 55),
    ),
    *_rows(
        Source.ASSUMED,
        "like the init calls that were measured; 70 cycles a site: tt-metal issue 56692",
        matmul_init_unpack=(70, 70),
        matmul_init_math=(90, 90),
        unpack_loop=(70, 70),
        math_loop=(80, 80),
        pack_loop=(60, 60),
        pack_config=(20, 20),
        reconfig_unpack=(35, 35),
        reconfig_math=(20, 20),
        reconfig_pack=(60, 60),
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
        pack_untilize_pack_block=(17, 192),
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
