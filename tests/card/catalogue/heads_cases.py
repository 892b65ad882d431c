# SPDX-License-Identifier: Apache-2.0
"""Experimental operations that single-chip models use: heads of attention, rotary embeddings, reductions."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case


def _concat_heads() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 4, 64, 64))
        return ttnn.experimental.nlp_concat_heads(bench.put(values)), values.permute(0, 2, 1, 3).reshape(1, 1, 64, 256)

    return Case("experimental.nlp_concat_heads", "", run, 0)


def _create_heads() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64 * 6))
        result = ttnn.experimental.nlp_create_qkv_heads(
            bench.put(values), num_heads=4, num_kv_heads=1, transpose_k_heads=False
        )
        query, key, value = values.split([256, 64, 64], -1)
        return list(result), [query.reshape(1, 64, 4, 64).permute(0, 2, 1, 3), key, value]

    return Case("experimental.nlp_create_qkv_heads", "", run, 0)


def _rotate_half() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 2, 32, 64))
        first, second = values.chunk(2, -1)
        return ttnn.experimental.rotate_half(bench.put(values)), torch.cat((-second, first), -1)

    return Case("experimental.rotate_half", "", run, 0)


def _rotary() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, cos, sin = (
            bench.random((1, 2, 64, 64)),
            bench.random((1, 1, 64, 64), -1, 1),
            bench.random((1, 1, 64, 64), -1, 1),
        )
        first, second = values.chunk(2, -1)
        result = ttnn.experimental.rotary_embedding(*map(bench.put, (values, cos, sin)))
        return result, values * cos + torch.cat((-second, first), -1) * sin

    return Case("experimental.rotary_embedding", "", run, 6)


def _reduce() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 4, 64, 64))
        return ttnn.experimental.fast_reduce_nc(bench.put(values), dims=[1], output=None), values.sum(1, keepdim=True)

    return Case("experimental.fast_reduce_nc", "", run, 4)


def _minimal_matmul() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((1, 1, 256, 256)), bench.random((1, 1, 256, 256))
        return ttnn.experimental.minimal_matmul(bench.put(first), bench.put(second)), first @ second

    return Case("experimental.minimal_matmul", "", run, 4)


def _complex_product() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        parts = [bench.random((1, 1, 32, 64)) for _ in range(4)]
        found = ttnn.experimental.complex_mul(*(bench.put(part, ttnn.float32, ttnn.ROW_MAJOR_LAYOUT) for part in parts))
        product = torch.complex(*parts[:2]) * torch.complex(*parts[2:])
        return list(found), [product.real, product.imag]

    return Case("experimental.complex_mul", "", run, 4, 2.0**-10)


def _broadcast() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 1, 64))
        found = ttnn.experimental.broadcast_to(bench.put(values), ttnn.Shape((2, 3, 32, 64)))
        return found, values.expand(2, 3, 32, 64)

    return Case("experimental.broadcast_to", "", run, 0)


def _view() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 2, 32, 64))
        return ttnn.experimental.view(bench.put(values), (1, 1, 64, 64)), values.reshape(1, 1, 64, 64)

    return Case("experimental.view", "", run, 0)


def _typecast() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 64))
        return ttnn.experimental.typecast(bench.put(values), ttnn.float32), values

    return Case("experimental.typecast", "", run, 0)


def _load_slice() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 2, 128, 64))
        found = ttnn.experimental.nlp_kv_cache_load_slice(bench.put(values), seq_len_start=32, seq_len_end=96)
        return found, values[:, :, 32:96]

    return Case("experimental.nlp_kv_cache_load_slice", "", run, 0)


def _falcon_heads() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 4672))  # 71 heads of queries, one of keys, one of values
        query, key, value = values.split([4544, 64, 64], -1)
        found = ttnn.experimental.nlp_create_qkv_heads_falcon7b(bench.put(values))
        return list(found), [query.reshape(1, 32, 71, 64).permute(0, 2, 1, 3), key, value]

    return Case("experimental.nlp_create_qkv_heads_falcon7b", "", run, 0)


def _isin() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, few = bench.integers((1, 1, 32, 64), 0, 50), bench.integers((1, 1, 1, 32), 0, 50)
        tensors = [bench.put(each, ttnn.int32, ttnn.ROW_MAJOR_LAYOUT) for each in (values, few)]
        return bench.get(ttnn.experimental.isin(*tensors)) != 0, torch.isin(values, few)  # all ones is true

    return Case("experimental.isin", "", run, 0)


CASES = [
    _concat_heads(),
    _create_heads(),
    _rotate_half(),
    _rotary(),
    _reduce(),
    _minimal_matmul(),
    _complex_product(),
    _broadcast(),
    _view(),
    _typecast(),
    _load_slice(),
    _falcon_heads(),
    _isin(),
]
