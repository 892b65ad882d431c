# SPDX-License-Identifier: Apache-2.0
"""ttnn's device profiler with modelled times.

The published ttnn is built without its profiler: it does not open a device if ``TT_METAL_DEVICE_PROFILER`` is set. So
an environment with a card has an observer instead of the variable, which times every launch and writes the profiler's
logs (``_report/profiler_logs.py``). In the host's process the functions that read the profiler answer from these logs.
"""

from __future__ import annotations

import csv
import functools
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tilewright._launch.observer import OBSERVER_VARIABLE, ObserverRequest

WANTED = "TT_METAL_DEVICE_PROFILER"
OBSERVER = "profile"
LOGS = ".logs"
DEVICE_REPORT = "cpp_device_perf_report.csv"
SIGNPOSTS = "tilewright_signposts.jsonl"
_SIGNPOST = "`TT_SIGNPOST: "  # how tracy.signpost marks its messages
_UNIT = " [ns]"


def profiler_directory(environment: Mapping[str, str]) -> Path:
    """Where tt-metal's profiler keeps its files."""
    named = environment.get("TT_METAL_PROFILER_DIR")
    return Path(named) if named else Path(environment.get("TT_METAL_HOME") or Path.cwd()) / "generated" / "profiler"


def profile_request(directory: Path) -> str:
    """The value of ``TILEWRIGHT_OBSERVER`` with which launches are written to the logs of a profiler's directory."""
    return ObserverRequest(OBSERVER, {"logs": str(directory.absolute() / LOGS)}).text()


def without_profiler(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which the observer stands for the profiler, if it is wanted; its old logs are removed."""
    rest = {name: value for name, value in environment.items() if name != WANTED}
    if environment.get(WANTED, "0") == "0" or OBSERVER_VARIABLE in environment:
        return rest
    directory = profiler_directory(environment)
    clear_logs(directory)
    return {OBSERVER_VARIABLE: profile_request(directory), **rest}


def clear_logs(directory: Path) -> None:
    """Remove the logs of an earlier run, as tt-metal does when it starts."""
    for path in (directory / LOGS).glob("*"):
        if path.suffix in (".csv", ".jsonl"):
            path.unlink()


def watch_profiler() -> None:
    """Have ttnn's functions that read the profiler give modelled times, or warn where no launch is profiled.

    Releases differ in which of them they have.
    """
    logs = _logs()
    profiler = getattr(sys.modules["ttnn"]._ttnn, "profiler", None)
    for module, name in (("device", "ReadDeviceProfiler"), *(("profiler", each) for each in _READS)):
        place = getattr(sys.modules["ttnn"]._ttnn, module, None)
        if hasattr(place, name):
            original = getattr(place, name)
            setattr(place, name, _warning(name, original) if logs is None else _modelled(name, original, logs))
    if logs is not None and profiler is not None:
        profiler.tracy_message = _noting_signposts(profiler.tracy_message, logs / SIGNPOSTS)


def _logs() -> Path | None:
    """Where the launches of this process are profiled to."""
    text = os.environ.get(OBSERVER_VARIABLE)
    request = ObserverRequest.parse(text) if text else None
    return Path(request.options["logs"]) if request is not None and request.name == OBSERVER else None


class _Readings:
    """Read rows: those of the report up to each call of ``ReadDeviceProfiler``."""

    def __init__(self) -> None:
        self.rows: list[dict[str, str]] = []
        self.before = 0  # rows that an earlier call has read

    def read(self, logs: Path) -> None:
        report = logs / DEVICE_REPORT
        self.before = len(self.rows)
        self.rows = [*csv.DictReader(report.read_text().splitlines())] if report.is_file() else []

    def latest(self) -> dict[int, list[Any]]:
        return _perf_data(self.rows[self.before :])

    def all(self) -> dict[int, list[Any]]:
        return _perf_data(self.rows)


_readings = _Readings()
_READS: dict[str, Callable[[], dict[int, list[Any]]]] = {
    "get_latest_programs_perf_data": _readings.latest,
    "get_all_programs_perf_data": _readings.all,
}


def _modelled(name: str, original: Callable[..., Any], logs: Path) -> Callable[..., Any]:
    if name in _READS:
        return _READS[name]

    @functools.wraps(original)
    def read_device_profiler(*arguments: Any, **named: Any) -> None:
        sys.modules["ttnn"].synchronize_device(named.get("device", arguments[0] if arguments else None))
        _readings.read(logs)

    return read_device_profiler


def _perf_data(rows: list[dict[str, str]]) -> dict[int, list[Any]]:
    """Rows of the report as ttnn's own objects, by chip."""
    profiler = sys.modules["ttnn"]._ttnn.profiler
    found: dict[int, list[Any]] = {}
    for row in rows:
        program, launch = profiler.ProgramAnalysisData(), profiler.ProgramExecutionUID()
        launch.runtime_id = int(row["GLOBAL CALL COUNT"])
        program.program_execution_uid = launch
        program.core_count = int(row["CORE COUNT"])
        program.num_available_cores = int(row["AVAILABLE WORKER CORE COUNT"])
        program.program_analyses_results = {
            name: _single_result(profiler, row, int(value))
            for name, value in row.items()
            if name.startswith("DEVICE") and name.endswith(_UNIT) and value
        }
        found.setdefault(int(row["DEVICE ID"]), []).append(program)
    return found


def _single_result(profiler: Any, row: dict[str, str], duration: int) -> Any:
    result = profiler.ProgramSingleAnalysisResult()
    result.start_timestamp = int(row["DEVICE FW START CYCLE"])
    result.end_timestamp = int(row["DEVICE FW END CYCLE"])
    result.duration = duration
    return result


def _noting_signposts(send: Callable[..., Any], signposts: Path) -> Callable[..., Any]:
    @functools.wraps(send)
    def tracy_message(*arguments: Any, **named: Any) -> Any:
        text = str(arguments[0] if arguments else next(iter(named.values()), ""))
        if text.startswith(_SIGNPOST):
            with signposts.open("a", encoding="utf-8") as file:
                file.write(json.dumps([time.time_ns(), text.removeprefix(_SIGNPOST).removesuffix("`")]) + "\n")
        return send(*arguments, **named)

    return tracy_message


def _warning(name: str, read: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(read)
    def warned(*arguments: Any, **named: Any) -> Any:
        warnings.warn(
            f"ttnn.{name}: no launch was profiled, so there are no times to read. {WANTED}=1 in the environment of "
            "`tilewright exec`, or `python -m tracy`, gives modelled times",
            RuntimeWarning,
            stacklevel=3,  # the caller of ttnn's Python function
        )
        return read(*arguments, **named)

    return warned
