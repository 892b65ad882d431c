# SPDX-License-Identifier: Apache-2.0
"""A test case that a declaration gives, besides those derived from it."""

from __future__ import annotations

import dataclasses

from tilewright._tensor.argument import shown
from tilewright.formula._validation import OperationError

_DTYPES = ("bfloat16", "float32")


@dataclasses.dataclass(frozen=True)
class OwnCase:
    """A shape of the main input to test with.

    Attributes:
        name: in reports, and for ``--case``.
        shape: of two sides or more.
        dtype: ``bfloat16`` or ``float32``.
        why: what the case is for.

    Example::

        @operation(cases=[OwnCase("a batch", (4, 64, 96), why="the shape of the model")])
    """

    name: str
    shape: tuple[int, ...]
    dtype: str = "bfloat16"
    why: str = ""

    def __post_init__(self) -> None:
        sides = self.shape if isinstance(self.shape, (list, tuple)) else ()
        if len(sides) < 2 or not all(isinstance(each, int) and each > 0 for each in sides):
            raise OperationError(f"OwnCase: shape must be two sides or more, each 1 or more, not {shown(self.shape)}")
        if self.dtype not in _DTYPES:
            raise OperationError(f"OwnCase: dtype must be {' or '.join(_DTYPES)}, not {shown(self.dtype)}")
        object.__setattr__(self, "shape", tuple(sides))
