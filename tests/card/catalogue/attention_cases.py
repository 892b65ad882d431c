# SPDX-License-Identifier: Apache-2.0
"""Attention in all its forms, softmax with scale and mask, normalizations in two halves, choosing experts."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import PRECISE, Bench, Case, Summed, operation

ROWS = ttnn.ROW_MAJOR_LAYOUT
# At most 64 cores to a head, which Blackhole has more of.
DECODE = ttnn.SDPAProgramConfig(compute_with_storage_grid_size=(8, 8), q_chunk_size=32, k_chunk_size=32)
PREFILL = ttnn.SDPAProgramConfig(compute_with_storage_grid_size=(4, 4), q_chunk_size=32, k_chunk_size=32)
LARGE_CHUNKS = ttnn.SDPAProgramConfig(compute_with_storage_grid_size=(4, 4), q_chunk_size=64, k_chunk_size=64)


def attend(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: Any = None, causal: bool = False
) -> Summed:
    """Attention, and the sum of what it adds up, of either sign: weights, products and partial sums are rounded."""
    plain = torch.nn.functional.scaled_dot_product_attention
    return Summed(
        plain(query, key, value, mask, is_causal=causal), plain(query, key, value.abs(), mask, is_causal=causal)
    )


# Rounded on the way: scores, their exponentials and products, sums of each chunk, the reciprocal, the result.
STEPS = 6


def _heads(bench: Bench, heads: int, length: int, width: int = 64) -> torch.Tensor:
    return bench.random((1, heads, length, width), -1, 1)


def _attention(label: str, key_heads: int, **more: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        dtype = more.get("dtype", ttnn.bfloat16)
        tensors = [bench.put(_heads(bench, heads, 128), dtype) for heads in (4, key_heads, key_heads)]
        values = [bench.get(each) for each in tensors]
        options: dict[str, Any] = {
            "is_causal": more.get("causal", False),
            "program_config": more.get("config", PREFILL),
        }
        mask = None
        if more.get("mask"):
            mask = torch.where(bench.random((1, 1, 128, 128)) > 0, 0.0, -torch.inf)
            mask[..., 0] = 0.0
            options["attn_mask"] = bench.put(mask.clamp(min=-1e9))
        if more.get("window"):
            options["sliding_window_size"] = more["window"]
            ahead = torch.arange(128)[:, None] - torch.arange(128)
            mask = torch.where((ahead >= 0) & (ahead < more["window"]), 0.0, -torch.inf)
        result = ttnn.transformer.scaled_dot_product_attention(*tensors, **options)
        spread = [values[0], *(each.repeat_interleave(4 // key_heads, 1) for each in values[1:])]
        return result, attend(
            *spread, mask=None if mask is None else mask.double(), causal=mask is None and options["is_causal"]
        )

    unit = 2.0**-6 if more.get("dtype") == ttnn.bfloat8_b else 2.0**-8
    return Case("transformer.scaled_dot_product_attention", label, run, STEPS, unit)


def _pages(bench: Bench, values: torch.Tensor, block: int) -> tuple[Any, Any]:
    """A cache cut into pages that lie in another order, and the table that says where."""
    batch, heads, length, width = values.shape
    count = batch * length // block
    order = torch.randperm(count, generator=torch.Generator().manual_seed(3))
    blocks = (
        values.reshape(batch, heads, length // block, block, width).transpose(1, 2).reshape(count, heads, block, width)
    )
    table = order.argsort().reshape(batch, length // block)
    return bench.put(blocks[order]), bench.put(table.int(), ttnn.int32, ROWS)


def _decode(label: str, paged: bool, causal: bool) -> Case:
    name = "paged_scaled_dot_product_attention_decode" if paged else "scaled_dot_product_attention_decode"

    def run(bench: Bench) -> tuple[Any, Any]:
        query = bench.random((1, 2, 8, 64), -1, 1)
        keys, values = (bench.random((2, 1, 128, 64), -1, 1) for _ in range(2))
        positions = torch.tensor([37, 100])
        options: dict[str, Any] = {"is_causal": causal, "program_config": DECODE}
        if causal:
            options["cur_pos_tensor"] = bench.put(positions.int(), ttnn.int32, ROWS)
        call = operation(f"transformer.{name}")
        if paged:
            cache, table = _pages(bench, keys, 32)
            other, _ = _pages(bench, values, 32)
            result = call(bench.put(query), cache, other, page_table_tensor=table, **options)
        else:
            result = call(bench.put(query), bench.put(keys), bench.put(values), **options)
        mask = torch.zeros(2, 1, 1, 128)
        if causal:
            mask[torch.arange(128) > positions[:, None, None, None]] = -torch.inf
        wanted = attend(query.permute(1, 2, 0, 3), keys, values, mask)
        return result, wanted.map(lambda part: part.permute(2, 0, 1, 3))

    return Case(f"transformer.{name}", label, run, STEPS)


def _chunked() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        query, keys, values = (_heads(bench, 2, 128) for _ in range(3))
        cache, table = _pages(bench, keys, 32)
        other, _ = _pages(bench, values, 32)
        wanted = attend(query, keys, values, causal=True).map(lambda part: part[:, :, 64:])
        result = ttnn.transformer.chunked_scaled_dot_product_attention(
            bench.put(query[:, :, 64:]), cache, other, table, 64, program_config=PREFILL
        )
        return result, wanted

    return Case("transformer.chunked_scaled_dot_product_attention", "", run, STEPS)


def _latent(name: str) -> Case:
    """Values are the first part of the keys."""

    def run(bench: Bench) -> tuple[Any, Any]:
        keys = _heads(bench, 1, 128, 96)
        call = operation(f"transformer.{name}")
        if name in ("flash_mla_prefill", "chunked_flash_mla_prefill"):
            query = _heads(bench, 4, 128, 96)
            wanted = attend(query, keys.expand(1, 4, 128, 96), keys[..., :64].expand(1, 4, 128, 64), causal=True)
            if name == "flash_mla_prefill":
                return call(bench.put(query), bench.put(keys), 64, is_causal=True, program_config=PREFILL), wanted
            cache, table = _pages(bench, keys, 32)
            result = call(bench.put(query[:, :, 64:]), cache, 64, table, 64, program_config=PREFILL)
            return result, wanted.map(lambda part: part[:, :, 64:])
        query = bench.random((1, 1, 32, 96), -1, 1)
        positions = torch.tensor([70])
        options = {"cur_pos_tensor": bench.put(positions.int(), ttnn.int32, ROWS), "program_config": DECODE}
        seen = keys[:, :, :71]
        wanted = attend(query, seen, seen[..., :64])
        if name == "flash_multi_latent_attention_decode":
            return call(bench.put(query), bench.put(keys), head_dim_v=64, **options), wanted
        cache, table = _pages(bench, keys, 32)
        return call(bench.put(query), cache, head_dim_v=64, page_table_tensor=table, **options), wanted

    return Case(f"transformer.{name}", "", run, STEPS)


def _joint() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = [[_heads(bench, 2, length) for _ in range(3)] for length in (64, 32)]
        result = ttnn.transformer.joint_scaled_dot_product_attention(
            *map(bench.put, first), *map(bench.put, second), joint_strategy="rear", program_config=PREFILL
        )
        wanted = attend(*(torch.cat(pair, 2) for pair in zip(first, second, strict=True)))
        return list(result), [wanted.map(lambda part: part[:, :, :64]), wanted.map(lambda part: part[:, :, 64:])]

    return Case("transformer.joint_scaled_dot_product_attention", "", run, STEPS)


def _masked_softmax(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 2, 64, 64))
        if name == "softmax_in_place":
            return ttnn.softmax_in_place(bench.put(values)), values.softmax(-1)
        if name == "transformer.attention_softmax_":
            mask = bench.random((1, 1, 1, 64))
            found = ttnn.transformer.attention_softmax_(bench.put(values), head_size=64, attention_mask=bench.put(mask))
            return found, (values / 8 + mask).softmax(-1)
        mask = torch.where(bench.random((1, 1, 1, 64)) > -1, 0.0, -1e4)
        found = operation(name)(bench.put(values), 0.5, bench.put(mask))
        return found, (values * 0.5 + mask).softmax(-1)

    return Case(name, "", run, 8)


def _causal_softmax() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        shape = (1, 4, 128, 128)
        values = bench.random(shape)
        mask = torch.triu(torch.full((1, 1, 128, 128), -1e4), 1)
        config = ttnn.SoftmaxShardedMultiCoreProgramConfig(
            compute_with_storage_grid_size=(1, 4), subblock_w=4, block_h=4, block_w=4
        )
        memory = ttnn.MemoryConfig(
            ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
            ttnn.BufferType.L1,
            ttnn.ShardSpec(bench.cores(1, 4), (128, 128), ttnn.ShardOrientation.ROW_MAJOR),
        )
        found = ttnn.scale_causal_mask_hw_dims_softmax_in_place(
            bench.put(values, memory=memory), 0.5, bench.put(mask), program_config=config
        )
        return found, (values * 0.5 + mask).softmax(-1)

    return Case("scale_causal_mask_hw_dims_softmax_in_place", "", run, 8)


def _halves(kind: str) -> list[Case]:
    """Statistics first, as each of several chips would; then the normalization with those of all."""

    def before(bench: Bench) -> Any:
        values = bench.random((1, 1, 64, 128))
        tensor = bench.put(values)
        return values, tensor, operation(f"{kind}_pre_all_gather")(tensor, compute_kernel_config=PRECISE)

    def statistics(bench: Bench) -> tuple[Any, Any]:
        values, _, found = before(bench)
        sums = [
            values.square().sum(-1, keepdim=True),
            *([values.sum(-1, keepdim=True)] if kind == "layer_norm" else []),
        ]
        return [bench.get(found)[..., 32 * index : 32 * index + 1] for index in range(len(sums))], sums

    def after(bench: Bench) -> tuple[Any, Any]:
        values, tensor, found = before(bench)
        weight = bench.random((1, 1, 1, 128))
        more = {"bias": bench.put(torch.zeros(1, 1, 1, 128))} if kind == "layer_norm" else {}
        result = operation(f"{kind}_post_all_gather")(
            tensor, found, epsilon=1e-5, weight=bench.put(weight), compute_kernel_config=PRECISE, **more
        )
        wanted = values / (values.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        if kind == "layer_norm":
            wanted = torch.nn.functional.layer_norm(values, (128,), eps=1e-5)
        return result, wanted * weight

    return [Case(f"{kind}_pre_all_gather", "", statistics, 8), Case(f"{kind}_post_all_gather", "", after, 8)]


def _moe() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        # No two of a row are equal, so that it is known which are the largest.
        values = torch.stack([torch.randperm(64, generator=torch.Generator().manual_seed(row)) for row in range(32)])
        values = (values / 16).reshape(1, 1, 32, 64)
        experts, top = torch.zeros(1, 1, 1, 64), torch.zeros(1, 1, 1, 32)
        top[..., 8:] = -torch.inf
        found = ttnn.moe(bench.put(values), bench.put(experts), bench.put(top), 32)
        chosen, indices = torch.topk(values + experts, 32)
        return found, ((chosen + top).softmax(-1) * (indices == 0)).sum(-1)

    return Case("moe", "", run, 8)


def _choices(bench: Bench, count: int, share: float) -> dict[str, Any]:
    return {
        "k": bench.put(torch.full((32,), count, dtype=torch.int32), ttnn.uint32, ROWS),
        "p": bench.put(torch.full((32,), share), layout=ROWS),
        "temp": bench.put(torch.ones(32), layout=ROWS),
    }


def _sampling() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 64))
        values[0, 0, torch.arange(32), torch.arange(32)] = 20.0  # one that is chosen whatever the number drawn
        indices = torch.arange(64, dtype=torch.int32).expand(1, 1, 32, 64).contiguous()
        tensors = bench.put(values), bench.put(indices, ttnn.int32, ROWS)
        return ttnn.sampling(*tensors, **_choices(bench, 10, 0.5), seed=7), torch.arange(32)

    return Case("sampling", "", run, 0)


def _ema() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 2, 64, 128))
        wanted, last = torch.empty_like(values), torch.zeros(1, 2, 64)
        for step in range(128):
            last = 0.25 * last + 0.75 * values[..., step]
            wanted[..., step] = last
        return ttnn.ema(bench.put(values), 0.25), wanted

    return Case("ema", "", run, 4)


def _seed() -> Case:
    """Numbers drawn without a seed of their own follow from the device's."""

    def run(bench: Bench) -> tuple[Any, Any]:
        values, indices = (
            torch.zeros(1, 1, 32, 64),
            torch.arange(64, dtype=torch.int32).expand(1, 1, 32, 64).contiguous(),
        )
        draws = []
        for seed in (42, 42, 43):
            ttnn.manual_seed(seeds=seed, device=bench.device)
            tensors = bench.put(values), bench.put(indices, ttnn.int32, ROWS)
            draws.append(bench.get(ttnn.sampling(*tensors, **_choices(bench, 32, 1.0))))
        return [draws[0], torch.equal(draws[0], draws[2])], [draws[1], torch.tensor(False)]

    return Case("manual_seed", "", run, 0)


