# SPDX-License-Identifier: Apache-2.0
"""Options of commands that run many cases: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import argparse
import os


def add_job_options(parser: argparse.ArgumentParser, cases: str) -> None:
    """Adds ``--jobs`` and ``--scheduler``; ``cases`` is what they run, in plural."""
    parser.add_argument("--jobs", type=int, metavar="N", help=f"{cases} at a time (default: one per CPU)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="run them on this Dask cluster, such as tcp://head:8786")


def jobs_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """How many run at a time; wrong options end the command."""
    jobs = len(os.sched_getaffinity(0)) if options.jobs is None else options.jobs
    if jobs < 1:
        parser.error(f"--jobs is {options.jobs}; it must be at least 1")
    if options.jobs is not None and options.scheduler is not None:
        parser.error("--jobs is for this machine; a cluster has the workers it has")
    return int(jobs)
