# SPDX-License-Identifier: Apache-2.0
"""Register allocation: an expression to the calls that compute it in DST for one tile.

- The first step of ``a + b``, ``a - b`` and ``a * b`` of two buffers is one call of the matrix unit, which broadcasts
  columns, rows or one element of b by itself. It takes 10 mantissa bits of each operand. Its products add to what DST
  holds, so they go to registers that held nothing since DST was acquired.
- Everything else is computed by the vector unit, in float32.
- A number is an argument of the call where there is such a call, a filled tile where there is none.
- ``c + a * b`` is one call (addcmul).
- A value that is needed twice stays in its register until it was needed for the last time.

The larger operand is computed first (Sethi and Ullman), so few registers are needed. An expression that needs more than
there are is refused with :class:`TooManyRegistersError`, which names a part to keep in a buffer of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from tilewright._planner.register_program import (
    DST_TILES,
    FROM_INT32,
    TO_INT32,
    TYPECAST,
    Load,
    MatrixStep,
    Register,
    RegisterProgram,
    Step,
    TileSource,
    Vector,
    loaded,
)
from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._evaluate import evaluate_all
from tilewright.formula._graph import Extent, Value, expression_text, nodes_of
from tilewright.kernels._types import float_bits

FLOAT32_ONE = "0x3F800000"


class TooManyRegistersError(Exception):
    """An expression does not fit DST; ``part`` of it in a buffer of its own makes it smaller, if there is one."""

    def __init__(self, whole: Value, part: Value | None) -> None:
        super().__init__(f"{whole} does not fit DST")
        self.whole = whole
        self.part = part


_BINARY = {
    "add": "add_binary_tile",
    "sub": "sub_binary_tile",
    "mul": "mul_binary_tile",
    "div": "div_binary_tile",
    "maximum": "binary_max_tile",
    "minimum": "binary_min_tile",
}
_COMPARED = {"lt": "ltz_tile", "le": "lez_tile", "gt": "gtz_tile", "ge": "gez_tile", "eq": "eqz_tile", "ne": "nez_tile"}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_WITH_SCALAR = {"add": "add_unary_tile", "sub": "sub_unary_tile", "mul": "mul_unary_tile"}
_SCALAR_INIT = "binop_with_scalar_tile_init"
_IN_MATRIX_UNIT = ("add", "sub", "mul")
_COMMUTES = ("add", "mul")
_SPREAD = {Extent.FULL: "NONE", Extent.ROW: "ROW", Extent.COLUMN: "COL", Extent.SCALAR: "SCALAR"}


# Inside a formula every value is a float32, which holds what casts round to.
_CASTS: dict[str, tuple[str, ...]] = {
    "to_float32": (),
    "to_bfloat16": ("[DataFormat.Float32, DataFormat.Float16_b]",),
    "to_int32": (TO_INT32, FROM_INT32),
}


def _broadcast_of(source: TileSource, target: Extent) -> str:
    """How a tile of a buffer becomes a whole tile of a program; a column's programs know one number a line only."""
    if target is Extent.COLUMN and source.extent is Extent.COLUMN:
        return "NONE"
    return _SPREAD[source.held]


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """Inputs of a register program.

    Attributes:
        sources: buffers by the id of the value they hold.
        bits: the text of a number's bits: a literal, or the name of an argument.
        is_number: whether a value is known to the host.
        with_matrix_unit: whether the matrix unit may compute.
        with_products: whether it may multiply: not where DST is used again before it is released.
    """

    sources: Mapping[int, TileSource]
    bits: Callable[[Value, str], str]
    is_number: Callable[[Value], bool]
    with_matrix_unit: bool = True
    with_products: bool = True


def compile_program(target: Value, extent: Extent, around: Surroundings, capacity: int = DST_TILES) -> RegisterProgram:
    """The program of a value; the value itself may be in a buffer and is computed all the same.

    Args:
        extent: ``FULL`` for a program over the tiles of a row, ``COLUMN`` for one over a tile with one column.
        capacity: tiles of DST it may use.

    Raises:
        TooManyRegistersError: it does not fit; store a part of it.
    """
    if target.own is not None:
        return _read_by(target, around)
    compiler = RegisterCompiler(target, extent, around)
    program = compiler.program()
    if program.num_registers + program.num_temporaries > capacity:
        raise TooManyRegistersError(target, compiler.part_to_store())
    return program


