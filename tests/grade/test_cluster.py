# SPDX-License-Identifier: Apache-2.0
"""``tilewright grade --scheduler`` on a real Dask cluster: a scheduler and two workers in processes of their own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tilewright._cli.main import main
from tilewright._grade.runners import _on_cluster
from tilewright._grade.sandbox import missing
from tilewright._grade.task import TaskError

EXAMPLE = Path(__file__).parents[2] / "examples" / "grading"
pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


def test_records_of_a_cluster_are_those_of_this_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra [sweep] is not installed")
    shutil.copytree(EXAMPLE, tmp_path / "example")
    folder = tmp_path / "made"
    folder.mkdir()
    right = (EXAMPLE / "candidates" / "square.cpp").read_text()
    (folder / "right.cpp").write_text(right)
    (folder / "wrong.cpp").write_text(right.replace("mul_tiles", "add_tiles"))
    command = ["grade", str(folder), "--task", str(tmp_path / "example" / "task.py")]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, local_directory=str(tmp_path)
    ) as cluster:
        assert main([*command, "--scheduler", cluster.scheduler_address]) == 0
    on_cluster = capsys.readouterr().out
    assert [json.loads(line)["outcome"] for line in on_cluster.splitlines()] == ["ok", "wrong"]
    assert main(command) == 0
    assert capsys.readouterr().out == on_cluster


def test_missing_scheduler_of_graded_candidates_is_named(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the extra [sweep] is not installed")
    shutil.copytree(EXAMPLE, tmp_path / "example")
    task, candidates = tmp_path / "example" / "task.py", [tmp_path / "example" / "candidates" / "square.cpp"]
    with pytest.raises(TaskError, match=r"--scheduler tcp://127.0.0.1:9: no scheduler answers there"):
        next(_on_cluster(task, candidates, "tcp://127.0.0.1:9", timeout=2))
