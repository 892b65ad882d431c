# SPDX-License-Identifier: Apache-2.0
"""The package as a new user meets it: processes of their own, caches of their own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ttnn_script import Run, process_environment
from tilewright._build.engine_build import find_engine


@pytest.fixture(scope="session")
def built_engine() -> Path:
    """The shared cache's engine; tests with another cache get a copy of it, because a build is slow."""
    return find_engine().library.parent


@pytest.fixture
def fresh_cache(built_engine: Path, tmp_path: Path) -> Path:
    """A cache in which nothing is but the engine."""
    cache = tmp_path / "cache"
    shutil.copytree(built_engine, cache / "engine")
    return cache


@pytest.fixture
def python(tmp_path: Path) -> Run:
    """Runs this Python with some arguments, in an empty directory unless told another."""

    def run(
        *arguments: str, cwd: Path | None = None, cache: Path | None = None, timeout: float = 60, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd or tmp_path,
            env=process_environment(cache, **environment),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run
