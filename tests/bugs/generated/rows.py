# SPDX-License-Identifier: Apache-2.0
"""Rows of tiles through a random list of phases: tilize, element-wise steps, reductions, broadcasts, untilize.

What varies: the phases, the width (with padding where it is no multiple of 32), rows on each core, the layouts of input
and output, depths, and whether the buffers between phases hold bfloat16 or float32, which takes a reconfiguration from
phase to phase. Values are whole numbers of at most 256, which no format here rounds: a phase that could pass that is
not drawn.
"""

from __future__ import annotations

import dataclasses
import enum

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.bugs.corpus.host import Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.generated.model import Family, Fault, RulesFor, number_of, numbered
from tests.bugs.generated.row_kernels import COMPUTE, READER, WRITER
from tilewright import ttnn

IN, SCALER, ROW, SCALAR, SUM_BUFFER, BETWEEN, HALF_TILES, OUT = 0, 1, 2, 3, 5, (6, 7, 8, 9), 10, 16
LARGEST = 256  # whole numbers up to here are exact in bfloat16
LARGEST_INPUT, SCALAR_VALUE = 3, 2


class Kind(enum.IntEnum):
    """Kinds of phases; the compute kernel has the same list."""

    TILIZE = 0
    UNTILIZE = 1
    COPY = 2
    NEGATE = 3
    ADD_ROW = 4
    SUB_SCALAR = 5
    MUL_SCALAR = 6
    SUM = 7
    MAXIMUM = 8
    SUB_SUM = 9
    ADD_SELF = 10


TILE_BY_TILE = (Kind.COPY, Kind.NEGATE, Kind.ADD_ROW, Kind.SUB_SCALAR, Kind.MUL_SCALAR, Kind.ADD_SELF)
BINARY = (Kind.ADD_ROW, Kind.SUB_SCALAR, Kind.MUL_SCALAR, Kind.ADD_SELF, Kind.SUB_SUM)


@dataclasses.dataclass(frozen=True)
class Phase:
    kind: Kind
    cb_in: int
    cb_out: int
    keeps: bool = False

    @property
    def operands(self) -> tuple[int, int]:
        """Buffers whose formats SrcA and SrcB are set to."""
        if self.kind is Kind.SUM:
            return SCALER, self.cb_in
        other = {Kind.ADD_ROW: ROW, Kind.MAXIMUM: SCALER, Kind.SUB_SUM: SUM_BUFFER}
        if self.kind in (Kind.TILIZE, Kind.UNTILIZE, Kind.ADD_SELF):
            return self.cb_in, self.cb_in
        return self.cb_in, other.get(self.kind, SCALAR)


@dataclasses.dataclass(frozen=True)
class Rows:
    """A legal program."""

    tile_rows: tuple[int, ...]  # of each core
    width: int
    phases: tuple[Phase, ...]
    row_major_in: bool
    row_major_out: bool
    float32_between: bool
    fillings: tuple[int, ...]  # of the input, the buffers in between and the output
    faulty_phase: int

    @property
    def wt(self) -> int:
        return -(-self.width // 32)

    @property
    def output_width(self) -> int:
        return 1 if self.phases[-1].cb_in == SUM_BUFFER else self.width

    @property
    def faulty(self) -> Phase:
        return self.phases[self.faulty_phase]

    def is_float32(self, cb: int) -> bool:
        return self.float32_between and (cb == SUM_BUFFER or cb in BETWEEN)

    def has(self, *kinds: Kind) -> bool:
        return any(phase.kind in kinds for phase in self.phases)


def _largest_after(kind: Kind, largest: int, width: int) -> int:
    return {
        Kind.ADD_ROW: largest + LARGEST_INPUT,
        Kind.SUB_SCALAR: largest + SCALAR_VALUE,
        Kind.MUL_SCALAR: largest * SCALAR_VALUE,
        Kind.ADD_SELF: largest * 2,
        Kind.SUM: largest * width,
        Kind.SUB_SUM: largest * (width + 1),
    }.get(kind, largest)


@st.composite
def rows(draw: st.DrawFn) -> Rows:
    width = draw(st.one_of(st.sampled_from((32, 64)), st.integers(1, 80)))
    row_major_in, row_major_out = draw(st.booleans()), draw(st.booleans())
    kinds: list[Kind] = []
    largest = LARGEST_INPUT
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from((*TILE_BY_TILE, Kind.SUB_SUM)))
        if _largest_after(kind, largest, width) <= LARGEST:
            kinds += [Kind.SUM, kind] if kind is Kind.SUB_SUM else [kind]
            largest = _largest_after(kind, largest, width)
    # The padding of a row would take part in a maximum.
    ends = [Kind.COPY]
    ends += [Kind.SUM] if _largest_after(Kind.SUM, largest, width) <= LARGEST else []
    ends += [Kind.MAXIMUM] if width % 32 == 0 else []
    end = draw(st.sampled_from(ends))
    if end is not Kind.COPY:
        kinds.append(end)
    if row_major_in:
        kinds.insert(0, Kind.TILIZE)
    if row_major_out:
        kinds.append(Kind.UNTILIZE)
    elif end is not Kind.COPY or not kinds or kinds == [Kind.TILIZE]:
        kinds.append(Kind.COPY)
    phases = _connect(kinds)
    return Rows(
        tuple(draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))),
        width,
        phases,
        row_major_in,
        row_major_out,
        draw(st.booleans()),
        tuple(draw(st.integers(1, 2)) for _ in range(3)),
        draw(st.integers(0, len(phases) - 1)),
    )


