# SPDX-License-Identifier: Apache-2.0
"""Candidates that attack the grader get an outcome, and reach nothing."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.grade.attacks import HOST, KERNELS
from tilewright._build.cache import cache_directory
from tilewright._grade import judge as judge_module
from tilewright._grade.sandbox import missing
from tilewright.grade import Budget, Judge, read_task

EXAMPLE = Path(__file__).parents[2] / "examples" / "grading"
pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with a folder for candidates."""
    folder = tmp_path_factory.mktemp("grading")
    shutil.copytree(EXAMPLE, folder / "example")
    return folder / "example"


@pytest.fixture(scope="module")
def judge(folder: Path) -> Iterator[Judge]:
    budget = Budget(seconds=60, memory_mib=1024, compiler_seconds=3, compiler_mib=700)
    task = dataclasses.replace(read_task(folder / "task.py"), baseline=None, budget=budget)
    patch = pytest.MonkeyPatch()
    patch.setattr(judge_module, "_DESCRIBE_SECONDS", 5)
    with Judge(task) as judge:
        yield judge
    patch.undo()


def from_snprintf(name: str) -> int:
    """Distance of two functions of the C library: how a kernel gets at one that it may not import."""
    library = ctypes.CDLL(None)
    begin, end = (ctypes.cast(library[each], ctypes.c_void_p).value or 0 for each in ("snprintf", name))
    return end - begin


def placed(text: str, folder: Path) -> str:
    for name, path in (
        ("@TASK@", folder / "task.py"),
        ("@OTHERS@", folder / "candidates"),
        ("@CACHE@", cache_directory()),
        ("@CLOCK@", from_snprintf("clock_gettime")),
        ("@SYSCALL@", from_snprintf("syscall")),
    ):
        text = text.replace(name, str(path))
    return text


def test_host_code_reaches_nothing(judge: Judge, folder: Path) -> None:
    failed = []
    for name, (text, outcome, words) in HOST.items():
        path = folder / "attack.py"
        path.write_text(placed(text, folder))
        record = judge.grade(path)
        if record.outcome != outcome or words not in record.message or record.score > 0:
            failed.append(f"{name}: {record.outcome}: {record.message}")
    assert failed == []
    assert sorted(each.name for each in (folder / "candidates").iterdir()) == ["square.cpp"]


def test_kernels_reach_nothing(judge: Judge, folder: Path) -> None:
    right = (folder / "candidates" / "square.cpp").read_text()
    failed = []
    for name, (old, new, outcome, words) in KERNELS.items():
        path = folder / "attack.cpp"
        assert old in right, name
        path.write_text(right.replace(old, placed(new, folder), 1))
        record = judge.grade(path)
        if record.outcome != outcome or words not in record.message:
            failed.append(f"{name}: {record.outcome}: {record.message}")
        assert "Task(" not in record.message
    assert failed == []


def test_links_and_files_of_the_task_are_no_candidates(judge: Judge, folder: Path) -> None:
    link = folder / "candidates" / "link.cpp"
    link.symlink_to(folder / "task.py")
    assert judge.grade(link).outcome == "refused"
    link.unlink()
    assert judge.grade(folder / "task.py").message == "a candidate must not be a file of the task"
    assert judge.grade(folder).message == "the folder of a candidate must not have the task in it"


def test_what_is_no_file_of_a_usual_size_is_refused(judge: Judge, folder: Path) -> None:
    """Without an error that would end the grading of the others."""
    places = folder / "candidates"
    for name, words in (
        ("pipe.cpp", "a candidate must be a file or a folder"),
        ("sparse.cpp", "it has 1099511627776 bytes; a candidate has 16777216 at most"),
        ("empty", "the kernel compute.cpp is missing; the task takes compute"),
    ):
        path = places / name
        if name == "pipe.cpp":
            os.mkfifo(path)
        elif name == "empty":
            path.mkdir()
        else:
            with path.open("wb") as file:
                file.truncate(1 << 40)
        record = judge.grade(path)
        path.rmdir() if path.is_dir() else path.unlink()
        assert (record.outcome, record.message) == ("refused", words)
