# SPDX-License-Identifier: Apache-2.0
"""Emit reductions down a tile-column or over a slab as Python kernel functions.

Tiles of a value are folded into one, element by element in DST: added up, or the largest taken. In tiles at an edge
what lies beyond the tensor counts as nothing: a mask chooses between the value and zero, or minus infinity. The one
tile that is left is reduced by the matrix unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright._planner.emit.phase import (
    INDENT,
    PhaseText,
    call_lines,
    docstring,
    fold_body,
    fold_contract,
    fold_start,
    fold_tail,
    fold_waits,
    made_phase,
    signature_lines,
    symbols,
)
from tilewright._planner.model import Reduce
from tilewright._planner.register_program import RegisterProgram
from tilewright.formula._direction import Direction

# What the last step is called in the library, by direction.
_REDUCED = {Direction.COLUMNS: "column", Direction.SLABS: "tile"}
# Where a tile of a line lies, as arguments of a fold.
EDGES = ("tiles_across", "line_tiles", "last_tile_columns", "last_tile_rows")


def edge_arguments(direction: Direction) -> list[str]:
    """The argument of a kernel for ``EDGES``; columns beyond a tile-column's own do no harm."""
    if direction is Direction.COLUMNS:
        return ["1", direction.tiles, "32", "last_tile_rows"]
    return ["width_tiles", direction.tiles, "last_tile_columns", "last_tile_rows"]


def masked_fold(
    name: str, purpose: str, program: RegisterProgram, offset: Mapping[str, bool], is_max: bool
) -> PhaseText:
    """Tiles of a value, the first of which has number ``position`` in its line, folded into one.

    A sum begins anew with each call; the largest is that of what the buffer holds already, too.
    """
    body = fold_body(program, offset, (False, True))
    neutral = "MINUS_INFINITY" if is_max else "0"
    lines = [*fold_waits(program, offset), "cb_wait_front(cb_mask, 3)", "pack_reconfig_data_format(cb_out)"]
    begin = ["fill_tile_init()", f"fill_tile_bitcast(0, {neutral})"]
    lines.append("tile_regs_acquire()")
    if is_max:
        lines += ["if is_first:", *(INDENT + each for each in begin), "else:"]
        again = ["cb_wait_front(cb_out, 1)", "reconfig_data_format_srca(cb_out)", "copy_init(cb_out)"]
        again += ["copy_tile(cb_out, 0, 0)", "cb_pop_front(cb_out, 1)"]
        lines += [INDENT + each for each in again]
    else:
        lines += begin
    mask = [
        f"edge = edge_of_tile(position + i, {', '.join(EDGES)})",
        "if edge != 0:",
        f"{INDENT}reconfig_data_format_srca(cb_mask)",
        f"{INDENT}copy_init(cb_mask)",
        f"{INDENT}copy_tile(cb_mask, edge - 1, 2)",
        f"{INDENT}fill_tile_init()",
        f"{INDENT}fill_tile_bitcast(3, {neutral})",
        f"{INDENT}where_tile_init()",
        f"{INDENT}where_tile[DataFormat.Float32](2, 1, 3, 1)",
    ]
    call = "binary_max_tile" if is_max else "add_binary_tile"
    lines.append("for i in range(num_tiles):")
    lines += [INDENT + each for each in (*body.lines(""), *mask, f"{call}_init()", f"{call}(0, 1, 0)")]
    lines += ["cb_reserve_back(cb_out, 1)", *fold_tail()]
    arguments = [*fold_start(program, offset), "first: uint32", "num_tiles: uint32", "position: uint32"]
    arguments += ["is_first: bool"] if is_max else []
    arguments += [*(f"{each}: uint32" for each in symbols(program)), *(f"{each}: uint32" for each in EDGES)]
    contract = fold_contract(program, offset, {"cb_mask": ("3", "TILE")})
    return made_phase(name, purpose, program, contract, lines, arguments, ["cb_mask"])


def masked_helper(
    direction: Direction, step: Reduce, name: str, phase: PhaseText, numbers: Sequence[str], has_start: bool
) -> str:
    """Contribution of a block's tiles to a reduction: they are folded, and the fold is reduced."""
    is_max = step.value.function == "max"
    parameters = ["start: uint32"] if has_start else []
    parameters += ["num_tiles: uint32", "position: uint32", "is_first: bool", "is_last: bool"]
    parameters += [] if is_max else ["scale: uint32"]
    parameters += [*(f"{each}: uint32" for each in (*numbers, *EDGES)), "cb: Buffers"]
    head = ["@kernel_function", *signature_lines(name, parameters)]
    arguments = [*(f"cb.{each}" for each in phase.buffers), f"cb.{step.parts}", *(["start"] if has_start else [])]
    arguments += ["0", "num_tiles", "position", *(["is_first"] if is_max else []), *numbers, *EDGES]
    body = docstring(f"What num_tiles tiles do to {step.target}, which is known after the last of them.")
    body += call_lines(phase.name, arguments, INDENT)
    target = [f"cb.{step.parts}", "cb.scaler", f"cb.{step.target}"]
    reduced = _REDUCED[direction]
    if is_max:
        body += [f"{INDENT}if is_last:", *call_lines(f"reduce_{reduced}_max", target, INDENT * 2)]
    else:
        body += call_lines(f"accumulate_{reduced}_mean", [*target, "scale", "is_first", "is_last"], INDENT)
    return "\n".join([*head, *body])


def summed_columns_helper(step: Reduce, name: str, phase: PhaseText, has_start: bool) -> str:
    """Contribution of a block's tiles to column sums: the matrix unit adds up whole tiles, the last may be folded."""
    assert step.program is not None
    parameters = ["start: uint32"] if has_start else []
    parameters += ["num_tiles: uint32", "position: uint32", "is_first: bool", "is_last: bool", "scale: uint32"]
    parameters += [*(f"{each}: uint32" for each in EDGES), "cb: Buffers"]
    tiles, target = f"cb.{step.program.sources[0].name}", ["cb.scaler", f"cb.{step.target}"]
    start = "start" if has_start else "0"
    summed = [tiles, *target, start, "num_whole", "scale", "is_first", "is_last and num_apart == 0"]
    folded = [*(f"cb.{each}" for each in phase.buffers), f"cb.{step.parts}", *(["start"] if has_start else [])]
    folded += ["num_whole", "1", "position + num_whole", *EDGES]
    added = [f"cb.{step.parts}", *target, "scale", "is_first and num_whole == 0", "True"]
    return "\n".join(
        [
            "@kernel_function",
            *signature_lines(name, parameters),
            *docstring(
                f"What num_tiles tiles add to {step.target}. A last tile that is not full stays apart: its padding "
                "must not be added."
            ),
            f"{INDENT}num_apart = 1 if last_tile_rows != 32 and is_last else 0",
            f"{INDENT}num_whole = num_tiles - num_apart",
            f"{INDENT}cb_wait_front(cb.mask, 3)",
            f"{INDENT}if num_whole != 0:",
            *call_lines("accumulate_block_column_mean", summed, INDENT * 2),
            f"{INDENT}if num_apart != 0:",
            *call_lines(phase.name, folded, INDENT * 2),
            *call_lines("accumulate_column_mean", added, INDENT * 2),
        ]
    )
