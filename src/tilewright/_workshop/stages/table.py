# SPDX-License-Identifier: Apache-2.0
"""Table of stages in 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable

from tilewright._workshop.stages.stage import BUILD, EXECUTION, KERNELS, WORDS, StageResult, Status

_COLUMNS = "{:<2}{:<35}{:<9}{:<9}{:<9}{:<9}{:>5}"
_COLOURS = {Status.PASS: "32", Status.FAIL: "31", Status.HANG: "35", Status.NOT_RUN: "2"}
_MOST_ERROR_LINES = 12
_MOST_BRIEF_LINES = 6
_CUT = " ..."

Paint = Callable[[str, str], str]


def plain(text: str, colour: str) -> str:
    return text


def coloured(text: str, colour: str) -> str:
    return f"\033[{colour}m{text}\033[0m"


def head_line() -> str:
    return _COLUMNS.format("#", "what it proves", "status", "build", "kernels", "run", "tries")


def stage_lines(result: StageResult, paint: Paint = plain) -> list[str]:
    """A line of the table, and the evidence below it."""
    stage = result.stage
    steps = [_padded(result.steps.get(step), paint) for step in (BUILD, KERNELS, EXECUTION)]
    # Colours have no width: they go in after the columns are made.
    line = f"{stage.number:<2}{stage.proves:<35}{_padded(result.status, paint)}{''.join(steps)}{result.attempts:>5}"
    return [line, *textwrap.wrap(_evidence(result), 76, initial_indent="    ", subsequent_indent="    ")]


def _evidence(result: StageResult) -> str:
    return textwrap.shorten(result.evidence, 160, placeholder=_CUT)


def _padded(status: Status | None, paint: Paint) -> str:
    text = "-" if status is None else status.value
    return (paint(text, _COLOURS[status]) if status is not None else text) + " " * (9 - len(text))


def failure_lines(result: StageResult) -> list[str]:
    """Error of a red stage, and for wrong numbers the first place."""
    lines: list[str] = []
    error_lines = result.error.strip().splitlines()
    if len(error_lines) > 1 or (error_lines and _evidence(result).endswith(_CUT)):
        lines += ["", *(fitted_lines(error_lines[:_MOST_ERROR_LINES]))]
        if len(error_lines) > _MOST_ERROR_LINES:
            lines.append(f"... {len(error_lines) - _MOST_ERROR_LINES} more lines")
    if result.difference:
        lines += ["", *fitted_lines(result.difference)]
    return lines


def fitted_lines(lines: Iterable[str]) -> list[str]:
    """Lines of at most 80 columns; what is longer goes on below, where it began."""
    fitted = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if len(line) <= 80:
            fitted.append(line)
        else:
            fitted += textwrap.wrap(line, 80, subsequent_indent=" " * (indent + 2))
    return fitted


def last_line(results: list[StageResult]) -> str:
    """One line about all of them."""
    passed = sum(each.status is Status.PASS for each in results)
    red = next((each for each in results if each.status.is_red), None)
    if red is None:
        return f"{passed} of {len(results)} stages pass"
    return f"{passed} of {len(results)} stages pass; stage {red.stage.number} is red ({red.status.value})"


def brief_lines(results: list[StageResult]) -> list[str]:
    """Summary for an agent: which stages are green, and of the first red one why, in few words."""
    green = [str(each.stage.number) for each in results if each.status is Status.PASS]
    red = next((each for each in results if each.status.is_red), None)
    lines = [f"PASS: {', '.join(green) or 'none'} of {len(results)}"]
    return lines if red is None else [*lines, brief_failure(red)]


def brief_failure(result: StageResult) -> str:
    """Why a stage is red, in at most some 200 words."""
    what = WORDS.get(result.error_type, result.error_type)
    failed = result.first_failure
    head = f"{result.status.value}: stage {result.stage.number}, {result.stage.proves}; {what}"
    case = [f"case: {failed.case}"] if failed is not None and failed.case else []
    error_lines = [" ".join(line.split()) for line in result.error.strip().splitlines()]
    shown = [textwrap.shorten(line, 200, placeholder=_CUT) for line in error_lines[:_MOST_BRIEF_LINES] if line]
    return "\n".join([head, *case, *shown, *(line for line in result.difference[:1])])


def result_json(result: StageResult) -> dict[str, object]:
    """A stage for machines."""
    return {
        "stage": result.stage.number,
        "proves": result.stage.proves,
        "status": result.status.value,
        "steps": {step: status.value for step, status in result.steps.items()},
        "evidence": result.evidence,
        "error_type": result.error_type,
        "error": result.error,
        "attempts": result.attempts,
        "seconds": round(result.seconds, 3),
        "tests": [
            {
                "name": each.name,
                "status": each.status.value,
                "error_type": each.error_type,
                "error": each.error,
                "case": each.case,
            }
            for each in result.tests
        ],
        "trace": result.trace,
    }
