# SPDX-License-Identifier: Apache-2.0
"""``tilewright log note``: what only a person knows about a run, for its execution log."""

from __future__ import annotations

import argparse

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._logs.events import CONFIDENCES, Entry
from tilewright._workshop.home import find_operation
from tilewright._workshop.stages.stage import STAGES

_DESCRIPTION = """
Add a note, a hypothesis, evidence, a recovery, a deviation or a hand-over note to an operation's breadcrumbs.
`tilewright log` shows it in its section.
"""
_EXAMPLES = """
  tilewright log note my_op.py "gamma is read twice"
  tilewright log note my_op.py "c_1 fills up" --hypothesis --confidence HIGH
  tilewright log note my_op.py "64x64 hangs, 32x64 does not" --hypothesis H1
  tilewright log note my_op.py "pop c_1 later" --recovery H1 --file kernels.py
  tilewright log note my_op.py "c_4 has two pages" --deviation --why overlap
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("log note", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("operation", metavar="NAME", help="file with a declaration, or a shipped operation")
    parser.add_argument("text", metavar="TEXT", help="text of the note")
    parser.add_argument(
        "--stage",
        type=int,
        metavar="N",
        help="stage of the note, 1 to 7 (default of a hypothesis: the last failed stage)",
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--hypothesis",
        nargs="?",
        const="",
        metavar="H",
        help="TEXT is a suspected cause; with the id of an existing hypothesis, TEXT is evidence for it",
    )
    kind.add_argument("--recovery", metavar="H", help="TEXT is the action taken for hypothesis H")
    kind.add_argument("--deviation", action="store_true", help="TEXT is a deviation from the specification")
    kind.add_argument("--handoff", action="store_true", help="TEXT is a note for the next developer")
    parser.add_argument("--confidence", choices=CONFIDENCES, help="confidence in a hypothesis")
    parser.add_argument("--file", metavar="FILE", help="file that a recovery changed")
    parser.add_argument("--why", metavar="TEXT", help="reason of a deviation")
    parser.add_argument("--impact", metavar="TEXT", help="impact of a deviation")
    parser.add_argument("--json", action="store_true", help="print the note as JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if not options.text.strip():
        parser.error("TEXT is empty; it must say something")
    if options.stage is not None and not 1 <= options.stage <= len(STAGES):
        parser.error(f"--stage is {options.stage}; it must be 1 to {len(STAGES)}")
    for name, owner in (("file", "recovery"), ("why", "deviation"), ("impact", "deviation")):
        if getattr(options, name) is not None and not getattr(options, owner):
            parser.error(f"--{name} is for a {owner}; give --{owner} with it")
    crumbs = Breadcrumbs(find_operation(options.operation).breadcrumbs)
    crumb = _append(parser, options, crumbs)
    if options.json:
        print(json_text("log note", {"event": crumb.event, **crumb.fields}))
    else:
        print(f"{crumb.text('id') or crumb.event} noted")
    return 0


def _append(parser: argparse.ArgumentParser, options: argparse.Namespace, crumbs: Breadcrumbs) -> Entry:
    text = options.text
    if options.hypothesis is not None:
        return _hypothesis(parser, options, crumbs)
    if options.confidence:
        parser.error("--confidence is for a hypothesis; give --hypothesis with it")
    if options.recovery:
        return crumbs.append("recovery", hypothesis_id=options.recovery, action=text, file=options.file)
    if options.deviation:
        return crumbs.append("deviation", what=text, why=options.why, impact=options.impact)
    if options.handoff:
        return crumbs.append("handoff", text=text)
    return crumbs.append("note", text=text, stage=options.stage)


def _hypothesis(parser: argparse.ArgumentParser, options: argparse.Namespace, crumbs: Breadcrumbs) -> Entry:
    known = [each.text("id") for each in crumbs.read().entries if each.event == "hypothesis"]
    coming = f"H{len(known) + 1}"
    if options.hypothesis in known:
        return crumbs.append("evidence", hypothesis_id=options.hypothesis, text=options.text)
    if options.hypothesis not in ("", coming):
        parser.error(f"--hypothesis is {options.hypothesis!r}; there is {', '.join(known) or 'none'}, {coming} is next")
    stage = options.stage if options.stage is not None else _red_stage(crumbs)
    if stage is None:
        parser.error("--stage is missing: no stage is red, so say which one the hypothesis is about")
    return crumbs.append("hypothesis", stage=stage, description=options.text, confidence=options.confidence)


def _red_stage(crumbs: Breadcrumbs) -> int | None:
    """The last stage that failed."""
    red = [
        each.number("stage")
        for each in crumbs.read().entries
        if each.event == "result" and each.text("status") in ("FAIL", "HANG")
    ]
    return red[-1] if red else None
