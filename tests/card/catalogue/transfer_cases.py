# SPDX-License-Identifier: Apache-2.0
"""Tensors between host and card, their creation, and what fills, indexes and scatters them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, operation

TILE, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT
SHAPE = (1, 1, 64, 64)


def _there_and_back(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        host = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=TILE)
        if name == "to_device":
            return ttnn.to_device(host, bench.device), values
        tensor = bench.put(values)
        if name == "from_device":
            return ttnn.from_device(tensor), values
        if name in ("from_torch", "to_torch"):
            return ttnn.to_torch(tensor), values
        if name == "as_tensor":
            more = {"device": bench.device, "memory_config": ttnn.DRAM_MEMORY_CONFIG}
            return ttnn.as_tensor(values, dtype=ttnn.bfloat16, layout=TILE, **more), values
        if name == "copy_host_to_device_tensor":
            target = bench.put(torch.zeros(SHAPE))
            ttnn.copy_host_to_device_tensor(host, target)
            return target, values
        target = ttnn.from_torch(torch.zeros(SHAPE), dtype=ttnn.bfloat16, layout=TILE)
        ttnn.copy_device_to_host_tensor(tensor, target)
        return target, values

    return Case(name, "", run, 0)


def _partial_copy() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 128, 64))
        target = bench.put(torch.zeros(values.shape), memory=bench.memory("height sharded", values.shape))
        host = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=TILE)
        ttnn.copy_host_to_device_tensor_partial(host, target, bench.cores(1, 2))
        wanted = values.clone()
        wanted[:, :, 64:] = 0  # the shards of two of four cores
        return target, wanted

    return Case("copy_host_to_device_tensor_partial", "", run, 0)


def _file() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tensor.tensorbin"
            ttnn.dump_tensor(path, bench.put(values))
            return ttnn.load_tensor(path, device=bench.device), values

    return Case("dump_tensor", "", run, 0)


def _loaded() -> Case:
    case = _file()
    return Case("load_tensor", "", case.run, 0)


def _room(name: str) -> Case:
    """Unwritten memory has a shape and no values; writing it makes it an ordinary tensor."""

    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        spec = ttnn.TensorSpec(SHAPE, ttnn.bfloat16, TILE)
        if name == "empty":
            target = ttnn.empty(SHAPE, ttnn.bfloat16, TILE, bench.device, ttnn.DRAM_MEMORY_CONFIG)
        elif name == "empty_like":
            target = ttnn.empty_like(bench.put(values))
        elif name == "allocate_tensor_on_device":
            target = ttnn.allocate_tensor_on_device(spec, bench.device)
        else:
            target = ttnn.allocate_tensor_on_host(spec, bench.device)
            ttnn.copy_device_to_host_tensor(bench.put(values), target)
            return target, values
        ttnn.copy(bench.put(values), target)
        return target, values

    return Case(name, "", run, 0)


def _from_buffer() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.integers(SHAPE, 0, 100)
        found = ttnn.from_buffer(values.flatten().tolist(), ttnn.Shape(SHAPE), ttnn.int32, bench.device, TILE)
        return found, values

    return Case("from_buffer", "", run, 0)


def _deallocate() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        tensor = bench.put(bench.random(SHAPE))
        ttnn.deallocate(tensor)
        values = bench.random(SHAPE)
        return [bench.put(values), torch.tensor(tensor.is_allocated())], [values, torch.tensor(False)]

    return Case("deallocate", "", run, 0)


def _to_dtype() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        return ttnn.to_dtype(ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=TILE), ttnn.float32), values

    return Case("to_dtype", "", run, 0)


def _filled(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        any_tensor = bench.put(torch.zeros(1, 1, 32, 64), layout=ROWS)
        numbers = (1.5, 0.5) if name == "fill_rm" else ()
        wanted = torch.full((1, 1, 32, 64), numbers[1] if numbers else 0.0)
        wanted[:, :, :20, :40] = numbers[0] if numbers else 1.0
        return operation(name)(1, 1, 32, 64, 20, 40, any_tensor, *numbers), wanted

    return Case(name, "", run, 0)


def _index_fill(name: str, dim: int) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, indices = bench.random((2, 3, 32, 64)), torch.tensor([0, 2] if dim == 1 else [1, 5, 17])
        found = operation(name)(bench.put(values, layout=ROWS), dim, bench.put(indices.int(), ttnn.uint32, ROWS), 2.5)
        return found, values.index_fill(dim, indices, 2.5)

    return Case(name, f"dim {dim}", run, 0)


def _indexed_fill() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, other, places = bench.random((4, 1, 32, 32)), bench.random((2, 1, 32, 32)), torch.tensor([1, 3])
        found = ttnn.indexed_fill(
            bench.put(places.int().reshape(1, 1, 1, 2), ttnn.uint32, ROWS), bench.put(values, layout=ROWS),
            bench.put(other, layout=ROWS),
        )  # fmt: skip
        wanted = values.clone()
        wanted[places] = other
        return found, wanted

    return Case("indexed_fill", "", run, 0)


def _partial() -> list[Case]:
    def to_shards(bench: Bench) -> Any:
        values = bench.random((1, 1, 256, 64))
        part = ttnn.interleaved_to_sharded_partial(
            bench.put(values), ttnn.CoreCoord(1, 4), (32, 64), 2, 1,
            ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.ShardOrientation.ROW_MAJOR,
        )  # fmt: skip
        return values, part

    def there(bench: Bench) -> tuple[Any, Any]:
        values, part = to_shards(bench)
        return part, values[:, :, 128:]

    def back(bench: Bench) -> tuple[Any, Any]:
        values, part = to_shards(bench)
        target = bench.put(torch.zeros(values.shape))
        ttnn.sharded_to_interleaved_partial(part, target, 2, 1, memory_config=ttnn.DRAM_MEMORY_CONFIG)
        wanted = values.clone()
        wanted[:, :, :128] = 0
        return target, wanted

    def whole(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 128, 64))
        tensor = bench.put(values, memory=bench.memory("height sharded", values.shape))
        return ttnn.sharded_to_interleaved(tensor, ttnn.L1_MEMORY_CONFIG), values

    return [
        Case("interleaved_to_sharded_partial", "", there, 0),
        Case("sharded_to_interleaved_partial", "", back, 0),
        Case("sharded_to_interleaved", "to L1", whole, 0),
    ]


def _plus_one(skip: bool) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.integers((1, 32), -5, 50)
        found = ttnn.plus_one(bench.put(values, ttnn.int32, ROWS), skip_negative_entries=skip)
        return found, torch.where(values >= 0, values + 1, values) if skip else values + 1

    return Case("plus_one", "skipping negative ones" if skip else "", run, 0)


def _reshape_on_device() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 2, 64, 32))
        return ttnn.reshape_on_device(bench.put(values), 1, 4, 32, 32), values.reshape(1, 4, 32, 32)

    return Case("reshape_on_device", "", run, 0)


def _tosa(name: str, layout: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((2, 64, 32))
        places = torch.stack(
            [torch.randperm(64, generator=torch.Generator().manual_seed(each))[:32] for each in (0, 1)]
        )
        tensors = bench.put(values, layout=layout), bench.put(places.int(), ttnn.uint32, layout)
        spread = places.unsqueeze(-1).expand(2, 32, 32)
        if name == "tosa_gather":
            return ttnn.tosa_gather(*tensors), values.gather(1, spread)
        source = bench.random((2, 32, 32))
        return ttnn.tosa_scatter(*tensors, bench.put(source, layout=layout)), values.scatter(1, spread, source)

    return Case(name, str(layout).rsplit(".", maxsplit=1)[-1].lower(), run, 0)


def _kv(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        cache = bench.random((2, 1, 64, 64))
        tensor, wanted = bench.put(cache), cache.clone()
        if name.endswith("user_"):
            values = bench.random((1, 1, 32, 64))
            ttnn.kv_cache.fill_cache_for_user_(tensor, bench.put(values), 1)
            wanted[1:2, :, :32] = values
        else:
            values = bench.random((1, 1, 2, 64))
            ttnn.kv_cache.update_cache_for_token_(tensor, bench.put(values), 7, 0)
            wanted[:, 0, 7] = values[0, 0]
        return tensor, wanted

    return Case(name, "", run, 0)


CASES = [
    *(_there_and_back(name) for name in ("to_device", "from_device", "from_torch", "to_torch", "as_tensor",
                                         "copy_host_to_device_tensor", "copy_device_to_host_tensor")),
    _partial_copy(),
    _file(),
    _loaded(),
    *(_room(name) for name in ("empty", "empty_like", "allocate_tensor_on_device", "allocate_tensor_on_host")),
    _from_buffer(),
    _deallocate(),
    _to_dtype(),
    _filled("fill_rm"),
    _filled("fill_ones_rm"),
    *(_index_fill(name, dim) for name in ("index_fill", "index_fill_new") for dim in (1, 3)),
    _indexed_fill(),
    *_partial(),
    _plus_one(False),
    _plus_one(True),
    _reshape_on_device(),
    *(_tosa(name, layout) for name in ("tosa_gather", "tosa_scatter") for layout in (TILE, ROWS)),
    _kv("kv_cache.fill_cache_for_user_"),
    _kv("kv_cache.update_cache_for_token_"),
]  # fmt: skip
