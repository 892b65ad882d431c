# SPDX-License-Identifier: Apache-2.0
"""A plan as text and JSON, with its share of L1."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright._planner.plan import LINE_SYMBOLS, Plan
from tilewright._planner.row_split import TensorRows, counted
from tilewright.formula._direction import Direction


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows of texts in columns; the columns in ``right`` end alike."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            text.rjust(width) if column in right else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def plan_lines(plan: Plan, output_shapes: Sequence[Sequence[int]]) -> list[str]:
    """Shapes, plan and cores, one line each."""
    rows = plan.rows
    results = ", ".join(str(list(each)) for each in output_shapes)
    shapes = f"{list(rows.shape)} -> {results}, {rows.dtype.name.lower()}"
    return table(
        [
            ("shape", shapes),
            _line_of_tiles(rows),
            ("plan", plan.describe()),
            ("cores", plan.split.describe()),
            *([("reads", _reads(plan))] if plan.schedule.multiplication is not None else []),
        ]
    )


def _reads(plan: Plan) -> str:
    """How often a matmul reads its operands from DRAM, and why more than once."""
    made, grid = plan.schedule.multiplication, plan.split.grid
    assert made is not None
    passes = plan.schedule.num_product_passes
    again = "" if passes == 1 else f" in each of {passes} passes"
    if grid is None:
        why = "every slab has a matrix of its own" if made.is_batched else "the cores are no rectangle"
        times = "once for each core that works with it" if plan.rows.keeps_right else f"for every tile-row{again}"
        return f"the rows once, a matrix {times}: cores share nothing, because {why}"
    if (grid.rounds == 1 or grid.keeps_right) and passes == 1:
        return "each operand once"
    times = "once" if grid.rounds == 1 else f"{grid.rounds} times"
    tiles = plan.rows.inner_tiles * grid.part_tiles
    why = "" if passes > 1 else f": {counted(tiles, 'tile')} of it for each core do not stay in L1 beside the rest"
    return f"the rows once, the matrix {times}{again}{why}"


def _line_of_tiles(rows: TensorRows) -> tuple[str, str]:
    """Size of a line of tiles, and its last tile."""
    columns = "" if rows.last_tile_columns == 32 else f", {counted(rows.last_tile_columns, 'column')} in the last"
    ends = "" if rows.last_tile_rows == 32 else f", {counted(rows.last_tile_rows, 'row')} in the last"
    pad = {Direction.ROWS: columns, Direction.COLUMNS: ends, Direction.SLABS: columns + ends}[rows.direction]
    tiles = f"{LINE_SYMBOLS[rows.direction]} = {counted(rows.line_tiles, 'tile')}"
    return rows.direction.line, f"{counted(rows.line_elements, 'element')}, {tiles}{pad}"


def buffer_lines(plan: Plan) -> list[str]:
    """The circular buffers, and what they take of the L1 budget."""
    rows = [["CB", "name", "pages", "", "page bytes", "bytes", "format"]]
    for planned in plan.buffers:
        formula = "" if planned.formula == str(planned.pages) else f"= {planned.formula}"
        row = [f"c_{planned.buffer.index}", planned.buffer.name, str(planned.pages), formula]
        rows.append([*row, str(planned.page_bytes), str(planned.total_bytes), planned.dtype.data_format.name])
    line = plan.rows.direction.line
    symbols = f"{LINE_SYMBOLS[plan.rows.direction]}: tiles of a {line}"
    symbols += "" if plan.num_blocks == 1 else f"; B: tiles of a block, {plan.block_tiles}"
    is_cut = plan.rows.core_tiles != plan.rows.line_tiles
    symbols += f"; Pt: tiles of it that a core has, {plan.rows.core_tiles}" if is_cut else ""
    symbols += "; Kt: tiles of a row that is multiplied" if plan.rows.inner_width else ""
    share = f"{plan.l1_bytes / plan.l1_budget:.1%}"
    return [
        *table(rows, right=(2, 4, 5)),
        "",
        symbols,
        f"L1: {plan.l1_bytes} of {plan.l1_budget} bytes ({share})",
    ]


def purpose_lines(plan: Plan) -> list[str]:
    """Purpose of each circular buffer."""
    return table([(f"c_{each.buffer.index}", each.buffer.name, each.buffer.purpose) for each in plan.buffers])


def plan_json(plan: Plan, output_shapes: Sequence[Sequence[int]]) -> dict[str, object]:
    """All of the above for machines."""
    return {
        "shape": list(plan.rows.shape),
        "output_shapes": [list(each) for each in output_shapes],
        "dtype": plan.rows.dtype.name.lower(),
        "plan": plan.strategy.value,
        "direction": plan.rows.direction.value,
        "line_tiles": plan.rows.line_tiles,
        "block_tiles": plan.block_tiles,
        "num_blocks": plan.num_blocks,
        "num_lines": plan.rows.num_lines,
        "num_cores": len(plan.split.work),
        "l1_bytes": plan.l1_bytes,
        "l1_budget": plan.l1_budget,
        "circular_buffers": [
            {
                "index": each.buffer.index,
                "name": each.buffer.name,
                "pages": each.pages,
                "formula": each.formula,
                "page_bytes": each.page_bytes,
                "bytes": each.total_bytes,
                "format": each.dtype.data_format.name,
                "purpose": each.buffer.purpose,
            }
            for each in plan.buffers
        ],
    }
