# SPDX-License-Identifier: Apache-2.0
"""``tilewright log audit``: what execution logs say against themselves, and what they claim without proof."""

from __future__ import annotations

import argparse
import dataclasses
import textwrap
from collections.abc import Sequence
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import error_object, json_text
from tilewright._logs.audit.auditing import RULES, AuditFinding, at_lines, audit_log
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._logs.events import Entry
from tilewright._logs.execution_log import ExecutionLog
from tilewright._logs.reading import parse_log, specification_buffers
from tilewright._rules import Severity
from tilewright._workshop.home import built_in_names, find_operation
from tilewright._workshop.operation_log import NothingRunError, operation_log
from tilewright._workshop.required_buffers import required_buffers


class _UsageError(Exception):
    """A file that cannot be audited; the message says why."""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "log audit",
        "Report contradictions and unproven claims in execution logs, with their lines. A log is a Markdown file, "
        "computed or written by hand, or an operation, whose log is computed from its breadcrumbs.\n\n"
        "Exit status: 0 nothing found, 1 findings, 2 bad usage.",
        """
        tilewright log audit my_op_log.md
        tilewright log audit my_op.py
        tilewright log audit my_op_log.md --spec my_op.py
        tilewright log audit --json logs/*.md
        tilewright log audit --rules
        """,
    )
    parser.add_argument(
        "logs", nargs="*", metavar="LOG", help="Markdown log, file with a declaration, or shipped operation"
    )
    parser.add_argument(
        "--spec",
        type=Path,
        metavar="FILE",
        help="specification whose circular buffers are compared with the log's: a declaration, or a table in Markdown",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--rules", action="store_true", help="list the rules and exit")
    return parser


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise _UsageError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _UsageError(f"{path}: not UTF-8 text (byte {error.start})") from error
    if not any(line.startswith("#") for line in text.splitlines()):
        raise _UsageError(f"{path}: not an execution log: it has no Markdown heading")
    return text


@dataclasses.dataclass(frozen=True)
class _Audited:
    """A log, and the lines its facts stand on."""

    log: ExecutionLog
    source: tuple[str, ...]


def _audited(given: str) -> _Audited:
    """The log of a file, or of an operation: that one is not read from what it was rendered to."""
    if given.partition(":")[0].endswith(".py") or (given in built_in_names() and not Path(given).exists()):
        home = find_operation(given)
        try:
            log = operation_log(home)
        except NothingRunError as error:
            raise _UsageError(str(error)) from error
        return _Audited(log, Breadcrumbs(home.breadcrumbs).lines())
    text = _read(Path(given))
    return _Audited(parse_log(text), tuple(text.replace("\r\n", "\n").split("\n")))


def _specification(path: Path | None, log: ExecutionLog) -> tuple[Entry, ...]:
    if path is None:
        return ()
    if path.suffix == ".py" or str(path) in built_in_names():
        return required_buffers(find_operation(str(path)), log)
    required = specification_buffers(_read(path))
    if not required:
        raise _UsageError(
            f"{path}: no table of circular buffers (a column for the CB and one named Capacity, or Page size and "
            "Num pages)"
        )
    return required


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.rules:
        _print_rules(options.json)
        return 0
    if not options.logs:
        parser.error("LOG is missing: name at least one execution log")
    try:
        logs = {given: _audited(given) for given in options.logs}
        audited = {
            given: audit_log(each.log, _specification(options.spec, each.log), each.source)
            for given, each in logs.items()
        }
    except _UsageError as error:
        parser.error(str(error))
    if options.json:
        records = [{"log": given, "findings": list(map(_as_json, audited[given]))} for given in audited]
        found = sum(map(len, audited.values()))
        wrong = error_object("Findings", f"{found} findings in {len(audited)} logs") if found else None
        print(json_text("log audit", {"logs": records}, 1 if found else 0, wrong))
    else:
        for given, findings in audited.items():
            _print(given, findings)
    return 1 if any(audited.values()) else 0


def _print_rules(as_json: bool) -> None:
    if as_json:
        print(
            json_text(
                "log audit",
                {
                    "rules": {
                        name: {"severity": str(rule.severity), "looks_for": rule.looks_for}
                        for name, rule in RULES.items()
                    }
                },
            )
        )
        return
    width = max(map(len, RULES)) + 2
    for name, rule in RULES.items():
        text = f"{name:<{width}}{rule.severity!s:<9}{rule.looks_for}"
        print(textwrap.fill(text, 80, subsequent_indent=" " * (width + 9)))


def _as_json(finding: AuditFinding) -> dict[str, object]:
    return {**dataclasses.asdict(finding), "severity": str(finding.severity)}


def _print(given: str, findings: Sequence[AuditFinding]) -> None:
    if not findings:
        print(f"{given}: nothing found")
        return
    counts = [(str(each), sum(finding.severity is each for finding in findings)) for each in Severity]
    print(f"{given}: " + ", ".join(f"{count} {name}{'s' if count > 1 else ''}" for name, count in counts if count))
    for finding in findings:
        print(f"\n  {finding.severity!s}: {finding.rule}" + (f"  ({at_lines(finding.lines)})" if finding.lines else ""))
        if finding.quote:
            print("    > " + textwrap.shorten(finding.quote, 74, placeholder=" ..."))
        print(textwrap.fill(finding.why, 80, initial_indent="    ", subsequent_indent="    "))
    print()
