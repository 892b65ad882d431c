# SPDX-License-Identifier: Apache-2.0
"""Faults of every class in a user's operation: each is distinguished and located."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.workshop.faulty_operation import WRONG_MEAN, change, make_operation
from tilewright._errors import KernelCompileError
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._workshop.home import Home
from tilewright._workshop.stages.classify import classify
from tilewright._workshop.stages.running import run_stages
from tilewright._workshop.stages.stage import BUILD, EXECUTION, KERNELS, STAGES, StageResult, Status


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_operation(tmp_path)


def run(home: Home, *numbers: int, time_limit: float = 120, is_all: bool = False) -> list[StageResult]:
    return list(run_stages(home, [STAGES[number - 1] for number in numbers], time_limit, is_all))


def steps(result: StageResult) -> Sequence[Status]:
    return [result.steps[each] for each in (BUILD, KERNELS, EXECUTION)]


def test_an_operation_without_faults_passes_every_stage(home: Home) -> None:
    results = run(home, 1, 2, 3, 4, 5, 6, 7)
    assert [each.status for each in results] == [Status.PASS] * 7, [each.evidence for each in results]
    assert all(each.tests for each in results)
    assert "% of the tolerance used" in results[6].evidence


def test_an_import_error_is_one_of_the_build(home: Home) -> None:
    change(home, "mine.py", "from tilewright import Rows", "from nothing_of_that_name import Rows")
    (result,) = run(home, 6)
    assert steps(result) == [Status.FAIL, Status.NOT_RUN, Status.NOT_RUN]
    assert result.error_type == "build_error"
    assert "nothing_of_that_name" in result.evidence


def test_a_kernel_that_is_not_in_the_language(home: Home) -> None:
    change(home, "mine_kernels.py", "compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)", "print(cb.in_rm)")
    (result,) = run(home, 6)
    assert steps(result) == [Status.PASS, Status.FAIL, Status.NOT_RUN]
    assert result.error_type == "compilation_error"
    assert "mine_kernels.py:" in result.error


def test_compiler_error_is_a_compilation_failure() -> None:
    error = KernelCompileError("compute_rows", "kernels.py:12: error: no such function", "")
    assert classify(error, 6) == (Status.FAIL, "compilation_error")


def test_a_wrong_number_is_found_in_the_phase_that_makes_it(home: Home) -> None:
    change(home, "mine_kernels.py", *WRONG_MEAN)
    (result,) = run(home, 7)
    assert steps(result) == [Status.PASS, Status.PASS, Status.FAIL]
    assert result.error_type == "numerical_mismatch"
    assert result.difference[0] == "first wrong: phase 2 mean, in mean (float32)"
    assert result.trace is not None
    assert result.trace["first_wrong"] == "mean"
    verdicts = {each["name"]: each["verdict"] for each in result.trace["phases"]}  # type: ignore[attr-defined]
    # The other phases did right by what they were given.
    assert verdicts["centralized"] == "floor"
    assert verdicts["variance"] == "floor"


def test_a_deadlock_is_a_hang_with_its_cause(home: Home) -> None:
    change(home, "mine_kernels.py", "        cb_pop_front(cb.mean, 1)\n", "")
    (result,) = run(home, 6)
    assert steps(result) == [Status.PASS, Status.PASS, Status.HANG]
    assert result.status is Status.HANG
    assert result.error_type == "hang_cb_deadlock"
    assert "c_3 mean" in result.error


def test_a_process_that_never_ends_is_a_hang(home: Home) -> None:
    change(home, "mine.py", "from tilewright import Rows", "while True:\n    pass\nfrom tilewright import Rows")
    (result,) = run(home, 1, time_limit=3)
    assert result.status is Status.HANG
    assert result.error_type == "test_timeout"
    assert result.steps[BUILD] is Status.HANG
    assert result.evidence == "time limit: no end after 3 s during build"


def test_a_process_that_dies_is_a_crash(home: Home) -> None:
    change(home, "mine.py", "from tilewright import Rows", "import os\nos.abort()\nfrom tilewright import Rows")
    (result,) = run(home, 1)
    assert result.status is Status.FAIL
    assert result.error_type == "other"
    assert "died of SIGABRT during build" in result.error


def test_finding_of_the_checker_is_corruption(home: Home) -> None:
    reader = "@reader_kernel\ndef read("
    change(home, "mine_kernels.py", reader, f"from unbarred import read_blocks\n\n\n{reader}")
    (home.directory / "unbarred.py").write_text(UNBARRED)
    (result,) = run(home, 6)
    assert steps(result) == [Status.PASS, Status.PASS, Status.FAIL]
    assert result.error_type == "watcher_assert"
    assert "unbarred.py" in result.error


UNBARRED = '''
from tilewright.kernels import CB, TensorArg, kernel_function, uint32
from tilewright.kernels.api import cb_push_back, cb_reserve_back, get_write_ptr, noc_async_read


@kernel_function
def read_blocks(
    tensor: TensorArg, cb: CB, first: uint32, count: uint32, stick_bytes: uint32, block_bytes: uint32, pages: uint32
) -> None:
    """Sticks, pushed before they have come."""
    for offset in range(0, stick_bytes, block_bytes):
        cb_reserve_back(cb, pages)
        address = get_write_ptr(cb)
        for stick in range(count):
            size = min(block_bytes, stick_bytes - offset)
            noc_async_read(tensor.get_noc_addr(first + stick, offset), address + stick * block_bytes, size)
        cb_push_back(cb, pages)
'''


def test_stages_after_a_red_one_are_not_run_by_default(home: Home) -> None:
    change(
        home, "mine.py", "from tilewright import Rows", "raise ImportError('not today')\nfrom tilewright import Rows"
    )
    assert [each.status for each in run(home, 1, 2)] == [Status.FAIL, Status.NOT_RUN]
    assert [each.status for each in run(home, 1, 2, is_all=True)] == [Status.FAIL, Status.FAIL]


def test_attempts_are_counted_over_runs_and_everything_is_in_the_breadcrumbs(home: Home) -> None:
    assert run(home, 1)[0].attempts == 1
    assert run(home, 1)[0].attempts == 2
    crumbs = Breadcrumbs(home.breadcrumbs).read().entries
    events = [each.event for each in crumbs]
    assert events.count("attempt") == events.count("stage_start") == events.count("complete") == 2
    tests = [each for each in crumbs if each.event == "test"]
    assert {each.text("result") for each in tests} == {"PASS"}


def test_stage_processes_end_with_a_killed_parent(home: Home, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    endless = f"import os\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\nwhile True:\n    pass\n"
    is_stage = "import sys\nif 'fork_server' in ' '.join(sys.orig_argv):\n"
    begin = is_stage + "".join(f"    {line}\n" for line in endless.splitlines())
    change(home, "mine.py", "from tilewright import Rows", f"{begin}from tilewright import Rows")
    command = [sys.executable, "-m", "tilewright", "stages", "mine.py", "--stage", "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    asked = subprocess.Popen(command, cwd=home.directory, env=environment, stdout=subprocess.DEVNULL)
    while not pid.exists() or not pid.read_text():
        assert asked.poll() is None
        time.sleep(0.05)
    asked.kill()
    asked.wait()
    status = Path(f"/proc/{pid.read_text()}/stat")
    for _ in range(400):  # the kernel takes a moment, not forever
        if not status.exists() or " Z " in status.read_text():
            break
        time.sleep(0.05)
    else:
        pytest.fail("the stage's process is still there")
