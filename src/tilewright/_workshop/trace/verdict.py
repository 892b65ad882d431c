# SPDX-License-Identifier: Apache-2.0
"""Result of a trace: a verdict for each step, and for the result."""

from __future__ import annotations

import dataclasses
import enum

from tilewright._workshop.trace.comparing import Difference
from tilewright._workshop.trace.steps import Step
from tilewright.ops._accuracy import Accuracy


class PhaseVerdict(enum.Enum):
    """Verdict on a step after a run."""

    EXACT = "exact"
    FLOOR = "right"
    WRONG = "WRONG"
    MISPLACED = "MISCOUNT"
    NOT_REACHED = "NOT RUN"
    NOT_JUDGED = "not judged"
    PASSED_THROUGH = "passed on"

    @property
    def is_wrong(self) -> bool:
        return self in (PhaseVerdict.WRONG, PhaseVerdict.MISPLACED)

    @property
    def is_right(self) -> bool:
        return self in (PhaseVerdict.EXACT, PhaseVerdict.FLOOR)


@dataclasses.dataclass(frozen=True)
class StepReport:
    """One step after a run.

    Attributes:
        place: file and line of the call in the kernel; empty if it was never made.
        dtype: of its buffer.
        note: further remarks.
    """

    step: Step
    verdict: PhaseVerdict
    place: str = ""
    dtype: str = ""
    difference: Difference | None = None
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Trace:
    """All steps after a run.

    Attributes:
        case: name of the test case.
        plan: what ran, in one line.
        stopped: why the run did not end; empty if it did.
        result: the output tensors against float64; None where phases were left out or the run did not end.
        has_phases: whether steps are those of a plan; those of a program of its own are its circular buffers.
    """

    case: str
    plan: str
    steps: tuple[StepReport, ...]
    stopped: str = ""
    result: Accuracy | None = None
    has_phases: bool = True

    @property
    def first_wrong(self) -> StepReport | None:
        """The first step that did not do what it should with what it was given."""
        return next((each for each in self.steps if each.verdict.is_wrong), None)

    @property
    def is_result_wrong(self) -> bool:
        return self.result is not None and not self.result.is_within_bound

    @property
    def not_judged(self) -> tuple[StepReport, ...]:
        """Steps whose pages were compared with nothing."""
        unknown = (PhaseVerdict.NOT_JUDGED, PhaseVerdict.NOT_REACHED)
        return tuple(each for each in self.steps if each.verdict in unknown)