def _pearson() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first = bench.random((1, 1, 64, 64))
        second = (first + bench.random((1, 1, 64, 64))).to(torch.bfloat16).float()
        found = ttnn.pearson_correlation_coefficient(first, ttnn.to_torch(bench.put(second)).float())
        return torch.tensor(float(found)), torch.corrcoef(torch.stack((first.flatten(), second.flatten())))[0, 1]

    return Case("pearson_correlation_coefficient", "", run, 4)


def _sparse(label: str, of_first: bool, of_second: bool) -> Case:
    config = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
        compute_with_storage_grid_size=ttnn.CoreCoord(1, 2), in0_block_w=1, out_subblock_h=1, out_subblock_w=1,
        out_block_h=1, out_block_w=1, per_core_M=2, per_core_N=1, fuse_batch=False, fused_activation=None,
        mcast_in0=True,
    )  # fmt: skip

    def run(bench: Bench) -> tuple[Any, Any]:
        second = bench.random((1, 8, 32, 64))
        first = bench.random(
            (1, 8, 64, 32) if of_first and of_second else (4, 8, 64, 32) if of_first else (2, 4, 64, 32)
        )
        shape = (1, 1, 1, 8) if of_first and of_second else (1, 1, 4, 8) if of_first else (2, 4, 1, 8)
        kept = (bench.random(shape) > 0).float()
        found = ttnn.sparse_matmul(
            bench.put(first), bench.put(second), sparsity=bench.put(kept, layout=ROWS), is_input_a_sparse=of_first,
            is_input_b_sparse=of_second, program_config=config, compute_kernel_config=PRECISE,
        )  # fmt: skip
        if not of_first:
            return bench.get(found) * kept[..., None, None], first[:, :, None, None] @ second * kept[..., None, None]
        mask = kept.reshape(first.shape[0], 8, 1, 1)
        return bench.get(found) * mask, first @ second * mask  # what is left out is not written

    return Case("sparse_matmul", label, run, 4)


