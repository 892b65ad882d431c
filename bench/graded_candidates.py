# SPDX-License-Identifier: Apache-2.0
"""How many small candidates `tilewright grade` judges in a minute, their compilation included."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from bench.timing import Row
from tilewright.grade import grade_all

_EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "grading"
_PER_MINUTE = 60
_CANDIDATES = 24


def measure(turns: int) -> list[Row]:
    """Candidates that differ, so that each is compiled; the caches have the engine and the task's own kernels."""
    kernel = (_EXAMPLE / "candidates" / "square.cpp").read_text()
    jobs = min(2, len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory(dir=Path.home()) as folder:
        paths = [Path(folder) / f"{number}.cpp" for number in range(_CANDIDATES)]
        for number, path in enumerate(paths):
            path.write_text(f"{kernel}// {number} of {time.time_ns()}\n")
        list(grade_all(_EXAMPLE / "task.py", paths[:1]))  # warms the caches
        begin = time.perf_counter()
        records = list(grade_all(_EXAMPLE / "task.py", paths, jobs))
        seconds = time.perf_counter() - begin
    assert all(record.outcome == "ok" for record in records)
    each = seconds / len(records)
    return [Row(f"seconds for a graded candidate, {jobs} at a time", f"{each:.2f} s", "", each, 60 / _PER_MINUTE)]
