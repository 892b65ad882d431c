# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of docs/timing.md: predicted against measured for every row of ``rows.tsv`` that can be run.

    python -m tools.timing_rows.measure_timing WORK [--python PYTHON] [--rows FILE] [--held-out | --page docs/timing.md]

Run it from the root of the repository. WORK is a directory that keeps the records, so that a second time only replays
them. PYTHON has the published ttnn and this tilewright; without it only what WORK has is shown. Half of the rows,
chosen by a checksum of their text, are held out: only the others serve to choose constants.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tilewright._record.call_record import CallRecord
from tilewright.timing import Change, replay
from tools.timing_rows import kernels_of_2025
from tools.timing_rows.rows_file import Row, card_of, family_of, is_held_out, read

ROWS = Path(__file__).with_name("rows.tsv")


@dataclasses.dataclass(frozen=True)
class Compared:
    """One row: what was measured and what the model says, in ns."""

    number: int
    family: str
    words: str
    is_held_out: bool
    measured: float
    predicted: float | None
    why: str

    @property
    def error(self) -> float:
        assert self.predicted is not None
        return self.predicted / self.measured - 1


def run_rows(rows: Path, work: Path, python: str) -> None:
    for card in sorted({card_of(row) for row in read(rows)}, key=lambda card: card.name):
        records = work / "records" / card.name
        records.mkdir(parents=True, exist_ok=True)
        child = [str(rows), card.name, str(records), str(work / f"out-{card.name}.jsonl")]
        subprocess.run(
            [
                *(python, "-m", "tilewright", "exec", "--arch", card.arch, "--grid", card.grid, "--"),
                *(python, "-m", "tools.timing_rows.run_rows", *child),
            ],
            env={**os.environ, "TILEWRIGHT_RECORDS": str(records)},
            check=True,
        )


def short(tensors: str) -> str:
    """``30720x64 tile bf16 L1-height`` for a tensor of a profiler's row."""
    text = re.sub(r"\[\d+\]|DEV_\d+_|_B\b|_INTERLEAVED|_SHARDED", "", tensors).lower()
    text = re.sub(r"\b(1x)+(?=\d+x\d)", "", text.replace("row_major", "row"))
    return text.replace("bfloat", "bf").replace("float", "f").replace("_", "-").replace("|", " ").replace(" ;", ",")


def compared(rows_file: Path, work: Path) -> Iterator[Compared]:
    rows = read(rows_file)
    answers = {}
    for out in sorted(work.glob("out-*.jsonl")):
        for line in out.read_text().splitlines():
            answer = json.loads(line)
            answers[answer["row"]] = answer
    for number, row in enumerate(rows):
        answer = answers.get(number, {"why": "not run"})
        family = family_of(row["op"])
        predicted, why = None, answer.get("why", "")
        names = answer.get("records", [])
        if "records" in answer and not names:
            why = "no launch: its memory is reused as it is"
        elif len(names) > 1:
            why = f"{len(names)} launches where one was measured"
        elif names:
            record = CallRecord.load(work / "records" / card_of(row).name / names[0])
            predicted = predict(row, family, record) * 1e3
        held_out = is_held_out(row)
        words = f"{row['arch']}, {row['cores']} cores: {short(row['inputs'])} to {short(row['output'])}"
        yield Compared(number, family, words, held_out, float(row["measured_ns"]), predicted, why)


def predict(row: Row, family: str, record: CallRecord) -> float:
    """Microseconds, with kernels as they were when the row was measured, as far as that is known."""
    if kernels_of_2025.is_of_2025(row) and family in kernels_of_2025.SINGLE_TILES:
        record = kernels_of_2025.with_single_tiles(record)
    single_reads = kernels_of_2025.is_of_2025(row) and family in kernels_of_2025.SINGLE_READS
    return replay(record, Change(single_reads=single_reads)).microseconds


def summary(rows: Sequence[Compared]) -> str:
    errors = np.array([abs(row.error) for row in rows]) * 100
    if not len(errors):
        return "-"
    quarter, median, three = np.percentile(errors, [25, 50, 75])
    return f"{len(rows)} | {quarter:.0f} | {median:.0f} | {three:.0f} | {np.percentile(errors, 90):.0f}"


def order(rows: Sequence[Compared], factor: float = 1.2) -> tuple[int, int]:
    """Pairs of one family that differ by more than ``factor``: how many the model orders right, of how many."""
    right = total = 0
    for i, one in enumerate(rows):
        for other in rows[i + 1 :]:
            if one.family == other.family and max(one.measured, other.measured) > factor * min(
                one.measured, other.measured
            ):
                total += 1
                right += (
                    (one.predicted or 0) < (other.predicted or 0)
                    if one.measured < other.measured
                    else ((one.predicted or 0) > (other.predicted or 0))
                )
    return right, total


def summary_table(rows: Sequence[Compared]) -> str:
    ran = [row for row in rows if row.predicted is not None]
    halves = {"calibration": [row for row in ran if not row.is_held_out], "held out": [r for r in ran if r.is_held_out]}
    families = {family: [row for row in ran if row.family == family] for family in sorted({row.family for row in ran})}
    lines = [
        "| rows | n | 25th percentile % | median % | 75th percentile % | 90th percentile % |",
        "|---|---|---|---|---|---|",
        *(f"| {name} | {summary(chosen)} |" for name, chosen in {**halves, **families}.items() if chosen),
    ]
    for name, chosen in halves.items():
        right, total = order(chosen)
        if total:
            pairs = f"Pairs of one family that differ by more than 20 %, {name}"
            lines += ["", f"{pairs}: {right} of {total} ordered right."]
    return "\n".join(lines)


def row_table(rows: Sequence[Compared]) -> str:
    lines = ["| family | row | measured us | predicted us | error % | |", "|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: (row.family, row.number)):
        if row.predicted is None:
            figures = f"{row.measured / 1e3:.1f} | | | not run: {row.why}"
        else:
            held = "held out" if row.is_held_out else ""
            figures = f"{row.measured / 1e3:.1f} | {row.predicted / 1e3:.1f} | {100 * row.error:+.0f} | {held}"
        lines.append(f"| {row.family} | {row.words} | {figures} |")
    return "\n".join(lines)


def write_page(page: Path, tables: dict[str, str]) -> None:
    """Puts each table between the two comments of the page that name it."""
    text = page.read_text()
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        before, rest = text.split(begin)
        text = f"{before}{begin}{table}\n{end}{rest.split(end)[1]}"
    page.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rows", type=Path, default=ROWS, help="other rows of the same columns (how may be missing)")
    parser.add_argument("--python")
    parser.add_argument("--held-out", action="store_true", help="show the held-out rows too")
    parser.add_argument("--page", type=Path, help="write the tables into this page, those of held-out rows too")
    options = parser.parse_args()
    if options.python:
        run_rows(options.rows, options.work, options.python)
    shows_all = options.held_out or options.page is not None
    rows = [row for row in compared(options.rows, options.work) if shows_all or not row.is_held_out]
    tables = {"summary": summary_table(rows), "rows": row_table(rows)}
    if options.page is not None:
        write_page(options.page, tables)
    else:
        print("\n\n".join(tables.values()))


if __name__ == "__main__":
    main()
