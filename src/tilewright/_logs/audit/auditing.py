# SPDX-License-Identifier: Apache-2.0
"""The audit of an execution log.

>>> [finding.rule for finding in audit_text("# Execution log: scale\\n\\n## Git\\nCommits will be made later.\\n")][-1]
'commit-promised'
"""

from __future__ import annotations

from collections.abc import Sequence

# Importing the rules registers them.
from tilewright._logs.audit import buffer_rules, record_rules, stage_rules
from tilewright._logs.audit.finding import RULES, AuditedLog, AuditFinding
from tilewright._logs.events import Entry
from tilewright._logs.execution_log import ExecutionLog
from tilewright._logs.reading import parse_log
from tilewright._tensor.argument import items, require

__all__ = ["RULES", "AuditFinding", "audit_log", "audit_text", "buffer_rules", "record_rules", "stage_rules"]


def audit_log(log: ExecutionLog, specification: Sequence[Entry] = (), source: Sequence[str] = ()) -> list[AuditFinding]:
    """What is wrong with an execution log, in the order of its lines.

    Args:
        specification: the circular buffers it is held against.
        source: the lines its facts name, to quote them: of the text it was read from, or of its breadcrumbs.
    """
    required = items("specification", specification, "a list of Entry")
    for index, each in enumerate(required):
        require(f"specification[{index}]", each, Entry, "an Entry")
    audited = AuditedLog(require("log", log, ExecutionLog, "an ExecutionLog"), tuple(required), tuple(source))
    findings = [finding for rule in RULES.values() for finding in rule.findings(audited)]
    return sorted(findings, key=lambda finding: (finding.lines, finding.rule))


def audit_text(text: str, specification: Sequence[Entry] = ()) -> list[AuditFinding]:
    """What is wrong with an execution log in Markdown."""
    return audit_log(parse_log(text), specification, text.replace("\r\n", "\n").split("\n"))
