# SPDX-License-Identifier: Apache-2.0
"""The observer that writes down launches that do not end well, for ``tilewright exec --exit-codes``."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilewright._build.cache import write_atomically
from tilewright._errors import (
    CacheError,
    CompilerCrashError,
    CompilerNotFoundError,
    DeadlockError,
    RunError,
    SpinningError,
    TilewrightError,
    TimeLimitError,
)
from tilewright._launch.failure_files import CALL_SUFFIX, FAILURES_VARIABLE, LAUNCH_SUFFIX
from tilewright._launch.observer import Launch, Observer, observed_run
from tilewright._program.errors import ProgramError
from tilewright._record.run import Run
from tilewright.check._collect import findings_of_program_error, findings_of_run
from tilewright.check._finding import merge_findings

_HANGS = (DeadlockError, SpinningError, TimeLimitError)
_INFRASTRUCTURE = (CacheError, CompilerCrashError, CompilerNotFoundError)


class FailureObserver(Observer[None]):
    """Writes a file for each launch that raises, then lets the error go on.

    Args:
        directory: where the files go, under names that sort by time.
    """

    def __init__(self, directory: str) -> None:
        super().__init__()
        self._directory = Path(directory)

    def observe(self, launch: Launch) -> Run:
        try:
            return observed_run(launch)
        except TilewrightError as error:
            _write(self._directory, LAUNCH_SUFFIX, described_failure(launch.operation, error))
            raise


@contextlib.contextmanager
def failed_call_written(operation: str) -> Iterator[None]:
    """Writes a file where the block raises: the operation does not build, or its host code throws."""
    try:
        yield
    except Exception as error:
        if directory := os.environ.get(FAILURES_VARIABLE):
            _write(Path(directory), CALL_SUFFIX, described_failure(operation, error))
        raise


def _write(directory: Path, suffix: str, described: dict[str, Any]) -> None:
    path = directory / f"{time.time_ns():020}-{os.getpid()}{suffix}"
    write_atomically(path, json.dumps(described, default=str).encode())


def described_failure(operation: str, error: Exception) -> dict[str, Any]:
    """A failed launch or call for JSON: kind (``hang``, ``failure`` or ``infrastructure``), error, findings."""
    kinds = {"hang": _HANGS, "infrastructure": _INFRASTRUCTURE}
    kind = next((name for name, errors in kinds.items() if isinstance(error, errors)), "failure")
    findings = []
    if isinstance(error, ProgramError):
        findings = list(findings_of_program_error(error))
    elif isinstance(error, RunError) and isinstance(error.run, Run):
        findings = merge_findings(findings_of_run(error.run, error))
    return {
        "operation": operation,
        "kind": kind,
        "type": type(error).__name__,
        "message": str(error),
        "findings": [finding.as_dict() for finding in findings],
    }
