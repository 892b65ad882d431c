# SPDX-License-Identifier: Apache-2.0
"""Result of a launch, from the runner's answer or from the crash record of a lost runner."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tilewright._launch.runner import Answer, RunnerLostError
from tilewright._record.ending import ENDED_WELL, Ending
from tilewright._record.run import Run, RunStatus
from tilewright._wire import run_report as wire

if TYPE_CHECKING:
    from tilewright._launch.executable import Executable
    from tilewright._launch.watched_lines import WatchedLines


@dataclasses.dataclass(slots=True)
class EndedRun:
    """The record of a run, how it ended, the words of the calls it recorded, and whether its runner must go."""

    run: Run
    ending: Ending
    call_words: Callable[[], NDArray[np.uint64]]
    is_runner_spent: bool = False


def ended_run(executable: Executable, answer: Answer, seconds: float, watched: WatchedLines | None = None) -> EndedRun:
    """The result in the runner's answer."""
    record = executable.reader.read(answer)
    report = record.report
    status = RunStatus(report.status) if report.status else RunStatus.OK
    run = Run(
        status,
        executable.kernels,
        executable.cb_labels,
        seconds,
        report.switches,
        record.traffic,
        record.circular_buffers,
        record.positions,
        record.notes,
        record.pages,
        raises=record.raises,
        links=record.links,
        lines=watched.counts(record.watched()) if watched is not None else None,
    )
    if status is RunStatus.OK:
        return EndedRun(run, ENDED_WELL, record.calls, bool(report.spent))
    ending = Ending(record.text, record.rule, report.fault_signal, int(report.fault_address), int(report.l1_base))
    return EndedRun(run, ending, record.calls, bool(report.spent))


def refused_run(executable: Executable, text: str, seconds: float) -> EndedRun:
    """The engine could not run the program at all."""
    return EndedRun(_empty_run(executable, RunStatus.KERNEL_ERROR, seconds), Ending(text), _no_words)


def lost_run(executable: Executable, lost: RunnerLostError) -> EndedRun:
    """The result of a run whose runner died, from its crash record."""
    crash = lost.crash
    run = _empty_run(executable, lost.status, 0.0)
    place = crash.crashed if crash.status else crash.place
    if place.kernel != wire.NO_KERNEL and place.kernel < len(executable.kernels):
        stack = executable.stack(place.kernel, crash.frames[: min(crash.num_frames, wire.MAX_FRAMES)])
        run.positions.append(executable.reader.position_of(place, lost.status, stack if crash.status else ()))
    text = crash.text.decode(errors="replace") if crash.status else ""
    signal_number = crash.signal_number if crash.status else 0
    ending = Ending(
        text if text or signal_number else lost.reason,
        None,
        signal_number,
        int(crash.address),
        int(crash.l1_base),
        lost.loading,
    )
    return EndedRun(run, ending, _no_words)


def _empty_run(executable: Executable, status: RunStatus, seconds: float) -> Run:
    return Run(status, executable.kernels, executable.cb_labels, seconds, 0, list, list, [], [])


def _no_words() -> NDArray[np.uint64]:
    return np.empty(0, np.uint64)
