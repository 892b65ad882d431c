# SPDX-License-Identifier: Apache-2.0
"""Findings as SARIF 2.1.0, which editors and code hosts show at the lines they are about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tilewright import __version__
from tilewright._rules import RULES, Severity
from tilewright.check._finding import Finding
from tilewright.check._silence import SilencedFinding

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def sarif_log(findings: Sequence[Finding], silenced: Sequence[SilencedFinding] = ()) -> dict[str, Any]:
    """The log as a JSON object; silenced findings are in it as suppressed ones."""
    used = sorted({each.rule for each in (*findings, *(each.finding for each in silenced))}, key=list(RULES).index)
    results = [_result(finding, used) for finding in findings]
    for each in silenced:
        suppression = {"kind": "inSource", "justification": each.reason}
        results.append({**_result(each.finding, used), "suppressions": [suppression]})
    driver = {"name": "tilewright", "version": __version__, "rules": [_rule(rule) for rule in used]}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _rule(rule_id: str) -> dict[str, Any]:
    rule = RULES[rule_id]
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.on_a_card},
        "help": {"text": rule.cure},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, used: Sequence[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": used.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.numbers}\n{finding.cause} {finding.cure}"},
        "properties": {
            "kernel": finding.kernel,
            "circularBuffer": finding.cb,
            "cores": [f"({x},{y})" for x, y in finding.cores],
            "count": finding.count,
            "seed": finding.seed,
        },
    }
    if finding.path:
        result["locations"] = [sarif_location(finding.path, finding.line)]
    related = [finding.called_from] if finding.called_from is not None else []
    if finding.related is not None:
        related.append((finding.related.path, finding.related.line))
    if related:
        result["relatedLocations"] = [
            {"id": number, **sarif_location(*place)} for number, place in enumerate(related, 1)
        ]
    return result


def sarif_location(path: str, line: int) -> dict[str, Any]:
    """A line of a file, or the whole file."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(Path(path))}}
    if line:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}


def _uri(path: Path) -> str:
    """Relative to the current directory where the file lies below it, as code hosts want it."""
    try:
        return quote(path.resolve().relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.resolve().as_uri()