def _read_by(target: Value, around: Surroundings) -> RegisterProgram:
    """Inputs of an own phase; its computation is opaque."""
    loads = [Load(around.sources[id(each)], "NONE", Register(0)) for each in target.operands]
    return RegisterProgram((tuple(loads),), 1, 0)


class RegisterCompiler:
    """Gives registers to the values of one expression, in the order they are computed."""

    def __init__(self, target: Value, extent: Extent, around: Surroundings) -> None:
        self._target = target
        self._extent = extent
        self._around = around
        self._inside = self._interior()
        self._left = self._count_uses()
        self._needs: dict[int, int] = {}
        self._bundles: list[list[Step]] = []
        self._bundle: list[Step] = []
        self._registers: dict[int, int] = {}
        self._taken: set[int] = set()
        self._num_registers = 0
        self._num_temporaries = 0

    def program(self) -> RegisterProgram:
        self._left[id(self._target)] = 1
        result = self._computed(self._target)
        bundles = tuple(tuple(_renamed(each, result) for each in bundle) for bundle in self._bundles)
        return RegisterProgram(bundles, self._num_registers, self._num_temporaries)

    def part_to_store(self) -> Value | None:
        """The operand to compute apart: the largest operand that waits for another one.

        Only what is as large as the expression can have a buffer: no step makes parts that are the same for all lines.
        """
        candidates = []
        for node in self._inside.values():
            operands = [each for each in node.operands if id(each) in self._inside and each.extent is self._extent]
            largest = max(operands, key=self._need, default=None)
            candidates += [each for each in operands if each is not largest or len(operands) == 1]
        return max(candidates, key=lambda each: len(nodes_of([each])), default=None)

    def _interior(self) -> dict[int, Value]:
        """The values that are computed, by id: neither in buffers nor numbers."""
        found: dict[int, Value] = {}
        stack = [self._target]
        while stack:
            node = stack.pop()
            if id(node) in found or (node is not self._target and self._is_outside(node)):
                continue
            found[id(node)] = node
            stack.extend(node.operands)
        return found

    def _is_outside(self, node: Value) -> bool:
        return id(node) in self._around.sources or self._around.is_number(node)

    def _is_buffer(self, node: Value) -> bool:
        return id(node) in self._around.sources and node is not self._target

    def _count_uses(self) -> dict[int, int]:
        counts = dict.fromkeys(self._inside, 0)
        for node in self._inside.values():
            for operand in node.operands:
                if id(operand) in counts:
                    counts[id(operand)] += 1
        return counts

    def _need(self, node: Value) -> int:
        """Registers that computing a value takes."""
        if id(node) not in self._inside:
            return 0 if self._around.is_number(node) else 1
        if id(node) not in self._needs:
            self._needs[id(node)] = 1  # a graph has no cycles; this only ends the recursion
            needs = sorted((self._need(each) for each in node.operands), reverse=True)
            self._needs[id(node)] = max((need + index for index, need in enumerate(needs)), default=1)
        return self._needs[id(node)]

    # Registers and bundles.

    def _new(self) -> int:
        register = next(each for each in range(DST_TILES * 8) if each not in self._taken)
        self._taken.add(register)
        self._num_registers = max(self._num_registers, register + 1)
        return register

    def _end_bundle(self) -> None:
        if self._bundle:
            temporaries = [each.to for each in self._bundle if isinstance(each, Load) and each.to.is_temporary]
            self._num_temporaries = max(self._num_temporaries, len(temporaries))
            self._bundles.append(self._bundle)
            self._bundle = []

    def _vector(self, call: str, places: Sequence[Register], arguments: Sequence[str] = (), init: str = "") -> None:
        name, _, template = call.partition("[")
        made = init or f"{name}_init"
        if name == "gelu_tile":
            made = f"{name}_init[{template}"
        self._bundle.append(Vector(made, call, tuple(places), tuple(arguments)))
        self._end_bundle()

    # Values.

    def _computed(self, node: Value) -> int:
        """The register that holds a value of the interior; computed if it is not there yet."""
        if id(node) not in self._registers:
            self._registers[id(node)] = self._compute(node)
        return self._registers[id(node)]

    def _done_with(self, node: Value) -> bool:
        """Counts a use of a value in a register; whether it was the last."""
        self._left[id(node)] -= 1
        return self._left[id(node)] == 0

    def _loaded(self, node: Value) -> int:
        """A new register with a tile of a buffer, or with a number everywhere."""
        register = self._new()
        self._load(node, Register(register))
        self._end_bundle()
        return register

    def _load(self, node: Value, to: Register) -> None:
        if self._around.is_number(node):
            bits = self._around.bits(node, "")
            self._bundle.append(Vector("fill_tile_init", "fill_tile_bitcast", (to,), (bits,)))
        else:
            source = self._around.sources[id(node)]
            self._bundle += loaded(source, _broadcast_of(source, self._extent), to)

    def _own(self, node: Value) -> int:
        """A register with a value that may be changed in place."""
        if id(node) not in self._inside:
            return self._loaded(node)
        register = self._computed(node)
        if self._done_with(node):
            return register
        own = self._new()
        places = (Register(register), Register(own))
        self._vector("copy_dest_values[DataFormat.Float32]", places, init="copy_dest_values_init")
        return own

    def _operands(self, nodes: Sequence[Value]) -> tuple[list[Register], list[int]]:
        """Places of several operands, and registers among them that no step needs any more.

        Operands from buffers go to temporaries of the same bundle; the first goes to a register if all are.
        """
        order = sorted(range(len(nodes)), key=lambda each: -self._need(nodes[each]))
        places: dict[int, Register] = {}
        free: list[int] = []
        for index in order:
            node = nodes[index]
            if id(node) in self._inside:
                places[index] = Register(self._computed(node))
        for index in order:
            node = nodes[index]
            if id(node) in self._inside and self._done_with(node):
                free.append(places[index].number)
        if not places:
            register = self._loaded(nodes[order[0]])
            places[order[0]] = Register(register)
            free.append(register)
        temporaries = 0
        for index in range(len(nodes)):
            if index not in places:
                places[index] = Register(temporaries, is_temporary=True)
                self._load(nodes[index], places[index])
                temporaries += 1
        # Numbers in filled tiles are temporaries too.
        self._num_temporaries = max(self._num_temporaries, temporaries)
        return [places[index] for index in range(len(nodes))], free

    def _result(self, free: Sequence[int]) -> int:
        """A register for a result: one of an operand, if one has become free."""
        kept = free[0] if free else self._new()
        for each in free[1:]:
            if each != kept:
                self._taken.discard(each)
        return kept

    def _compute(self, node: Value) -> int:
        function = node.function
        if function == "square" and self._is_buffer(node.operands[0]):
            source = self._around.sources[id(node.operands[0])]
            if source.extent is self._extent and source.format != "Int32" and self._can_multiply():
                return self._matrix("mul", source, source, "NONE")
        if function in _CASTS:
            register = self._own(node.operands[0])
            for formats in _CASTS[function]:
                call = f"{TYPECAST}{formats}"
                self._vector(call, [Register(register)], init=f"{TYPECAST}_init{formats}")
            return register
        if function in ELEMENTWISE:
            register = self._own(node.operands[0])
            self._vector(ELEMENTWISE[function].call, [Register(register)])
            return register
        if function in ("power", "clamp"):
            register = self._own(node.operands[0])
            bits = [float_bits_text(each) for each in node.numbers]
            self._vector(f"{function}_tile", [Register(register)], bits)
            return register
        if function in _COMPARED:
            return self._compare(node)
        if function == "where":
            places, free = self._operands(node.operands)
            result = self._result(free)
            self._vector("where_tile[DataFormat.Float32]", [*places, Register(result)])
            return result
        assert function in _BINARY, function
        return self._binary(node)

    def _binary(self, node: Value) -> int:
        a, b = node.operands
        if self._around.is_number(a) or self._around.is_number(b):
            return self._with_number(node)
        if (
            self._around.with_matrix_unit
            and node.function in _IN_MATRIX_UNIT
            and self._is_buffer(a)
            and self._is_buffer(b)
        ):
            made = self._in_matrix_unit(node)
            if made is not None:
                return made
        if node.function == "add":
            fused = self._product_and_sum(a, b) or self._product_and_sum(b, a)
            if fused is not None:
                places, free = self._operands(fused)
                result = self._result(free)
                call = "addcmul_tile[DataFormat.Float32]"
                self._vector(call, [*places, Register(result)], [FLOAT32_ONE], "addcmul_tile_init")
                return result
        places, free = self._operands((a, b))
        result = self._result(free)
        self._vector(_BINARY[node.function], [*places, Register(result)])
        return result

    def _product_and_sum(self, product: Value, added: Value) -> tuple[Value, Value, Value] | None:
        """(added, a, b) if the one operand is a product that no other step needs, of two values that are no numbers."""
        if id(product) not in self._inside or product.function != "mul" or self._left[id(product)] != 1:
            return None
        if id(product) in self._registers or any(self._around.is_number(each) for each in (*product.operands, added)):
            return None
        if all(self._is_buffer(each) for each in product.operands) and self._around.with_matrix_unit:
            return None
        self._left[id(product)] = 0
        a, b = product.operands
        return added, a, b

    def _in_matrix_unit(self, node: Value) -> int | None:
        a, b = (self._around.sources[id(each)] for each in node.operands)
        if "Int32" in (a.format, b.format) or (node.function == "mul" and not self._can_multiply()):
            return None
        if a.extent is not self._extent:
            if node.function not in _COMMUTES or b.extent is not self._extent:
                return None
            a, b = b, a
        return self._matrix(node.function, a, b, _broadcast_of(b, self._extent))

    def _matrix(self, function: str, a: TileSource, b: TileSource, broadcast: str) -> int:
        register = self._new()
        self._bundle.append(MatrixStep(function, a, b, broadcast, Register(register)))
        self._end_bundle()
        return register

    def _can_multiply(self) -> bool:
        """Whether the next register has held nothing yet."""
        is_fresh = all(each in self._taken for each in range(self._num_registers))
        return self._around.with_matrix_unit and self._around.with_products and is_fresh

    def _with_number(self, node: Value) -> int:
        """A function of a value and a number."""
        a, b = node.operands
        function, is_reversed = node.function, self._around.is_number(a)
        value, number = (b, a) if is_reversed else (a, b)
        register = self._own(value)
        place = [Register(register)]
        if function in ("maximum", "minimum"):
            call = "unary_max_tile" if function == "maximum" else "unary_min_tile"
            self._vector(call, place, [self._around.bits(number, "")])
        elif function == "div" and is_reversed:
            self._vector("recip_tile", place)
            self._vector("mul_unary_tile", place, [self._around.bits(number, "")], _SCALAR_INIT)
        elif function == "div":
            self._vector("mul_unary_tile", place, [self._around.bits(number, "1 /")], _SCALAR_INIT)
        elif function == "sub" and is_reversed:
            self._vector("rsub_unary_tile", place, [self._around.bits(number, "")], _SCALAR_INIT)
        else:
            self._vector(_WITH_SCALAR[function], place, [self._around.bits(number, "")], _SCALAR_INIT)
        return register

    def _compare(self, node: Value) -> int:
        """A comparison is one of the difference with zero."""
        a, b = node.operands
        function = node.function
        if self._around.is_number(a):
            a, b, function = b, a, _MIRRORED[function]
        if self._around.is_number(b):
            register = self._own(a)
            self._vector("sub_unary_tile", [Register(register)], [self._around.bits(b, "")], _SCALAR_INIT)
        else:
            places, free = self._operands((a, b))
            register = self._result(free)
            self._vector("sub_binary_tile", [*places, Register(register)])
        self._vector(_COMPARED[function], [Register(register)])
        return register


