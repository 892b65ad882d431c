# SPDX-License-Identifier: Apache-2.0
"""docs/ci.md: the steps of the workflow and of the container, run as they stand there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.ttnn_script import ADD_ONE, Run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text()
WORKFLOW = [shlex.split(line) for line in re.findall(r"^ +- run: (tilewright .*)$", PAGE, re.MULTILINE)]
CONTAINER = re.findall(r"^RUN cd /app && (\w+)=(\S+) tilewright (.*)$", PAGE, re.MULTILINE)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A user's repository."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "add_one.py").write_text(ADD_ONE)
    return tmp_path


def test_the_workflow_runs(repository: Path, python: Run, fresh_cache: Path) -> None:
    assert [command[1] for command in WORKFLOW] == ["doctor", "exec", "check"]
    for _, *arguments in WORKFLOW:
        result = python("-m", "tilewright", *arguments, cwd=repository, cache=fresh_cache)
        assert result.returncode == 0, result.stdout + result.stderr
    findings = json.loads((repository / "findings.sarif").read_text())
    assert findings["version"] == "2.1.0"


def test_the_containers_seed_serves_another_cache(repository: Path, python: Run, fresh_cache: Path) -> None:
    ((variable, _, arguments),) = CONTAINER
    assert variable == "TILEWRIGHT_CACHE"
    result = python("-m", "tilewright", *arguments.split(), cwd=repository, cache=fresh_cache)
    assert result.returncode == 0, result.stderr
    seed = {path: path.stat().st_mtime_ns for path in fresh_cache.rglob("*")}
    other = repository / "other"
    command = ("-m", "tilewright", *arguments.split())
    result = python(*command, cwd=repository, cache=other, TILEWRIGHT_CACHE_SEED=str(fresh_cache))
    assert result.returncode == 0, result.stderr
    assert not list(other.rglob("*.so"))
    assert {path: path.stat().st_mtime_ns for path in fresh_cache.rglob("*")} == seed
