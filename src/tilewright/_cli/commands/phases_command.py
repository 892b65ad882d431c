# SPDX-License-Identifier: Apache-2.0
"""``tilewright phases``: an operation phase by phase, against its references."""

from __future__ import annotations

import argparse
from typing import Any

from tilewright._cli.command_parser import CommandParser, seconds
from tilewright._cli.json_output import error_object, json_text
from tilewright._cli.progress_line import ProgressLine
from tilewright._errors import TilewrightError
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._tensor.paper_device import paper_device
from tilewright._workshop.cases import DTYPES, derived_cases, usual_case
from tilewright._workshop.home import Home, find_operation
from tilewright._workshop.stages.process import Processes, ProcessRecord
from tilewright._workshop.stages.table import fitted_lines
from tilewright._workshop.trace.steps import Step, number_upto, steps_of
from tilewright.ops import Operation

_DESCRIPTION = """
Run an operation with its circular buffers recorded and compare the result of each phase with its reference, tile by
tile. The reference is computed from the recorded inputs of the phase, so an error appears in the phase that makes it.

With --upto K only the first K phases compute. Later phases move the same pages and compute nothing, so the operation
still ends.

Buffers of kernels or programs of the operation's own are compared where the plan has a reference for them; others are
listed as "not judged". The result itself is always judged.

Exit status 1 if a phase or the result is wrong or the run does not end, else 0.
"""
_EXAMPLES = """
tilewright phases my_op.py
tilewright phases my_op.py --upto 2
tilewright phases variance_w_rm --upto mean --case "one tile" --json
"""


class PhasesError(TilewrightError):
    """The phases could not be run."""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("phases", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("operation", metavar="NAME", help="file with a declaration, or a shipped operation")
    parser.add_argument("--upto", metavar="K", default="", help="number or name of the last phase that computes")
    parser.add_argument("--case", metavar="CASE", help="name of a test case (default: one tile)")
    parser.add_argument(
        "--time-limit", type=seconds, default=120.0, metavar="S", help="time limit in seconds (default 120)"
    )
    parser.add_argument("--json", action="store_true", help="print the phases as JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    home = find_operation(options.operation)
    operation = home.operation()
    case = _case(parser, operation, options.case)
    if options.upto:
        number_upto(_steps(operation, case), options.upto)  # refused here rather than in another process
    with ProgressLine() as progress, Processes(home.directory.parent) as processes:
        record = processes.run(
            ["trace", home.given, case, options.upto, str(options.time_limit)], 2 * options.time_limit, progress.show
        )
    found = _trace(record, options.time_limit)
    _record(home, case, options.upto, found["conclusion"])
    wrong = "" if found["is_right"] else found["trace"]["stopped"] or found["conclusion"][0]
    if options.json:
        error = error_object("WrongPhase", wrong) if wrong else None
        print(json_text("phases", found["trace"], 1 if wrong else 0, error))
    else:
        print("\n".join(fitted_lines(found["lines"])))
    return 1 if wrong else 0


def _case(parser: argparse.ArgumentParser, operation: Operation, given: str | None) -> str:
    names = [each.name for each in derived_cases(operation)]
    if given is None:
        return usual_case(operation, "one tile").name
    if given not in names:
        parser.error(f"--case is {given!r}; the cases are {', '.join(names)}")
    return given


def _steps(operation: Operation, name: str) -> list[Step]:
    case = next(each for each in derived_cases(operation) if each.name == name)
    device = paper_device("wormhole_b0")
    plan = operation.plan(case.shape, DTYPES[case.dtype], device, strategy=case.strategy, block_tiles=case.block_tiles)
    return steps_of(plan.schedule)


def _trace(record: ProcessRecord, time_limit: float) -> dict[str, Any]:
    found = record.of("trace")
    if found:
        return found[-1]
    failed = record.of("failed")
    if failed:
        raise PhasesError(str(failed[-1]["error"]))
    if record.is_late:
        raise PhasesError(f"no end after {2 * time_limit:g} s; a longer --time-limit gives it more")
    last = next((line for line in reversed(record.output.splitlines()) if line.strip()), "no word about why")
    raise PhasesError(f"the process ended early ({record.signal or record.returncode}): {last}")


def _record(home: Home, case: str, upto: str, conclusion: list[str]) -> None:
    which = f"up to phase {upto}" if upto else "all phases"
    what = "; ".join(line.strip() for line in conclusion[:3])
    Breadcrumbs(home.breadcrumbs).append("note", stage=7, text=f"phases of {case}, {which}: {what}")
