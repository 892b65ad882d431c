# SPDX-License-Identifier: Apache-2.0
"""Schedule to kernels: the text of a Python module, and the kernels in it.

The module is Python like any other that holds kernels, and ``tilewright show --kernels`` prints it. It lies in no file:
Python's line cache holds its text, where the translation to C++ and every message find it.
"""

from __future__ import annotations

import hashlib
import linecache
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tilewright._planner.emit.compute import ComputeText
from tilewright._planner.emit.dataflow import DataflowText
from tilewright._planner.emit.product_dataflow import ProductDataflowText
from tilewright._planner.emit.tile_dataflow import TileDataflowText
from tilewright._planner.model import Schedule
from tilewright._planner.row_program import Kernels
from tilewright.formula._direction import Direction
from tilewright.formula._tracing import Formula
from tilewright.kernels import Kernel, api, phases
from tilewright.kernels.phases import Phase

_LANGUAGE = (
    "CB",
    "CircularBuffers",
    "CompileTimeArg",
    "RuntimeArg",
    "TensorArg",
    "compute_kernel",
    "kernel_function",
    "reader_kernel",
    "uint32",
    "writer_kernel",
)
_LIBRARY = ("Region", "phase", *(name for name in phases.__all__ if name[0].islower() and name != "phase"))
_ROW_KERNELS = (
    "FLOAT32_ONE",
    "MINUS_INFINITY",
    "TILE_ROWS",
    "fill_row_scaler",
    "read_blocks",
    "read_stick_again",
    "read_tiles",
    "read_vector_row",
    "write_blocks",
    "write_tiles",
)
_SHARED_KERNELS = ("LEFT_SEMAPHORES", "RIGHT_SEMAPHORES", "part_of", "read_shared_sticks", "read_shared_tiles")
_EXCHANGE_KERNELS = ("add_parts", "exchange", "gather", "largest_of_parts")
_ATTENTION_STEPS = (
    "HIDDEN_SCORE",
    "add_total",
    "add_values",
    "causal_row",
    "fill_causal_masks",
    "fill_column_mask",
    "find_largest",
    "invert",
    "make_powers",
    "make_share",
    "multiply_tile",
    "read_filled_sticks",
    "read_filled_tiles",
    "read_tile_rows",
)
_TILE_KERNELS = (
    "edge_of_tile",
    "fill_masks",
    "read_line_tiles",
    "read_stick_tiles",
    "write_line_tiles",
    "write_stick_tiles",
)


def module_text(
    name: str,
    formula: Formula,
    schedule: Schedule,
    indices: Mapping[str, int],
    outputs: Sequence[str],
    own_sizes: frozenset[str],
    sticks: bool,
    tiled_outputs: Sequence[bool],
) -> str:
    """The Python module with the kernels of a schedule."""
    text = DataflowText if schedule.direction is Direction.ROWS else TileDataflowText
    text = text if schedule.multiplication is None else ProductDataflowText
    dataflow = text(schedule, outputs, own_sizes, sticks, tiled_outputs)
    buffers = [f"    {buffer} = {index}" for buffer, index in sorted(indices.items(), key=lambda each: each[1])]
    parts = [
        "\n".join(["class Buffers(CircularBuffers):", *buffers]),
        dataflow.reader("read"),
        *ComputeText(f"compute_{name}", formula, schedule, sticks).parts,
        dataflow.writer("write"),
    ]
    return assembled_module(name, schedule.strategy.value, parts, own_phases(formula))


def assembled_module(name: str, how: str, parts: Sequence[str], own: Collection[str]) -> str:
    """A module of kernels: its functions with the imports that they need; ``own`` are phases of the declaration."""
    code = re.sub(r'""".*?"""', "", "\n".join(parts), flags=re.DOTALL)
    words = set(re.findall(r"\w+", code))
    head = [
        f'"""Kernels of {name}, {how}: made from its declaration."""',
        "",
        *_import_lines("tilewright.kernels", words.intersection(_LANGUAGE)),
        *_import_lines("tilewright.kernels.api", words.intersection(dir(api)) - set(_LIBRARY)),
        *_import_lines("tilewright.kernels.phases", words.intersection(_LIBRARY)),
        *_import_lines("tilewright._planner.row_kernels", words.intersection(_ROW_KERNELS)),
        *_import_lines("tilewright._planner.shared_kernels", words.intersection(_SHARED_KERNELS)),
        *_import_lines("tilewright._planner.exchange_kernels", words.intersection(_EXCHANGE_KERNELS)),
        *_import_lines("tilewright._planner.attention.steps", words.intersection(_ATTENTION_STEPS)),
        *_import_lines("tilewright._planner.tile_kernels", words.intersection(_TILE_KERNELS)),
        *(f"# {name}: a phase of the declaration" for name in own),
    ]
    return "\n".join(head) + "\n\n\n" + "\n\n\n".join(parts) + "\n"


def own_phases(formula: Formula) -> dict[str, Phase]:
    """Phases that a formula brings, by name."""
    return {node.own.phase.name: node.own.phase for node in formula.nodes if node.own is not None}


def _import_lines(module: str, names: set[str]) -> list[str]:
    if not names:
        return []
    line = f"from {module} import {', '.join(sorted(names))}"
    if len(line) <= 118:
        return [line]
    return [f"from {module} import (", *(f"    {name}," for name in sorted(names)), ")"]


def kernels_of_module(name: str, text: str, own: Mapping[str, Phase]) -> Kernels:
    """The kernels in a module's text; ``own`` are phases that the declaration brings, by name."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    # Debug information keeps absolute paths as they are, so a call stack shows the same name.
    path = f"/made/{name}_{digest}.py"
    # Without a time of change Python's line cache never looks for the file.
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names: dict[str, Any] = {**own, "__name__": f"tilewright.made.{name}_{digest}", "__file__": path}
    exec(compile(text, path, "exec"), names)
    made = {each.role.value: each for each in names.values() if isinstance(each, Kernel)}
    return Kernels(made["reader"], made["compute"], made["writer"])
