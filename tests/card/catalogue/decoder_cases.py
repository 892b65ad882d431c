# SPDX-License-Identifier: Apache-2.0
"""Operations of language models' decoders: heads, rotary embeddings, paged caches, products of few rows."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import PRECISE, Bench, Case, operation

ROWS = ttnn.ROW_MAJOR_LAYOUT
EXPERIMENTAL = ttnn.experimental


def sharded(cores: Any, part: tuple[int, int], way: str = "HEIGHT") -> Any:
    """A place in L1 of which each of ``cores`` has one part."""
    spec = ttnn.ShardSpec(cores, part, ttnn.ShardOrientation.ROW_MAJOR)
    return ttnn.MemoryConfig(getattr(ttnn.TensorMemoryLayout, f"{way}_SHARDED"), ttnn.BufferType.L1, spec)


def _row_of_cores(first: int, count: int) -> Any:
    return ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(first, 0), ttnn.CoreCoord(first + count - 1, 0))})


def _heads(values: torch.Tensor, heads: int) -> torch.Tensor:
    """(B, 1, S, heads * D) as (B, heads, S, D)."""
    return values.reshape(values.shape[0], -1, heads, values.shape[-1] // heads).transpose(1, 2)


def _grouped_heads(separate: bool) -> Case:
    name = "create_qkv_heads_from_separate_tensors" if separate else "create_qkv_heads"

    def run(bench: Bench) -> tuple[Any, Any]:
        heads, width = 4, 32
        parts = [bench.random((2, 1, 64, heads, width)) for _ in range(3)]
        out = sharded(bench.cores(4, 2), (64, width))
        if separate:
            tensors = [parts[0].flatten(-2), torch.cat(parts[1:], -1).flatten(-2)]
        else:
            tensors = [torch.cat(parts, -1).flatten(-2)]
        placed = [
            bench.put(each, memory=sharded(bench.cores(4, 2), (64, each.shape[-1] // 4), "BLOCK")) for each in tensors
        ]
        found = operation(f"experimental.{name}")(
            *placed, num_heads=heads, num_kv_heads=heads, transpose_k_heads=False, memory_config=out
        )
        return list(found), [_heads(part.flatten(-2), heads) for part in parts]

    return Case(f"experimental.{name}", "", run, 0)


def _fixed_heads(name: str) -> Case:
    """Twelve heads of 64, as vision transformers have them."""

    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((2, 1, 64, 2304))
        found = operation(f"experimental.{name}")(bench.put(values))
        return list(found), [_heads(part, 12) for part in values.split(768, -1)]

    return Case(f"experimental.{name}", "", run, 0)


def _segformer() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64))
        found = EXPERIMENTAL.nlp_create_qkv_heads_segformer(bench.put(values))
        return found[0], _heads(values, 2)

    return Case("experimental.nlp_create_qkv_heads_segformer", "", run, 0)


def _bert_heads(name: str) -> Case:
    """The sizes are those of BERT large, and the operations take no others."""

    def run(bench: Bench) -> tuple[Any, Any]:
        grid = ttnn.CoreCoord(8, 8)
        if name == "concatenate_heads":
            values = bench.random((7, 16, 384, 64))
            return EXPERIMENTAL.concatenate_heads(bench.put(values), grid), values.transpose(1, 2).flatten(-2)
        values = bench.random((7, 1, 384, 3072))
        found = EXPERIMENTAL.split_query_key_value_and_split_heads(bench.put(values), grid)
        query, key, value = (_heads(part, 16) for part in values.split(1024, -1))
        return list(found), [query, key.transpose(2, 3), value]

    return Case(f"experimental.{name}", "", run, 0)


def _pair_heads(name: str) -> Case:
    """Heads of pairs of residues: (heads, S, S, D)."""

    def run(bench: Bench) -> tuple[Any, Any]:
        if name == "nlp_concat_heads_boltz":
            values = bench.random((4, 32, 32, 32))
            return EXPERIMENTAL.nlp_concat_heads_boltz(bench.put(values)), values.permute(1, 2, 0, 3).flatten(-2)
        values = bench.random((1, 32, 32, 3 * 4 * 32))
        found = EXPERIMENTAL.nlp_create_qkv_heads_boltz(
            bench.put(values), num_heads=4, num_kv_heads=4, transpose_k_heads=False
        )
        wanted = [part.reshape(32, 32, 4, 32).permute(2, 0, 1, 3) for part in values.split(128, -1)]
        return list(found), wanted

    return Case(f"experimental.{name}", "", run, 0)


def _decode_heads() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 8, 64 * (8 + 2 + 2)))
        found = EXPERIMENTAL.nlp_create_qkv_heads_decode(
            bench.put(values), num_heads=8, num_kv_heads=2,
            memory_config=ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1),
        )  # fmt: skip
        return list(found), [part.reshape(1, 8, -1, 64) for part in values.split([512, 128, 128], -1)]

    return Case("experimental.nlp_create_qkv_heads_decode", "", run, 0)


def _concat_decode_heads() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 8, 32, 64))
        tensor = bench.put(values, memory=sharded(_row_of_cores(0, 8), (32, 64)))
        found = EXPERIMENTAL.nlp_concat_heads_decode(tensor, num_heads=8)
        return bench.get(found)[:, :, :8], values[:, :, :8].reshape(1, 1, 8, 512)

    return Case("experimental.nlp_concat_heads_decode", "", run, 0)


def _split_heads() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 4 * 96))
        found = EXPERIMENTAL.nlp_create_q_heads_split(bench.put(values), num_heads=4, split_head_dim=32)
        return list(found), list(_heads(values, 4).split([32, 64], -1))

    return Case("experimental.nlp_create_q_heads_split", "", run, 0)


def rotation() -> torch.Tensor:
    """The tile that swaps neighbours and turns the sign of one of them."""
    turned = torch.zeros(1, 1, 32, 32)
    even = torch.arange(0, 32, 2)
    turned[..., even, even + 1], turned[..., even + 1, even] = 1, -1
    return turned


def _rotated(values: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Pairs of neighbours turned by an angle."""
    turned = torch.stack((-values[..., 1::2], values[..., ::2]), -1).flatten(-2)
    return values * cos + turned * sin


