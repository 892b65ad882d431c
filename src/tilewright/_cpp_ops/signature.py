# SPDX-License-Identifier: Apache-2.0
"""Parameters of a bound function, from the text of its signature."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PARAMETER = re.compile(r"(\w+): ((?:[^,\[\]]|\[[^\]]*\])+)")


@dataclass(frozen=True)
class BoundParameter:
    """A parameter by its name and the text of its type."""

    name: str
    kind: str
    is_required: bool

    @property
    def is_tensor(self) -> bool:
        return self.kind.split(" | ")[0] == "ttnn.Tensor"


def parameters(signature: str) -> list[BoundParameter]:
    """The parameters of a signature, in order.

    >>> parameters("f(x: ttnn.Tensor, *, n: int = 3)")[1]
    BoundParameter(name='n', kind='int', is_required=False)
    """
    inside = signature.partition("(")[2].rpartition(")")[0]
    found = []
    for name, text in _PARAMETER.findall(inside):
        kind, _, default = text.strip().partition(" = ")
        found.append(BoundParameter(name, kind, not default))
    return found