def _connect(kinds: list[Kind]) -> tuple[Phase, ...]:
    """Buffers between the phases, the four of them in turn; the last phase fills the output."""
    phases: list[Phase] = []
    current, used = IN, 0
    for number, kind in enumerate(kinds):
        if kind in (Kind.SUM, Kind.MAXIMUM):
            keeps = number + 1 < len(kinds) and kinds[number + 1] is Kind.SUB_SUM
            phases.append(Phase(kind, current, SUM_BUFFER, keeps))
            current = current if keeps else SUM_BUFFER
            continue
        target = OUT if number + 1 == len(kinds) else BETWEEN[used % len(BETWEEN)]
        used += 1
        phases.append(Phase(kind, current, target))
        current = target
    return tuple(phases)


# --- what faults lead to ---


def _if_faulty_is(kinds: tuple[Kind, ...], *rules: str) -> RulesFor:
    return lambda program: rules if program.faulty.kind in kinds else ()


def _sum_padding(program: Rows) -> tuple[str, ...]:
    if not program.has(Kind.SUM) or program.width % 32 == 0:
        return ()
    return ("value-uninitialised",) if program.row_major_in else ("value-padding",)


def _before(program: Rows) -> Phase | None:
    """The phase whose settings the faulty one finds in the first row; none for those of the start-up."""
    return program.phases[program.faulty_phase - 1] if program.faulty_phase else None


def _skip_reconfig(program: Rows) -> tuple[str, ...]:
    if program.faulty.kind not in (*TILE_BY_TILE, Kind.SUB_SUM):
        return ()
    before = _before(program)
    left = before.operands if before else (IN, IN)
    sides = 2 if program.faulty.kind in BINARY else 1
    needed = program.faulty.operands
    differs = any(program.is_float32(left[side]) != program.is_float32(needed[side]) for side in range(sides))
    return ("format-mismatch",) if differs else ()


def _skip_pack_reconfig(program: Rows) -> tuple[str, ...]:
    if program.faulty.kind not in (*TILE_BY_TILE, Kind.SUB_SUM):
        return ()
    before = _before(program)
    left = before.cb_out if before else OUT
    return ("format-mismatch",) if program.is_float32(left) != program.is_float32(program.faulty.cb_out) else ()


def _skip_uninit(program: Rows) -> tuple[str, ...]:
    """The settings matter to the next phase, unless that is untilize, which sets its own. What only packs the result
    of a reduction may keep its mask."""
    follows = program.phases[program.faulty_phase + 1 :]
    left_by_tilize = program.faulty.kind is Kind.TILIZE and follows[0].kind is not Kind.UNTILIZE
    left_by_sum = program.faulty.kind is Kind.SUM and program.faulty.keeps
    return ("uninit-missing",) if left_by_tilize or left_by_sum else ()


def _spread_the_other_way(program: Rows) -> tuple[str, ...]:
    """With one column only the sum of the first row is spread: a wrong number, but one that a reduction made."""
    return ("broadcast-region",) if program.faulty.kind is Kind.SUB_SUM and program.width > 1 else ()


