# SPDX-License-Identifier: Apache-2.0
"""Stage definitions and results."""

from __future__ import annotations

import dataclasses
import enum


class Status(enum.Enum):
    PASS = "PASS"
    FAIL = "FAIL"
    HANG = "HANG"
    NOT_RUN = "NOT RUN"

    @property
    def is_red(self) -> bool:
        return self in (Status.FAIL, Status.HANG)


# How a test is skipped that has nothing to compare with.
NOT_JUDGED = "not judged"
BUILD, KERNELS, EXECUTION = STEPS = ("build", "kernel compilation", "execution")


@dataclasses.dataclass(frozen=True)
class Stage:
    """One stage.

    Attributes:
        proves: what is known when it passes.
        has_kernels: whether kernels are compiled in it.
    """

    number: int
    proves: str
    has_kernels: bool = False

    @property
    def test_pattern(self) -> str:
        return f"test_stage{self.number}_*.py"


STAGES = (
    Stage(1, "the API exists and is documented"),
    Stage(2, "what it forbids is refused"),
    Stage(3, "a valid call reaches the program"),
    Stage(4, "there is a plan, and it fits L1"),
    Stage(5, "buffers and work are the plan's"),
    Stage(6, "kernels compile, the program ends", has_kernels=True),
    Stage(7, "every number is right", has_kernels=True),
)


@dataclasses.dataclass(frozen=True)
class TestOutcome:
    """One test of a stage.

    Attributes:
        error_type: of the vocabulary of execution logs; empty if it passed.
        error: its message.
        case: name of the test case it ran; empty if none.
        share_of_tolerance: how much of what is allowed its worst element used.
    """

    __test__ = False  # not a test of pytest's

    name: str
    status: Status
    error_type: str = ""
    error: str = ""
    case: str = ""
    share_of_tolerance: float = 0.0


@dataclasses.dataclass(frozen=True)
class StageResult:
    """A stage after it ran.

    Attributes:
        steps: build, kernel compilation and execution, each with its status.
        error_type, error: of the first thing that went wrong.
        attempts: how often this stage was run, this time included.
        difference: for wrong numbers, the first wrong phase and its map.
        trace: the same for machines.
    """

    stage: Stage
    status: Status
    steps: dict[str, Status]
    tests: tuple[TestOutcome, ...] = ()
    error_type: str = ""
    error: str = ""
    seconds: float = 0.0
    attempts: int = 0
    difference: tuple[str, ...] = ()
    trace: dict[str, object] | None = None

    @property
    def first_failure(self) -> TestOutcome | None:
        return next((each for each in self.tests if each.status.is_red), None)

    @property
    def evidence(self) -> str:
        """One line."""
        if self.status is Status.NOT_RUN:
            return "an earlier stage is red" if not self.error else self.error
        passed = sum(each.status is Status.PASS for each in self.tests)
        left_out = [each.error for each in self.tests if each.status is Status.NOT_RUN]
        unjudged = sum(NOT_JUDGED in each for each in left_out)
        skipped = len(left_out) - unjudged
        counted = f"{passed} of {len(self.tests) - len(left_out)} tests"
        counted += (f", {skipped} skipped" if skipped else "") + (f", {unjudged} not judged" if unjudged else "")
        if not self.status.is_red:
            most = max(each.share_of_tolerance for each in self.tests)
            return counted + (f"; at most {most:.0%} of the tolerance used" if most else "")
        first = self.error.strip().splitlines()[0] if self.error.strip() else "no word about why"
        what = WORDS.get(self.error_type, self.error_type)
        return f"{what}: {first}" + (f" ({counted})" if self.tests else "")


# Failure classes as people call them.
WORDS = {
    "build_error": "import",
    "compilation_error": "compilation",
    "numerical_mismatch": "numerical mismatch",
    "shape_mismatch": "shape",
    "runtime_error": "runtime",
    "hang_cb_deadlock": "deadlock",
    "hang_unknown": "hang",
    "test_timeout": "time limit",
    "watcher_assert": "corruption (checker)",
    "test_fail": "test",
    "other": "crash",
}
