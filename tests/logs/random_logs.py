# SPDX-License-Identifier: Apache-2.0
"""Random execution logs, with every character that means something to Markdown."""

from __future__ import annotations

import random

from tilewright._logs.events import ATTEMPT_FIELDS, STEPS, TABLES, Entry, Said
from tilewright._logs.execution_log import METADATA, ExecutionLog, StageRecord, by_event

_PIECES = [
    *"|`*\\<>&#-_+~.:()[]{}!\"'/=%\n\r\t ",
    *("**", "```", "<br>", "&amp;", "&#35;", "\\|", "1. ", "- ", "## ", "\u2028", "\x85", "\xa0", "✅", "→", "µ"),
    *("Wt", "2*Wt", "reduce<SUM>", "c_0", "H1", "none", "stage 4", "PASS", "page", "tile-row", "a", "word"),
]


class RandomLog:
    """Makes pieces of logs from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self) -> str:
        """Any text, perhaps empty."""
        return "".join(self.random.choices(_PIECES, k=self.random.randrange(8)))

    def word(self) -> str:
        """Any text that says something."""
        return self.text() + self.random.choice(["x", "Wt", "`code`", "|"])

    def chance(self) -> bool:
        return self.random.random() < 0.6

    def number(self) -> str:
        return str(self.random.randrange(20))

    def row(self, event: str) -> Entry:
        fields = {name: self.word() for name in TABLES[event] if self.chance()}
        if event.startswith("cb_"):
            fields["index"] = f"c_{self.random.randrange(32)}"
        if event == "test" and "stage" in fields:
            fields["stage"] = self.number()
        return Entry(event, fields or {next(iter(TABLES[event])): "x"})

    def counted(self, event: str, *names: str) -> Entry:
        return Entry(event, {name: self.number() for name in names})

    def stage(self, number: int) -> StageRecord:
        attempts = []
        for attempt in range(1, self.random.randrange(1, 4)):
            fields = {"number": str(attempt), "phase": self.random.choice(["", "RED", "GREEN"])}
            fields |= {name: self.word() for name in ("title", *ATTEMPT_FIELDS) if self.chance()}
            attempts.append(Entry("attempt", {name: text for name, text in fields.items() if text}))
        status = Said(self.word()) if self.chance() else None
        return StageRecord(number, self.text(), status, tuple(attempts))

    def log(self) -> ExecutionLog:
        rows = [self.row(event) for event in TABLES for _ in range(self.random.randrange(4))]
        for _ in range(self.random.randrange(3)):
            rows.append(self.counted("test_count", *["stage"][: self.chance()], "passed", "failed", "skipped"))
            rows.append(self.counted("attempt_count", "stage", "count"))
            rows.append(Entry("step", {"name": self.random.choice(STEPS), "status": self.word()}))
            rows.append(Entry("handoff", {"text": self.word()}))
            rows.append(Entry("note", {"text": self.word()}))
            rows.append(Entry("promise", {"text": "Commits will be made " + self.text()}))
        rows += [Entry("denial", {"text": "None: " + self.text()})] if self.chance() else []
        numbers = sorted(self.random.sample(range(8), self.random.randrange(5)))
        metadata = {name: Said(self.word()) for name in METADATA if self.chance()}
        return ExecutionLog({"operation": Said("scale"), **metadata}, tuple(map(self.stage, numbers)), by_event(rows))
