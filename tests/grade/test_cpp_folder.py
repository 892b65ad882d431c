# SPDX-License-Identifier: Apache-2.0
"""Folders of a C++ operation as candidates: host sources are compiled and called, kernels checked and timed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tilewright._cli.main import main
from tilewright._grade.sandbox import missing

FOLDER = Path(__file__).parents[2] / "examples" / "cpp_operations" / "variance_w_rm"
pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

# Rows of +-2**k: the sum of 64 is 0, and mean and squares are exact in every format on the way.
TASK = """
import numpy
from tilewright import ttnn
from tilewright.grade import Case, Task, Tolerance

def rows(generator):
    signs = numpy.where(numpy.arange(64) % 2, -1.0, 1.0)
    return [numpy.outer(2.0 ** (numpy.arange(32) % 4), signs)]

task = Task(
    reference=lambda x: x.var(-1, keepdims=True),
    cases=[Case([(32, 64)], values=rows)],
    tolerance=Tolerance(0, 0, "every step is exact"),
    layout=ttnn.ROW_MAJOR_LAYOUT,
    grid=(2, 1),
)
"""


def test_folders_of_cpp_operations_are_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = tmp_path / "task" / "task.py"
    task.parent.mkdir()
    task.write_text(TASK)
    right, broken = (tmp_path / name / FOLDER.name for name in ("right", "broken"))
    for folder in (right, broken):
        shutil.copytree(FOLDER, folder)
    source = broken / "device" / "variance_w_rm_device_operation.cpp"
    source.write_text(source.read_text() + "\n#error not finished\n")
    records = []
    for folder in (right, broken):
        assert main(["grade", str(folder), "--task", str(task)]) == 0
        records.append(json.loads(capsys.readouterr().out))
    good, bad = records
    assert (good["outcome"], good["message"]) == ("ok", "")
    assert [(case["elements"], case["wrong"], case["findings"]) for case in good["cases"]] == [(32, 0, [])]
    assert good["microseconds"] > 0
    assert bad["outcome"] == "not-compiled"
    assert "not finished" in bad["message"]
    assert str(tmp_path) not in bad["message"]
