# SPDX-License-Identifier: Apache-2.0
"""``tilewright sweep``: run, check and time every combination a file lists."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.job_options import add_job_options, jobs_of
from tilewright._cli.json_output import error_object, json_text
from tilewright._cli.output_file import require_writable, write_output
from tilewright._sweep.case_run import Result
from tilewright._sweep.plan_file import SweepCase, read_cases
from tilewright._sweep.results import SweepJournal, require_format, write_results
from tilewright._sweep.runners import run_locally, run_on_cluster
from tilewright._sweep.summary import report

_DESCRIPTION = """
Run every combination of operations, shapes, dtypes, chips and plans that a JSON file lists. Each case is compared
with float64, run under the checker and timed by the model. A line is printed as each case ends; a Markdown report is
written next to the results. A journal keeps finished cases, so the same command continues after an interruption. Exit
status 1 if a case is not ok.
"""
_EXAMPLES = """
tilewright sweep cases.json
tilewright sweep cases.json --output results.parquet --jobs 4
tilewright sweep cases.json --scheduler tcp://head:8786
tilewright sweep cases.json --json
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("sweep", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("file", type=Path, help="JSON file with the combinations (example: docs/timing.md)")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="results, .csv or .parquet (default: the JSON file's name with .csv)",
    )
    add_job_options(parser, "cases")
    parser.add_argument("--json", action="store_true", help="print the results as JSON; progress goes to stderr")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    jobs = jobs_of(parser, options)
    output = options.output or options.file.with_suffix(".csv")
    cases = read_cases(options.file)
    require_format(output)
    require_writable(parser, "--output", output)
    journal = SweepJournal(output)
    log = sys.stderr if options.json else sys.stdout
    left = [case for case in cases if case.key not in journal.results]
    if len(left) < len(cases):
        print(f"{len(cases) - len(left)} of {len(cases)} cases are in {journal.path} already", file=log, flush=True)
    for number, result in enumerate(_results(left, options.scheduler, jobs), len(cases) - len(left) + 1):
        journal.add(result)
        print(_line(number, len(cases), result), file=log, flush=True)
    results = [journal.results[case.key] for case in cases]
    write_results(output, results)
    bad = [result for result in results if result["status"] != "ok"]
    page = output.with_suffix(".md")
    write_output("--output", page, report(f"Sweep of {options.file.name}", results).encode())
    wrong = f"{len(bad)} cases are not ok, the first: {bad[0]['case']}" if bad else ""
    if options.json:
        found = {"results": results, "output": str(output), "report": str(page)}
        print(json_text("sweep", found, 1 if bad else 0, error_object("BadCases", wrong) if bad else None))
    else:
        print(f"{len(results) - len(bad)} of {len(results)} cases ok; results in {output}, a report in {page}")
    if bad:
        print(f"tilewright sweep: {wrong}", file=sys.stderr)
    return 1 if bad else 0


def _results(cases: list[SweepCase], scheduler: str | None, jobs: int) -> Iterator[Result]:
    if not cases:
        return iter(())
    return run_locally(cases, jobs) if scheduler is None else run_on_cluster(cases, scheduler)


def _line(number: int, total: int, result: Result) -> str:
    parts = [f"{number}/{total} {result['status']:<6} {result['case']}:"]
    if result["microseconds"] is not None:
        parts.append(f"{result['microseconds']:.1f} us")
    if result["share_of_error_bound"] is not None:
        parts.append(f"error {result['share_of_error_bound']:.0%} of what is allowed")
    if result["findings"] is not None:
        parts.append(f"findings: {result['findings']}")
    if result["error"]:
        parts.append(result["error"])
    return " ".join([parts[0], ", ".join(parts[1:])])
