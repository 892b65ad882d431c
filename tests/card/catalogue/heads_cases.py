# SPDX-License-Identifier: Apache-2.0
"""Experimental operations that single-chip models use: heads of attention, rotary embeddings, reductions."""

from __future__ import annotations

from typing import Any

import torch
import ttnn
from operation_case import Bench, Case


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


CASES = [_concat_heads(), _create_heads(), _rotate_half(), _rotary(), _reduce(), _minimal_matmul()]
