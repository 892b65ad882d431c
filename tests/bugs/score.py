# SPDX-License-Identifier: Apache-2.0
"""How much of the corpus the checker finds: python tests/bugs/score.py [B01 ...]

For every bug: was it named with the right rule and line, with the right rule only, did it only show (an error, a hang
or wrong output, but nothing that names it), or was it missed. For every fixed twin and control: was it left in peace.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from corpus.entries import BUGS, CLASSES, CONTROLS
from corpus.model import Bug, Build, Launch, Plain, named_lines
from corpus.running import SPIN_LIMIT, fresh_host, run_plain

FOUND, RULE_ONLY, SHOWN, MISSED = "found", "rule only", "only shown", "missed"
VERDICTS = (FOUND, RULE_ONLY, SHOWN, MISSED)


class Finding(Protocol):
    """What the checker says about a program, as far as the score looks at it."""

    @property
    def rule(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def called_from(self) -> tuple[str, int] | None: ...


class Checked(Protocol):
    """The result of a check: findings count, notes ask a person to look."""

    @property
    def findings(self) -> Sequence[Finding]: ...
    @property
    def notes(self) -> Sequence[Finding]: ...


Check = Callable[[Launch], Checked]


@dataclasses.dataclass(frozen=True)
class Said:
    """A finding, and whether the place it names is one of those the corpus marks."""

    rule: str
    place: str
    at_marked_line: bool
    is_note: bool


@dataclasses.dataclass(frozen=True)
class Examined:
    """All that was said about one twin, and how it ends without checks."""

    said: tuple[Said, ...]
    ending: Plain


def find_check() -> Check | None:
    """The checker, if this version of tilewright has one."""
    try:
        from tilewright.check import check_program
    except ImportError:
        return None

    return lambda launch: check_program(launch.io_tensors, launch.program, spin_limit=SPIN_LIMIT)


def examine(build: Build, arch: str, *, fixed: bool, check: Check | None) -> Examined:
    """One twin without and with the checker, each time on a chip of its own."""
    ending = run_plain(build, arch, fixed=fixed).plain
    said: list[Said] = []
    if check is not None and ending is not Plain.COMPILE_ERROR:
        with fresh_host(arch, fixed=fixed) as host:
            for launch in build(host):
                checked = check(launch)
                said += [_located(finding, launch, is_note=False) for finding in checked.findings]
                said += [_located(finding, launch, is_note=True) for finding in checked.notes]
    return Examined(tuple(said), ending)


def _located(finding: Finding, launch: Launch, *, is_note: bool) -> Said:
    """Where a helper is to blame, both its line and the kernel's own count."""
    marked = {(kernel.name, line) for kernel in launch.program.kernels for line in named_lines(kernel.kernel_source)}
    lines = [finding.line, finding.called_from[1] if finding.called_from else 0]
    place = f"{finding.kernel}:{finding.line}" if finding.kernel else "the program"
    return Said(finding.rule, place, any((finding.kernel, line) in marked for line in lines), is_note)


def verdict_on(bug: Bug, examined: Examined) -> str:
    """What the findings on the buggy twin are worth."""
    named = [said for said in examined.said if said.rule in bug.rules]
    if any(said.at_marked_line or not bug.in_kernel for said in named):
        return FOUND
    if named:
        return RULE_ONLY
    return SHOWN if examined.said or examined.ending is not Plain.RIGHT else MISSED


def score(only: Sequence[str], check: Check | None) -> list[dict[str, Any]]:
    """One row per bug or control and chip, printed as it comes."""
    rows: list[dict[str, Any]] = []
    for bug in BUGS:
        if only and bug.id not in only:
            continue
        for arch in bug.archs:
            buggy = examine(bug.build, arch, fixed=False, check=check)
            fixed = examine(bug.build, arch, fixed=True, check=check)
            rows.append(_row(bug.id, bug.bug_class, bug.title, arch, verdict_on(bug, buggy), fixed, buggy))
            rows[-1]["rules"] = list(bug.rules)
            rows[-1]["not_expressible"] = bug.not_expressible
            _print_row(rows[-1])
    for control in CONTROLS:
        if only and control.id not in only:
            continue
        for arch in control.archs:
            examined = examine(control.build, arch, fixed=True, check=check)
            rows.append(_row(control.id, "controls", control.title, arch, "", examined, None))
            _print_row(rows[-1])
    return rows


def _row(
    id: str, of_class: str, title: str, arch: str, verdict: str, right: Examined, wrong: Examined | None
) -> dict[str, Any]:
    return {
        "id": id,
        "class": of_class,
        "title": title,
        "arch": arch,
        "verdict": verdict,
        "said": [f"{said.rule} at {said.place}" for said in wrong.said] if wrong else [],
        "plain": wrong.ending.value if wrong else "",
        "false_alarms": [f"{said.rule} at {said.place}" for said in right.said if not said.is_note],
        "notes": [f"{said.rule} at {said.place}" for said in right.said if said.is_note],
        "right_twin": right.ending.value,
    }


def _print_row(row: dict[str, Any]) -> None:
    print(f"{row['id']:5} {row['verdict'] or 'control':11} {row['title']}", file=sys.stderr)
    if row["verdict"] in (RULE_ONLY, SHOWN, MISSED):
        print(f"      wanted {' or '.join(row['rules'])}; said {row['said'] or 'nothing'}", file=sys.stderr)
    for alarm in row["false_alarms"]:
        print(f"      false alarm: {alarm}", file=sys.stderr)
    for note in row["notes"]:
        print(f"      note on the right program: {note}", file=sys.stderr)
    if row["right_twin"] != Plain.RIGHT.value:
        print(f"      the right program ends with: {row['right_twin']}", file=sys.stderr)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Bugs per class and verdict, and right programs with false alarms and with notes."""
    lines = [
        f"{'class':14} {'bugs':>5} "
        + " ".join(f"{verdict:>11}" for verdict in VERDICTS)
        + f" {'false alarms':>13} {'notes':>6}"
    ]
    for name in [*(bug_class.name for bug_class in CLASSES), "controls", "all"]:
        of_class = [row for row in rows if name in (row["class"], "all")]
        if not of_class:
            continue
        verdicts = Counter(row["verdict"] for row in of_class if row["verdict"])
        alarms, notes = (sum(bool(row[kind]) for row in of_class) for kind in ("false_alarms", "notes"))
        counts = " ".join(f"{verdicts[verdict]:>11}" for verdict in VERDICTS)
        lines.append(f"{name:14} {verdicts.total():>5} {counts} {alarms:>13} {notes:>6}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("ids", nargs="*", metavar="ID", help="bugs and controls to look at; all unless said")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per bug or control instead of a table"
    )
    options = parser.parse_args(arguments)
    known = {bug.id for bug in BUGS} | {control.id for control in CONTROLS}
    unknown = [id for id in options.ids if id not in known]
    if unknown:
        parser.error(f"there is no {unknown[0]}; known are {', '.join(sorted(known))}")
    check = find_check()
    if check is None:
        print(
            "this tilewright has no tilewright.check.check_program: plain runs only, nothing is named", file=sys.stderr
        )
    rows = score(options.ids, check)
    print(json.dumps(rows, indent=2) if options.json else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
