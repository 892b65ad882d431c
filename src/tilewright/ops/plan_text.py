# SPDX-License-Identifier: Apache-2.0
"""A plan as people read it: what goes where, and how much of L1 it takes."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ops.plan import Plan
from tilewright.ops.row_split import counted


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


def plan_lines(plan: Plan, output_shape: Sequence[int]) -> list[str]:
    """Shapes, plan and cores, one line each."""
    rows = plan.rows
    shapes = f"{list(rows.shape)} -> {list(output_shape)}, {rows.dtype.name.lower()}"
    pad = "" if rows.last_tile_columns == 32 else f", {counted(rows.last_tile_columns, 'column')} in the last"
    return table(
        [
            ("shape", shapes),
            ("row", f"{counted(rows.width, 'element')}, Wt = {counted(rows.width_tiles, 'tile')}{pad}"),
            ("plan", plan.describe()),
            ("cores", plan.split.describe()),
        ]
    )


def buffer_lines(plan: Plan, with_purpose: bool = True) -> list[str]:
    """The circular buffers, and what they take of the L1 budget."""
    head = ["CB", "name", "pages", "", "page bytes", "bytes", "format"]
    rows = [[*head, "purpose"] if with_purpose else head]
    for planned in plan.buffers:
        formula = "" if planned.formula == str(planned.pages) else f"= {planned.formula}"
        row = [f"c_{planned.buffer.index}", planned.buffer.name, str(planned.pages), formula]
        row += [str(planned.page_bytes), str(planned.total_bytes), planned.dtype.data_format.name]
        rows.append([*row, planned.buffer.purpose] if with_purpose else row)
    symbols = "Wt: tiles of a row" + ("" if plan.num_blocks == 1 else f"; B: tiles of a block, {plan.block_tiles}")
    share = f"{plan.l1_bytes / plan.l1_budget:.1%}"
    return [
        *table(rows, right=(2, 4, 5)),
        "",
        symbols,
        f"L1: {plan.l1_bytes} of {plan.l1_budget} bytes ({share})",
    ]
