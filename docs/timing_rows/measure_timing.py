# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of docs/timing.md: predicted against measured for every row of ``rows.tsv`` that can be run.

    python docs/timing_rows/measure_timing.py WORK [--python PYTHON] [--held-out]

WORK is a directory that keeps the records, so that a second time only replays them. PYTHON has the published ttnn and
this tilewright; without it only what WORK has is shown. Half of the rows, chosen by a checksum of their text, are held
out: constants are looked at with the others only.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import os
import re
import subprocess
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tilewright.device.call_record import CallRecord
from tilewright.timing import Change, replay

HERE = Path(__file__).parent
ROWS = HERE / "rows.tsv"
GRIDS = {
    ("blackhole", "20"): "5x4",
    ("blackhole", "64"): "8x8",
    ("wormhole_b0", "64"): "8x8",
    ("blackhole", "110"): "p100a",
}
# Measured with kernels of 2025 that waited for each read: the figures themselves are a read's latency times the number
# of reads. Today's kernels read a block before they wait; the model is given a barrier after each read there.
SINGLE_READS_OF_2025 = ("InterleavedToSharded", "Untilize")


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


def run_rows(work: Path, python: str) -> None:
    for (arch, cores), grid in GRIDS.items():
        records = work / "records" / f"{arch}-{cores}"
        records.mkdir(parents=True, exist_ok=True)
        child = [
            str(HERE / "run_rows.py"),
            str(ROWS),
            arch,
            cores,
            str(records),
            str(work / f"out-{arch}-{cores}.jsonl"),
        ]
        subprocess.run(
            [python, "-m", "tilewright", "exec", "--arch", arch, "--grid", grid, *child],
            env={**os.environ, "TILEWRIGHT_RECORDS": str(records)},
            check=True,
        )


def short(tensors: str) -> str:
    """``30720x64 tile bf16 L1-height`` for a tensor of a profiler's row."""
    text = re.sub(r"\[\d+\]|DEV_\d+_|_B\b|_INTERLEAVED|_SHARDED", "", tensors).lower()
    text = re.sub(r"\b(1x)+(?=\d+x\d)", "", text.replace("row_major", "row"))
    return text.replace("bfloat", "bf").replace("float", "f").replace("_", "-").replace("|", " ").replace(" ;", ",")


def compared(work: Path) -> Iterator[Compared]:
    with ROWS.open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    answers = {}
    for arch, cores in GRIDS:
        out = work / f"out-{arch}-{cores}.jsonl"
        for line in out.read_text().splitlines() if out.exists() else ():
            answer = json.loads(line)
            answers[answer["row"]] = answer
    for number, row in enumerate(rows):
        answer = answers.get(number, {"why": "not run"})
        family = row["op"].replace("DeviceOperation", "").replace("Operation", "")
        predicted, why = None, answer.get("why", "")
        names = answer.get("records", [])
        if "records" in answer and not names:
            why = "no launch: its memory is reused as it is"
        elif len(names) > 1:
            why = f"{len(names)} launches where one was measured"
        elif names:
            record = CallRecord.load(work / "records" / f"{row['arch']}-{row['available']}" / names[0])
            change = Change(single_reads="oft" in row["file"] and family in SINGLE_READS_OF_2025)
            predicted = replay(record, change).microseconds * 1e3
        held_out = bool(zlib.crc32("\t".join(row.values()).encode()) & 1)
        words = f"{row['arch']}, {row['cores']} cores: {short(row['inputs'])} to {short(row['output'])}"
        yield Compared(number, family, words, held_out, float(row["measured_ns"]), predicted, why)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--python")
    parser.add_argument("--held-out", action="store_true", help="show the held-out rows too")
    options = parser.parse_args()
    if options.python:
        run_rows(options.work, options.python)
    rows = [row for row in compared(options.work) if options.held_out or not row.is_held_out]
    ran = [row for row in rows if row.predicted is not None]
    print("| rows | n | quarter below % | median % | three quarters below % | nine of ten below % |")
    print("|---|---|---|---|---|---|")
    for name, chosen in (
        ("looked at", [row for row in ran if not row.is_held_out]),
        ("held out", [row for row in ran if row.is_held_out]),
        *((family, [row for row in ran if row.family == family]) for family in sorted({row.family for row in ran})),
    ):
        if chosen:
            print(f"| {name} | {summary(chosen)} |")
    for name, chosen in (
        ("looked at", [r for r in ran if not r.is_held_out]),
        ("held out", [r for r in ran if r.is_held_out]),
    ):
        right, total = order(chosen)
        if total:
            print(f"\npairs of one family that differ by more than 20 %, {name}: {right} of {total} ordered right")
    print("\n| family | row | measured us | predicted us | error % | |")
    print("|---|---|---|---|---|---|")
    for row in sorted(rows, key=lambda row: (row.family, row.number)):
        if row.predicted is None:
            print(f"| {row.family} | {row.words} | {row.measured / 1e3:.1f} | | | {row.why} |")
        else:
            held = "held out" if row.is_held_out else ""
            figures = f"{row.measured / 1e3:.1f} | {row.predicted / 1e3:.1f} | {100 * row.error:+.0f}"
            print(f"| {row.family} | {row.words} | {figures} | {held} |")


if __name__ == "__main__":
    main()
