# SPDX-License-Identifier: Apache-2.0
"""What an execution log says, each fact with the line it stands on.

Lines take no part in comparisons: two logs are equal when they say the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


def _line() -> int:
    return field(default=0, compare=False)


# The parts an execution log may have.
PARTS = (
    "metadata",
    "input interpretation",
    "timeline",
    "test results",
    "circular buffers",
    "cb synchronization",
    "recovery",
    "deviations",
    "artifacts",
    "hand-over",
    "git history",
)


@dataclass(frozen=True)
class Said:
    """A piece of text and its line."""

    text: str
    line: int = _line()


@dataclass(frozen=True)
class Metadata:
    """Who did what, from what, and how it ended."""

    operation: Said | None = None
    agent: Said | None = None
    stages: Said | None = None
    date: Said | None = None
    inputs: Said | None = None
    predecessor: Said | None = None
    status: Said | None = None
    attempts: Said | None = None
    commit: Said | None = None

    @property
    def stage_numbers(self) -> tuple[int, ...]:
        """The stages the log owns: ``4-6`` and ``4, 5, 6`` both give (4, 5, 6)."""
        return stage_numbers(self.stages.text) if self.stages else ()


@dataclass(frozen=True)
class InputField:
    """A value read out of the specification, and how sure the reader was of it."""

    name: str
    value: str
    confidence: str = ""
    source: str = ""
    notes: str = ""
    line: int = _line()


@dataclass(frozen=True)
class Requirement:
    """A circular buffer as the specification wants it."""

    index: str
    purpose: str = ""
    num_pages: str = ""
    page_size: str = ""
    block_size: str = ""
    producer: str = ""
    consumer: str = ""
    line: int = _line()


@dataclass(frozen=True)
class Step:
    """How one step of a stage went: build, kernel compilation or execution, which are never the same thing."""

    name: str
    status: str
    line: int = _line()


@dataclass(frozen=True)
class Attempt:
    """One try at a stage. ``phase`` is RED (the test must fail), GREEN or ''."""

    number: int
    phase: str = ""
    title: str = ""
    action: str = ""
    expected: str = ""
    actual: str = ""
    result: str = ""
    steps: tuple[Step, ...] = ()
    error_type: str = ""
    error_summary: str = ""
    hypothesis: str = ""
    evidence: str = ""
    recovery: str = ""
    notes: tuple[Said, ...] = ()
    line: int = _line()
    result_line: int = _line()
    error_line: int = _line()
    hypothesis_line: int = _line()


@dataclass(frozen=True)
class Stage:
    """One stage of the timeline."""

    number: int
    title: str = ""
    status: Said | None = None
    attempts: tuple[Attempt, ...] = ()
    steps: tuple[Step, ...] = ()
    line: int = _line()


@dataclass(frozen=True)
class TestResult:
    """One test, or one test file, and how it went; ``status`` is '' where the log names it and says no more."""

    __test__ = False  # a result, not a test for pytest to collect

    name: str
    status: str = ""
    stage: int | None = None
    notes: str = ""
    line: int = _line()


@dataclass(frozen=True)
class TestCount:
    """A statement such as ``8 passed, 1 skipped`` or ``2/2 tests``."""

    __test__ = False

    passed: int
    failed: int = 0
    skipped: int = 0
    stage: int | None = None
    line: int = _line()

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped


@dataclass(frozen=True)
class Buffer:
    """A circular buffer as it was configured, and where its figures come from."""

    index: str
    name: str = ""
    page_size: str = ""
    num_pages: str = ""
    data_format: str = ""
    purpose: str = ""
    source: str = ""
    line: int = _line()


@dataclass(frozen=True)
class BufferTable:
    """One table or list of circular buffers; a log may have several."""

    title: str
    rows: tuple[Buffer, ...]
    line: int = _line()


@dataclass(frozen=True)
class SyncRow:
    """What goes into a circular buffer and what leaves it, as written: ``Wt per tile-row``, ``1 once``."""

    index: str
    producer: str = ""
    push: str = ""
    consumer: str = ""
    pop: str = ""
    balanced: str = ""
    line: int = _line()


@dataclass(frozen=True)
class SyncTable:
    """One check of pushes against pops."""

    title: str
    rows: tuple[SyncRow, ...]
    line: int = _line()


@dataclass(frozen=True)
class KernelRow:
    """A kernel, its file, and the circular buffers it reads and writes."""

    kernel: str
    file: str = ""
    reads: str = ""
    writes: str = ""
    function: str = ""
    line: int = _line()


@dataclass(frozen=True)
class WorkRow:
    """One line of the work distribution."""

    parameter: str
    value: str
    source: str = ""
    line: int = _line()


@dataclass(frozen=True)
class RecoveryRow:
    """A failure, what was thought to cause it, what was done, and whether that helped."""

    stage: str
    error_type: str
    cause: str = ""
    action: str = ""
    resolved: str = ""
    attempt: str = ""
    line: int = _line()


@dataclass(frozen=True)
class StageAttempts:
    """How many attempts the log says a stage took."""

    stage: int
    count: int
    line: int = _line()


@dataclass(frozen=True)
class Deviation:
    """Where the work left its specification, design or instructions."""

    what: str
    why: str = ""
    impact: str = ""
    line: int = _line()


@dataclass(frozen=True)
class ComplianceRow:
    """Whether a phase does what the design asked for."""

    phase: str
    directive: str
    implementation: str
    compliant: str
    line: int = _line()


@dataclass(frozen=True)
class Artifact:
    """A file of the work. ``change`` is created, modified, or '' where the log does not say which."""

    path: str
    change: str = ""
    lines: int | None = None
    notes: str = ""
    line: int = _line()


@dataclass(frozen=True)
class Commit:
    """A commit; ``tests`` as in ``stage4=PASS, stage6=HANG``."""

    sha: str
    message: str = ""
    files: str = ""
    build: str = ""
    tests: str = ""
    line: int = _line()


@dataclass(frozen=True)
class Feedback:
    """What another step of the work should hear about."""

    target: str
    issue: str
    suggestion: str = ""
    severity: str = ""
    line: int = _line()


@dataclass(frozen=True)
class ExecutionLog:
    """One execution log.

    ``denials`` are the places where it says there were no deviations; ``promises`` those where it says commits are
    still to be made. Not compared, for they only repeat the rest: ``sections`` names the parts it has, ``prose`` is
    every sentence that stands in no table, ``mentions`` are circular buffers described in sentences.
    """

    metadata: Metadata = Metadata()
    inputs: tuple[InputField, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    stages: tuple[Stage, ...] = ()
    tests: tuple[TestResult, ...] = ()
    test_counts: tuple[TestCount, ...] = ()
    steps: tuple[Step, ...] = ()
    buffer_tables: tuple[BufferTable, ...] = ()
    sync_tables: tuple[SyncTable, ...] = ()
    kernels: tuple[KernelRow, ...] = ()
    work: tuple[WorkRow, ...] = ()
    recovery: tuple[RecoveryRow, ...] = ()
    stage_attempts: tuple[StageAttempts, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    denials: tuple[Said, ...] = ()
    compliance: tuple[ComplianceRow, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    handover: tuple[Said, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    improvements: tuple[Feedback, ...] = ()
    commits: tuple[Commit, ...] = ()
    promises: tuple[Said, ...] = ()
    summary: tuple[Said, ...] = ()
    sections: dict[str, int] = field(default_factory=dict, compare=False)
    prose: tuple[Said, ...] = field(default=(), compare=False)
    mentions: tuple[BufferTable, ...] = field(default=(), compare=False)

    def stage(self, number: int) -> Stage | None:
        """The timeline's record of a stage."""
        return next((stage for stage in self.stages if stage.number == number), None)

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """The first and fullest table of circular buffers, or the fullest list where there is no table."""
        return max((table.rows for table in self.buffer_tables or self.mentions), key=len, default=())

    @property
    def hypotheses(self) -> tuple[Said, ...]:
        """Every ``H3``-like number that is proposed, with its line."""
        texts = [
            Said(attempt.hypothesis, attempt.hypothesis_line) for stage in self.stages for attempt in stage.attempts
        ]
        texts += [Said(row.cause, row.line) for row in self.recovery]
        return tuple(Said(number, said.line) for said in texts for number in re.findall(r"\bH\d+\b", said.text))


def stage_numbers(text: str) -> tuple[int, ...]:
    """The numbers in ``4, 5, 6``, ``4-6`` or ``Stages 4-5``.

    >>> stage_numbers("4-6"), stage_numbers("4, 7")
    ((4, 5, 6), (4, 7))
    """
    numbers: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*[-\u2013]\s*(\d+))?", text):
        numbers += range(int(first), int(last or first) + 1)
    return tuple(dict.fromkeys(numbers))
