# SPDX-License-Identifier: Apache-2.0
"""Classify an exception as a failure kind of the execution log."""

from __future__ import annotations

from tilewright._errors import (
    CompilerCrashError,
    DeadlockError,
    KernelCompileError,
    RunError,
    SpinningError,
    TimeLimitError,
)
from tilewright._workshop.stages.stage import Status
from tilewright.check._check_program import CheckError
from tilewright.kernels._errors import KernelArgumentError, KernelLanguageError

_COMPILATION = (KernelCompileError, KernelLanguageError, KernelArgumentError, CompilerCrashError)
_BUILD = (ImportError, SyntaxError)


def classify(error: BaseException, stage: int, statement: str = "") -> tuple[Status, str]:
    """Status and error type of a test that ended with an exception.

    Args:
        statement: what was being done, where that is known: an assertion about a shape is no numerical mismatch.
    """
    if isinstance(error, DeadlockError):
        return Status.HANG, "hang_cb_deadlock"
    if isinstance(error, (SpinningError, TimeLimitError)):
        return Status.HANG, "hang_unknown"
    if isinstance(error, _COMPILATION):
        return Status.FAIL, "compilation_error"
    if isinstance(error, CheckError):
        return Status.FAIL, "watcher_assert"
    if isinstance(error, _BUILD):
        return Status.FAIL, "build_error"
    if isinstance(error, RunError):
        return Status.FAIL, "runtime_error"
    if stage >= 6 and isinstance(error, (AssertionError, ValueError)) and _is_about_shape(error, statement):
        return Status.FAIL, "shape_mismatch"
    if isinstance(error, AssertionError):
        return Status.FAIL, "numerical_mismatch" if stage == 7 else "test_fail"
    if type(error).__name__ == "Failed":  # what pytest raises for `did not raise`
        return Status.FAIL, "test_fail"
    return Status.FAIL, "runtime_error"


def _is_about_shape(error: BaseException, statement: str) -> bool:
    return ".shape" in statement or "has shape" in str(error) or "shape mismatch" in str(error).lower()