def _rotary_pairs() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, cos, sin = bench.random((1, 2, 64, 64)), *(bench.random((1, 1, 64, 64), -1, 1) for _ in range(2))
        found = EXPERIMENTAL.rotary_embedding_llama(
            *map(bench.put, (values, cos, sin, rotation())), compute_kernel_config=PRECISE
        )
        return found, _rotated(values, cos, sin)

    return Case("experimental.rotary_embedding_llama", "", run, 6)


def _rotary_decode() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        cores = bench.cores(8, 1)
        values, cos, sin = bench.random((1, 8, 8, 64)), *(bench.random((1, 8, 1, 64), -1, 1) for _ in range(2))
        tensors = [bench.put(each, memory=sharded(cores, (32, 64))) for each in (values, cos, sin)]
        turned = bench.put(rotation().repeat(1, 1, 8, 1), memory=sharded(cores, (32, 32)))
        found = EXPERIMENTAL.rotary_embedding_llama(
            *tensors, turned, is_decode_mode=True, compute_kernel_config=PRECISE
        )
        return found, _rotated(values, cos, sin)

    return Case("experimental.rotary_embedding_llama", "decode", run, 6)


def _rotary_fused() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second, both = (
            bench.cores(8, 1),
            ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 1), ttnn.CoreCoord(7, 1))}),
            bench.cores(8, 2),
        )
        query, key = (bench.random((1, 8, heads, 64)) for heads in (8, 2))
        cos, sin = (bench.random((1, 8, 1, 64), -1, 1) for _ in range(2))
        tensors = [
            bench.put(query, memory=sharded(first, (32, 64))),
            bench.put(key, memory=sharded(second, (32, 64))),
            *(bench.put(each.repeat(1, 2, 1, 1), memory=sharded(both, (32, 64))) for each in (cos, sin)),
            bench.put(rotation().repeat(1, 16, 1, 1), memory=sharded(both, (32, 32))),
        ]
        found = EXPERIMENTAL.rotary_embedding_llama_fused_qk(*tensors, compute_kernel_config=PRECISE)
        return list(found), [_rotated(each, cos, sin) for each in (query, key)]

    return Case("experimental.rotary_embedding_llama_fused_qk", "", run, 6)


