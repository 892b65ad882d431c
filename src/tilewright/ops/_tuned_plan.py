# SPDX-License-Identifier: Apache-2.0
"""Tuned plans in files.

It holds for one operation on one shape, dtype, chip and grid; for anything else it is refused: it was not tried there.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from tilewright._planner.strategy import Strategy
from tilewright._program.kernel_config import MathFidelity
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright.formula._validation import OperationError
from tilewright.ops._operation import Operation
from tilewright.ops._options import Options
from tilewright.ops._tuning import Choice


@dataclasses.dataclass(frozen=True)
class TunedFor:
    """The problem that a choice was found for."""

    operation: str
    shape: str
    dtype: str
    arch: str
    grid: str

    @staticmethod
    def of(operation: Operation, shape: tuple[int, ...], dtype: DataType, device: Device) -> TunedFor:
        grid = device.compute_with_storage_grid_size()
        sides = "x".join(map(str, shape))
        return TunedFor(operation.name, sides, dtype.name.lower(), device.description.name, f"{grid.x}x{grid.y}")


def tuned_text(choice: Choice, tuned_for: TunedFor) -> str:
    """The file's text."""
    held = {
        **dataclasses.asdict(tuned_for),
        "strategy": choice.strategy.value if choice.strategy else None,
        "block_tiles": choice.block_tiles,
        "deeper": sorted(choice.deeper),
        "rows": choice.rows,
        "fidelity": choice.fidelity.name,
    }
    return json.dumps(held, indent=2) + "\n"


def tuned_options(path: Path, tuned_for: TunedFor, device: Device) -> Options:
    """Options of the planner, from a file.

    Raises:
        OperationError: it is no such file, or it was tuned for something else.
    """
    try:
        held = json.loads(path.read_text())
        found = TunedFor(**{field.name: held[field.name] for field in dataclasses.fields(TunedFor)})
        choice = Choice(
            Strategy(held["strategy"]) if held["strategy"] else None,
            held["block_tiles"],
            frozenset(held["deeper"]),
            held["rows"],
            MathFidelity[held["fidelity"]],
        )
    except (OSError, UnicodeDecodeError) as error:
        raise OperationError(f"{path} cannot be read: {error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise OperationError(f"{path} was not written by tilewright tune: {error!r}") from None
    for field in dataclasses.fields(TunedFor):
        there, here = getattr(found, field.name), getattr(tuned_for, field.name)
        if there != here:
            raise OperationError(f"{path} was tuned for {field.name} {there}, this is {here}; tune it again")
    return choice.options(device)
