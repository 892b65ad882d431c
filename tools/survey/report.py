# SPDX-License-Identifier: Apache-2.0
"""Result of a survey, as a table and as JSON."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

from tilewright._build.compiler import Compiler
from tools.survey.verdict import CRASHED, FAILED, PASSED, Verdict


@dataclasses.dataclass(frozen=True)
class CompilerReport:
    """All verdicts of one compiler."""

    compiler: Compiler
    verdicts: tuple[Verdict, ...]

    def count(self, status: str) -> int:
        return sum(verdict.status == status for verdict in self.verdicts)

    @property
    def rescued(self) -> int:
        """Kernels on which this compiler crashed and another did not."""
        return sum(bool(verdict.passed_with) for verdict in self.verdicts)

    def families(self) -> dict[str, collections.Counter[str]]:
        """Verdicts counted by family, largest family first."""
        counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        for verdict in self.verdicts:
            counts[verdict.kernel.family][verdict.status] += 1
        return dict(sorted(counts.items(), key=lambda item: (-item[1].total(), item[0])))

    def missing(self) -> list[tuple[str, list[Verdict]]]:
        """Failed kernels by the first thing that was missing or wrong, most frequent first."""
        groups: dict[str, list[Verdict]] = collections.defaultdict(list)
        for verdict in self.verdicts:
            if verdict.status == FAILED:
                groups[verdict.missing or verdict.error].append(verdict)
        return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def summary_line(report: CompilerReport) -> str:
    """One line: how many pass, crash and fail."""
    total = len(report.verdicts)
    passed, crashed = report.count(PASSED), report.count(CRASHED)
    line = f"{report.compiler.version}: {passed} of {total} kernels compile ({_share(passed, total)})"
    if crashed:
        line += f", the compiler itself crashed on {crashed}"
        others = sorted({verdict.passed_with for verdict in report.verdicts if verdict.passed_with})
        if others:
            line += f" ({report.rescued} of them compile with {' or '.join(others)})"
        else:
            line += ' (try another one: pip install "tilewright[compiler]")'
    return f"{line}, {report.count(FAILED)} do not compile"


def family_table(report: CompilerReport) -> str:
    """Counts by family."""
    rows: list[tuple[str, ...]] = [("family", "kernels", "compile", "crash", "fail")]
    for family, counts in report.families().items():
        rows.append((family, *(str(n) for n in (counts.total(), counts[PASSED], counts[CRASHED], counts[FAILED]))))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(cells))
        for cells in ([*zip(row, widths, strict=True)] for row in rows)
    )


def failure_lines(report: CompilerReport, list_kernels: bool) -> list[str]:
    """The first missing name of every failed kernel, grouped."""
    lines = []
    for what, verdicts in report.missing():
        lines.append(f"{len(verdicts):4}  {what[:150]}")
        if list_kernels:
            lines += [f"          {verdict.kernel.relative}" for verdict in verdicts]
    if list_kernels:
        crashed = [verdict for verdict in report.verdicts if verdict.status == CRASHED]
        if crashed:
            lines.append(f"{len(crashed):4}  (the compiler crashed)")
            lines += [
                f"          {v.kernel.relative}  {v.passed_with and 'compiles with ' + v.passed_with}" for v in crashed
            ]
    return lines


def as_json(reports: Sequence[CompilerReport], scopes: dict[str, int]) -> dict[str, object]:
    """Everything, for programs."""
    return {
        "kernels": scopes,
        "compilers": [
            {
                "compiler": report.compiler.version,
                "family": report.compiler.family,
                **{status: report.count(status) for status in (PASSED, CRASHED, FAILED)},
                "passed with another compiler": report.rescued,
                "families": {family: dict(counts) for family, counts in report.families().items()},
                "verdicts": [
                    {
                        "kernel": verdict.kernel.relative,
                        "kind": verdict.kernel.kind,
                        "status": verdict.status,
                        "missing": verdict.missing,
                        "error": verdict.error,
                        "passed with": verdict.passed_with,
                    }
                    for verdict in report.verdicts
                ],
            }
            for report in reports
        ],
    }