def _shallow(program: Rows) -> tuple[str, ...]:
    """A buffer in between holds a row, which the next phase waits for. One that takes tile by tile needs less:
    its unpack thread comes to it while the two halves of DST hold what does not fit."""
    follows = program.phases[program.faulty_phase + 1 :]
    is_row = bool(follows) and follows[0].kind not in TILE_BY_TILE
    fits = program.wt > 1 and program.faulty.kind in TILE_BY_TILE and program.faulty.cb_out in BETWEEN and is_row
    return ("hang-self", "cb-over-capacity") if fits else ()


FAULTS = (
    Fault("SUM_PADDING", _sum_padding),
    Fault(
        "HALF_A_SCALER",
        lambda program: ("value-uninitialised",) if program.has(Kind.SUM) and program.width > 8 else (),
    ),
    Fault("SKIP_UNINIT", _skip_uninit),
    Fault("SKIP_RECONFIG", _skip_reconfig),
    Fault("SKIP_PACK_RECONFIG", _skip_pack_reconfig),
    Fault("SPREAD_THE_OTHER_WAY", _spread_the_other_way),
    Fault(
        "POP_THE_SUM",
        lambda program: (
            ("cb-pop-unwaited", "cb-use-after-pop", "cb-read-past-wait")
            if program.faulty.kind is Kind.SUB_SUM and program.wt > 1
            else ()
        ),
    ),
    Fault("INIT_OF_ANOTHER", _if_faulty_is(TILE_BY_TILE, "init-missing")),
    Fault("INIT_FOR_HALF_TILES", _if_faulty_is((Kind.COPY, Kind.NEGATE), "geometry-mismatch")),
    Fault(
        "SKIP_UNTILIZE",
        lambda program: (
            ("cb-layout",)
            if program.row_major_out and program.phases[-1].cb_in != SUM_BUFFER and program.width > 64
            else ()
        ),
    ),
    Fault(
        "PUSH_STICKS",
        lambda program: ("cb-page-convention",) if program.row_major_in and program.width % 32 == 0 else (),
    ),
    Fault("PAGES_OF_STICKS", lambda program: ("cb-page-convention",) if program.row_major_in else ()),
    Fault("SHALLOW_MIDDLE", _shallow),
    Fault(
        "PACKED_STRIDE",
        lambda program: ("noc-page-stride",) if program.row_major_in and program.width % 16 != 0 else (),
    ),
    Fault(
        "COUNT_HALF_THE_ROWS",
        lambda program: ("output-unwritten",) if sum(program.tile_rows) > 1 else (),
        in_kernel=False,
    ),
)
NAMES = tuple(fault.name for fault in FAULTS)


# --- the host's side ---


def expected(program: Rows, values: NDArray[np.float64], row: NDArray[np.float64]) -> NDArray[np.float64]:
    """Result of the phases."""
    total = values
    for phase in program.phases:
        before = values
        if phase.kind in (Kind.SUM, Kind.MAXIMUM):
            reduce = np.sum if phase.kind is Kind.SUM else np.max
            total = reduce(values, axis=1, keepdims=True)
            values = before if phase.keeps else total
        elif phase.kind is Kind.NEGATE:
            values = -values
        elif phase.kind is Kind.ADD_ROW:
            values = values + row
        elif phase.kind is Kind.SUB_SCALAR:
            values = values - SCALAR_VALUE
        elif phase.kind is Kind.MUL_SCALAR:
            values = values * SCALAR_VALUE
        elif phase.kind is Kind.ADD_SELF:
            values = values + values
        elif phase.kind is Kind.SUB_SUM:
            values = values - total
        assert np.abs(values).max() <= LARGEST
    return values


def _numbers(height: int, width: int) -> NDArray[np.float64]:
    return (np.arange(height * width).reshape(height, width) * 37 % 61 % (LARGEST_INPUT + 1)).astype(np.float64)


