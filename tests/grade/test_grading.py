# SPDX-License-Identifier: Apache-2.0
"""Candidates of every kind against a task: outcomes, scores, records that do not change from run to run."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest

from tilewright._cli.main import main
from tilewright._grade.record import OUTCOMES, score_of
from tilewright._grade.sandbox import missing

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "grading"
pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

DECLARATION = """
from tilewright import Rows, operation

@operation
def squared(x: Rows):
    \"\"\"The square of every element.\"\"\"
    return x * x
"""
PROGRAM = """
def candidate(x):
    return host({"compute": KERNEL}, x)
"""
UNSTABLE = """
import random

def candidate(x):
    return host({"compute": KERNEL + f"// {random.random()}"}, x)
"""


def candidates(folder: Path) -> None:
    """One candidate for each outcome and kind."""
    right = (EXAMPLE / "candidates" / "square.cpp").read_text()
    host = (EXAMPLE / "task.py").read_text().partition("\n\ntask = Task(")[0]
    host = host.replace("from tilewright.grade import Case, Task, Tolerance", "")
    host = host.replace("is_file=True", "is_file=False")
    (folder / "right.cpp").write_text(right)
    (folder / "wrong.cpp").write_text(right.replace("mul_tiles", "add_tiles"))
    (folder / "broken.cpp").write_text(right.replace("mul_tiles(", "no_such_call("))
    (folder / "hangs.cpp").write_text(right.replace("cb_pop_front(0, 1);", ""))
    (folder / "in_folder").mkdir()
    (folder / "in_folder" / "compute.cpp").write_text('#include "square.h"\n')
    (folder / "in_folder" / "square.h").write_text(right)
    (folder / "program.py").write_text(f'{host}\nKERNEL = """{right}"""\n{PROGRAM}')
    (folder / "unstable.py").write_text(f'{host}\nKERNEL = """{right}"""\n{UNSTABLE}')
    (folder / "declared.py").write_text(DECLARATION)
    (folder / "nothing.py").write_text("x = 1\n")


EXPECTED = {
    "broken.cpp": "not-compiled",
    "declared.py": "ok",
    "hangs.cpp": "not-ended",
    "in_folder": "ok",
    "nothing.py": "refused",
    "program.py": "ok",
    "right.cpp": "ok",
    "unstable.py": "unstable",
    "wrong.cpp": "wrong",
}


def test_every_kind_of_candidate_gets_its_outcome_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "example")
    folder = tmp_path / "made"
    folder.mkdir()
    candidates(folder)
    texts = []
    for jobs in ("1", "2"):
        assert main(["grade", str(folder), "--task", str(tmp_path / "example" / "task.py"), "--jobs", jobs]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    records = {record["candidate"]: record for record in map(json.loads, texts[0].splitlines())}
    assert {name: record["outcome"] for name, record in records.items()} == EXPECTED, texts[0]
    right = records["right.cpp"]
    assert right["speedup"] > 1
    assert right["score"] == round(0.7 + 0.15 * min(right["speedup"], 2), 6)
    assert right["cases"] == records["program.py"]["cases"] == records["in_folder"]["cases"]
    assert all(case["wrong"] == 0 for case in right["cases"])
    assert records["wrong.cpp"]["score"] == 0.2
    assert records["wrong.cpp"]["cases"][0]["wrong"] > 1000
    assert set(right) == {
        "version", "candidate", "task", "digest", "outcome", "score", "message", "cases", "microseconds",
        "baseline_microseconds", "speedup",
    }  # fmt: skip


def test_scores_rise_with_the_stages() -> None:
    best = {"wrong": score_of("wrong", 0.999, None), "ok": score_of("ok", 1.0, 0.0)}
    scores = [best.get(outcome, score_of(outcome, 1.0, None)) for outcome in OUTCOMES]
    assert scores == sorted(scores)
    assert score_of("ok", 1.0, 100.0) == 1.0


def test_a_task_among_files_that_candidates_can_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing_task = tmp_path / "none.py"
    assert main(["grade", str(EXAMPLE / "candidates"), "--task", str(missing_task)]) == 2
    assert "there is no such Python file" in capsys.readouterr().err
    empty = tmp_path / "empty.py"
    empty.write_text("")
    assert main(["grade", str(EXAMPLE / "candidates"), "--task", str(empty)]) == 2
    assert "it must define `task`" in capsys.readouterr().err


def test_the_training_loop_of_the_page_prefers_the_right_kernel(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "grading.md").read_text()
    for name in ("task.py", "loop.py"):
        block = next(each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if each in dedented(name))
        assert block.count("\n") > 5
    specification = importlib.util.spec_from_file_location("grading_loop", EXAMPLE / "loop.py")
    assert specification is not None
    assert specification.loader is not None
    loop = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(loop)
    preferences = loop.train(tmp_path, episodes=3, seed=1)
    assert max(preferences) == preferences[0] > 0.5


def dedented(name: str) -> str:
    """An example's text, and the same without the indentation of a function's body."""
    text = (EXAMPLE / name).read_text()
    return text + re.sub(r"^    ", "", text, flags=re.MULTILINE)
