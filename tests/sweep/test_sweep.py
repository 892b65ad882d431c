# SPDX-License-Identifier: Apache-2.0
"""``tilewright sweep`` on this machine: cases, results, going on where it stopped, mistakes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tilewright._cli.main import main
from tilewright._sweep.case_run import COLUMNS
from tilewright._sweep.plan_file import SweepError, read_cases
from tilewright._sweep.results import SweepJournal
from tilewright._sweep.summary import report

CASES = {"operations": ["centralize_w_rm"], "shapes": ["64x64", "128x64"], "grids": ["2x1"]}


def written(directory: Path, **changed: object) -> Path:
    path = directory / "cases.json"
    path.write_text(json.dumps({**CASES, **changed}))
    return path


def test_every_combination_is_a_case(tmp_path: Path) -> None:
    file = written(tmp_path, dtypes=["bfloat16", "float32"], plans=["resident", "streaming"], chips=["blackhole"])
    cases = read_cases(file)
    assert len({case.key for case in cases}) == 8
    assert {case.chip for case in cases} == {"blackhole"}


def test_cases_are_run_checked_and_timed_and_a_second_sweep_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path)
    assert main(["sweep", str(file), "--jobs", "1"]) == 0
    assert "2/2 ok" in capsys.readouterr().out
    with (tmp_path / "cases.csv").open() as results:
        rows = list(csv.DictReader(results))
    assert [row["shape"] for row in rows] == ["64x64", "128x64"]
    for row in rows:
        assert (row["status"], row["findings"]) == ("ok", "0")
        assert float(row["share_of_error_bound"]) <= 1
        assert float(row["microseconds"]) > 0
    written(tmp_path, shapes=["64x64", "128x64", "32x64"])
    assert main(["sweep", str(file), "--jobs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "2 of 3 cases are in" in shown
    assert shown.count(" ok ") == 1
    assert len((tmp_path / "cases.csv").read_text().splitlines()) == 4


def test_a_case_that_cannot_run_is_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, shapes=["32x131072"], plans=["resident"], steps=["time"])
    assert main(["sweep", str(file), "--jobs", "1"]) == 1
    assert "failed centralize_w_rm 32x131072" in capsys.readouterr().out
    page = (tmp_path / "cases.md").read_text()
    assert "0 of 1 cases are ok." in page
    assert "- centralize_w_rm 32x131072" in page


def test_the_report_has_plans_in_the_order_of_their_times(tmp_path: Path) -> None:
    results = [
        {**dict.fromkeys(COLUMNS), "operation": "f", "shape": shape, "status": "ok", "plan": plan, "microseconds": time}
        for shape, plan, time in (("8x8", "streaming", 3.0), ("8x8", "resident", 2.0), ("4x4", None, 1.0))
    ]
    lines = report("sweep", results).splitlines()
    assert "| f | 8x8 | None | None | None | 2.0 | resident | streaming +50% |  |" in lines
    assert "| f | 4x4 | None | None | None | 1.0 | as planned |  |  |" in lines


def test_a_journal_cut_off_in_a_line_keeps_the_others(tmp_path: Path) -> None:
    journal = SweepJournal(tmp_path / "results.csv")
    journal.add({"case": "one", "status": "ok"})
    with journal.path.open("a") as file:
        file.write('{"case": "two", "sta')
    assert set(SweepJournal(tmp_path / "results.csv").results) == {"one"}


@pytest.mark.parametrize(
    ("changed", "named", "allowed"),
    [
        ({"operations": ["softmax"]}, "operations has 'softmax'", "variance_w_rm"),
        ({"shapes": ["64"]}, "shapes has '64'", "64x128"),
        ({"grids": ["9x9"]}, "grids has '9x9'", "1x1 to 8x8"),
        ({"colour": ["red"]}, "no key 'colour'", "operations"),
        ({"dtypes": "float32"}, "dtypes is 'float32'", "list of strings"),
        ({"operations": []}, "operations is empty", "at least one"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, changed: dict[str, object], named: str, allowed: str) -> None:
    with pytest.raises(SweepError) as caught:
        read_cases(written(tmp_path, **changed))
    assert named in str(caught.value)
    assert allowed in str(caught.value)


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        (["--output", "results.xlsx"], ".csv or .parquet"),
        (["--jobs", "0"], "--jobs is 0"),
        (["--jobs", "2", "--scheduler", "tcp://nowhere:1"], "--jobs is for this machine"),
    ],
)
def test_a_mistake_in_the_command_is_named(
    tmp_path: Path, extra: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["sweep", str(written(tmp_path)), *extra])
    except SystemExit as end:
        status = int(str(end.code))
    assert status == 2
    assert named in capsys.readouterr().err
