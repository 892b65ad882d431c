# SPDX-License-Identifier: Apache-2.0
"""Enumerations of ttnn: ``repr`` as ttnn prints it, and a quick hash."""

from __future__ import annotations

from enum import Enum


class TtnnEnum(Enum):
    """Base of ttnn's enumerations."""

    __hash__ = object.__hash__  # there is one of each member, and every launch looks things up by them

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
