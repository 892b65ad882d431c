# SPDX-License-Identifier: Apache-2.0
"""Sweep results: a journal for resuming, then a table."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
from collections.abc import Iterable
from pathlib import Path

from tilewright._sweep.case_run import COLUMNS, Result
from tilewright._sweep.plan_file import SweepError

FORMATS = (".csv", ".parquet")


def require_format(path: Path) -> None:
    """Refuses a file that could not be written at the end, before anything runs."""
    if path.suffix not in FORMATS:
        raise SweepError(f"--output {path}: results are written as {' or '.join(FORMATS)}")
    if path.suffix == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise SweepError(f'--output {path}: Parquet needs pyarrow: pip install "tilewright[sweep]", or write .csv')


class SweepJournal:
    """One line of JSON for each case that has ended, beside the results."""

    def __init__(self, output: Path) -> None:
        self.path = output.with_name(output.name + ".journal")
        self.results = self._read()

    def _read(self) -> dict[str, Result]:
        found = {}
        for line in self.path.read_text().splitlines() if self.path.exists() else ():
            try:
                result = json.loads(line)
            except ValueError:  # the last line of a sweep that was killed
                continue
            found[result["case"]] = result
        return found

    def add(self, result: Result) -> None:
        self.results[result["case"]] = result
        with self.path.open("a") as file:
            file.write(json.dumps(result) + "\n")
            file.flush()
            os.fsync(file.fileno())


def write_results(path: Path, results: Iterable[Result]) -> None:
    """Writes all of them or nothing."""
    rows = [{name: result.get(name) for name in COLUMNS} for result in results]
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    if path.suffix == ".parquet":
        import pyarrow as arrow
        import pyarrow.parquet as parquet

        parquet.write_table(arrow.Table.from_pylist(rows), partial)
    else:
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        partial.write_text(text.getvalue())
    partial.replace(path)
