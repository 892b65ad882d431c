# SPDX-License-Identifier: Apache-2.0
"""``tilewright sweep --scheduler`` on a real Dask cluster: a scheduler and two workers, one of which is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright._cli.main import main
from tilewright._sweep.plan_file import SweepError, read_cases
from tilewright._sweep.runners import run_on_cluster

pytest.importorskip("distributed", reason="the extra [sweep] is not installed")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """The scheduler's address and its two workers."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def started(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
        return subprocess.Popen(
            command, cwd=tmp_path, env=environment, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True
        )

    scheduler = started("dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")
    processes = [scheduler]
    try:
        assert scheduler.stdout is not None
        address = next(match[0] for line in scheduler.stdout if (match := re.search(r"tcp://127[\d.]+:\d+", line)))
        workers = [started("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)]
        processes += workers
        for process in processes:  # what they print must not fill a pipe
            threading.Thread(target=process.communicate, daemon=True).start()
        yield address, workers
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def test_the_cases_of_a_killed_worker_go_to_the_other(
    tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    import distributed

    address, workers = cluster
    file = tmp_path / "cases.json"
    shapes = [f"{32 * rows}x64" for rows in range(1, 9)]
    file.write_text(json.dumps({"operations": ["centralize_w_rm"], "shapes": shapes, "grids": ["2x1"]}))
    with distributed.Client(address) as client:
        client.wait_for_workers(2, timeout=60)
    cases = read_cases(file)
    results = []
    for result in run_on_cluster(cases, address):
        results.append(result)
        if len(results) == 1:
            workers[0].send_signal(signal.SIGKILL)
            workers[0].wait()
    assert sorted(result["case"] for result in results) == sorted(case.key for case in cases)
    assert {result["status"] for result in results} == {"ok"}
    assert workers[1].poll() is None


def test_command_writes_the_clusters_results(tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[str]]]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file, output = tmp_path / "cases.json", tmp_path / "results.parquet"
    file.write_text(json.dumps({"operations": ["centralize_w_rm"], "shapes": ["64x64"], "grids": ["2x1"]}))
    assert main(["sweep", str(file), "--scheduler", cluster[0], "--output", str(output)]) == 0
    (row,) = parquet.read_table(output).to_pylist()
    assert row["status"] == "ok"
    assert row["microseconds"] > 0


def test_missing_scheduler_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"operations": ["centralize_w_rm"], "shapes": ["64x64"]}))
    begin = time.monotonic()
    with pytest.raises(SweepError, match="no scheduler answers there"):
        next(run_on_cluster(read_cases(file), "tcp://127.0.0.1:9", timeout=2))
    assert time.monotonic() - begin < 60
