# SPDX-License-Identifier: Apache-2.0
"""Audits execution logs.

>>> [finding.rule for finding in audit_text("# Execution log: scale\\n\\n## Git\\nCommits will be made later.\\n")][-1]
'commit-promised'
"""

from __future__ import annotations

from collections.abc import Sequence

# Importing the rules registers them.
from tilewright._logs.audit import buffer_rules, record_rules, stage_rules
from tilewright._logs.audit.finding import RULES, Case, Finding
from tilewright._logs.markdown import read_sections
from tilewright._logs.model import Buffer, ExecutionLog, Requirement
from tilewright._logs.reading import parse_log
from tilewright._logs.reading_buffers import read_buffer_tables, read_requirements
from tilewright._tensor.argument import items, require

__all__ = [
    "RULES",
    "Finding",
    "audit_log",
    "audit_text",
    "buffer_rules",
    "record_rules",
    "specification_buffers",
    "stage_rules",
]


def audit_log(
    log: ExecutionLog, specification: Sequence[Requirement] = (), source: Sequence[str] = ()
) -> list[Finding]:
    """What is wrong with an execution log, in the order of its lines.

    ``source`` are the lines its facts name, to quote them: of the text it was read from, or of its breadcrumbs.
    """
    required = items("specification", specification, "a list of Requirement")
    for index, each in enumerate(required):
        require(f"specification[{index}]", each, Requirement, "a Requirement")
    case = Case(require("log", log, ExecutionLog, "an ExecutionLog"), tuple(required), tuple(source))
    findings = [finding for rule in RULES.values() for finding in rule.findings(case)]
    return sorted(findings, key=lambda finding: (finding.lines, finding.rule))


def audit_text(text: str, specification: Sequence[Requirement] = ()) -> list[Finding]:
    """What is wrong with an execution log in Markdown."""
    return audit_log(parse_log(text), specification, text.replace("\r\n", "\n").split("\n"))


def specification_buffers(text: str) -> tuple[Requirement, ...]:
    """The circular buffers a specification in Markdown asks for: its tables with a capacity or a number of pages."""
    sections = read_sections(text)
    tables = read_buffer_tables(sections)
    return read_requirements(sections) or tuple(_required(row) for table in tables[:1] for row in table.rows)


def _required(row: Buffer) -> Requirement:
    return Requirement(row.index, row.purpose, row.num_pages, row.page_size, line=row.line)
