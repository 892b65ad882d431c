# SPDX-License-Identifier: Apache-2.0
"""A rule of the checker: what it is called and what is said about it."""

from __future__ import annotations

import dataclasses
import enum


class Severity(enum.IntEnum):
    """How bad a broken rule is; the worst first.

    ``ERROR`` hangs, corrupts or gives undefined results; ``WARNING`` breaks the contract and may work by luck;
    ``NOTE`` asks a person to look and fails nothing.
    """

    ERROR = 0
    WARNING = 1
    NOTE = 2

    def __str__(self) -> str:
        return self.name.lower()


@dataclasses.dataclass(frozen=True)
class Rule:
    """One rule. A page of ``docs/checks/`` has a section of the same name.

    Attributes:
        title: what was done wrong, in a few words.
        on_a_card: what happens on a card.
        cause: why a finding of it is one, in one sentence.
        cure: what to change, in one sentence.
    """

    id: str
    severity: Severity
    title: str
    on_a_card: str
    cause: str
    cure: str
