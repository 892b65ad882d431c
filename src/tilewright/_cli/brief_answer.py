# SPDX-License-Identifier: Apache-2.0
"""Short answers for agents: of a command's JSON object, what decides the next step.

Passed stages are names, findings have place, numbers and cure, launches have their figures without lists of processors.
Long texts and lists are cut, and say so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Answer = dict[str, Any]
_MOST_TEXT = 1200
_MOST_ITEMS = 8
_FINDING_TEXT = 300
_DIGITS = 6


def brief_answer(answer: Answer) -> Answer:
    """The short form of what a command prints with ``--json``."""
    parts = {"stages": _stages, "findings": _findings, "notes": _rules, "silenced": len, "launches": _launches}
    found = {}
    for name, value in answer.items():
        known = parts.get(name) if isinstance(value, list) else None
        found[name] = known(value) if known is not None and value else _cut(value)
    return {name: value for name, value in found.items() if name == "error" or value not in (None, [], {}, "", 0)} | {
        "exit_status": answer.get("exit_status", 0)
    }


def compact(answer: Answer) -> str:
    """An answer as one line of JSON."""
    return json.dumps(answer, separators=(",", ":"), ensure_ascii=False, default=str)


def _stages(stages: list[Any]) -> list[Any]:
    return [
        {"stage": each.get("stage"), "status": each.get("status")} if each.get("status") == "PASS" else _cut(each)
        for each in stages
    ]


def _findings(findings: list[Any]) -> list[Any]:
    kept = [
        {
            "rule": each["rule"],
            "severity": each["severity"],
            "place": f"{each['kernel']} {Path(each['path']).name}:{each['line']}".strip(),
            "cb": each["cb"],
            "count": each["count"],
            "numbers": _text(each["numbers"], _FINDING_TEXT),
            "cure": each["cure"],
        }
        for each in findings[:_MOST_ITEMS]
    ]
    return _with_rest(kept, len(findings))


def _rules(notes: list[Any]) -> list[Any]:
    return sorted({each["rule"] for each in notes})


def _launches(launches: list[Any]) -> list[Any]:
    """Figures and texts of each launch, and the sentence that says what bounds it and what would help."""
    kept = []
    for each in launches[:_MOST_ITEMS]:
        if not isinstance(each, dict):
            return [_cut(each) for each in launches[:_MOST_ITEMS]]
        figures = {name: _cut(value) for name, value in each.items() if not isinstance(value, dict | list)}
        sentence = (each.get("advice") or {}).get("sentence")
        kept.append(_without_empty(figures) | ({"advice": sentence} if sentence else {}))
    return _with_rest(kept, len(launches))


def _cut(value: Any) -> Any:
    """A value with long texts and lists cut."""
    if isinstance(value, str):
        return _text(value, _MOST_TEXT)
    if isinstance(value, list):
        return _with_rest([_cut(each) for each in value[:_MOST_ITEMS]], len(value))
    if isinstance(value, dict):
        return _without_empty({name: _cut(each) for name, each in value.items()})
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _without_empty(parts: Answer) -> Answer:
    return {name: each for name, each in parts.items() if each not in (None, [], {}, "")}


def _text(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ... ({len(text) - most} more characters)"


def _with_rest(kept: list[Any], count: int) -> list[Any]:
    return kept if len(kept) == count else [*kept, f"... and {count - len(kept)} more; brief=false has all"]
