# SPDX-License-Identifier: Apache-2.0
"""Many candidates: on processes of this machine or a Dask cluster, records in the order of the candidates."""

from __future__ import annotations

import concurrent.futures
import contextlib
import importlib.util
import queue
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright._grade.judge import Judge
from tilewright._grade.record import GradeRecord
from tilewright._grade.task import TaskError, read_task


def grade_all(
    task: Path, candidates: Sequence[Path], jobs: int = 1, scheduler: str | None = None
) -> Iterator[GradeRecord]:
    """Records of all candidates, in their order.

    Args:
        task: the task's file.
        jobs: candidates at a time, on this machine.
        scheduler: address of a Dask cluster's scheduler instead; its workers must see the same files.

    Example::

        for record in grade_all(Path("task.py"), sorted(Path("candidates").iterdir()), jobs=2):
            print(record.candidate, record.score)
    """
    if scheduler is not None:
        return _on_cluster(task, candidates, scheduler)
    return _locally(task, candidates, jobs)


def _locally(task: Path, candidates: Sequence[Path], jobs: int) -> Iterator[GradeRecord]:
    described = read_task(task)
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(Judge(described))
        baseline = first.baseline_microseconds
        judges: queue.SimpleQueue[Judge] = queue.SimpleQueue()
        judges.put(first)
        for _ in range(min(jobs, len(candidates)) - 1):
            judges.put(stack.enter_context(Judge(described, baseline)))

        def graded(path: Path) -> GradeRecord:
            judge = judges.get()
            try:
                return judge.grade(path)
            finally:
                judges.put(judge)

        # Threads: candidates have processes of their own, and this one waits for them.
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(graded, candidates)


def _on_cluster(task: Path, candidates: Sequence[Path], address: str, timeout: float = 30.0) -> Iterator[GradeRecord]:
    if importlib.util.find_spec("distributed") is None:
        raise TaskError('--scheduler needs dask.distributed: pip install "tilewright[sweep]"')
    import distributed

    described = read_task(task)
    try:
        client = distributed.Client(address, timeout=timeout)
    except (OSError, ValueError) as error:
        raise TaskError(f"--scheduler {address}: no scheduler answers there ({error})") from None
    with client:
        with Judge(described) as judge:
            baseline = judge.baseline_microseconds
        futures = [
            client.submit(_graded_on_worker, str(task.resolve()), str(each.absolute()), baseline, pure=False)
            for each in candidates
        ]
        for future in futures:
            yield future.result()


def _graded_on_worker(task: str, candidate: str, baseline: float | None) -> GradeRecord:
    with Judge(read_task(Path(task)), baseline) as judge:
        return judge.grade(Path(candidate))
