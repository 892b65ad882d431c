# SPDX-License-Identifier: Apache-2.0
"""Data of a checked launch for the page, ready for JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tilewright._diagnose.deadlock import STUCK, THREAD_WAITS, StuckCores, could_end, stuck_cores
from tilewright._diagnose.diagnosis import describe_position
from tilewright._launch.observer import Launch, TensorMemory
from tilewright._program.cb_placement import place_circular_buffers
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import KernelPosition, KernelState, Run, RunStatus, WaitKind
from tilewright._tensor.arch import ArchDescription
from tilewright.check._check_program import CheckResult
from tilewright.check._finding import Core, Finding, some_cores
from tilewright.check._sync_table import SyncGroup, SyncTable, make_sync_table

View = dict[str, Any]

_LINES_AROUND = 3
_THREAD_LABELS = {
    WaitKind.DST_FREE: "a free half of DST",
    WaitKind.DST_READY: "results in DST",
    WaitKind.SOURCE_READY: "operands",
    WaitKind.SOURCE_FREE: "room for operands",
    WaitKind.THREAD_SEMAPHORE: "a semaphore between threads",
}
_MEASURES = (
    ("pages", "pages moved", ""),
    ("bytes", "bytes moved", " bytes"),
    ("blocked", "times blocked", ""),
)


@dataclasses.dataclass(frozen=True)
class SeenLaunch:
    """A launch that has ended, with what is known of it.

    Attributes:
        run: None where the program was refused.
        tensors: what lies in every core's L1 beside circular buffers: labels with first and last address.
    """

    name: str
    program: ProgramDescriptor
    run: Run | None
    error: Exception | None
    findings: Sequence[Finding]
    arch: ArchDescription
    grid: Core
    tensors: Sequence[View] = ()
    tensor_memory: TensorMemory | None = None

    @staticmethod
    def of_check(result: CheckResult) -> SeenLaunch:
        chip, found = result.launch.chip, (*result.findings, *result.notes)
        return SeenLaunch(
            *(launch_name(result.launch), result.program, result.run, result.error, found, chip.arch, chip.grid),
            [{"label": "tensor", "begin": begin, "end": end} for begin, end in result.launch.l1_tensors()],
            result.launch.tensor_memory,
        )


def launch_view(launch: SeenLaunch) -> View:
    """One launch.

    Example::

        result = tilewright.check_program([x, y], program)
        print(launch_view(SeenLaunch.of_check(result))["summary"])
    """
    run = launch.run
    status = "refused" if run is None else run.status.name.lower().replace("_", " ")
    table = SyncTable(()) if run is None else make_sync_table(run)
    return {
        "name": launch.name,
        "status": status,
        "summary": _summary(launch, status),
        "grid": list(launch.grid),
        "measures": [{"key": key, "name": words, "unit": unit} for key, words, unit in _MEASURES],
        "cores": [] if run is None else _cores(run),
        "waits": [] if run is None or run.status is not RunStatus.DEADLOCK else _waits(run),
        "error": None if launch.error is None else {"message": str(launch.error)},
        "findings": [_finding(each) for each in launch.findings],
        "buffers": [] if run is None else _buffers(run),
        "sync": [_sync_group(group, has_ended=launch.error is None) for group in table.groups],
        "l1": {"bytes": launch.arch.l1_bytes, "regions": _l1_regions(launch)},
        "tensorMemory": None if launch.tensor_memory is None else _tensor_memory(launch.tensor_memory),
        "timeline": None,
        "phases": [],
        "noc": None,
        "mesh": None,
        "difference": None,
    }


def _tensor_memory(memory: TensorMemory) -> str:
    dram, l1 = (f"{use.allocated:,} of {use.total:,} bytes of each bank of" for use in memory)
    return f"Tensors, results of this call included, and kept programs take {dram} DRAM and {l1} L1."


def launch_name(launch: Launch) -> str:
    """Name of a launch: its compute kernel, or its first, behind the operation of ttnn."""
    kernels = launch.program.kernels
    name = next((kernel for kernel in kernels if kernel.is_compute), kernels[0]).name
    return f"{launch.operation} ({name})" if launch.operation else name


def _summary(launch: SeenLaunch, status: str) -> str:
    kernels = Counter(kernel.name for kernel in launch.program.kernels)
    cores = {core for kernel in launch.program.kernels for core in kernel.core_ranges}
    where = f"{len(cores)} core{'s' if len(cores) != 1 else ''} of {launch.arch.name}"
    return f"{launch.name}: {status} on {where}; kernels {', '.join(kernels)}"


def _cores(run: Run) -> list[View]:
    """Measures of each core."""
    page_bytes = {(use.core, use.index): use.page_bytes for use in run.circular_buffers}
    values: dict[Core, Counter[str]] = defaultdict(Counter)
    for each in run.traffic:
        moved = each.pages_pushed + each.pages_popped
        values[each.core]["pages"] += moved
        values[each.core]["bytes"] += moved * page_bytes.get((each.core, each.cb), 0)
        values[each.core]["blocked"] += each.blocked_waits + each.blocked_reserves
    states = _core_states(run.positions)
    cores = sorted({*values, *states}, key=lambda core: (core[1], core[0]))
    return [{"at": list(core), "state": states.get(core, "finished"), "values": dict(values[core])} for core in cores]


def _core_states(positions: Iterable[KernelPosition]) -> dict[Core, str]:
    states: dict[Core, str] = {}
    for position in positions:
        if position.state in STUCK:
            states.setdefault(position.core, "stuck")
        elif position.is_error or position.state is KernelState.FAILED:
            states[position.core] = "failed"
    return states


def _waits(run: Run) -> list[View]:
    """The groups of stuck cores, each with its kernels and which waits for which."""
    return [_wait_group(run, group) for group in stuck_cores(run)]


def _wait_group(run: Run, group: StuckCores) -> View:
    positions, root = group.positions, group.hang.waiting
    waits: list[View] = []
    for position, partners in could_end(run, positions):
        begin, label = positions.index(position), _wait_label(run, position)
        rows: list[int | None] = [*(_row(group, kernel) for kernel in partners), *_other_thread(group, position)]
        waits += [{"from": begin, "to": row, "label": label} for row in rows or [None]]
    return {
        "cores": some_cores(group.cores),
        "kernels": [
            {"name": run.position_label(position), "doing": describe_position(run, position)} for position in positions
        ],
        "waits": waits,
        "root": positions.index(root),
        "reason": group.hang.reason,
    }


def _row(group: StuckCores, kernel: int) -> int:
    """Where a kernel stands in the picture; of one whose threads stand apart, the one at the root, else a stuck one."""
    rows = [index for index, position in enumerate(group.positions) if position.kernel == kernel]
    return max(rows, key=lambda row: (group.positions[row] == group.hang.waiting, group.positions[row].state in STUCK))


def _other_thread(group: StuckCores, position: KernelPosition) -> list[int]:
    """Where the thread stands that one of the same kernel waits for."""
    if position.wait_kind not in THREAD_WAITS:
        return []
    thread, _ = THREAD_WAITS[position.wait_kind]
    same = (position.kernel, thread)
    return [row for row, each in enumerate(group.positions) if (each.kernel, each.thread) == same]


def _wait_label(run: Run, position: KernelPosition) -> str:
    if position.wait_kind is WaitKind.CB_WAIT_FRONT:
        return f"pages in {run.cb_label(position.wait_cb)}"
    if position.wait_kind is WaitKind.CB_RESERVE_BACK:
        return f"room in {run.cb_label(position.wait_cb)}"
    if position.wait_semaphore is not None:
        return f"semaphore {position.wait_semaphore}"
    return _THREAD_LABELS.get(position.wait_kind, "a word in L1")


def _finding(finding: Finding) -> View:
    return {
        "severity": str(finding.severity),
        "rule": finding.rule,
        "where": finding.where(),
        "numbers": finding.numbers,
        "cause": finding.cause,
        "cure": finding.cure,
        "source": source_lines(finding.path, finding.line),
    }


def source_lines(path: str, line: int) -> list[View]:
    """The lines of a file around one of them; none where there is no such file or line."""
    if not path or line < 1:
        return []
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    around = range(max(line - _LINES_AROUND, 1), min(line + _LINES_AROUND, len(lines)) + 1)
    return [{"number": number, "text": lines[number - 1], "hit": number == line} for number in around]


def _buffers(run: Run) -> list[View]:
    """Every circular buffer once, with its state on the core that used most of it."""
    fullest: dict[int, View] = {}
    for use in run.circular_buffers:
        known = fullest.get(use.index)
        if known is None or use.peak > known["peak"]:
            fullest[use.index] = {
                "index": use.index,
                "label": run.cb_label(use.index),
                "pages": use.num_pages,
                "pageBytes": use.page_bytes,
                "peak": use.peak,
            }
    return [fullest[index] for index in sorted(fullest)]


def _sync_group(group: SyncGroup, *, has_ended: bool) -> View:
    """Rows of a sync table. Pages of a run that ended which no kernel pops, such as a scaler's, are kept on purpose."""
    rows = [
        {
            "cb": row.cb,
            "from": _names(row.producers),
            "to": _names(row.consumers),
            "pages": row.num_pages,
            "pushed": row.pushed,
            "popped": row.popped,
            "left": row.left_over,
            "why": row.why,
            "kept": has_ended and row.popped == 0 and row.wait_calls > 0,
        }
        for row in group.rows
    ]
    return {"title": group.title, "rows": rows}


def _names(kernels: Sequence[str]) -> str:
    return ", ".join(kernels) or "none"


def _l1_regions(launch: SeenLaunch) -> list[View]:
    """Map of the L1 of the first core that has circular buffers, and the tensors in every L1."""
    program = launch.program
    cores = [core for cb in program.cbs for core in cb.core_ranges]
    regions = list(launch.tensors)
    if cores:
        addresses = place_circular_buffers(program, launch.arch.l1_unreserved_base)
        for cb, address in zip(program.cbs, addresses, strict=True):
            if cb.core_ranges.contains(cores[0]):
                regions.append({"label": cb.label, "begin": address, "end": address + cb.total_size})
    return sorted(regions, key=lambda region: int(str(region["begin"])))
