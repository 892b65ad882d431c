# SPDX-License-Identifier: Apache-2.0
"""Audits execution logs.

>>> [finding.rule for finding in audit_log("# Execution log: scale\\n\\n## Git\\nCommits will be made later.\\n")][-1]
'commit-promised'
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ops.plan import Plan

# Importing the rules registers them.
from tilewright.workshop.audit import buffer_rules, record_rules, stage_rules
from tilewright.workshop.audit.finding import RULES, Case, Finding
from tilewright.workshop.log.markdown import read_sections
from tilewright.workshop.log.model import Buffer, Requirement
from tilewright.workshop.log.reading import parse_log
from tilewright.workshop.log.reading_buffers import read_buffer_tables, read_requirements
from tilewright.workshop.spec.expressions import page_count
from tilewright.workshop.spec.model import BufferSpec, Spec
from tilewright.workshop.spec.planned import buffer_pages, smallest_plan

__all__ = [
    "RULES",
    "Finding",
    "audit_log",
    "buffer_rules",
    "record_rules",
    "spec_buffers",
    "specification_buffers",
    "stage_rules",
]


def audit_log(text: str, specification: Sequence[Requirement] = ()) -> list[Finding]:
    """What is wrong with an execution log, in the order of its lines."""
    case = Case(parse_log(text), tuple(text.replace("\r\n", "\n").split("\n")), tuple(specification))
    findings = [finding for rule in RULES.values() for finding in rule.findings(case)]
    return sorted(findings, key=lambda finding: (finding.lines, finding.rule))


def specification_buffers(text: str) -> tuple[Requirement, ...]:
    """The circular buffers a specification in Markdown asks for: its tables with a capacity or a number of pages."""
    sections = read_sections(text)
    tables = read_buffer_tables(sections)
    return read_requirements(sections) or tuple(_required(row) for table in tables[:1] for row in table.rows)


def spec_buffers(spec: Spec, text: str) -> tuple[Requirement, ...]:
    """The circular buffers a spec.toml asks for, as a log counts them: in numbers for its smallest case, or in Wt."""
    plan = smallest_plan(spec)
    counted = {row.index for row in parse_log(text).buffers if row.num_pages.strip().isdigit()}
    return tuple(_asked_for(each, plan, f"c_{each.index}" in counted) for each in spec.buffers)


def _asked_for(buffer: BufferSpec, plan: Plan, in_numbers: bool) -> Requirement:
    index = f"c_{buffer.index}"
    if in_numbers:
        pages, page_bytes = buffer_pages(buffer, plan)
        return Requirement(index, buffer.purpose, str(pages), f"{page_bytes} B", line=buffer.place.line)
    # A row is one block where nothing is said about blocks.
    pages_of_row = page_count(buffer.pages).formula("Wt", "Wt", is_partial=False)
    return Requirement(index, buffer.purpose, pages_of_row, f"{buffer.page}_size", line=buffer.place.line)


def _required(row: Buffer) -> Requirement:
    return Requirement(row.index, row.purpose, row.num_pages, row.page_size, line=row.line)
