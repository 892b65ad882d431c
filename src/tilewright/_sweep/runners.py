# SPDX-License-Identifier: Apache-2.0
"""Executors of a sweep: local processes or a Dask cluster."""

from __future__ import annotations

import concurrent.futures
import importlib.util
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool

from tilewright._sweep.case_run import COLUMNS, Result, run_case
from tilewright._sweep.plan_file import SweepCase, SweepError

_TRIES = 3  # of a case whose worker dies


def run_locally(cases: Sequence[SweepCase], jobs: int) -> Iterator[Result]:
    """Results as cases end. A process that dies takes its own case with it, and nothing else."""
    # A process that has devices or threads must not be forked.
    context = multiprocessing.get_context("spawn")
    waiting = {case: 0 for case in cases}
    while waiting:
        with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
            futures = {pool.submit(run_case, case): case for case in waiting}
            for future in concurrent.futures.as_completed(futures):
                case = futures[future]
                try:
                    result = future.result()
                except BrokenProcessPool:
                    waiting[case] += 1
                    if waiting[case] >= _TRIES:
                        del waiting[case]
                        yield _died(case)
                    continue
                del waiting[case]
                yield result


def _died(case: SweepCase) -> Result:
    lost = f"its process ended {_TRIES} times before it was done"
    return {**dict.fromkeys(COLUMNS), "case": case.key, "operation": case.operation, "status": "failed", "error": lost}


def run_on_cluster(cases: Sequence[SweepCase], address: str, timeout: float = 30.0) -> Iterator[Result]:
    """Results as cases end. The scheduler gives the cases of a worker that dies to the others.

    Args:
        address: of the scheduler, such as ``tcp://host:8786``.
        timeout: seconds to wait for it.
    """
    if importlib.util.find_spec("distributed") is None:
        raise SweepError('--scheduler needs dask.distributed: pip install "tilewright[sweep]"')
    import distributed

    try:
        client = distributed.Client(address, timeout=timeout)
    except (OSError, ValueError) as error:
        raise SweepError(f"--scheduler {address}: no scheduler answers there ({error})") from None
    with client:
        futures = {client.submit(run_case, case, pure=False, retries=_TRIES): case for case in cases}
        for future in distributed.as_completed(futures):
            try:
                yield future.result()
            except distributed.KilledWorker:
                yield _died(futures[future])
