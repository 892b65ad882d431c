# SPDX-License-Identifier: Apache-2.0
"""The error a program gets that cannot run."""

from __future__ import annotations

from collections.abc import Sequence


class Problem(str):
    """One thing that is wrong with a program; ``rule`` is the id of the checker's rule it breaks."""

    rule: str

    def __new__(cls, text: str, rule: str) -> Problem:
        problem = super().__new__(cls, text)
        problem.rule = rule
        return problem


class ProgramError(ValueError):
    """Everything found wrong with a program before it runs; ``problems`` has one text for each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        if len(self.problems) == 1:
            super().__init__(self.problems[0])
        else:
            numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(self.problems, 1))
            super().__init__(f"{len(self.problems)} things are wrong with this program:\n{numbered}")