def _renamed(step: Step, result: int) -> Step:
    """The step with register ``result`` called 0 and register 0 called ``result``."""

    def other(place: Register) -> Register:
        if place.is_temporary or place.number not in (0, result):
            return place
        return Register(result if place.number == 0 else 0)

    if isinstance(step, Vector):
        return dataclasses.replace(step, places=tuple(other(each) for each in step.places))
    return dataclasses.replace(step, to=other(step.to))


def float_bits_text(number: float) -> str:
    """The bits of a float32 as a literal."""
    clipped = max(-3.4028234663852886e38, min(3.4028234663852886e38, number)) if abs(number) != float("inf") else number
    return f"0x{float_bits(clipped):08X}"


def number_argument(node: Value, prefix: str, numbers: dict[str, Value]) -> str:
    """The bits of a number as a literal, or as an argument of the kernel, which is put into ``numbers``."""
    wanted = node if not prefix else Value("div", (Value("constant", numbers=(1.0,)), node))
    if all(each.function != "parameter" for each in nodes_of([node])):
        return float_bits_text(float(evaluate_all([wanted], {})[id(wanted)]))
    if node.function == "parameter" and not prefix:
        name = f"{node.name}_bits"
    else:
        known = {expression_text(value): name for name, value in numbers.items()}
        name = known.get(expression_text(wanted), f"number_{len(numbers) + 1}_bits")
    numbers.setdefault(name, wanted)
    return name
