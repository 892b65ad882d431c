# SPDX-License-Identifier: Apache-2.0
"""``tilewright grade``: grade untrusted candidates against a task, one JSON line each."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.job_options import add_job_options, jobs_of
from tilewright._cli.json_output import error_object, json_text
from tilewright._cli.output_file import require_writable, write_output
from tilewright.grade import GradeRecord, grade_all

_DESCRIPTION = """
Grade candidates against a task: kernels, Python files with a program or a declaration, folders of kernels or of a C++
operation. A candidate must compile, end, be right element by element, be clean under every rule of the checker; then
its modelled time is compared with a baseline. One JSON line each, with an outcome and a score from 0 to 1.

Candidates are not trusted: they cannot read the task, each other or the network, and have limits of time, memory and
disk. Linux 6.2 or newer is needed for that. Exit status 0 if every candidate was judged, whatever its score.
"""
_EXAMPLES = """
tilewright grade candidates/ --task task.py
tilewright grade one.cpp two.py --task task.py --jobs 2 --output records.jsonl
tilewright grade candidates/ --task task.py --scheduler tcp://head:8786
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("grade", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "candidates", nargs="+", type=Path, help="files and folders; of a single folder without device/, all in it"
    )
    parser.add_argument("--task", type=Path, required=True, help="Python file with the task (docs/grading.md)")
    add_job_options(parser, "candidates")
    parser.add_argument("--json", action="store_true", help="print all records as one JSON object, at the end")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the records there instead of to stdout")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    jobs = jobs_of(parser, options)
    candidates = _candidates(parser, options.candidates)
    if options.output is not None:
        require_writable(parser, "--output", options.output)
    records = []
    for record in grade_all(options.task, candidates, jobs, options.scheduler):
        records.append(record)
        if options.json or options.output is not None:
            line = f"{len(records)}/{len(candidates)} {record.outcome} {record.score:.3f} {record.candidate}"
            print(line, file=sys.stderr if options.json else sys.stdout, flush=True)
        else:
            print(_line(record), flush=True)
    if options.output is not None:
        text = "".join(f"{_line(record)}\n" for record in records)
        write_output("--output", options.output, text.encode())
    unjudged = sum(record.outcome == "error" for record in records)
    wrong = f"{unjudged} of {len(candidates)} candidates could not be judged" if unjudged else ""
    if options.json:
        error = error_object("NotJudged", wrong) if wrong else None
        print(json_text("grade", {"records": [each.as_dict() for each in records]}, 1 if wrong else 0, error))
    if wrong:
        print(f"tilewright grade: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


def _line(record: GradeRecord) -> str:
    return json.dumps(record.as_dict(), allow_nan=False)


def _candidates(parser: argparse.ArgumentParser, given: list[Path]) -> list[Path]:
    """Files and folders; a single folder has them inside, unless it is a C++ operation."""
    for path in given:
        if not path.exists():
            parser.error(f"there is no {path}")
    if len(given) == 1 and given[0].is_dir() and not (given[0] / "device").is_dir():
        given = sorted(each for each in given[0].iterdir() if not each.name.startswith((".", "__")))
    if not given:
        parser.error("there are no candidates")
    return given