CASES = [
    _attention("", 4),
    _attention("causal", 4, causal=True),
    _attention("chunks of 64", 4, config=LARGE_CHUNKS),
    _attention("group of 2", 2),
    _attention("one key head", 1, causal=True),
    _attention("mask", 4, mask=True),
    _attention("bfloat8_b", 4, dtype=ttnn.bfloat8_b),
    _attention("window of 20", 4, causal=True, window=20),
    _attention("window of 20 bfloat8_b", 1, causal=True, window=20, dtype=ttnn.bfloat8_b),
    _decode("two users", False, False),
    _decode("causal", False, True),
    _decode("", True, True),
    _chunked(),
    *(_latent(name) for name in ("flash_mla_prefill", "chunked_flash_mla_prefill",
                                 "flash_multi_latent_attention_decode", "paged_flash_multi_latent_attention_decode")),
    _joint(),
    *(_masked_softmax(name) for name in ("softmax_in_place", "scale_mask_softmax", "scale_mask_softmax_in_place",
                                         "transformer.attention_softmax_")),
    _causal_softmax(),
    *_halves("layer_norm"),
    *_halves("rms_norm"),
    _moe(),
    _sampling(),
    _ema(),
    _seed(),
    _pearson(),
    _sparse("first", True, False),
    _sparse("second", False, True),
    _sparse("both", True, True),
]  # fmt: skip