def build(host: Host, program: Rows, fault: str = "") -> Launch:
    """The program of some rows, with one fault in it or none, and its right output."""
    cores: list[Core] = [(x, 0) for x in range(len(program.tile_rows))]
    height = 32 * sum(program.tile_rows)
    values, row_values = _numbers(height, program.width), _numbers(1, program.width)
    layout_in, layout_out = (
        ttnn.ROW_MAJOR_LAYOUT if row_major else ttnn.TILE_LAYOUT
        for row_major in (program.row_major_in, program.row_major_out)
    )
    source = host.tensor(values, layout=layout_in)
    row = host.tensor(row_values)
    scalar = host.tensor(np.full((1, 1), SCALAR_VALUE))
    output = host.output(height, program.output_width, layout=layout_out)
    return host.launch(
        [source, row, scalar, output],
        expected(program, values, row_values),
        _kernels(host, program, fault, cores, [source, row, scalar], output),
        _buffers(host, program, fault, cores),
    )


def _kernels(
    host: Host, program: Rows, fault: str, cores: list[Core], inputs: list[ttnn.Tensor], output: ttnn.Tensor
) -> list[ttnn.KernelDescriptor]:
    number = number_of(fault, NAMES)
    counts = list(program.tile_rows)
    if fault == "COUNT_HALF_THE_ROWS":
        counts[-1] -= 1
    share = {core: [counts[core[0]], sum(program.tile_rows[: core[0]])] for core in cores}
    in_bytes = 2 * program.width if program.row_major_in else 2048
    out_bytes = 2 * program.output_width if program.row_major_out else 2048
    reduces = int(program.has(Kind.SUM, Kind.MAXIMUM))
    reading = [program.wt, program.width, int(program.row_major_in), in_bytes, reduces]
    reading.append(host.device.num_dram_channels())
    writing = [-(-program.output_width // 32), int(program.row_major_out), out_bytes]
    kernels = [
        host.kernel(
            "reader", numbered(READER, NAMES), {core: [number, *share[core], *reading] for core in cores}, inputs, cores
        ),
        host.kernel(
            "compute",
            numbered(COMPUTE, NAMES),
            {core: _compute_arguments(program, fault, counts[core[0]]) for core in cores},
            (),
            cores,
            ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=program.float32_between),
        ),
        host.kernel("writer", WRITER, {core: [*share[core], *writing] for core in cores}, [output], cores),
    ]
    # Kernels give the accessor its page size: all widths share a compiled kernel.
    for kernel in (kernels[0], kernels[2]):
        words = list(kernel.compile_time_args)
        words[1] = 2048
        kernel.compile_time_args = words
    return kernels


def _compute_arguments(program: Rows, fault: str, tile_rows: int) -> list[int]:
    phases = list(program.phases)
    if fault == "SKIP_UNTILIZE":
        phases[-1] = dataclasses.replace(phases[-1], kind=Kind.COPY)
    arguments = [number_of(fault, NAMES), tile_rows, program.wt, len(phases), program.faulty_phase]
    arguments.append(int(program.has(Kind.SUM, Kind.MAXIMUM)))
    for phase in phases:
        arguments += [int(phase.kind), phase.cb_in, phase.cb_out, int(phase.keeps)]
    return arguments


def _buffers(host: Host, program: Rows, fault: str, cores: list[Core]) -> list[ttnn.CBDescriptor]:
    first, between, last = program.fillings
    pages = {IN: first * program.wt, SCALER: 2, ROW: program.wt, SCALAR: 1, SUM_BUFFER: between}
    pages |= {cb: between * program.wt for cb in BETWEEN}
    pages[OUT] = last * (-(-program.output_width // 32))
    if fault == "SHALLOW_MIDDLE":
        pages[program.faulty.cb_out] = program.wt - 1
    page_bytes: dict[int, int] = {}
    if fault in ("PUSH_STICKS", "PAGES_OF_STICKS"):
        pages[IN] = 64
    if fault == "PAGES_OF_STICKS":
        page_bytes[IN] = 64 * program.wt
    half = host.cb(HALF_TILES, "half_tiles", 1, page_size=1024, cores=cores, tile=ttnn.TileDescriptor(16, 32))
    return [
        half,
        *(
            host.cb(
                cb,
                f"buffer_{cb}",
                pages[cb],
                ttnn.float32 if program.is_float32(cb) else ttnn.bfloat16,
                page_bytes.get(cb),
                cores,
            )
            for cb in sorted(pages)
        ),
    ]


ROWS = Family("rows", rows(), build, {"reader": READER, "compute": COMPUTE, "writer": WRITER}, FAULTS)