def _rotary_halves() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, cos, sin = bench.random((1, 2, 64, 64)), *(bench.random((1, 1, 64, 64), -1, 1) for _ in range(2))
        first, second = values.chunk(2, -1)
        found = EXPERIMENTAL.rotary_embedding_hf(*map(bench.put, (values, cos, sin)), compute_kernel_config=PRECISE)
        return found, values * cos + torch.cat((-second, first), -1) * sin

    return Case("experimental.rotary_embedding_hf", "", run, 6)


def _rotary_indexed() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, cos, sin = bench.random((1, 2, 64, 64)), *(bench.random((1, 1, 256, 64), -1, 1) for _ in range(2))
        found = EXPERIMENTAL.deepseek_prefill.rotary_embedding_indexed(
            *map(bench.put, (values, cos, sin, rotation())), 128, 0, compute_kernel_config=PRECISE
        )
        return found, _rotated(values, cos[:, :, 128:192], sin[:, :, 128:192])

    return Case("experimental.deepseek_prefill.rotary_embedding_indexed", "", run, 6)


BLOCK = 32


def _table(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """An order of pages, and for two users where their pages are."""
    order = torch.randperm(count, generator=torch.Generator().manual_seed(3))
    return order, order.argsort().reshape(2, -1)


def _fill_cache() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        cache, values, (_, table) = bench.random((8, 2, BLOCK, 64)), bench.random((1, 2, 64, 64)), _table(8)
        tensor = bench.put(cache)
        EXPERIMENTAL.paged_fill_cache(tensor, bench.put(values), bench.put(table.int(), ttnn.int32, ROWS), batch_idx=1)
        wanted = cache.clone()
        for page in range(2):
            wanted[table[1, page]] = values[0, :, page * BLOCK : (page + 1) * BLOCK]
        return tensor, wanted

    return Case("experimental.paged_fill_cache", "", run, 0)


def _update(cache: torch.Tensor, table: torch.Tensor, rows: list[int], values: torch.Tensor) -> torch.Tensor:
    wanted = cache.clone()
    for user, row in enumerate(rows):
        wanted[table[user, row // BLOCK], :, row % BLOCK] = values[0, user]
    return wanted


def _update_cache() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        cache, values, (_, table), rows = (
            bench.random((8, 1, BLOCK, 64)),
            bench.random((1, 2, 1, 64)),
            _table(8),
            [5, 70],
        )
        tensor = bench.put(cache)
        EXPERIMENTAL.paged_update_cache(
            tensor, bench.put(values, memory=sharded(_row_of_cores(0, 2), (32, 64))),
            update_idxs_tensor=bench.put(torch.tensor(rows).int(), ttnn.int32, ROWS),
            page_table=bench.put(table.int(), ttnn.int32, ROWS),
        )  # fmt: skip
        return tensor, _update(cache, table, rows, values)

    return Case("experimental.paged_update_cache", "", run, 0)


def _update_caches() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        caches = [bench.random((8, 1, BLOCK, 64)) for _ in range(2)]
        values, (_, table), rows = [bench.random((1, 2, 1, 64)) for _ in range(2)], _table(8), [5, 70]
        tensors = [bench.put(each) for each in caches]
        placed = [
            bench.put(each, memory=sharded(_row_of_cores(2 * index, 2), (32, 64))) for index, each in enumerate(values)
        ]
        EXPERIMENTAL.paged_fused_update_cache(
            tensors[0], placed[0], tensors[1], placed[1],
            update_idxs_tensor=bench.put(torch.tensor(rows).int(), ttnn.int32, ROWS),
            page_table=bench.put(table.int(), ttnn.int32, ROWS),
        )  # fmt: skip
        return tensors, [_update(cache, table, rows, each) for cache, each in zip(caches, values, strict=True)]

    return Case("experimental.paged_fused_update_cache", "", run, 0)


def _indexed_update() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        caches, values = ([bench.random(shape) for _ in range(2)] for shape in ((4, 2, 32, 64), (1, 2, 3, 64)))
        tensors, rows = [bench.put(each) for each in caches], [70, -1, 5]
        EXPERIMENTAL.indexed_fused_update_cache(
            tensors[0], bench.put(values[0]), tensors[1], bench.put(values[1]),
            bench.put(torch.tensor([rows]).int(), ttnn.int32, ROWS),
        )  # fmt: skip
        wanted = [each.clone() for each in caches]
        for target, source in zip(wanted, values, strict=True):
            for index, row in enumerate(rows):
                if row >= 0:
                    target[row // 32, :, row % 32] = source[0, :, index]
        return tensors, wanted

    return Case("experimental.indexed_fused_update_cache", "", run, 0)


def _padded_cache(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        cache = bench.random((4, 1, 256, 64))
        tensor, wanted = bench.put(cache), cache.clone()
        slot = 2 * 1 + 1  # user 1 of two, layer 1 of two
        if name == "update_padded_kv_cache":
            values = bench.random((1, 1, 64, 64))
            EXPERIMENTAL.deepseek_prefill.update_padded_kv_cache(tensor, bench.put(values), 1, 1, 2, 128, 0)
            wanted[slot, :, 128:192] = values[0]
        else:
            EXPERIMENTAL.deepseek_prefill.zero_padded_kv_cache(tensor, 1, 1, 2, 75, 256, 0, 128)
            wanted[slot, :, 75:128] = 0
        return tensor, wanted

    return Case(f"experimental.deepseek_prefill.{name}", "", run, 0)


def _few_rows(name: str) -> Case:
    """One query of each of 32 users: (1, heads, users, K) by (users, 1, K, N)."""

    def run(bench: Bench) -> tuple[Any, Any]:
        groups = 2 if name == "group_attn_matmul" else 1
        first, second = bench.random((1, 4, 32, 64)), bench.random((32, groups, 64, 96))
        grid = bench.device.compute_with_storage_grid_size()
        options: dict[str, Any] = {"compute_with_storage_grid_size": grid, "compute_kernel_config": PRECISE}
        if name == "attn_matmul_from_cache":
            cache = bench.random((32, 1, 96, 64))
            found = EXPERIMENTAL.attn_matmul_from_cache(
                bench.put(first), bench.put(cache), num_tokens=64, transpose_hw=True, **options
            )
            second = cache[:, :, :64].transpose(2, 3)
        else:
            found = operation(f"experimental.{name}")(bench.put(first), bench.put(second), **options)
            second = second.repeat_interleave(4 // groups, 1)
        return found, (first.transpose(0, 2) @ second).transpose(0, 2)

    return Case(f"experimental.{name}", "", run, 4)


CASES = [
    _grouped_heads(False),
    _grouped_heads(True),
    _fixed_heads("nlp_create_qkv_heads_vit"),
    _segformer(),
    _bert_heads("concatenate_heads"),
    _bert_heads("split_query_key_value_and_split_heads"),
    _pair_heads("nlp_concat_heads_boltz"),
    _pair_heads("nlp_create_qkv_heads_boltz"),
    _decode_heads(),
    _concat_decode_heads(),
    _split_heads(),
    _rotary_pairs(),
    _rotary_decode(),
    _rotary_fused(),
    _rotary_halves(),
    _rotary_indexed(),
    _fill_cache(),
    _update_cache(),
    _update_caches(),
    _indexed_update(),
    _padded_cache("update_padded_kv_cache"),
    _padded_cache("zero_padded_kv_cache"),
    *(_few_rows(name) for name in ("attn_matmul", "attn_matmul_from_cache", "group_attn_matmul")),
]
