# SPDX-License-Identifier: Apache-2.0
"""Run the unit tests of a tt-metal checkout on the simulated card, and count the results.

    python -m tools.upstream_tests CHECKOUT --results results.jsonl                # all; goes on where it stopped
    python -m tools.upstream_tests CHECKOUT --results results.jsonl --per-function 1 --minutes 30
    python -m tools.upstream_tests CHECKOUT --results results.jsonl --share 2 --files-per-process 12   # a sample
    python -m tools.upstream_tests CHECKOUT --results results.jsonl --only operations/pool --dispatch slow
    python -m tools.upstream_tests CHECKOUT --results results.jsonl --tests tests/nightly/t3000/ccl --system t3000
    python -m tools.upstream_tests --results results.jsonl --report                # the tables, nothing is run

A result is kept by the test's id, the dispatch mode and the chip or system. A test that has one is not run again,
unless ``--again failed`` (or ``crashed``, ``time-limit``) names its outcome. The checkout is only read. The ttnn that
runs is the one of ``--python``.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from tools.upstream_tests.results import OUTCOMES, Results
from tools.upstream_tests.run import CHIPS, Settings, run_files
from tools.upstream_tests.tables import tables

TESTS = "tests/ttnn/unit_tests"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.upstream_tests", description="Run tt-metal's unit tests on the simulated card."
    )
    parser.add_argument("checkout", nargs="?", type=Path, help="a tt-metal checkout")
    parser.add_argument("--results", type=Path, required=True, metavar="FILE", help="results, one JSON line a test")
    parser.add_argument("--report", action="store_true", help="print the tables of the results and run nothing")
    parser.add_argument("--python", metavar="COMMAND", help="Python with ttnn, torch and what the tests import")
    parser.add_argument("--only", default="", metavar="TEXT", help="files whose path has this text")
    parser.add_argument("--without", action="append", default=[], metavar="TEXT", help="leave out files with this text")
    parser.add_argument("--dispatch", choices=("fast", "slow"), default="fast")
    parser.add_argument("--arch", choices=CHIPS, default=CHIPS[0])
    parser.add_argument("--system", metavar="NAME", help="several chips instead, such as t3000")
    parser.add_argument("--tests", default=TESTS, metavar="FOLDER", help=f"of the checkout; {TESTS} if not given")
    parser.add_argument("--per-function", type=_positive, metavar="N", help="at most N parameter sets of each function")
    parser.add_argument(
        "--share", type=_per_cent, default=100.0, metavar="PERCENT", help="a sample of all tests, drawn by their ids"
    )
    parser.add_argument("--files-per-process", type=_positive, default=1, metavar="N", help="faster with a small share")
    parser.add_argument(
        "--again", choices=OUTCOMES, action="append", default=[], help="run tests with this outcome again"
    )
    parser.add_argument("--time-limit", type=_positive, default=120, metavar="SECONDS", help="for each test")
    parser.add_argument("--memory", type=_positive, default=16, metavar="GB", help="for each process")
    parser.add_argument("--minutes", type=_positive, metavar="N", help="stop after this time")
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"a whole number above 0 is needed, not {text!r}")
    return int(text)


def _per_cent(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 100:
        raise argparse.ArgumentTypeError(f"a number above 0 and up to 100 is needed, not {text!r}")
    return share


def main() -> int:
    """The command."""
    parser = _parser()
    options = parser.parse_args()
    results = Results(options.results)
    if options.report:
        print("\n".join(tables(results)))
        return 0
    folder = None if options.checkout is None else options.checkout / options.tests
    if folder is None or not folder.is_dir():
        parser.error(
            f"checkout: a tt-metal checkout is needed; there is no folder {options.tests} in {options.checkout}"
        )
    if not options.python:
        parser.error("--python: a Python is needed that has ttnn, torch and the packages that the tests import")
    files = [
        path.relative_to(options.checkout)
        for path in sorted(folder.rglob("test_*.py"))
        if options.only in str(path) and not any(text in str(path) for text in options.without)
    ]
    if not files:
        parser.error(f"--only: no test file of {options.tests} has {options.only!r} in its path")
    settings = Settings(
        options.python,
        options.checkout.resolve(),
        options.dispatch,
        options.system or options.arch,
        options.per_function,
        options.share,
        options.files_per_process,
        tuple(options.again),
        options.time_limit,
        options.memory * 10**9,
        None if options.minutes is None else options.minutes * 60,
    )
    finished = run_files(files, settings, results)
    print("\n".join(tables(results)))
    return 0 if finished else 3


if __name__ == "__main__":
    raise SystemExit(main())
