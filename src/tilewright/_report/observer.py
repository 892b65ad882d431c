# SPDX-License-Identifier: Apache-2.0
"""The observer that makes the page's view of every launch: checked, then run once more for its time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from tilewright._errors import TilewrightError
from tilewright._launch.observer import Launch, Memory, Observer
from tilewright._record.run import Run
from tilewright._report.launch_view import SeenLaunch, View, launch_view
from tilewright._report.mesh_view import mesh_view
from tilewright._report.timed_view import MOST_SPANS, num_spans, with_time
from tilewright.check._check_program import check_launch
from tilewright.check._observer import CheckedLaunch
from tilewright.timing._timed_launch import timed_launch


@dataclasses.dataclass(frozen=True)
class ReportedLaunch:
    """A launch as the page shows it, with what the checker found."""

    view: View
    checked: CheckedLaunch


class ReportObserver(Observer[ReportedLaunch]):
    """Timelines are made as long as the page has room for them.

    Attributes:
        phases: what an operation calls its phases, by the index of the circular buffer each fills.
        progress: gets a line about what is being done.
    """

    def __init__(self) -> None:
        super().__init__()
        self._spans_left = 2 * MOST_SPANS
        self._launches = 0
        self.phases: Mapping[int, str] = {}
        self.progress: Callable[[str], None] = lambda words: None

    def observe(self, launch: Launch) -> Run:
        before = launch.save()
        result = check_launch(launch, before=before)
        view = {**launch_view(SeenLaunch.of_check(result)), "operation": launch.operation}
        if launch.chip.num_dies > 1 and result.run is not None:
            view["mesh"] = mesh_view(launch.chip, result.run)
        if result.error is None:
            view = self._with_time(launch, before, view)
        self.take(ReportedLaunch(view, CheckedLaunch.of(result)))
        self._launches += 1
        self.progress(f"launch {self._launches}")
        if result.error is not None:
            raise result.error
        assert result.run is not None
        return result.run

    def _with_time(self, launch: Launch, before: Memory, view: View) -> View:
        """The launch once more for its time; memory is left as the check left it."""
        if launch.chip.num_dies > 1:
            return {**view, "summary": f"{view['summary']}; no time: it ran on several chips"}
        after = launch.save()
        try:
            run = launch.run_again(before, dataclasses.replace(launch.options, record_calls=True))
        except TilewrightError as error:  # a kernel compiled for each of its threads has no record of calls
            return {**view, "summary": f"{view['summary']}; no time: {error}"}
        finally:
            launch.restore(after)
        timed = timed_launch(launch, run, keep_events=True)
        view = with_time(view, timed, self.phases, min(self._spans_left, MOST_SPANS))
        self._spans_left -= num_spans(view)
        return view
