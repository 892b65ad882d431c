# SPDX-License-Identifier: Apache-2.0
"""The JSON file that lists a sweep's cases.

    {
      "operations": ["variance_w_rm", "centralize_w_rm"],
      "shapes": ["64x64", "128x256"],
      "dtypes": ["bfloat16"],
      "chips": ["wormhole_b0"],
      "grids": ["2x2"],
      "plans": ["resident", "streaming"],
      "steps": ["run", "check", "time"]
    }

Operations and shapes must be given. Without the others it is bfloat16, wormhole_b0, the whole chip, what the planner
chooses, and all three steps.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

from tilewright._errors import TilewrightError
from tilewright._tensor.arch import ARCHS
from tilewright.ops import OPERATIONS

STEPS = ("run", "check", "time")
_DTYPES = ("bfloat16", "float32")
_PLANS = ("resident", "partly_resident", "streaming")


class SweepError(TilewrightError):
    """A sweep that cannot be run; the message names the file, the key and what is allowed."""

    exit_status = 2


@dataclasses.dataclass(frozen=True)
class SweepCase:
    """One thing to run. Plain words and numbers, so that it can be sent to another machine."""

    operation: str
    shape: tuple[int, ...]
    dtype: str
    chip: str
    grid: tuple[int, int] | None
    plan: str | None
    steps: tuple[str, ...]

    @property
    def key(self) -> str:
        """Names the case, the same in every sweep: what has been done is known by it.

        >>> SweepCase("variance_w_rm", (64, 64), "bfloat16", "wormhole_b0", (2, 2), None, ("run",)).key
        'variance_w_rm 64x64 bfloat16 wormhole_b0 2x2 planned run'
        """
        shape = "x".join(map(str, self.shape))
        grid = "x".join(map(str, self.grid)) if self.grid else "whole"
        return (
            f"{self.operation} {shape} {self.dtype} {self.chip} {grid} {self.plan or 'planned'} {'+'.join(self.steps)}"
        )


def read_cases(path: Path) -> list[SweepCase]:
    """Every combination of what a file lists, in the file's order.

    Raises:
        SweepError: the file is not one, or names something that does not exist.
    """
    given = _read(path)
    known = {"operations", "shapes", "dtypes", "chips", "grids", "plans", "steps"}
    unknown = sorted(set(given) - known)
    if unknown:
        raise SweepError(f"{path}: there is no key {unknown[0]!r}; allowed: {', '.join(sorted(known))}")
    operations = _words(path, given, "operations", tuple(OPERATIONS))
    dtypes = _words(path, given, "dtypes", _DTYPES, ["bfloat16"])
    chips = _words(path, given, "chips", tuple(ARCHS), ["wormhole_b0"])
    plans: list[str | None] = [*_words(path, given, "plans", _PLANS, [])] or [None]
    steps = tuple(_words(path, given, "steps", STEPS, [*STEPS]))
    shapes = [_sides(path, "shapes", text) for text in _list(path, given, "shapes")]
    grids: list[tuple[int, int] | None] = [_grid(path, text, chips) for text in _list(path, given, "grids", [])] or [
        None
    ]
    return [
        SweepCase(operation, shape, dtype, chip, grid, plan, steps)
        for operation, shape, dtype, chip, grid, plan in itertools.product(
            operations, shapes, dtypes, chips, grids, plans
        )
    ]


def _read(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SweepError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise SweepError(f"{path} is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise SweepError(f"{path}: it must be an object with keys such as operations and shapes")
    return given


def _list(path: Path, given: dict[str, Any], key: str, default: list[str] | None = None) -> list[str]:
    value = given.get(key, default)
    if value is None:
        raise SweepError(f"{path}: {key} is missing; give a list of strings")
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise SweepError(f"{path}: {key} is {value!r}; it must be a list of strings")
    if not value and default is None:
        raise SweepError(f"{path}: {key} is empty; give at least one")
    return value


def _words(
    path: Path, given: dict[str, Any], key: str, allowed: tuple[str, ...], default: list[str] | None = None
) -> list[str]:
    words = _list(path, given, key, default)
    for word in words:
        if word not in allowed:
            raise SweepError(f"{path}: {key} has {word!r}; allowed: {', '.join(allowed)}")
    return words


def _sides(path: Path, key: str, text: str) -> tuple[int, ...]:
    sides = text.lower().split("x")
    if len(sides) < 2 or not all(side.isdecimal() and int(side) > 0 for side in sides):
        raise SweepError(f"{path}: {key} has {text!r}; write sides of 1 or more, such as 64x128")
    return tuple(map(int, sides))


def _grid(path: Path, text: str, chips: list[str]) -> tuple[int, int]:
    sides = _sides(path, "grids", text)
    if len(sides) != 2:
        raise SweepError(f"{path}: grids has {text!r}; write columns by rows, such as 8x8")
    for chip in chips:
        largest = ARCHS[chip].grid
        if sides[0] > largest.x or sides[1] > largest.y:
            raise SweepError(f"{path}: grids has {text!r}; {chip} has 1x1 to {largest.x}x{largest.y}")
    return sides[0], sides[1]
