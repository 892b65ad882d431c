# SPDX-License-Identifier: Apache-2.0
"""``own_phase``: a user's kernel phase inside a formula, with its reference.

    @operation
    def cubes(x: Rows):
        \"\"\"x * x * x, in one call.\"\"\"
        return own_phase(cube_tiles, x, means=lambda value: value * value * value)

The phase takes a circular buffer for each operand, one for its result, and ``num_tiles``; it waits for ``num_tiles``
pages of each, pops none, and pushes as many. All hold float32, whole tiles. What it means is a formula, from which
references, bounds and exported tests follow as for everything else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from tilewright.formula._graph import CASTS, Extent, FormulaError, Operand, Value, as_value, unary
from tilewright.kernels._parameters import ParameterKind
from tilewright.kernels.phases import Phase

OWN = "own_phase"


@dataclasses.dataclass(frozen=True)
class OwnPhase:
    """A phase, what it computes, and how good it is.

    Attributes:
        error: of its result, as a share of it, besides what operands bring.
    """

    phase: Phase
    means: Callable[..., Value]
    error: float

    def meaning(self, operands: tuple[Value, ...]) -> Value:
        """Its result as a formula of its operands."""
        return as_value(self.means(*operands))


def own_phase(phase: Phase, *operands: Operand, means: Callable[..., Value], error: float = 2.0**-21) -> Value:
    """A value computed by a phase of your own: ``own_phase(cube_tiles, x, means=lambda value: value ** 3)``.

    Args:
        phase: a function with ``@phase`` that takes a buffer for each operand, one for its result, and num_tiles.
        means: the same as a formula.
        error: how far off a result may be, as a share of it.
    """
    name = getattr(phase, "name", repr(phase))
    values = tuple(as_value(each) for each in operands)
    _check(phase, name, len(values))
    for each in values:
        if each.extent is not Extent.FULL or each.is_matrix:
            raise FormulaError(f"{name}({each}): a phase of your own takes what has a number for every element")
    if not callable(means):
        raise FormulaError(f"{name}: means must be a function of its operands, not {means!r}")
    if isinstance(error, bool) or not isinstance(error, (int, float)) or not 0 <= error < 1:
        raise FormulaError(f"{name}: error must be a share from 0 to 1, not {error!r}")
    # Buffers of its own, so that it finds its tiles at their fronts, whatever else reads these values.
    copies = tuple(unary(CASTS["float32"], each) for each in values)
    own = OwnPhase(phase, means, float(error))
    meaning = own.meaning(copies)
    if meaning.extent is not Extent.FULL:
        raise FormulaError(f"{name} means `{meaning}`, which has not a number for every element")
    return Value(OWN, copies, Extent.FULL, own=own)


def _check(phase: Phase, name: str, count: int) -> None:
    if not isinstance(phase, Phase):
        raise FormulaError(f"{name} is no phase: decorate the function with tilewright.kernels.phases.phase")
    kinds = [each.kind for each in phase.parameters]
    names = [each.name for each in phase.parameters]
    if kinds[:-1] != [ParameterKind.CB] * (count + 1) or names[-1:] != ["num_tiles"]:
        raise FormulaError(
            f"{name} must take {count + 1} circular buffers, for its operands and its result, and num_tiles; "
            f"it takes {', '.join(names) or 'nothing'}"
        )
    traffic = phase.contract.evaluate(num_tiles=3)
    *read, result = names[:-1]
    if traffic.waits != dict.fromkeys(read, 3) or any(traffic.pops.values()) or traffic.pushes != {result: 3}:
        raise FormulaError(
            f"{name} must wait for num_tiles pages of {', '.join(read)}, pop none, and push num_tiles of {result}"
        )
