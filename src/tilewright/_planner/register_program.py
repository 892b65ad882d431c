# SPDX-License-Identifier: Apache-2.0
"""Register program of one tile: unit calls, DST registers and temporaries.

DST has four tiles that every configuration offers (32-bit values, half of it at a time). A *register* is one tile of
DST for each tile that is computed at a time; a *temporary* is a tile that an operand from a buffer lies in for one
call. So a program of one register and one temporary computes three tiles at a time, one of two registers and no
temporary two.
"""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from tilewright.formula._graph import Extent

DST_TILES = 4


@dataclasses.dataclass(frozen=True)
class TileSource:
    """A circular buffer that a program reads tiles from.

    Attributes:
        name: of the buffer.
        extent: of what it holds.
        format: name of its data format; buffers of one format share an init call.
        held: where in a tile it lies.
    """

    name: str
    extent: Extent
    format: str
    held: Extent


@dataclasses.dataclass(frozen=True)
class Register:
    """A register or a temporary."""

    number: int
    is_temporary: bool = False


@dataclasses.dataclass(frozen=True)
class Load:
    """A tile of a buffer, broadcast as far as need be."""

    source: TileSource
    broadcast: str
    to: Register


@dataclasses.dataclass(frozen=True)
class MatrixStep:
    """A sum, difference or product of two buffers in the matrix unit."""

    function: str
    a: TileSource
    b: TileSource
    broadcast: str
    to: Register


@dataclasses.dataclass(frozen=True)
class Vector:
    """A call of the vector unit: name (with template arguments), places, further arguments."""

    init: str
    call: str
    places: tuple[Register, ...]
    arguments: tuple[str, ...] = ()


Step: TypeAlias = Load | MatrixStep | Vector


@dataclasses.dataclass(frozen=True)
class RegisterProgram:
    """Steps in bundles: the steps of a bundle run tile by tile, a bundle after the other. The result is register 0.

    Attributes:
        is_integer: whether it computes with integers, and leaves some.
    """

    bundles: tuple[tuple[Step, ...], ...]
    num_registers: int
    num_temporaries: int
    is_integer: bool = False

    @property
    def steps(self) -> list[Step]:
        return [step for bundle in self.bundles for step in bundle]

    @property
    def sources(self) -> list[TileSource]:
        """Every buffer once, in the order they are read."""
        found: dict[str, TileSource] = {}
        for step in self.steps:
            if isinstance(step, Load):
                found.setdefault(step.source.name, step.source)
            elif isinstance(step, MatrixStep):
                found.setdefault(step.a.name, step.a)
                found.setdefault(step.b.name, step.b)
        return list(found.values())

    def read_by_matrix_unit(self) -> set[str]:
        """Buffers whose values are cut to the matrix unit's operands."""
        return {each.name for step in self.steps if isinstance(step, MatrixStep) for each in (step.a, step.b)}


TYPECAST = "typecast_tile"
TO_INT32, FROM_INT32 = "[DataFormat.Float32, DataFormat.Int32]", "[DataFormat.Int32, DataFormat.Float32]"


def loaded(source: TileSource, broadcast: str, to: Register) -> list[Step]:
    """A tile of a buffer as float32 in DST."""
    load = Load(source, broadcast, to)
    if source.format != "Int32":
        return [load]
    return [load, Vector(f"{TYPECAST}_init{FROM_INT32}", f"{TYPECAST}{FROM_INT32}", (to,))]


def as_integers(program: RegisterProgram) -> RegisterProgram:
    """The program with its result as integers, for a buffer of these."""
    if program.is_integer:
        return program
    made = Vector(f"{TYPECAST}_init{TO_INT32}", f"{TYPECAST}{TO_INT32}", (Register(0),))
    return dataclasses.replace(program, bundles=(*program.bundles, (made,)))
