# SPDX-License-Identifier: Apache-2.0
"""Operations that move data: exact, whatever they do with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, golden, operation

TILE, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT
Reference = Callable[[torch.Tensor], Any]


def _move(
    name: str,
    label: str,
    shape: tuple[int, ...],
    reference: Reference,
    *arguments: Any,
    layout: Any = TILE,
    **options: Any,
) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(shape)
        return operation(name)(bench.put(values, layout=layout), *arguments, **options), reference(values)

    return Case(name, label, run, 0)


def _several(
    name: str, label: str, shapes: list[tuple[int, ...]], reference: Any, layout: Any, *arguments: Any
) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = [bench.random(shape) for shape in shapes]
        return operation(name)([bench.put(each, layout=layout) for each in values], *arguments), reference(values)

    return Case(name, label, run, 0)


def _typecast(source: Any, target: Any, steps: float = 0, unit: float = 2.0**-8) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.integers((1, 1, 64, 64), 0, 100).float()
        return ttnn.typecast(
            bench.put(values.to(torch.int32) if "int" in str(source).lower() else values, source), target
        ), values

    ends = (str(each).rsplit(".", maxsplit=1)[-1].lower() for each in (source, target))
    return Case("typecast", " to ".join(ends), run, steps, unit)


def _sharded(strategy: str, grid: tuple[int, int], buffer: str = "L1") -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 128, 128))
        memory = ttnn.create_sharded_memory_config(
            values.shape, ttnn.CoreGrid(x=grid[0], y=grid[1]), getattr(ttnn.ShardStrategy, strategy)
        )
        there = ttnn.interleaved_to_sharded(bench.put(values), memory)
        return [there, ttnn.sharded_to_interleaved(there, ttnn.DRAM_MEMORY_CONFIG)], [values, values]

    return Case("interleaved_to_sharded", f"{strategy.lower()} and back", run, 0)


def _reshard() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 128, 128))
        way = ttnn.ShardStrategy
        first = ttnn.create_sharded_memory_config(values.shape, ttnn.CoreGrid(x=1, y=4), way.HEIGHT)
        second = ttnn.create_sharded_memory_config(values.shape, ttnn.CoreGrid(x=2, y=2), way.BLOCK)
        return ttnn.reshard(bench.put(values, memory=first), second), values

    return Case("reshard", "height to block", run, 0)


def _l1() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 128, 192))
        tensor = ttnn.to_memory_config(bench.put(values), ttnn.L1_MEMORY_CONFIG)
        return [tensor, ttnn.to_memory_config(tensor, ttnn.DRAM_MEMORY_CONFIG)], [values, values]

    return Case("to_memory_config", "L1 and back", run, 0)


def _embedding(layout: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        table, indices = bench.random((64, 96)), bench.integers((2, 32), 0, 64)
        tensors = bench.put(indices, ttnn.uint32, ROWS), bench.put(table, layout=ROWS)
        return ttnn.embedding(*tensors, layout=layout), torch.nn.functional.embedding(indices, table)

    return Case("embedding", str(layout).rsplit(".", maxsplit=1)[-1].lower(), run, 0)


def _made(name: str, reference: torch.Tensor, *arguments: Any, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        return operation(name)(*arguments, device=bench.device, **options), reference

    return Case(name, "", run, 0)


def _like(name: str, reference: Reference, *arguments: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64))
        return operation(name)(bench.put(values), *arguments), reference(values)

    return Case(name, "", run, 0)


def _copy(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64))
        tensor = bench.put(values)
        if name == "copy":
            other = bench.put(torch.zeros_like(values))
            ttnn.copy(tensor, other)
            return other, values
        options = {"memory_config": ttnn.DRAM_MEMORY_CONFIG} if name in ("clone", "assign") else {}
        return operation(name)(tensor, **options), values

    return Case(name, "", run, 0)


_S = (1, 2, 64, 96)
CASES = [
    _several("concat", "last", [(1, 1, 64, 32), (1, 1, 64, 96)], lambda x: torch.cat(x, -1), TILE, -1),
    _several("concat", "rows", [(1, 1, 32, 64), (1, 1, 96, 64)], lambda x: torch.cat(x, -2), TILE, -2),
    _several("concat", "row-major", [(1, 1, 64, 32), (1, 1, 64, 96)], lambda x: torch.cat(x, -1), ROWS, -1),
    _several("stack", "", [(64, 96), (64, 96)], lambda x: torch.stack(x, 0), TILE, 0),
    *(_move("transpose", f"{a} {b}", _S, lambda x, a=a, b=b: x.transpose(a, b), a, b)
      for a, b in ((-1, -2), (1, 2), (0, 1), (1, 3))),
    *(_move("permute", str(order), _S, lambda x, order=order: x.permute(order), order)
      for order in ((0, 2, 1, 3), (0, 3, 1, 2), (3, 2, 1, 0))),
    _move("permute", "row-major", _S, lambda x: x.permute(0, 3, 1, 2), (0, 3, 1, 2), layout=ROWS),
    _move("reshape", "tile", _S, lambda x: x.reshape(1, 1, 128, 96), (1, 1, 128, 96)),
    _move("reshape", "other width", _S, lambda x: x.reshape(1, 2, 96, 64), (1, 2, 96, 64)),
    _move("reshape", "row-major", _S, lambda x: x.reshape(1, 1, 64, 192), (1, 1, 64, 192), layout=ROWS),
    _move("view", "", _S, lambda x: x.reshape(1, 1, 128, 96), (1, 1, 128, 96)),
    _move("slice", "tile", _S, lambda x: x[:, :, :32, 32:96], [0, 0, 0, 32], [1, 2, 32, 96]),
    _move("slice", "row-major", _S, lambda x: x[:, 1:, 3:50, 2:90], [0, 1, 3, 2], [1, 2, 50, 90], layout=ROWS),
    _move("slice", "strided", _S, lambda x: x[:, :, ::2, :], [0, 0, 0, 0], [1, 2, 64, 96], [1, 1, 2, 1], layout=ROWS),
    _move("pad", "tile", _S, lambda x: torch.nn.functional.pad(x, (0, 32, 0, 32), value=1.5),
          [(0, 0), (0, 0), (0, 32), (0, 32)], 1.5),
    _move("pad", "row-major", _S, lambda x: torch.nn.functional.pad(x, (0, 32, 0, 3), value=1.5),
          [(0, 0), (0, 0), (0, 3), (0, 32)], 1.5, layout=ROWS),
    _move("repeat", "", _S, lambda x: x.repeat(1, 2, 1, 2), ttnn.Shape((1, 2, 1, 2))),
    _move("repeat_interleave", "", _S, lambda x: x.repeat_interleave(2, 1), 2, 1),
    _move("expand", "", (1, 1, 64, 96), lambda x: x.expand(1, 3, 64, 96), [1, 3, 64, 96]),
    _move("tilize", "", _S, lambda x: x, layout=ROWS),
    _move("tilize_with_zero_padding", "", (1, 1, 50, 70), lambda x: x, layout=ROWS),
    _move("tilize_with_val_padding", "", (1, 1, 64, 64), lambda x: x, (1, 1, 64, 64), 0.0, layout=ROWS),
    _move("untilize", "", _S, lambda x: x),
    _move("untilize_with_unpadding", "", _S, lambda x: x[:, :, :50, :70], (0, 1, 49, 69)),
    _move("to_layout", "tile to rows", _S, lambda x: x, ROWS),
    _move("to_layout", "rows to tile", (1, 1, 50, 70), lambda x: x, TILE, layout=ROWS),
    _move("squeeze", "", (1, 2, 64, 96), lambda x: x.squeeze(0), 0),
    _move("unsqueeze", "", (2, 64, 96), lambda x: x.unsqueeze(0), 0),
    _move("unsqueeze_to_4D", "", (64, 96), lambda x: x.reshape(1, 1, 64, 96)),
    _move("roll", "", _S, lambda x: x.roll(5, 3), 5, 3),
    _move("narrow", "", (1, 1, 1536, 32), lambda x: x.narrow(2, 768, 768), 2, 768, 768),
    _move("split", "", _S, lambda x: x.split(32, 2), 32, 2),
    _move("chunk", "", _S, lambda x: x.chunk(2, 2), 2, 2),
    _move("fold", "", (1, 8, 8, 16), lambda x: golden("fold")(x, stride_h=2, stride_w=2), 2, 2, layout=ROWS),
    _move("fill_implicit_tile_padding", "", (1, 1, 50, 70), lambda x: x, 0.0),
    _typecast(ttnn.bfloat16, ttnn.float32),
    _typecast(ttnn.float32, ttnn.bfloat16),
    _typecast(ttnn.bfloat16, ttnn.bfloat8_b, 1, 2.0**-6),
    _typecast(ttnn.bfloat16, ttnn.bfloat4_b, 2, 2.0**-2),  # of the largest of sixteen
    _typecast(ttnn.bfloat16, ttnn.uint32),
    _typecast(ttnn.bfloat16, ttnn.int32),
    _typecast(ttnn.bfloat16, ttnn.uint16),
    _typecast(ttnn.int32, ttnn.bfloat16),
    _typecast(ttnn.uint32, ttnn.float32),
    _typecast(ttnn.int32, ttnn.uint32),
    _sharded("HEIGHT", (1, 4)),
    _sharded("WIDTH", (4, 1)),
    _sharded("BLOCK", (2, 2)),
    _reshard(),
    _l1(),
    _embedding(ROWS),
    _embedding(TILE),
    _made("arange", torch.arange(0, 64, 2), 0, 64, 2, dtype=ttnn.int32),
    _made("zeros", torch.zeros(1, 1, 64, 64), (1, 1, 64, 64), layout=TILE, dtype=ttnn.bfloat16),
    _made("ones", torch.ones(1, 1, 64, 64), (1, 1, 64, 64), layout=TILE, dtype=ttnn.bfloat16),
    _made("full", torch.full((1, 1, 64, 64), 2.5), (1, 1, 64, 64), 2.5, layout=TILE, dtype=ttnn.bfloat16),
    _like("zeros_like", torch.zeros_like),
    _like("ones_like", torch.ones_like),
    _like("full_like", lambda x: torch.full_like(x, 2.5), 2.5),
    *(_copy(name) for name in ("clone", "copy", "assign", "move", "identity", "reallocate")),
]  # fmt: skip
