# SPDX-License-Identifier: Apache-2.0
"""Integer results: computed in integers, exact to 32 bits.

A formula computes in float32, which holds integers up to 2^24. But where a result is cast to int32 and everything it is
made of is an int32 tensor, an integer constant, ``+ - *``, ``maximum``, ``minimum``, ``square`` or a negation of these,
the vector unit has calls for it, and nothing is rounded. What leaves 32 bits wraps round.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection

from tilewright._planner.register_program import DST_TILES, Load, Register, RegisterProgram, Vector
from tilewright._planner.registers import RegisterCompiler, Surroundings, TooManyRegistersError
from tilewright.formula._evaluate import evaluate_all
from tilewright.formula._graph import Extent, Value, nodes_of

_FORMAT = "[DataFormat.Int32]"
# Calls and their inits.
_BINARY = {
    "add": (f"add_int_tile{_FORMAT}", "add_int_tile_init"),
    "sub": (f"sub_int_tile{_FORMAT}", "sub_int_tile_init"),
    "mul": (f"mul_int_tile{_FORMAT}", f"mul_int_tile_init{_FORMAT}"),
    "maximum": ("binary_max_int32_tile", "binary_max_int32_tile_init"),
    "minimum": ("binary_min_int32_tile", "binary_min_int32_tile_init"),
}
_RANGE = 2.0**31


def is_whole(result: Value, integers: Collection[str]) -> bool:
    """Whether a result is made of integers only; ``integers`` are names of int32 tensors."""
    nodes = nodes_of([result])
    has_tensor = any(each.function == "input" for each in nodes)
    return result.function == "to_int32" and has_tensor and all(_is_whole(each, integers) for each in nodes)


def _is_whole(node: Value, integers: Collection[str]) -> bool:
    if node.function == "input":
        return node.name in integers and node.extent is Extent.FULL
    if node.function == "constant":
        return node.numbers[0] == int(node.numbers[0]) and abs(node.numbers[0]) < _RANGE
    return node.function in (*_BINARY, "square", "neg", "to_int32")


def compile_integers(target: Value, around: Surroundings) -> RegisterProgram:
    """The program of such a result; buffers are those of the tensors alone.

    Raises:
        TooManyRegistersError: it does not fit DST, and no part of it can have a buffer.
    """
    program = _IntegerCompiler(target, Extent.FULL, around).program()
    if program.num_registers + program.num_temporaries > DST_TILES:
        raise TooManyRegistersError(target, None)
    return dataclasses.replace(program, is_integer=True)


class _IntegerCompiler(RegisterCompiler):
    """Registers of integers."""

    def _load(self, node: Value, to: Register) -> None:
        if self._around.is_number(node):
            bits = f"0x{int(evaluate_all([node], {})[id(node)]) & 0xFFFFFFFF:08X}"
            self._bundle.append(Vector("fill_tile_init", f"fill_tile_int{_FORMAT}", (to,), (bits,)))
        else:
            self._bundle.append(Load(self._around.sources[id(node)], "NONE", to))

    def _compute(self, node: Value) -> int:
        if node.function in _BINARY:
            call, init = _BINARY[node.function]
            places, free = self._operands(node.operands)
            result = self._result(free)
            self._vector(call, [*places, Register(result)], init=init)
            return result
        register = self._own(node.operands[0])
        if node.function == "square":
            call, init = _BINARY["mul"]
            self._vector(call, [Register(register)] * 3, init=init)
        elif node.function == "neg":
            self._vector("negative_tile_int32", [Register(register)], init="negative_tile_init")
        return register


def is_number_of(integers: Collection[str]) -> Callable[[Value], bool]:
    """Whether a value of such a result is known to the host."""
    return lambda node: not any(each.function == "input" and each.name in integers for each in nodes_of([node]))
