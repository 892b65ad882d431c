# SPDX-License-Identifier: Apache-2.0
"""How much of the corpus the checker finds: python -m tests.bugs.score [B01 ...]

For every bug: was it named with the right rule and line, with the right rule only, did it only show (an error, a hang
or wrong output, but nothing that names it), or was it missed. For every fixed twin and control: was it left in peace.
With --random N also for N random legal programs of each family, and for N with each of the family's faults.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tests.bugs.corpus.entries import BUGS, CLASSES, CONTROLS
from tests.bugs.corpus.examine import (
    MISSED,
    RULE_ONLY,
    SHOWN,
    VERDICTS,
    Check,
    Examined,
    examine,
    find_check,
    verdict_on,
)
from tests.bugs.corpus.model import WORMHOLE, Plain
from tests.bugs.generated.examination import faulty_programs, legal_programs
from tests.bugs.generated.families import FAMILIES


def score(only: Sequence[str], check: Check) -> list[dict[str, Any]]:
    """One row per bug or control and chip, printed as it comes."""
    rows: list[dict[str, Any]] = []
    for bug in BUGS:
        if only and bug.id not in only:
            continue
        for arch in bug.archs:
            buggy = examine(bug.build, arch, fixed=False, check=check)
            fixed = examine(bug.build, arch, fixed=True, check=check)
            rows.append(
                _row(
                    bug.id,
                    bug.bug_class,
                    bug.title,
                    arch,
                    verdict_on(bug.rules, buggy, in_kernel=bug.in_kernel),
                    fixed,
                    buggy,
                )
            )
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


def score_random(count: int, check: Check) -> list[dict[str, Any]]:
    """A row for each random legal program, ``count`` of every family, and for as many with each of its faults."""
    rows: list[dict[str, Any]] = []
    for family in FAMILIES:
        group = f"legal {family.name}"
        for number, legal in enumerate(legal_programs(family, WORMHOLE, count, check)):
            rows.append(_row(f"L{number}", group, family.name, WORMHOLE, "", legal.examined, None))
            _print_alarms(rows[-1])
        for fault in family.faults:
            results = faulty_programs(family, fault, count, check)
            for number, faulty in enumerate(results):
                group = f"faulty {family.name}"
                arch = fault.archs[0]
                rows.append(_row(f"F{number}", group, fault.title, arch, faulty.verdict, _NOTHING, faulty.examined))
                rows[-1]["rules"] = list(faulty.rules)
            verdicts = Counter(faulty.verdict for faulty in results)
            said = ", ".join(f"{times} {verdict}" for verdict, times in sorted(verdicts.items()))
            print(f"{family.name:10} {fault.title:24} {said}", file=sys.stderr)
    return rows


_NOTHING = Examined((), Plain.RIGHT)


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
    _print_alarms(row)


def _print_alarms(row: dict[str, Any]) -> None:
    for alarm in row["false_alarms"]:
        print(f"      false alarm: {alarm}", file=sys.stderr)
    for note in row["notes"]:
        print(f"      note on the right program: {note}", file=sys.stderr)
    if row["right_twin"] != Plain.RIGHT.value:
        print(f"      the right program ends with: {row['right_twin']}", file=sys.stderr)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Bugs per class and verdict, and right programs with false alarms and with notes."""
    lines = [
        f"{'class':17} {'programs':>8} "
        + " ".join(f"{verdict:>11}" for verdict in VERDICTS)
        + f" {'false alarms':>13} {'notes':>6}"
    ]
    generated = [f"{kind} {family.name}" for kind in ("legal", "faulty") for family in FAMILIES]
    for name in [*(bug_class.name for bug_class in CLASSES), "controls", "all", *generated]:
        of_class = [row for row in rows if name == row["class"] or (name == "all" and row["class"] not in generated)]
        if not of_class:
            continue
        verdicts = Counter(row["verdict"] for row in of_class if row["verdict"])
        alarms, notes = (sum(bool(row[kind]) for row in of_class) for kind in ("false_alarms", "notes"))
        counts = " ".join(f"{verdicts[verdict]:>11}" for verdict in VERDICTS)
        lines.append(f"{name:17} {len(of_class):>8} {counts} {alarms:>13} {notes:>6}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("ids", nargs="*", metavar="ID", help="bugs and controls to look at; all unless said")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per bug or control instead of a table"
    )
    parser.add_argument(
        "--random",
        type=int,
        default=0,
        metavar="N",
        help="also N random legal programs of each family, and N with each of its faults",
    )
    options = parser.parse_args(arguments)
    known = {bug.id for bug in BUGS} | {control.id for control in CONTROLS}
    unknown = [id for id in options.ids if id not in known]
    if unknown:
        parser.error(f"there is no {unknown[0]}; known are {', '.join(sorted(known))}")
    check = find_check()
    rows = score(options.ids, check)
    if options.random:
        rows += score_random(options.random, check)
    print(json.dumps(rows, indent=2) if options.json else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
