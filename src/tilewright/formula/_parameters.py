# SPDX-License-Identifier: Apache-2.0
"""Scalar parameters of an operation; they reach kernels as runtime arguments."""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from tilewright.formula._evaluate import evaluate_all
from tilewright.formula._graph import Value
from tilewright.formula._validation import OperationError

_LEAST_NORMAL = 2.0**-126

POSITIVE = "positive"
# Annotates a parameter that must be above zero: ``epsilon: Positive = 1e-5``.
Positive: TypeAlias = Annotated[float, POSITIVE]


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A number with its default; ``is_positive`` if it must be above zero."""

    name: str
    default: float
    is_positive: bool = False

    @property
    def rule(self) -> str:
        """The requirement, as errors word it."""
        wanted = "positive" if self.is_positive else "a finite number"
        return f"{self.name.capitalize()} must be {wanted}"

    def checked(self, given: Any) -> float:
        """The value as a float that float32 can hold.

        Raises:
            OperationError: it is something else; the message says what was given.
        """
        if isinstance(given, bool) or not hasattr(given, "__float__"):
            raise OperationError(f"{self.rule}, got {given!r}")
        try:
            value = float(given)
        except (TypeError, ValueError, RuntimeError):  # an array of several numbers
            raise OperationError(f"{self.rule}, got {given!r}, which is not one number") from None
        except OverflowError:  # an int beyond every float
            raise OperationError(f"{self.rule}, got {given!r}, which float32 cannot hold") from None
        if self.is_positive and not value > 0:
            raise OperationError(f"{self.rule}, got {given}")
        if not math.isfinite(value):
            raise OperationError(f"{self.rule}, got {given}, which is no number to compute with")
        if self.is_positive and value < _LEAST_NORMAL:
            raise OperationError(f"{self.rule}, got {given}, which is zero to hardware (below 2^-126)")
        try:
            struct.pack("<f", value)
        except OverflowError:
            raise OperationError(f"{self.rule}, got {given}, which float32 cannot hold") from None
        return value


def number_bits(value: Value, parameters: Mapping[str, float]) -> int:
    """The bits, as a float32, of a number that the host computes from parameters."""
    if value.function == "parameter":
        number = parameters[value.name]
    else:
        number = float(evaluate_all([value], parameters)[id(value)])
    try:
        return int(struct.unpack("<I", struct.pack("<f", number))[0])
    except OverflowError:
        raise OperationError(f"`{value}` is {number}, which float32 cannot hold") from None
