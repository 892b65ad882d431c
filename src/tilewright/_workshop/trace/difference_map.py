# SPDX-License-Identifier: Apache-2.0
"""Trace output: a table of phases and a map of the first wrong one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tilewright._planner.plan_text import table
from tilewright._workshop.trace.comparing import MARKS, Difference
from tilewright._workshop.trace.verdict import PhaseVerdict, StepReport, Trace

LEGEND = ". right   x wrong   X far off   N not a number   blank: not compared"
_WIDEST_ROW = 64
_MOST_ROWS = 16


def trace_lines(trace: Trace) -> list[str]:
    """Everything about a trace, in 80 columns."""
    lines = [f"case: {trace.case}; {trace.plan}", "", *phase_table(trace.steps)]
    if trace.stopped:
        lines += ["", "the run did not end:", *(f"  {line}" for line in trace.stopped.splitlines())]
    wrong = trace.first_wrong
    return [*lines, *_notes(trace), "", *(wrong_lines(wrong) if wrong else conclusion_lines(trace))]


def _notes(trace: Trace) -> list[str]:
    """Why steps were not judged, each reason once."""
    reasons: dict[str, list[str]] = {}
    for each in trace.not_judged:
        if each.note:
            reasons.setdefault(each.note, []).append(each.step.buffer)
    return [f"  {', '.join(buffers)}: {reason}" for reason, buffers in reasons.items()]


def phase_table(steps: Iterable[StepReport]) -> list[str]:
    """One line for each step."""
    rows = [("#", "phase", "buffer", "result", "error", "floors", "at")]
    for report in steps:
        number = str(report.step.number) if report.step.number else "-"
        row = (number, _cut(report.step.name, 14), _cut(report.step.buffer, 12), report.verdict.value)
        rows.append((*row, *_figures(report), _cut(_short(report.place), 18)))
    return table(rows, right=(0, 4, 5))


def _figures(report: StepReport) -> tuple[str, str]:
    difference = report.difference
    if difference is None:
        return "", ""
    return f"{difference.largest_error:.2g}", _share(difference.share_of_floor)


def _share(share: float) -> str:
    return f"{share:.2f}" if share < 100 else f"{share:.1e}"


def conclusion_lines(trace: Trace) -> list[str]:
    """Summary of a trace without a wrong phase."""
    unknown = [each.step.buffer for each in trace.not_judged]
    left_out = [f"  not judged: {', '.join(unknown)}"] if unknown else []
    if trace.is_result_wrong:
        assert trace.result is not None
        if not trace.has_phases:
            which = "the program is the operation's own, so no step before the result has a reference"
            return [f"the result is wrong: {trace.result.text}", f"  {which}", *left_out]
        if unknown:
            return ["the result is wrong, and no phase that was compared is", f"  {trace.result.text}", *left_out]
        return [
            "no phase is wrong: each did what its reference says with what it was given",
            "  so errors of several phases add up to more than the error analysis allows",
        ]
    return [_phases_text(trace), *left_out, *_result_lines(trace)]


def _phases_text(trace: Trace) -> str:
    compared = [each for each in trace.steps if each.verdict.is_right]
    if not compared:
        return f"no {'phase' if trace.has_phases else 'buffer'} was compared with a reference"
    if not trace.has_phases:
        return "every buffer that was compared holds pages of an input"
    which = "every phase that was compared" if trace.not_judged else "every phase that ran"
    if all(each.verdict is PhaseVerdict.EXACT for each in compared):
        return f"{which} is exact"
    return f"{which} is right: its errors are what the formats cost (the floor)"


def _result_lines(trace: Trace) -> list[str]:
    if trace.result is None:
        return ["  the result was not judged"]
    return [f"the result is right: {trace.result.share_of_bound:.0%} of what is allowed at the worst element"]


def wrong_lines(report: StepReport) -> list[str]:
    """Errors of a step, and their places."""
    step, difference = report.step, report.difference
    what = f"phase {step.number} {step.name}" if step.number else f"what the reader puts into {step.buffer}"
    lines = [f"first wrong: {what}, in {step.buffer} ({report.dtype})"]
    lines.append(f"  called at {_short(report.place)}; reference `{step.expression}`")
    if report.note:
        lines.append(f"  {report.note}")
    if difference is None or difference.is_right:
        return lines
    return lines + [f"  {line}".rstrip() for line in difference_lines(difference, report.dtype)]


def difference_lines(difference: Difference, dtype: str) -> list[str]:
    """Figures and maps of wrong pages."""
    share = difference.share_of_floor
    times = "beyond all measure" if share == float("inf") else f"{_share(share)} times what {dtype} costs here"
    lines = [
        f"{difference.num_wrong} of {difference.num_compared} elements are wrong; "
        f"largest error {difference.largest_error:.3g}, {times}"
    ]
    if difference.first_wrong is not None:
        first = difference.first_wrong
        lines.append(
            f"first wrong element: row {first.row}, column {first.column} is {first.value:.6g}, "
            f"expected {first.expected:.6g}"
        )
    lines += ["", *overview_lines(difference.overview, difference.unit), "", *tile_lines(difference)]
    return [*lines, LEGEND]


def overview_lines(overview: Sequence[str], unit: str = "tile-row") -> list[str]:
    """The tiles of all lines, one mark each."""
    width = max(map(len, overview))
    group = -(-width // _WIDEST_ROW)
    each = "one mark for each tile" if group == 1 else f"one mark for {group} tiles"
    head = f"{unit}s ({len(overview)} of {width} tiles, {each}):"
    runs = list(_runs(_grouped(row, group) for row in overview))
    lines = [f"{_range(first, last):>9}  {row}".rstrip() for first, last, row in runs[:_MOST_ROWS]]
    if len(runs) > _MOST_ROWS:
        lines.append(f"      ...  and {len(overview) - runs[_MOST_ROWS][0]} more {unit}s")
    return [head, *lines]


def tile_lines(difference: Difference) -> list[str]:
    """One tile, element by element; rows that are alike are one line."""
    tile_row, column = difference.tile
    columns = f" (columns {32 * column} to {32 * column + 31})" if difference.unit == "tile-row" else ""
    head = f"{difference.unit} {tile_row}, tile {column}{columns}:"
    scale = f"{'rows':>9}  0       8       16      24"
    runs = list(_runs(difference.marks))
    if len(runs) > _MOST_ROWS:  # two rows a line, the worse mark of both
        pairs = zip(difference.marks[::2], difference.marks[1::2], strict=True)
        worse = ["".join(max(marks, key=MARKS.index) for marks in zip(*pair, strict=True)) for pair in pairs]
        runs = [(2 * first, 2 * last + 1, row) for first, last, row in _runs(worse)]
    return [head, scale, *(f"{_range(first, last):>9}  {row}".rstrip() for first, last, row in runs)]


def _grouped(row: str, group: int) -> str:
    parts = (row[first : first + group] for first in range(0, len(row), group))
    return "".join(max(part, key=MARKS.index) for part in parts)


def _runs(rows: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """First and last number of rows that follow each other and are alike."""
    first = 0
    for row, alike in itertools.groupby(rows):
        count = len(list(alike))
        yield first, first + count - 1, row
        first += count


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}~"


def _short(place: str) -> str:
    """A place without the directories that say nothing."""
    path, _, line = place.rpartition(":")
    if not path:
        return place
    return f"{Path(path).name}:{line}"


def trace_json(trace: Trace) -> dict[str, object]:
    """A trace for machines."""
    return {
        "case": trace.case,
        "plan": trace.plan,
        "stopped": trace.stopped,
        "first_wrong": trace.first_wrong.step.name if trace.first_wrong else None,
        "not_judged": [each.step.buffer for each in trace.not_judged],
        "result": None
        if trace.result is None
        else {"is_within_bound": trace.result.is_within_bound, "share_of_bound": trace.result.share_of_bound},
        "phases": [_step_json(each) for each in trace.steps],
    }


def _step_json(report: StepReport) -> dict[str, object]:
    step, difference = report.step, report.difference
    found: dict[str, object] = {
        "number": step.number,
        "name": step.name,
        "buffer": step.buffer,
        "verdict": report.verdict.name.lower(),
        "place": report.place,
        "dtype": report.dtype,
        "reference": step.expression,
        "note": report.note,
    }
    if difference is not None:
        first = difference.first_wrong
        found["difference"] = {
            "num_compared": difference.num_compared,
            "num_wrong": difference.num_wrong,
            "largest_error": difference.largest_error,
            "share_of_floor": difference.share_of_floor,
            "first_wrong": vars(first) if first else None,
            "overview": list(difference.overview) if not difference.is_right else [],
            "tile": list(difference.tile),
            "marks": list(difference.marks),
        }
    return found
