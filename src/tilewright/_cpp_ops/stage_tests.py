# SPDX-License-Identifier: Apache-2.0
"""Stage tests of an operation's folder: ``test_dev/test_stage1_*.py`` to ``test_stage7_*.py``, each in a process.

A folder with ``op_design.md`` has a further test in stage 5, one with ``feature_spec.py`` in stage 7.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilewright._cpp_ops.build import built_folder
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.folder_log import record_end, record_stage, record_start
from tilewright._cpp_ops.operation_folder import read_folder
from tilewright._cpp_ops.pipeline import FOLDER_VARIABLE, SECONDS_VARIABLE
from tilewright._cpp_ops.pipeline.design import find_design
from tilewright._cpp_ops.pipeline.feature_spec import find_feature_spec

_PIPELINE_TESTS = Path(__file__).parent / "pipeline" / "stage_files"
STAGES = {
    1: "the API exists",
    2: "wrong inputs are refused",
    3: "ttnn has the operation",
    4: "the device operation gives its specs",
    5: "the program factory makes the program",
    6: "kernels compile and end",
    7: "every number is right",
}


@dataclass(frozen=True)
class StageChoice:
    """Which stages run, and where.

    Attributes:
        only: one stage; None for all.
        go_on: run later stages after a red one.
        limit: seconds a stage may take.
        ttnn: ``real`` or ``built-in``; None for the installed one where there is one.
        arch: the chip; None for Wormhole.
        link: link the folder against the installed ttnn.
    """

    only: int | None = None
    go_on: bool = False
    limit: float = 300.0
    ttnn: str | None = None
    arch: str | None = None
    link: bool = False


@dataclass(frozen=True)
class StageOutcome:
    """How the tests of one stage ended."""

    stage: int
    passed: bool
    seconds: float
    message: str  # one sentence for a red stage; cases that were not run or refused for a green one
    step: str = "execution"  # what it ended in: that, or the build
    error_type: str = ""
    judged: bool = True  # False where each of its tests skipped itself

    @property
    def status(self) -> str:
        if self.passed:
            return "PASS" if self.judged else "SKIP"
        return "HANG" if self.error_type == "test_timeout" else "FAIL"

    @property
    def line(self) -> str:
        shown = "FAIL" if not self.passed else self.status
        head = f"  {self.stage}  {STAGES[self.stage]:<40} {shown} {self.seconds:6.1f} s"
        return f"{head}\n     {self.message}" if self.message else head


def stage_files(folder: Path) -> dict[int, list[Path]]:
    """Test files by stage."""
    found: dict[int, list[Path]] = {}
    for file in sorted((folder / "test_dev").glob("test_stage*.py")):
        match = re.match(r"test_stage(\d)", file.name)
        if match and int(match[1]) in STAGES:
            found.setdefault(int(match[1]), []).append(file)
    with contextlib.suppress(CppOperationError):  # stage 1 says what is wrong with the folder
        read = read_folder(folder)
        if find_design(read) is not None:
            found.setdefault(5, []).append(_PIPELINE_TESTS / "test_stage5_design.py")
        if find_feature_spec(read) is not None:
            found.setdefault(7, []).append(_PIPELINE_TESTS / "test_stage7_cases.py")
    return found


def run_stage_tests(folder: Path, choice: StageChoice) -> Iterator[StageOutcome]:
    """Runs the stages in their order and stops at the first that is red.

    Raises:
        CppOperationError: the folder has no stage tests.
    """
    files = stage_files(folder)
    if not files:
        raise CppOperationError(
            f"{folder} has no stage tests (test_dev/test_stage1_*.py to test_stage7_*.py); "
            "`tilewright new NAME --cpp` writes some to look at"
        )
    stages = sorted(files) if choice.only is None else [choice.only]
    record_start(folder, stages)
    for stage in stages:
        outcome = _outcome(folder, stage, files.get(stage, []), choice)
        record_stage(folder, outcome, STAGES[stage])
        yield outcome
        if not outcome.passed and not choice.go_on:
            break
    record_end(folder)


def _outcome(folder: Path, stage: int, files: Sequence[Path], choice: StageChoice) -> StageOutcome:
    begin = time.monotonic()
    if not files:
        return StageOutcome(stage, False, 0.0, f"there is no test_dev/test_stage{stage}_*.py", error_type="other")
    try:
        built_folder(folder, choice.link)
    except CppOperationError as error:
        return StageOutcome(stage, False, time.monotonic() - begin, str(error), "build", "build_error")
    try:
        result = subprocess.run(
            [*_pytest(choice), *map(str, files)],
            env={**os.environ, FOLDER_VARIABLE: str(folder), SECONDS_VARIABLE: str(0.8 * choice.limit)},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=choice.limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"no result within {choice.limit:.0f} seconds"
        return StageOutcome(stage, False, time.monotonic() - begin, message, error_type="test_timeout")
    seconds = time.monotonic() - begin
    if result.returncode == 0:
        judged = re.search(r"\d+ passed", result.stdout) is not None
        return StageOutcome(stage, True, seconds, _skipped(result.stdout), judged=judged)
    return StageOutcome(stage, False, seconds, _said(result.stdout, result.stderr), error_type="test_fail")


def _pytest(choice: StageChoice) -> list[str]:
    """The command that runs test files on the simulated chip."""
    command = [sys.executable, "-m", "pytest", "--tilewright", "-q", "-x", "-rs", "--no-header"]
    command += ["-p", "no:cacheprovider", "-o", "addopts="]  # what is printed is read below
    if not any(each.value == "tilewright.pytest_plugin" for each in importlib.metadata.entry_points(group="pytest11")):
        command += ["-p", "tilewright.pytest_plugin"]  # found by PYTHONPATH, not installed
    if choice.ttnn is not None:
        command += ["--tilewright-ttnn", choice.ttnn]
    if choice.link:
        command += ["--tilewright-link"]
    if choice.arch is not None:
        command += ["--tilewright-arch", choice.arch]
    return command


def _skipped(output: str) -> str:
    """Reasons for which tests of a green stage did not run, with their number."""
    reasons: dict[str, int] = {}
    for count, reason in re.findall(r"^SKIPPED \[(\d+)\] \S+: (.*)$", output, re.MULTILINE):
        reasons[reason] = reasons.get(reason, 0) + int(count)
    passed = re.search(r"(\d+) passed", output)
    listed = "; ".join(f"{count} {reason}" for reason, count in reasons.items())
    if not listed:
        return ""
    return f"{passed[1]} tests pass; {listed}" if passed else f"not judged: {listed}"


def stages_summary(outcomes: Sequence[StageOutcome]) -> str:
    """How many stages are green, of those that were judged."""
    judged = [each for each in outcomes if each.judged]
    text = f"{sum(each.passed for each in judged)} of {len(judged)} stages that ran are green"
    return text if len(judged) == len(outcomes) else f"{text}; not judged: {len(outcomes) - len(judged)}"


def _said(output: str, errors: str) -> str:
    """The sentence of the first failure: what pytest marks with E, else the first line below a test's name."""
    lines = [match[1].strip() for match in re.finditer(r"^E\s+(.*)$", output, re.MULTILINE)]
    kept = [line for line in lines if line][:3]
    if not kept:
        kept = re.findall(r"^_{3,} .* _{3,}\n+(.+)$", output, re.MULTILINE)[:1]
    if not kept:
        kept = re.findall(r"^ERROR: (.+)$", errors, re.MULTILINE)[:1]
    if not kept:
        kept = (output.strip() or errors.strip() or "pytest printed nothing").splitlines()[-1:]
    return " ".join(kept)[:500]
