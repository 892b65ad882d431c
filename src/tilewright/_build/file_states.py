# SPDX-License-Identifier: Apache-2.0
"""Dates and sizes of files that something was built from: comparing them is the cheap way to notice a change."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from tilewright._build.cache import cache_environment

State = tuple[int, int]  # date and size


def build_environment() -> tuple[str | None, ...]:
    """The variables that decide which compiler builds kernels, and in which cache."""
    return os.environ.get("TILEWRIGHT_CXX"), *cache_environment()


def state_of(status: os.stat_result) -> State:
    return status.st_mtime_ns, status.st_size


def file_state(path: Path) -> State:
    return state_of(path.stat())


@dataclasses.dataclass(frozen=True)
class FileStates:
    """The files that libraries were built from, the libraries among them, and the environment of the build."""

    environment: tuple[str | None, ...]
    states: dict[Path, State]

    def are_current(self) -> bool:
        """Whether the environment and every file are as they were."""
        if self.environment != build_environment():
            return False
        try:
            return all([file_state(path) == state for path, state in self.states.items()])
        except OSError:
            return False
