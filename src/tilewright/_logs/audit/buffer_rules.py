# SPDX-License-Identifier: Apache-2.0
"""Rules about circular buffers: their tables and their specification."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright._logs.amounts import differences
from tilewright._logs.audit.auditing import AuditedLog, Hit, at_lines, rule
from tilewright._rules import Severity


@rule("cb-rows-missing", Severity.WARNING, "circular buffers that are in no table of pushes and pops")
def cb_rows_missing(audited: AuditedLog) -> Iterator[Hit]:
    sync, buffers = audited.log.of("cb_sync_check"), audited.log.buffers
    shown = {row.text("index") for row in sync}
    if not sync or any(index.lower().startswith("all") for index in shown):
        return
    missing = [index for index in buffers if index not in shown and not audited.declares(index)]
    if missing:
        lines = (sync[0].line, *(buffers[index].line for index in missing))
        counts = f"{len(shown)} of {len(buffers)}"
        yield lines, f"pushes and pops are shown for {counts} circular buffers; missing: {', '.join(missing)}"


@rule("deviation-undeclared", Severity.ERROR, "an undeclared difference from the specification's buffers")
def deviation_undeclared(audited: AuditedLog) -> Iterator[Hit]:
    configured = audited.log.buffers
    denial = [row.line for row in audited.log.of("denial")]
    after = f", and {at_lines(denial)} says there are no deviations" if denial else ", and no deviation is declared"
    for index, what in differences(audited.requirements, configured):
        if not audited.declares(index):
            yield (configured[index].line if index in configured else 0, *denial), what + after


@rule("deviation-unproven", Severity.WARNING, '"no deviations" without anything to compare')
def deviation_unproven(audited: AuditedLog) -> Iterator[Hit]:
    if audited.requirements or any(row.text("source") for row in audited.log.of("cb_config")):
        return
    for row in audited.log.of("denial"):
        why = "neither the specification's circular buffers nor the source of any figure is shown"
        yield (row.line,), f"no deviations, it says, but {why} (give the specification with --spec to compare)"


@rule("sync-unshown", Severity.WARNING, "pushes and pops said to match where no table shows them")
def sync_unshown(audited: AuditedLog) -> Iterator[Hit]:
    for sentence in audited.log.prose if not audited.log.of("cb_sync_check") else ():
        if re.search(r"verified\b.*(push|pop)", sentence.text, re.I):
            yield (sentence.line,), "pushes and pops are said to match, but nowhere shown"
