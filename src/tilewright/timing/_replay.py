# SPDX-License-Identifier: Apache-2.0
"""Replay the record of a run (``native/replay``)."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright._record.call_record import CallRecord, Core
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.argument import flag, require
from tilewright._wire import replay as wire
from tilewright.timing import _replay_library as native
from tilewright.timing._constants import constants_of
from tilewright.timing._device_time import DeviceTime, Processor, ProcessorTime, Wait, WaitFor
from tilewright.timing._dies import NocNode, die_of, noc_nodes
from tilewright.timing._events import EVENT
from tilewright.timing._sfpu_costs import TYPECAST, binary_costs, unary_costs


@dataclasses.dataclass(frozen=True)
class Change:
    """One thing that is different from what was recorded.

    Attributes:
        deeper_buffer: index of a circular buffer that gets twice its pages.
        reads_ahead: a read barrier waits for the reads before the barrier before it: twice as many in flight.
        writes_ahead: the same of writes.
        single_reads: a barrier after each read, as many kernels of 2025 had.
        most_phases: of the matrix unit: 1 is LoFi, 2 HiFi2, 3 HiFi3.
        math_factor, dram_factor: of the time of the matrix and vector unit, and of the DRAM banks.
        constants: figures of the table that are different.
    """

    deeper_buffer: int | None = None
    reads_ahead: bool = False
    writes_ahead: bool = False
    single_reads: bool = False
    most_phases: int = 0
    math_factor: float = 1.0
    dram_factor: float = 1.0
    constants: Mapping[str, float] = dataclasses.field(default_factory=dict)


def replay(record: CallRecord, change: Change | None = None, *, keep_events: bool = False) -> DeviceTime:
    """How long the recorded launch takes on a card, by the model; the same answer every time.

    Args:
        record: ``Run.calls`` of a run with ``RunOptions(record_calls=True)``.
        change: what is to be different.
        keep_events: keep what every processor did when, for a timeline.
    """
    require("record", record, CallRecord, "the calls of a recorded run (Run.calls)")
    if change is not None:
        require("change", change, Change, "a tilewright.timing.Change")
    return _Replay(record, Change() if change is None else change, flag("keep_events", keep_events)).run()


class _Replay:
    """Tables in the library's form; they live as long as it reads them."""

    def __init__(self, record: CallRecord, change: Change, keep_events: bool) -> None:
        self._record = record
        self._change = change
        self._keep_events = keep_events
        self._places: list[int] = []

    def run(self) -> DeviceTime:
        record, arch = self._record, describe_arch(self._record.arch)
        kernels = _array(
            wire.ReplayKernel, [(k.processor, k.fidelity, k.fp32_dest, k.full_sync) for k in record.kernels]
        )
        buffers = _array(
            wire.ReplayBuffer,
            [
                (b.index, b.pages, b.page_bytes, b.data_format, b.unpack_to_dest_fp32, *self._cores(b.cores))
                for b in record.buffers
            ],
        )
        semaphores = _array(
            wire.ReplaySemaphore, [(s.address, s.initial, *self._cores(s.cores)) for s in record.semaphores]
        )
        nodes = _native_nodes(record.arch, record.grid)
        places = np.array(self._places, dtype=np.uint32)
        tables = _tables(record.arch)
        constants = _constants(record.arch, self._change.constants)
        words = np.ascontiguousarray(record.words)
        request = wire.ReplayInput(
            words=words.ctypes.data,
            num_words=len(words),
            kernels=ctypes.addressof(kernels),
            buffers=ctypes.addressof(buffers),
            semaphores=ctypes.addressof(semaphores),
            places=places.ctypes.data,
            nodes=ctypes.addressof(nodes),
            constants=constants.ctypes.data,
            **{name: table.ctypes.data for name, table in tables.items()},
            num_kernels=len(kernels),
            num_buffers=len(buffers),
            num_semaphores=len(semaphores),
            num_nodes=len(nodes),
            num_banks=arch.num_dram_banks,
            noc_columns=die_of(record.arch).size[0],
            noc_rows=die_of(record.arch).size[1],
            keep_events=int(self._keep_events),
            change=self._native_change(),
        )
        library, totals = native.replay_library(), wire.ReplayTotals()
        handle = library.tw_replay_run(ctypes.byref(request), ctypes.byref(totals))
        try:
            lanes = (wire.ReplayLane * totals.num_lanes)()
            waits = (wire.ReplayWait * totals.num_waits)()
            events = (wire.ReplayEvent * totals.num_events)()
            library.tw_replay_report(handle, lanes, waits, events)
        finally:
            library.tw_replay_free(handle)
        return self._result(totals, lanes, waits, events)

    def _cores(self, cores: Sequence[Core]) -> tuple[int, int]:
        first = len(self._places)
        self._places += [x | y << 8 for x, y in cores]
        return first, len(cores)

    def _native_change(self) -> wire.ReplayChange:
        change = self._change
        return wire.ReplayChange(
            wire.NO_BUFFER if change.deeper_buffer is None else change.deeper_buffer,
            change.reads_ahead,
            change.writes_ahead,
            change.most_phases,
            change.single_reads,
            change.math_factor,
            change.dram_factor,
        )

    def _result(
        self,
        totals: wire.ReplayTotals,
        lanes: ctypes.Array[wire.ReplayLane],
        waits: ctypes.Array[wire.ReplayWait],
        events: ctypes.Array[wire.ReplayEvent],
    ) -> DeviceTime:
        record, arch = self._record, describe_arch(self._record.arch)
        names = [each.name for each in dataclasses.fields(DeviceTime)]
        figures = {name: getattr(totals, name) for name in names if hasattr(totals, name)}
        return DeviceTime(
            arch=record.arch,
            clock_hz=arch.clock_hz,
            num_cores=len({(lane.core_x, lane.core_y) for lane in lanes}),
            make_processors=lambda: _processors(record, lanes, waits),
            num_banks=arch.num_dram_banks,
            **figures,
            events=np.frombuffer(bytes(events), dtype=EVENT) if self._keep_events else None,
        )


