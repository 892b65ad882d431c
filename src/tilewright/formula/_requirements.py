# SPDX-License-Identifier: Apache-2.0
"""Requirements of a call beyond its annotations, with their refusal texts.

    @operation(requires=[Requirement("x.shape[-1] % 32 == 0", "Width must be a multiple of 32, got {x.shape[-1]}")])
    def halves(x: Rows):
        ...

The condition is Python, about tensors (``shape``, ``dtype``, ``layout``) and numbers by the names of the parameters;
what stands in braces in the text is, too. Every call is held to it, and so is a package that was exported. Stage 2
proves it by breaking it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from tilewright.formula._validation import OperationError

# What a condition may call.
_FUNCTIONS = {"len": len, "abs": abs, "min": min, "max": max, "sum": sum, "all": all, "any": any}
_PLACE = re.compile(r"\{([^{}]+)\}")


@dataclasses.dataclass(frozen=True)
class Requirement:
    """A condition of a call.

    Attributes:
        condition: what must be true.
        text: what a refusal says.
        broken: a call that breaks it, by parameter: the shape of a tensor, or a number. Without one, stage 2 looks for
            one itself.
    """

    condition: str
    text: str
    broken: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for each in (self.condition, *_PLACE.findall(self.text)):
            try:
                compile(each, "<requirement>", "eval")
            except SyntaxError as error:
                raise OperationError(f"requires: `{each}` is no Python expression: {error.msg}") from None

    def check(self, values: Mapping[str, Any]) -> None:
        """Refuses a call of these tensors and numbers if the condition is not true of them."""
        if not self._value(self.condition, values):
            raise OperationError(_PLACE.sub(lambda place: str(self._value(place[1], values)), self.text))

    def _value(self, expression: str, values: Mapping[str, Any]) -> Any:
        try:
            return eval(expression, {"__builtins__": _FUNCTIONS}, dict(values))
        except Exception as error:
            raise OperationError(f"requires: `{expression}` has no value for this call: {error}") from error
