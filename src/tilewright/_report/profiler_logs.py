# SPDX-License-Identifier: Apache-2.0
"""The files that tt-metal's device profiler leaves behind, with modelled times, and the report made of them.

The observer appends each launch to the logs of a profiler's directory. ``write_report`` makes of them the report of
operations that ``python -m tracy -r`` makes on a card.

====================================  ====================================================================
``.logs/cpp_device_perf_report.csv``  durations, one row for each launch
``.logs/profile_log_device.csv``      begin and end of every processor of every core
``.logs/tilewright_rows.jsonl``       rows of the report, with the time at which the launch was made
``.logs/tilewright_signposts.jsonl``  texts of ``tracy.signpost``, with their time (``_card/profiler.py``)
``reports/DATE/``                     the report, ``ops_perf_results_DATE.csv``
====================================  ====================================================================
"""

from __future__ import annotations

import csv
import datetime
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilewright._card.profiler import DEVICE_REPORT, LOGS, SIGNPOSTS
from tilewright._launch.observer import Launch
from tilewright._report.perf_csv import END_CYCLE, PROCESSORS, START_CYCLE, PerfRow, csv_text, perf_row
from tilewright._tensor.arch import ArchDescription
from tilewright.timing._observer import TimeObserver
from tilewright.timing._timed_launch import TimedLaunch

_MARKERS = "profile_log_device.csv"
_ROWS = "tilewright_rows.jsonl"
_MARKER_COLUMNS = (
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
    "trace id counter, zone name, type, source line, source file, meta data"
)
_PROCESSOR_TYPES = {"TRISC0": "TRISC_0", "TRISC1": "TRISC_1", "TRISC2": "TRISC_2"}
_ZONES = {"BRISC": "BRISC", "NCRISC": "NCRISC", "TRISC0": "TRISC", "TRISC1": "TRISC", "TRISC2": "TRISC"}
_DURATIONS = (
    *(f"KERNEL DURATION{which}" for which in ("", " PER CORE MIN", " PER CORE MAX", " PER CORE AVG")),
    "KERNEL FIRST TO LAST START",
    *(f"{processor} KERNEL DURATION" for processor in PROCESSORS.values()),
)
_OF_A_LAUNCH = (
    "GLOBAL CALL COUNT",
    "METAL TRACE ID",
    "METAL TRACE REPLAY SESSION ID",
    "DEVICE ID",
    "DEVICE ARCH",
    "OP NAME",
    "CORE COUNT",
    "AVAILABLE WORKER CORE COUNT",
    "DEVICE FW DURATION [ns]",
    START_CYCLE,
    END_CYCLE,
    *(f"DEVICE {duration} [ns]" for duration in _DURATIONS),
    "OP TO OP LATENCY [ns]",
)


class ProfileObserver(TimeObserver):
    """Times every launch and appends it to the logs of a profiler's directory."""

    def __init__(self, logs: str) -> None:
        super().__init__()
        self._logs = Path(logs)
        self._logs.mkdir(parents=True, exist_ok=True)
        self._number = 0
        self._cycle = 0
        self._launch: Launch | None = None
        self.take = self._append

    def observe(self, launch: Launch) -> Any:
        self._launch = launch
        return super().observe(launch)

    def _append(self, timed: TimedLaunch) -> None:
        assert self._launch is not None
        chip = self._launch.chip
        cores = chip.die_grid[0] * chip.die_grid[1]
        self._number += 1
        row = perf_row(self._number, timed, cores, self._cycle)
        _append_row(self._logs / DEVICE_REPORT, {**row, "OP NAME": row["OP CODE"]})
        _append_markers(self._logs / _MARKERS, timed, chip.arch, cores, self._number, self._cycle)
        with (self._logs / _ROWS).open("a", encoding="utf-8") as file:
            file.write(json.dumps([time.time_ns(), row]) + "\n")
        self._cycle = int(row[END_CYCLE])


def _append_row(path: Path, row: PerfRow) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, _OF_A_LAUNCH, restval="", extrasaction="ignore", lineterminator="\n")
        if file.tell() == 0:
            writer.writeheader()
        writer.writerow(row)


def _append_markers(
    path: Path, timed: TimedLaunch, arch: ArchDescription, cores: int, number: int, start_cycle: int
) -> None:
    """Begin and end of each processor, as zones of firmware and kernel; the model has no firmware around a kernel."""
    lines = []
    for each in timed.time.processors:
        name = PROCESSORS[each.processor]
        x, y = arch.worker_columns[each.core[0]], arch.worker_rows[each.core[1] % timed.record.grid[1]]
        for zone in ("FW", "KERNEL"):
            for cycle, kind in ((each.begin, "ZONE_START"), (each.end, "ZONE_END")):
                place = f"{timed.chip or 0},{x},{y},{_PROCESSOR_TYPES.get(name, name)}"
                when = f"0,{start_cycle + round(cycle)},0,{number},,"
                lines.append(f"{place},{when},{_ZONES[name]}-{zone},{kind},0,,\n")
    with path.open("a", encoding="utf-8") as file:
        if file.tell() == 0:
            frequency = round(timed.time.clock_hz / 1e6)
            file.write(f"ARCH: {timed.time.arch}, CHIP_FREQ[MHz]: {frequency}, Max Compute Cores: {cores}\n")
            file.write(f"{_MARKER_COLUMNS}\n")
        file.writelines(lines)


def write_report(directory: Path, name: str = "") -> Path | None:
    """Write the report of operations of the logs in a profiler's directory.

    Args:
        name: part of the names of the folder and the file, as ``python -m tracy -n`` gives it.

    Returns:
        The report; None if there are no launches in the logs.
    """
    logs = directory / LOGS
    entries = [*_json_lines(logs / _ROWS)]
    if not entries:
        return None
    entries += [(when, _signpost_row(when, text)) for when, text in _json_lines(logs / SIGNPOSTS)]
    rows = [row for _, row in sorted(entries, key=lambda entry: entry[0])]
    date = datetime.datetime.now().strftime("%Y_%m_%d_%H_%M_%S")
    folder = directory / "reports" / name / date
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / f"ops_perf_results_{name}{'_' if name else ''}{date}.csv"
    report.write_text(csv_text(rows), encoding="utf-8")
    return report


def _json_lines(path: Path) -> Iterator[Any]:
    if path.is_file():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _signpost_row(when: int, text: str) -> PerfRow:
    header, _, message = text.partition("\n")
    return {"OP CODE": header, "OP TYPE": "signpost", "ATTRIBUTES": message, "HOST START TS": when}
