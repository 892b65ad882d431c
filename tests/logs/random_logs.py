# SPDX-License-Identifier: Apache-2.0
"""Execution logs made by chance, with every character that means something to Markdown."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

from tilewright._logs import vocabulary
from tilewright._logs.model import (
    Artifact,
    Attempt,
    Buffer,
    BufferTable,
    Commit,
    ComplianceRow,
    Deviation,
    ExecutionLog,
    Feedback,
    InputField,
    KernelRow,
    Metadata,
    RecoveryRow,
    Requirement,
    Said,
    Stage,
    StageAttempts,
    Step,
    SyncRow,
    SyncTable,
    TestCount,
    TestResult,
    WorkRow,
)

Fact = TypeVar("Fact")

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

    def several(self, make: Callable[[], Fact]) -> tuple[Fact, ...]:
        return tuple(make() for _ in range(self.random.randrange(4)))

    def maybe(self, make: Callable[[], Fact]) -> Fact | None:
        return make() if self.random.random() < 0.7 else None

    def said(self) -> Said:
        return Said(self.word())

    def step(self) -> Step:
        return Step(self.random.choice(vocabulary.STEPS), self.word())

    def attempt(self, number: int) -> Attempt:
        text = self.text
        phase = self.random.choice(["", *vocabulary.PHASES])
        return Attempt(
            *(number, phase, text(), text(), text(), text(), text()),
            *(self.several(self.step), text(), text(), text(), text(), text(), self.several(self.said)),
        )

    def stage(self, number: int) -> Stage:
        attempts = tuple(self.attempt(attempt) for attempt in range(1, self.random.randrange(1, 4)))
        return Stage(number, self.text(), self.maybe(self.said), attempts, self.several(self.step))

    def number(self) -> int:
        return self.random.randrange(20)

    def index(self) -> str:
        return f"c_{self.random.randrange(32)}"

    def feedback(self) -> Feedback:
        return Feedback(self.text(), self.text(), self.text(), self.text())

    def log(self) -> ExecutionLog:
        text, several, maybe, index, number = self.text, self.several, self.maybe, self.index, self.number
        return ExecutionLog(
            metadata=Metadata(*(maybe(self.said) for _ in range(9))),
            inputs=several(lambda: InputField(text(), text(), text(), text(), text())),
            requirements=several(lambda: Requirement(index(), text(), text(), text(), text(), text(), text())),
            stages=tuple(self.stage(stage) for stage in sorted(self.random.sample(range(8), self.random.randrange(5)))),
            tests=several(lambda: TestResult(text(), text(), maybe(number), text())),
            test_counts=several(lambda: TestCount(number(), number(), number(), maybe(number))),
            steps=several(self.step),
            buffer_tables=several(
                lambda: BufferTable(self.word(), several(lambda: Buffer(index(), *(text() for _ in range(6)))))
            ),
            sync_tables=several(
                lambda: SyncTable(self.word(), several(lambda: SyncRow(index(), *(text() for _ in range(5)))))
            ),
            kernels=several(lambda: KernelRow(text(), text(), text(), text(), text())),
            work=several(lambda: WorkRow(text(), text(), text())),
            recovery=several(lambda: RecoveryRow(text(), text(), text(), text(), text(), text())),
            stage_attempts=several(lambda: StageAttempts(number(), number())),
            deviations=several(lambda: Deviation(text(), text(), text())),
            denials=(Said("None: " + text()),) if self.random.random() < 0.5 else (),
            compliance=several(lambda: ComplianceRow(text(), text(), text(), text())),
            artifacts=several(lambda: Artifact(text(), text(), maybe(number), text())),
            handover=several(self.said),
            feedback=several(self.feedback),
            improvements=several(self.feedback),
            commits=several(lambda: Commit(text(), text(), text(), text(), text())),
            promises=several(lambda: Said("Commits will be made " + text())),
            summary=several(self.said),
        )