def _processors(
    record: CallRecord, lanes: ctypes.Array[wire.ReplayLane], waits: ctypes.Array[wire.ReplayWait]
) -> list[ProcessorTime]:
    labels = {buffer.index: buffer.label for buffer in record.buffers}
    of_lane: list[list[Wait]] = [[] for _ in lanes]
    for each in waits:
        label = labels.get(each.cb, f"c_{each.cb}") if each.kind <= WaitFor.PAGES_BACK else ""
        of_lane[each.lane].append(Wait(WaitFor(each.kind), label, each.cycles, each.times))
    return [
        ProcessorTime(
            record.kernels[lane.kernel].name,
            (lane.core_x, lane.core_y),
            Processor(lane.processor),
            lane.begin,
            lane.end,
            lane.busy,
            tuple(sorted(of_lane[number], key=lambda wait: -wait.cycles)),
        )
        for number, lane in enumerate(lanes)
    ]


def _array(kind: type[Any], rows: Sequence[Sequence[int | Core]]) -> Any:
    return (kind * len(rows))(*(kind(*row) for row in rows))


@functools.cache
def _native_nodes(arch: str, grid: Core) -> Any:
    """Every node of a die in the library's form, which only reads it."""
    return _array(wire.ReplayNode, [_native_node(each) for each in noc_nodes(arch, grid)])


def _native_node(node: NocNode) -> tuple[int | Core, ...]:
    columns, rows = zip(*node.places, strict=True)
    index = node.bank if node.core is None else node.core[0] | node.core[1] << 8
    return *node.noc, columns, rows, int(node.core is None), index


def _constants(arch: str, changed: Mapping[str, float]) -> NDArray[np.float64]:
    unknown = sorted(set(changed) - set(constants_of(arch)))
    if unknown:
        raise ValueError(f"the model has no constant {unknown[0]!r}; native/replay/constants.inl lists the constants")
    return np.array([*{**constants_of(arch), **changed}.values()])


@functools.cache
def _tables(arch: str) -> dict[str, NDArray[np.float64]]:
    """Costs of the vector unit in the library's order; -1 where nothing was measured."""
    unary, binary = unary_costs(arch), binary_costs()
    typecast = np.full((wire.NUM_DATA_FORMATS, wire.NUM_DATA_FORMATS), -1.0)
    for (before, after), cycles in TYPECAST.items():
        typecast[before, after] = cycles
    return {
        "sfpu_unary": np.array([unary.get(name, (-1.0, -1.0)) for name in native.names("sfpu_unary")]),
        "sfpu_binary": np.array([binary.get(name, -1.0) for name in native.names("sfpu_binary")]),
        "sfpu_ternary": np.full(len(native.names("sfpu_ternary")), -1.0),
        "sfpu_typecast": typecast,
    }
