# SPDX-License-Identifier: Apache-2.0
"""Sums and the like along dimensions, running sums, losses, sorting and searching."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, golden, operation

SHAPE = (1, 2, 64, 96)


def _reduce(name: str, reference: Any, dim: Any, steps: float = 4, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE, 0.5, 2) if name == "prod" else bench.random(SHAPE)
        return operation(name)(bench.put(values), dim=dim, keepdim=True, **options), reference(values, dim)

    return Case(name, f"dim {dim}", run, steps)


def _all(name: str, reference: Any, steps: float = 4) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        return operation(name)(bench.put(values)), reference(values)

    return Case(name, "all", run, steps)


def _running(name: str, reference: Any, dtype: Any = None) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64), 0.9, 1.1) if name == "cumprod" else bench.random((1, 1, 64, 64))
        return operation(name)(bench.put(values), dim=-2), reference(values, -2)

    return Case(name, "", run, 24)  # a sum of 64, rounded at every step


def _loss(name: str, reference: Any, mode: Any, label: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((1, 1, 64, 64)), bench.random((1, 1, 64, 64))
        result = operation(name)(bench.put(first), bench.put(second), reduction=mode)
        return result, reference(first, second, reduction=label)

    return Case(name, label, run, 8)


def _argmax(dim: int) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        tensor = bench.put(values, layout=ttnn.ROW_MAJOR_LAYOUT)
        indices = bench.get(ttnn.argmax(tensor, dim=dim)).long().reshape(SHAPE[:dim])
        # Of equal numbers any may be the one.
        return values.gather(dim, indices.unsqueeze(dim)), values.max(dim, keepdim=True).values

    return Case("argmax", f"dim {dim}", run, 0)


def _topk(k: int, largest: bool) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 128))
        found, indices = ttnn.topk(bench.put(values), k, dim=-1, largest=largest, sorted=True)
        wanted = values.topk(k, largest=largest).values
        chosen = values.gather(-1, bench.get(indices).long())
        return [found, chosen], [wanted, wanted]

    return Case("topk", f"{k} {'largest' if largest else 'smallest'}", run, 0)


def _sort() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 128))
        found, indices = ttnn.sort(bench.put(values), dim=-1)
        wanted = values.sort(-1).values
        return [found, values.gather(-1, bench.get(indices).long())], [wanted, wanted]

    return Case("sort", "", run, 0)


def _gather() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, indices = bench.random((1, 1, 32, 128)), bench.integers((1, 1, 32, 64), 0, 128)
        result = ttnn.gather(bench.put(values), -1, index=bench.put(indices, ttnn.uint32))
        return result, values.gather(-1, indices.long())

    return Case("gather", "", run, 0)


def _scatter(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, source = bench.random((1, 1, 32, 64)), bench.random((1, 1, 32, 32))
        indices = torch.stack(
            [torch.randperm(64, generator=torch.Generator().manual_seed(row))[:32] for row in range(32)]
        )
        indices = indices.reshape(1, 1, 32, 32)
        place = bench.put(indices.int(), ttnn.int32, ttnn.ROW_MAJOR_LAYOUT)
        tensors = [bench.put(each, layout=ttnn.ROW_MAJOR_LAYOUT) for each in (values, source)]
        result = operation(name)(tensors[0], -1, place, tensors[1])
        return result, getattr(values, name)(-1, indices, source)

    return Case(name, "", run, 0 if name == "scatter" else 2)


def _statistics(name: str, reference: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64))
        return operation(name)(bench.put(values)), reference(values)

    return Case(name, "", run, 16)


def _nonzero() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = (bench.random((1, 1, 1, 64)) > 0).float()
        count, _ = ttnn.nonzero(bench.put(values, layout=ttnn.ROW_MAJOR_LAYOUT))
        return bench.get(count).flatten()[:1], values.count_nonzero().reshape(1)

    return Case("nonzero", "count", run, 0)


def _off_by_one_at_most(got: torch.Tensor, wanted: torch.Tensor) -> tuple[Any, Any]:
    """A scale that bfloat16 rounds moves what lies beside the middle of two whole numbers to the other."""
    return (got - wanted).abs() <= 1, torch.ones_like(wanted)


def _quantized(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 64))
        if name == "quantize":
            tensor = bench.put(values, ttnn.float32)
            wanted = torch.clamp(torch.round(values / 0.05) + 3, -128, 127)
            return _off_by_one_at_most(bench.get(ttnn.quantize(tensor, 0.05, 3)), wanted)
        integers = bench.integers((1, 1, 32, 64), -100, 100)
        tensor = bench.put(integers, ttnn.int32)
        if name == "dequantize":
            return ttnn.dequantize(tensor, 0.05, 3), (integers - 3) * 0.05
        scaled = (integers - 3) * 0.05
        wanted = torch.clamp(torch.round(scaled / 0.1) + 5, -128, 127)
        return _off_by_one_at_most(bench.get(ttnn.requantize(tensor, 0.05, 3, 0.1, 5)), wanted)

    return Case(name, "", run, 6 if name == "dequantize" else 4, 2.0**-8)


CASES = [
    *(_reduce("sum", lambda x, dim: x.sum(dim, keepdim=True), dim, 8) for dim in (-1, -2, 1, (-2, -1))),
    *(_reduce("mean", lambda x, dim: x.mean(dim, keepdim=True), dim, 8) for dim in (-1, -2, (-2, -1))),
    *(_reduce("max", lambda x, dim: x.amax(dim, keepdim=True), dim, 0) for dim in (-1, -2, 1)),
    *(_reduce("min", lambda x, dim: x.amin(dim, keepdim=True), dim, 0) for dim in (-1, -2)),
    *(_reduce("std", lambda x, dim: x.std(dim, keepdim=True), dim, 8) for dim in (-1, -2)),
    *(_reduce("var", lambda x, dim: x.var(dim, keepdim=True), dim, 12) for dim in (-1, -2)),
    _reduce("prod", lambda x, dim: x.prod(dim, keepdim=True), 1, 4),
    _all("sum", torch.sum, 8),
    _all("max", torch.max, 0),
    _all("mean", torch.mean, 8),
    _running("cumsum", torch.cumsum),
    _running("cumprod", torch.cumprod),
    *(_loss("mse_loss", torch.nn.functional.mse_loss, getattr(ttnn.LossReductionMode, mode.upper()), mode)
      for mode in ("none", "sum", "mean")),
    *(_loss("l1_loss", torch.nn.functional.l1_loss, getattr(ttnn.LossReductionMode, mode.upper()), mode)
      for mode in ("none", "sum", "mean")),
    _argmax(3),
    *(_topk(k, largest) for k in (8, 32) for largest in (True, False)),
    _sort(),
    _gather(),
    _scatter("scatter"),
    _scatter("scatter_add"),
    _statistics("var_hw", lambda x: x.var((-2, -1), correction=0)),
    _statistics("std_hw", lambda x: x.std((-2, -1), correction=0)),
    _statistics("normalize_hw", golden("normalize_hw")),
    _statistics("normalize_global", golden("normalize_global")),
    _nonzero(),
    *(_quantized(name) for name in ("quantize", "dequantize", "requantize")),
]  # fmt: skip
