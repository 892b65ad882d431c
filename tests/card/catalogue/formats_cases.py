# SPDX-License-Identifier: Apache-2.0
"""The most used operations in every dtype and layout they take, with tensors in every place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import PLACES, PRECISE, UNITS, Bench, Case, golden, named, operation

SHAPE = (1, 1, 128, 128)
TILE, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT
_WHOLE = (ttnn.int32, ttnn.uint32, ttnn.uint16)
# Where arguments lie.
_UNARY: dict[str, tuple[float, float]] = {
    "exp": (-4, 4), "gelu": (-4, 4), "relu": (-4, 4), "sigmoid": (-4, 4), "silu": (-4, 4), "sqrt": (0.5, 8),
    "tanh": (-3, 3), "neg": (-4, 4), "abs": (-4, 4), "reciprocal": (0.5, 4),
}  # fmt: skip
_BINARY = ("add", "subtract", "multiply", "maximum", "gt", "eq")
_SHARDED_REDUCTIONS = ("sum", "max", "mean")
# One number, exact in every dtype: moving data is not to change it.
_MOVES: dict[str, tuple[Callable[[torch.Tensor], Any], tuple[Any, ...]]] = {
    "transpose": (lambda x: x.transpose(-1, -2), (-1, -2)),
    "permute": (lambda x: x.permute(0, 2, 1, 3), ((0, 2, 1, 3),)),
    "reshape": (lambda x: x.reshape(1, 2, 64, 128), ((1, 2, 64, 128),)),
    "slice": (lambda x: x[:, :, :64, 32:96], ([0, 0, 0, 32], [1, 1, 64, 96])),
    "pad": (lambda x: torch.nn.functional.pad(x, (0, 32, 0, 32)), ([(0, 0), (0, 0), (0, 32), (0, 32)], 0)),
    "repeat": (lambda x: x.repeat(1, 2, 1, 1), (ttnn.Shape((1, 2, 1, 1)),)),
    "clone": (lambda x: x, ()),
    "to_layout": (lambda x: x, (ROWS,)),
}


def _values(bench: Bench, dtype: Any, low: float = -2.0, high: float = 2.0) -> torch.Tensor:
    if dtype in _WHOLE:
        return bench.integers(SHAPE, 0, 100)
    return bench.random(SHAPE, low, high)


def _unit(dtype: Any) -> float:
    # Vector functions of float32 are polynomials of about 22 bits, and some go through TF32.
    return 2.0**-10 if dtype == ttnn.float32 else UNITS[dtype]


def _unary(name: str, dtype: Any, layout: Any = TILE, place: str = "DRAM") -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        tensor = bench.put(bench.random(SHAPE, *_UNARY[name]), dtype, layout, bench.memory(place, SHAPE))
        return operation(name)(tensor), golden(name)(bench.get(tensor).to(torch.float32))

    return Case(name, f"{named(dtype)} {named(layout)} {place}", run, 4, _unit(dtype))


def _binary(name: str, dtype: Any, layout: Any = TILE, places: Sequence[str] = ("DRAM", "DRAM")) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = [_values(bench, dtype) for _ in range(2)]
        if name == "subtract" and dtype in _WHOLE:
            values[0] += 100  # no number below zero
        tensors = [
            bench.put(each, dtype, layout, bench.memory(at, SHAPE)) for each, at in zip(values, places, strict=True)
        ]
        return operation(name)(*tensors), golden(name)(*(bench.get(each).to(torch.float32) for each in tensors))

    exact = dtype in _WHOLE or name in ("gt", "eq") or (name == "maximum" and dtype != ttnn.bfloat8_b)
    where = places[0] if places[0] == places[1] else " and ".join(places)
    return Case(name, f"{named(dtype)} {named(layout)} {where}", run, 0 if exact else 4, UNITS.get(dtype, 0.0))


def _reduction(name: str, dtype: Any, dim: int, place: str = "DRAM") -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        tensor = bench.put(bench.random(SHAPE), dtype, TILE, bench.memory(place, SHAPE))
        values = bench.get(tensor)
        wanted = getattr(values, {"max": "amax", "min": "amin"}.get(name, name))(dim, keepdim=True)
        return operation(name)(tensor, dim=dim, keepdim=True), wanted

    exact = name in ("max", "min") and dtype != ttnn.bfloat8_b
    return Case(name, f"{named(dtype)} dim {dim} {place}", run, 0 if exact else 8, _unit(dtype))


def _move(name: str, dtype: Any, layout: Any = TILE, place: str = "DRAM") -> Case:
    reference, arguments = _MOVES[name]

    def run(bench: Bench) -> tuple[Any, Any]:
        tensor = bench.put(_values(bench, dtype), dtype, layout, bench.memory(place, SHAPE))
        # A larger tensor does not fit into the shards of a smaller one.
        options = {"memory_config": ttnn.DRAM_MEMORY_CONFIG} if name == "pad" and "sharded" in place else {}
        return operation(name)(tensor, *arguments, **options), reference(bench.get(tensor))

    # Block floats have other neighbours afterwards, and with them another exponent.
    steps = 1 if dtype == ttnn.bfloat8_b and name == "transpose" else 0
    return Case(name, f"{named(dtype)} {named(layout)} {place}", run, steps, UNITS.get(dtype, 0.0))


def _softmax(dtype: Any, place: str = "DRAM") -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        tensor = bench.put(bench.random(SHAPE), dtype, TILE, bench.memory(place, SHAPE))
        return ttnn.softmax(tensor, dim=-1), bench.get(tensor).softmax(-1)

    return Case("softmax", f"{named(dtype)} {place}", run, 8, _unit(dtype))


def _norm(name: str, dtype: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        tensor = bench.put(bench.random(SHAPE), dtype)
        values = bench.get(tensor)
        wanted = values / (values.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        if name == "layer_norm":
            wanted = torch.nn.functional.layer_norm(values, (128,), eps=1e-5)
        return operation(name)(tensor, epsilon=1e-5, compute_kernel_config=PRECISE), wanted

    return Case(name, named(dtype), run, 8, _unit(dtype))


def _sharded_norm(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        config = ttnn.LayerNormShardedMultiCoreProgramConfig(
            compute_with_storage_grid_size=(2, 2), subblock_w=2, block_h=2, block_w=2, inplace=False
        )
        tensor = bench.put(values, memory=bench.memory("block sharded", SHAPE))
        result = operation(name)(tensor, epsilon=1e-5, program_config=config, memory_config=tensor.memory_config())
        wanted = values / (values.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return result, torch.nn.functional.layer_norm(values, (128,), eps=1e-5) if name == "layer_norm" else wanted

    return Case(name, "block sharded", run, 8)


def _matmul(label: str, dtypes: Sequence[Any], places: Sequence[str]) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        tensors = [
            bench.put(bench.random(SHAPE), dtype, TILE, bench.memory(place, SHAPE))
            for dtype, place in zip(dtypes, places, strict=False)
        ]
        memory = ttnn.MemoryConfig(bench.memory(places[2], SHAPE).memory_layout, ttnn.BufferType.L1)
        result = ttnn.matmul(
            *tensors,
            memory_config=memory if "sharded" in places[2] else None,
            dtype=dtypes[0],
            compute_kernel_config=PRECISE,
        )
        return result, bench.get(tensors[0]) @ bench.get(tensors[1])

    return Case("matmul", label, run, 4, _unit(dtypes[0]))


def _to_place(source: str, target: str, dtype: Any, layout: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        tensor = bench.put(_values(bench, dtype), dtype, layout, bench.memory(source, SHAPE))
        return ttnn.to_memory_config(tensor, bench.memory(target, SHAPE)), bench.get(tensor)

    return Case("to_memory_config", f"{source} to {target}, {named(dtype)} {named(layout)}", run, 0)


_FLOATS = (ttnn.float32, ttnn.bfloat8_b, ttnn.bfloat4_b)
_MOVED = (ttnn.float32, ttnn.bfloat8_b, ttnn.int32, ttnn.uint32, ttnn.uint16)
_ROW_DTYPES = (ttnn.bfloat16, ttnn.float32, ttnn.int32, ttnn.uint32, ttnn.uint16)
_bf16 = ttnn.bfloat16
CASES = [
    *(_unary(name, dtype) for name in _UNARY for dtype in _FLOATS[:2]),
    *(_unary(name, ttnn.bfloat4_b) for name in ("relu", "neg", "abs")),
    *(_unary(name, _bf16, TILE, place) for name in ("exp", "gelu", "silu", "neg") for place in PLACES),
    *(_unary(name, _bf16, ROWS) for name in ("exp", "relu", "sqrt")),
    *(_binary(name, dtype) for name in _BINARY for dtype in (ttnn.float32, ttnn.bfloat8_b, ttnn.int32)),
    *(_binary(name, dtype) for name in ("add", "subtract", "multiply", "eq") for dtype in (ttnn.uint32, ttnn.uint16)),
    *(_binary(name, _bf16, TILE, (at, at)) for name in ("add", "multiply", "gt") for at in PLACES),
    *(_binary("add", _bf16, TILE, (at, "DRAM")) for at in PLACES if at != "L1"),
    *(_binary(name, dtype, ROWS) for name in ("add", "multiply") for dtype in (_bf16, ttnn.float32, ttnn.int32)),
    *(_reduction(name, dtype, dim) for name in ("sum", "mean", "max") for dtype in _FLOATS[:2] for dim in (-1, -2)),
    *(_reduction(name, _bf16, -1, place) for name in _SHARDED_REDUCTIONS for place in PLACES),
    *(_move(name, dtype) for name in _MOVES for dtype in _MOVED if (name, dtype) != ("to_layout", ttnn.bfloat8_b)),
    *(_move(name, dtype, ROWS) for name in _MOVES if name != "to_layout" for dtype in _ROW_DTYPES),
    *(_move(name, _bf16, TILE, place) for name in _MOVES for place in PLACES),
    *(_move(name, _bf16, ROWS, place) for name in ("transpose", "slice", "clone", "reshape") for place in PLACES[:4]),
    *(_softmax(dtype) for dtype in (ttnn.float32, ttnn.bfloat8_b)),
    *(_softmax(_bf16, place) for place in ("L1", "height sharded", "ND sharded")),
    *(_norm(name, dtype) for name in ("layer_norm", "rms_norm") for dtype in (ttnn.float32, ttnn.bfloat8_b)),
    *(_sharded_norm(name) for name in ("layer_norm", "rms_norm")),
    *(_matmul(f"{named(a)} by {named(b)}", (a, b), ("DRAM", "DRAM", "DRAM"))
      for a in (_bf16, ttnn.float32, ttnn.bfloat8_b) for b in (_bf16, ttnn.bfloat8_b, ttnn.bfloat4_b) if a != b),
    *(_matmul(f"{places[0]} by {places[1]} to {places[2]}", (_bf16, _bf16), places) for places in (
        ("L1", "L1", "L1"), ("height sharded", "DRAM", "height sharded"), ("block sharded", "DRAM", "block sharded"),
        ("width sharded", "DRAM", "width sharded"), ("height sharded", "L1", "DRAM"))),
    *(_to_place(source, target, _bf16, layout) for layout in (TILE, ROWS)
      for source, target in (("DRAM", "height sharded"), ("height sharded", "DRAM"), ("width sharded", "block sharded"),
                             ("ND sharded", "L1"), ("L1", "ND sharded"), ("block sharded", "ND sharded"),
                             ("DRAM sharded", "DRAM"), ("DRAM", "DRAM sharded"))),
    *(_to_place("DRAM", "height sharded", dtype, TILE) for dtype in (ttnn.float32, ttnn.int32, ttnn.bfloat8_b)),
]  # fmt: skip
