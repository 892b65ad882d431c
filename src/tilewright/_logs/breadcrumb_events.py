# SPDX-License-Identifier: Apache-2.0
"""The events a breadcrumbs file may hold, and what each says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tilewright._errors import TilewrightError
from tilewright._logs import vocabulary


class BreadcrumbError(TilewrightError):
    """An event that is not in the vocabulary, or says something it may not."""

    exit_status = 2


@dataclass(frozen=True)
class Rule:
    """What a field of an event may hold: text, a number, a flag, a list of either, or one of some words."""

    kind: str
    required: bool = False
    words: tuple[str, ...] = ()

    def complaint(self, value: object) -> str:
        """What is wrong with a value, or ''."""
        if self.words:
            return "" if value in self.words else f"one of {', '.join(self.words)}"
        return "" if _CHECKS[self.kind](value) else self.kind


_CHECKS = {
    "text": lambda value: isinstance(value, str),
    "a whole number": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "true or false": lambda value: isinstance(value, bool),
    "a list of texts": lambda value: isinstance(value, list) and all(isinstance(entry, str) for entry in value),
    "a list of whole numbers": lambda value: isinstance(value, list) and all(type(entry) is int for entry in value),
}


def _needed(kind: str = "text", words: tuple[str, ...] = ()) -> Rule:
    return Rule(kind, True, words)


_TEXT = Rule("text")
_STAGE = _needed("a whole number")

EVENTS: Mapping[str, Mapping[str, Rule]] = {
    "start": {
        "operation": _needed(),
        "agent": _needed(),
        "stages": _needed("a list of whole numbers"),
        "predecessor": _TEXT,
        "input_files": Rule("a list of texts"),
    },
    "input_parse": {
        "field": _needed(),
        "value": _needed(),
        "confidence": _needed(words=vocabulary.CONFIDENCES),
        "source": _TEXT,
        "notes": _TEXT,
    },
    "cb_requirement": {
        "index": _needed(),
        "num_pages": _needed(),
        "page_size": _TEXT,
        "purpose": _TEXT,
        "block_size": _TEXT,
        "producer": _TEXT,
        "consumer": _TEXT,
    },
    "cb_config": {
        "index": _needed(),
        "num_pages": _needed(),
        "page_size": _needed(),
        "name": _TEXT,
        "data_format": _TEXT,
        "purpose": _TEXT,
        "source": _TEXT,
    },
    "cb_sync_check": {
        "index": _needed(),
        "push": _needed(),
        "pop": _needed(),
        "producer": _TEXT,
        "consumer": _TEXT,
        "kept": Rule("true or false"),
    },
    "work_distribution": {"parameter": _needed(), "value": _needed(), "source": _TEXT},
    "kernel_implemented": {
        "kernel": _needed(),
        "file": _needed(),
        "reads": _TEXT,
        "writes": _TEXT,
        "function": _TEXT,
    },
    "stage_start": {"stage": _STAGE, "title": _needed()},
    "attempt": {
        "stage": _STAGE,
        "action": _needed(),
        "phase": Rule("text", words=vocabulary.PHASES),
        "expected": _TEXT,
    },
    "result": {
        "stage": _STAGE,
        "step": _needed(words=vocabulary.STEPS),
        "status": _needed(words=vocabulary.RESULT_STATUSES),
        "error_type": Rule("text", words=vocabulary.ERROR_TYPES),
        "error_summary": _TEXT,
    },
    "test": {
        "stage": _STAGE,
        "name": _needed(),
        "result": _needed(words=vocabulary.RESULT_STATUSES),
        "notes": _TEXT,
    },
    "hypothesis": {
        "id": _needed(),  # given by the store: H1, H2 ...
        "stage": _STAGE,
        "description": _needed(),
        "confidence": Rule("text", words=vocabulary.CONFIDENCES),
    },
    "evidence": {"hypothesis_id": _needed(), "text": _needed()},
    "recovery": {"hypothesis_id": _needed(), "action": _needed(), "file": _TEXT},
    "note": {"text": _needed(), "stage": Rule("a whole number")},
    "deviation": {"what": _needed(), "why": _TEXT, "impact": _TEXT},
    "design_compliance": {
        "phase": _needed(),
        "directive": _needed(words=vocabulary.DIRECTIVES),
        "implementation": _needed(),
        "compliant": _needed("true or false"),
    },
    "artifact": {
        "path": _needed(),
        "change": _needed(words=vocabulary.CHANGES),
        "lines": Rule("a whole number"),
        "notes": _TEXT,
    },
    "commit": {"sha": _needed(), "message": _needed(), "files": _TEXT},
    "handoff": {"text": _needed()},
    "upstream_feedback": {"target": _needed(), "issue": _needed(), "suggestion": _TEXT, "severity": _TEXT},
    "instruction_improvement": {"target": _needed(), "issue": _needed(), "suggestion": _TEXT, "severity": _TEXT},
    "crash": {"error": _needed(), "traceback": _TEXT},
    "complete": {},
}


def check_event(event: str, fields: Mapping[str, object]) -> None:
    """Raises :class:`BreadcrumbError` unless the event exists and says what it must, and nothing else."""
    if event not in EVENTS:
        raise BreadcrumbError(f"breadcrumb event {event!r} does not exist; there are {', '.join(sorted(EVENTS))}")
    rules = EVENTS[event]
    for name, value in fields.items():
        if name not in rules:
            raise BreadcrumbError(f"breadcrumb {event!r} has no field {name!r}; it has {', '.join(rules) or 'none'}")
        wanted = rules[name].complaint(value)
        if wanted:
            raise BreadcrumbError(f"breadcrumb {event!r}: {name} is {value!r}; it must be {wanted}")
    missing = [name for name, rule in rules.items() if rule.required and name not in fields]
    if missing:
        raise BreadcrumbError(f"breadcrumb {event!r} needs {', '.join(missing)}")
