# SPDX-License-Identifier: Apache-2.0
"""Markdown report of a sweep: failures, and the fastest plan per case."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright._sweep.case_run import Result
from tilewright.timing._advice import TELLS_APART

_SAME = ("operation", "shape", "dtype", "chip", "grid")


def report(title: str, results: Sequence[Result]) -> str:
    """The whole page."""
    bad = [result for result in results if result["status"] != "ok"]
    lines = [f"# {title}", "", f"{len(results) - len(bad)} of {len(results)} cases are ok."]
    if bad:
        lines += ["", "## Not ok", ""]
        lines += [f"- {result['case']}: {result['error'] or result['status']}" for result in bad]
    timed = [result for result in results if result["microseconds"] is not None]
    if timed:
        lines += ["", "## Times by the model", "", *_times(timed), ""]
        lines += [f"Plans that differ by less than {TELLS_APART:.0%} cannot be told apart by the model."]
    return "\n".join(lines) + "\n"


def _times(results: Sequence[Result]) -> list[str]:
    """A line for each operation, shape, dtype, chip and grid; its plans the fastest first."""
    cases: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        cases.setdefault(tuple(str(result[name]) for name in _SAME), []).append(result)
    lines = [f"| {' | '.join(_SAME)} | us | fastest plan | others | largest error, share of what is allowed |"]
    lines.append("|" + "---|" * (len(_SAME) + 4))
    for case, group in cases.items():
        first, *others = sorted(group, key=lambda result: result["microseconds"])
        slower = ", ".join(f"{other['plan'] or 'as planned'} {_slower(first, other)}" for other in others)
        shares = [each["share_of_error_bound"] for each in group if each["share_of_error_bound"] is not None]
        error = f"{max(shares):.0%}" if shares else ""
        plan = first["plan"] or "as planned"
        lines.append(f"| {' | '.join(case)} | {first['microseconds']:.1f} | {plan} | {slower} | {error} |")
    return lines


def _slower(first: Result, other: Result) -> str:
    return f"+{other['microseconds'] / first['microseconds'] - 1:.0%}"
