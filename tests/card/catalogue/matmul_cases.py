# SPDX-License-Identifier: Apache-2.0
"""Products of matrices, normalizations and attention."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import PRECISE, Bench, Case, operation

_FIDELITIES = {"LoFi": 2.0**-4, "HiFi2": 2.0**-7, "HiFi4": 2.0**-8}


def _matmul(
    label: str,
    first: tuple[int, ...],
    second: tuple[int, ...],
    dtype: Any = ttnn.bfloat16,
    memory: Any = None,
    **options: Any,
) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        tensors = [bench.put(bench.random(shape), dtype) for shape in (first, second)]
        values = [bench.get(each) for each in tensors]
        options.setdefault("dtype", ttnn.bfloat16 if dtype == ttnn.bfloat4_b else dtype)
        result = ttnn.matmul(*tensors, memory_config=memory, compute_kernel_config=PRECISE, **options)
        return result, values[0] @ values[1]

    return Case("matmul", label, run, 4, 2.0**-6 if dtype in (ttnn.bfloat8_b, ttnn.bfloat4_b) else 2.0**-8)


def _fidelity(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        config = ttnn.WormholeComputeKernelConfig(math_fidelity=getattr(ttnn.MathFidelity, name), fp32_dest_acc_en=True)
        first, second = bench.random((1, 1, 64, 128)), bench.random((1, 1, 128, 96))
        return ttnn.matmul(bench.put(first), bench.put(second), compute_kernel_config=config), first @ second

    return Case("matmul", name, run, 2, _FIDELITIES[name])


def _linear(label: str, with_bias: bool, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second, bias = bench.random((1, 1, 64, 128)), bench.random((1, 1, 128, 96)), bench.random((1, 1, 1, 96))
        more = {"bias": bench.put(bias)} if with_bias else {}
        wanted = first @ second + (bias if with_bias else 0)
        if options.get("activation") == "relu":
            wanted = wanted.relu()
        result = ttnn.linear(bench.put(first), bench.put(second), compute_kernel_config=PRECISE, **more, **options)
        return result, wanted

    return Case("linear", label, run, 4)


def _addmm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((64, 96)), bench.random((64, 128)), bench.random((128, 96))
        return ttnn.addmm(*map(bench.put, values), alpha=1.0, beta=1.0), torch.addmm(*values)

    return Case("addmm", "", run, 8)


def _softmax(dim: int, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 2, 64, 96))
        return ttnn.softmax(bench.put(values), dim=dim, **options), values.softmax(dim)

    return Case("softmax", f"dim {dim}{' stable' if options else ''}", run, 6)


def _norm(name: str, label: str, with_weight: bool, memory: Any = None) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, weight, bias = bench.random((1, 1, 64, 128)), bench.random((1, 1, 1, 128)), bench.random((1, 1, 1, 128))
        options = {"weight": bench.put(weight)} if with_weight else {}
        if name == "layer_norm":
            if with_weight:
                options["bias"] = bench.put(bias)
            wanted = torch.nn.functional.layer_norm(values, (128,), eps=1e-5)
        else:
            wanted = values / (values.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        if with_weight:
            wanted = wanted * weight + (bias if name == "layer_norm" else 0)
        return operation(name)(bench.put(values), epsilon=1e-5, **options), wanted

    return Case(name, label, run, 6)


def _group_norm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64))
        grid = ttnn.CoreGrid(y=1, x=1)
        weight, bias = torch.ones(64), torch.zeros(64)
        mask = bench_mask(bench)
        shaped = [
            bench.put(ttnn.create_group_norm_weight_bias_rm(each, 64, 1), layout=ttnn.ROW_MAJOR_LAYOUT)
            for each in (weight, bias)
        ]
        tensor = bench.put(values, memory=ttnn.L1_MEMORY_CONFIG)
        result = ttnn.group_norm(
            tensor, num_groups=2, input_mask=mask, weight=shaped[0], bias=shaped[1], core_grid=grid, inplace=False,
            memory_config=ttnn.DRAM_MEMORY_CONFIG, num_out_blocks=1,
        )  # fmt: skip
        wanted = torch.nn.functional.group_norm(values.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)
        return result, wanted

    return Case("group_norm", "", run, 8)


def bench_mask(bench: Bench) -> Any:
    return ttnn.to_device(ttnn.create_group_norm_input_mask(64, 2, 1, ttnn.bfloat16), bench.device)


def _batch_norm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((2, 3, 32, 32))
        mean, variance = bench.random((1, 3, 1, 1)), bench.random((1, 3, 1, 1), 0.5, 2)
        result = ttnn.batch_norm(
            bench.put(values), running_mean=bench.put(mean), running_var=bench.put(variance), eps=1e-5, training=False
        )
        return result, (values - mean) / (variance + 1e-5).sqrt()

    return Case("batch_norm", "", run, 6)


def _heads() -> list[Case]:
    def concatenate(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 4, 64, 32))
        return ttnn.transformer.concatenate_heads(bench.put(values)), values.permute(0, 2, 1, 3).reshape(1, 64, 128)

    def split(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 64, 3 * 128))
        result = ttnn.transformer.split_query_key_value_and_split_heads(bench.put(values), num_heads=4)
        query, key, value = (each.reshape(1, 64, 4, 32).permute(0, 2, 1, 3) for each in values.chunk(3, -1))
        return list(result), [query, key.transpose(-1, -2), value]

    def softmax(bench: Bench) -> tuple[Any, Any]:
        values, mask = bench.random((1, 4, 64, 64)), bench.random((1, 1, 1, 64))
        result = ttnn.transformer.attention_softmax(bench.put(values), head_size=64, attention_mask=bench.put(mask))
        return result, (values / 8 + mask).softmax(-1)

    return [
        Case("transformer.concatenate_heads", "", concatenate, 0),
        Case("transformer.split_query_key_value_and_split_heads", "", split, 0),
        Case("transformer.attention_softmax", "", softmax, 8),
    ]


def _cache(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        cache = bench.random((2, 1, 64, 64))
        tensor = bench.put(cache)
        if name == "fill_cache":
            values = bench.random((1, 1, 32, 64))
            ttnn.fill_cache(tensor, bench.put(values), 1)
            wanted = cache.clone()
            wanted[1:2, :, :32] = values
            return tensor, wanted
        values = bench.random((1, 1, 2, 64))
        ttnn.update_cache(tensor, bench.put(values), 5)
        wanted = cache.clone()
        wanted[:, 0, 5] = values[0, 0]
        return tensor, wanted

    return Case(name, "", run, 0)


CASES = [
    _matmul("", (1, 1, 64, 128), (1, 1, 128, 96)),
    _matmul("one tile", (1, 1, 32, 32), (1, 1, 32, 32)),
    _matmul("batch", (2, 3, 64, 64), (1, 1, 64, 96)),
    _matmul("batch of both", (1, 4, 64, 64), (1, 4, 64, 64)),
    _matmul("large", (1, 1, 512, 256), (1, 1, 256, 512)),
    _matmul("vector", (1, 1, 32, 256), (1, 1, 256, 1024)),
    _matmul("odd", (1, 1, 50, 70), (1, 1, 70, 30)),
    _matmul("bfloat8_b", (1, 1, 64, 128), (1, 1, 128, 96), ttnn.bfloat8_b),
    _matmul("bfloat4_b", (1, 1, 64, 128), (1, 1, 128, 96), ttnn.bfloat4_b),
    _matmul("float32", (1, 1, 64, 128), (1, 1, 128, 96), ttnn.float32),
    _matmul("to L1", (1, 1, 64, 128), (1, 1, 128, 96), memory=ttnn.L1_MEMORY_CONFIG),
    _matmul("core grid", (1, 1, 128, 128), (1, 1, 128, 128), core_grid=ttnn.CoreGrid(x=2, y=2)),
    *(_fidelity(name) for name in _FIDELITIES),
    _linear("", False),
    _linear("bias", True),
    _linear("relu", True, activation="relu"),
    _linear("relu on a core grid", True, activation="relu", core_grid=ttnn.CoreGrid(x=2, y=2)),
    _addmm(),
    _softmax(-1),
    _softmax(-2),
    _softmax(1),
    _softmax(-1, numeric_stable=True),
    *(
        _norm(name, "weights" if weight else "", weight)
        for name in ("layer_norm", "rms_norm")
        for weight in (False, True)
    ),
    _group_norm(),
    _batch_norm(),
    *_heads(),
    _cache("fill_cache"),
    _cache("update_cache"),
]
