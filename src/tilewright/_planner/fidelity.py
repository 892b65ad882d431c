# SPDX-License-Identifier: Apache-2.0
"""Fidelity of the matrix unit: what each leaves out of a product, and the lowest that an error allows.

The multiplier takes 5 significant bits of one source and 7 of the other at a time (docs/numerics.md). What is above
these bits of SrcA, and of SrcB, is its low part: less than 2^-4 of a number in SrcA, and in SrcB 2^-7 of a bfloat16 at
most, which has 8 significant bits, and less than 2^-6 of any other. The fidelities leave out of a product

- *HiFi4* nothing;
- *HiFi3* the product of both low parts: less than 2^-11 for a bfloat16 in SrcB, else 2^-10;
- *HiFi2* the low part of SrcB: 2^-7, else 2^-6;
- *LoFi* both low parts.

Ones have no low part. Sums along rows have them in SrcA, so HiFi3 leaves nothing out; other sums have them in SrcB, and
HiFi2 leaves nothing out.

Each phase takes as long as the others, so fewer are never slower. On a Wormhole HiFi4 with 32-bit DST is wrong in rare
cases besides, HiFi3 is not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tilewright._planner.model import Choices, Compute, Reduce, Role, Schedule
from tilewright._planner.register_program import MatrixStep
from tilewright._program.kernel_config import MathFidelity
from tilewright.formula._graph import Along

# Of what products are made of. What the matrix unit cuts off a float32 that it reads, which every plan has, is as much.
DEFAULT_ERROR = 2.0**-10
_LOW_A = 2.0**-4
_LOW_B = {"Float16_b": 2.0**-7, "Bfp8_b": 2.0**-7}
_LOW_OF_FLOAT32 = 2.0**-6
FIDELITIES = (MathFidelity.LoFi, MathFidelity.HiFi2, MathFidelity.HiFi3, MathFidelity.HiFi4)


@dataclasses.dataclass(frozen=True)
class LowParts:
    """Largest low parts of the factors of a product, in SrcA and in SrcB, as shares of the factors; 0 for ones."""

    low_a: float
    low_b: float

    def missed(self, fidelity: MathFidelity) -> float:
        """The largest share of the product that is left out."""
        return {
            MathFidelity.LoFi: self.low_a + self.low_b,
            MathFidelity.HiFi2: self.low_b,
            MathFidelity.HiFi3: self.low_a * self.low_b,
            MathFidelity.HiFi4: 0.0,
        }[fidelity]


def of_factors(format_b: str) -> LowParts:
    """The product of two buffers; the second is in SrcB."""
    return LowParts(_LOW_A, _LOW_B.get(format_b, _LOW_OF_FLOAT32))


def sum_product(step: Reduce, schedule: Schedule) -> LowParts:
    """A sum's, of numbers and ones; tiles that were added up are a Float32."""
    along = step.value.along
    format_ = schedule.stores[step.source].format if step.source else "Float32"
    if along is Along.ROWS:
        return LowParts(0.0, _LOW_B.get(format_, _LOW_OF_FLOAT32))
    # Over two dimensions the sums of the first are multiplied by ones again.
    return LowParts(_LOW_A if along is Along.COLUMNS else 2 * _LOW_A + _LOW_A**2, 0.0)


def step_products(step: object, schedule: Schedule) -> Iterator[LowParts]:
    """The products of one step."""
    if isinstance(step, (Compute, Reduce)) and step.program is not None:
        for each in step.program.steps:
            if isinstance(each, MatrixStep) and each.function == "mul":
                yield of_factors(each.b.format)
    if isinstance(step, Reduce) and step.value.function != "max":
        yield sum_product(step, schedule)


def products_of(schedule: Schedule) -> list[LowParts]:
    """All products that the matrix unit makes."""
    found = [each for step in schedule.steps() for each in step_products(step, schedule)]
    if schedule.multiplication is not None:
        found.append(matmul_product(schedule))
    return found


def matmul_product(schedule: Schedule) -> LowParts:
    """The matmul's: the rows are in SrcB, the matrix in SrcA."""
    formats = [each.format for each in schedule.stores.values() if each.role is Role.LEFT]
    return of_factors(formats[0])


def missed(schedule: Schedule, fidelity: MathFidelity) -> float:
    """The largest share of a product that is left out."""
    return max([each.missed(fidelity) for each in products_of(schedule)], default=0.0)


def allowed_error(choices: Choices, asked: float | None) -> float:
    """What may be left out of a product: what a call asks for, the declaration's, or the default.

    A declaration that decides about its plan has HiFi4 unless it says otherwise.
    """
    given = choices.error if asked is None else asked
    if given is None:
        return 0.0 if choices.decides_plan else DEFAULT_ERROR
    return given


def lowest_fidelity(schedule: Schedule, error: float) -> MathFidelity:
    """The lowest that leaves out no more than ``error`` of a product; HiFi4 beside phases of one's own."""
    has_own = any(isinstance(step, Compute) and step.value.own is not None for step in schedule.steps())
    if error == 0 or has_own:
        return MathFidelity.HiFi4
    return next(each for each in FIDELITIES if missed(schedule, each) <= error)
