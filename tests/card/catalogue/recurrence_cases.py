# SPDX-License-Identifier: Apache-2.0
"""States that go from token to token, norms in two halves, products for transformers, sparse attention."""

from __future__ import annotations

import math
from typing import Any

import torch
import ttnn

from tests.card.catalogue.decoder_cases import rotation, sharded
from tests.card.catalogue.operation_case import PRECISE, Bench, Case, Summed, golden, operation

ROWS = ttnn.ROW_MAJOR_LAYOUT
EXPERIMENTAL = ttnn.experimental
FLOAT = ttnn.float32
# What reaches the matrix unit of a float32 is 11 bits in the older, rounding tensor-float way.
TENSOR_FLOAT_UNIT = 2.0**-10
HIDDEN = 5120  # of the state-space model that two of the operations were written for


def _prefix_scan() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        length, width = 32, 64
        decay, inputs, state = (
            bench.random(shape, 0, 0.75) for shape in ((1, 1, length, width), (1, 1, length, width), (1, 1, 1, width))
        )
        cores = bench.cores(2, 1)
        memory = sharded(cores, (length, width // 2), "WIDTH")
        found = EXPERIMENTAL.prefix_scan(
            bench.put(decay, memory=memory), bench.put(inputs, memory=memory),
            bench.put(state, layout=ROWS, memory=sharded(cores, (1, width // 2), "WIDTH")),
            memory_config=memory, dtype=ttnn.bfloat16,
        )  # fmt: skip
        wanted, last = torch.empty_like(inputs), state[:, :, 0]
        for step in range(length):
            last = decay[:, :, step] * last + inputs[:, :, step]
            wanted[:, :, step] = last
        return found, wanted

    return Case("experimental.prefix_scan", "", run, 8)  # decays of at most 0.75 forget what was rounded before


def _spread_product() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((1, 1, 32, 32)), bench.random((1, 1, 32, HIDDEN))
        found = EXPERIMENTAL.repeat_and_interleave_eltwise_mul(
            bench.put(first), bench.put(second), math_fidelity=ttnn.MathFidelity.HiFi4
        )
        return found, first.repeat(1, 1, 1, HIDDEN) * second.repeat_interleave(32, -1)

    return Case("experimental.repeat_and_interleave_eltwise_mul", "", run, 4)  # HiFi4's four phases, each rounded


def _sum_of_32() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 1024))
        parts = values.reshape(1, 1, 32, 32, 32)
        return EXPERIMENTAL.hc_sum_reduce(bench.put(values)), Summed(parts.sum(-1), parts.abs().sum(-1))

    return Case("experimental.hc_sum_reduce", "", run, 4)


def _delta_rule(name: str) -> Case:
    """One head of keys and values, each token taking from the state what its key finds there."""

    def run(bench: Bench) -> tuple[Any, Any]:
        tokens, width = (4 if name == "fused_recurrent_gated_delta_rule" else 64), 32
        query, key = (torch.nn.functional.normalize(bench.random((1, tokens, 2, width)), dim=-1) for _ in range(2))
        value = bench.random((1, tokens, 2, width), -1, 1)
        gate, beta = -bench.random((1, tokens, 2), 0.1, 0.5), bench.random((1, tokens, 2), 0.2, 0.8)
        dtype = FLOAT if name == "fused_recurrent_gated_delta_rule" else ttnn.bfloat16
        tensors = [bench.put(each, dtype) for each in (query, key, value)]
        given = [bench.get(each).float() for each in tensors]
        more: dict[str, Any] = {"output_final_state": True}
        if name == "chunk_gated_delta_rule":
            more["chunk_size"] = 32
        found = operation(f"transformer.{name}")(*tensors, bench.put(gate, FLOAT), bench.put(beta, FLOAT), **more)
        return list(found), list(golden(f"transformer.{name}")(*given, gate, beta, **more))

    # Each of four tokens: what the state has for its key, the difference, what is added, the sum, the result.
    unit, steps = (TENSOR_FLOAT_UNIT, 4 * 5) if name.startswith("fused") else (2.0**-8, 8)
    return Case(f"transformer.{name}", "", run, steps, unit)


def _delta_chunks() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        chunks, size, width = 2, 128, 128
        lower = torch.tril(bench.random((1, chunks, size, size), -0.05, 0.05), -1) + torch.eye(size)
        blocks = [lower[..., at : at + 32, at : at + 32] for at in range(0, size, 32)]
        inverses = torch.cat([torch.linalg.inv(block) for block in blocks], -2)
        values, keys, queries = (bench.random((1, chunks, size, width), -0.25, 0.25) for _ in range(3))
        inside = torch.tril(bench.random((1, chunks, size, size), -0.1, 0.1))
        turned, decay = bench.random((1, chunks, width, size), -0.1, 0.1), bench.random((1, chunks, 1, 1), 0.5, 0.9)
        given = (lower, values, keys, inside, queries, turned, decay, inverses)
        found = ttnn.transformer.gated_delta_attn_seq(
            *(bench.put(each, FLOAT) for each in given), compute_kernel_config=PRECISE
        )
        return list(found), _delta_sums(*(each.double() for each in given[:-1]))

    return Case("transformer.gated_delta_attn_seq", "", run, 16, TENSOR_FLOAT_UNIT)


def _delta_sums(
    lower: torch.Tensor, values: torch.Tensor, keys: torch.Tensor, inside: torch.Tensor, queries: torch.Tensor,
    turned: torch.Tensor, decay: torch.Tensor,
) -> list[Summed]:  # fmt: skip
    """The results, and the sums of the sizes of what was added up for them, from the first chunk on."""
    inverse = torch.linalg.inv(lower)
    state = size = torch.zeros(1, turned.shape[2], values.shape[3], dtype=torch.float64)
    rows = []
    for chunk in range(values.shape[1]):
        here = [each[:, chunk] for each in (inverse, values, keys, inside, queries, turned, decay)]
        solve, value, key, within, query, turn, kept = here
        changed = solve @ (value - key @ state)
        changed_size = solve.abs() @ (value.abs() + key.abs() @ size)
        rows.append((query @ state + within @ changed, query.abs() @ size + within.abs() @ changed_size))
        state, size = state * kept + turn @ changed, size * kept + turn.abs() @ changed_size
    return [Summed(*(torch.stack(each, 1) for each in zip(*rows, strict=True))), Summed(state, size)]


def _start(bench: Bench) -> Any:
    return bench.put(torch.zeros(1, dtype=torch.int32), ttnn.uint32, ROWS)


GROUPS, WIDTH = 3, 32


def _affine(name: str) -> Case:
    """States S -> A S + B, one after the other."""

    def run(bench: Bench) -> tuple[Any, Any]:
        factors = bench.random((2 * GROUPS, WIDTH, WIDTH), -0.15, 0.15)
        offsets = bench.random((2 * GROUPS, WIDTH, WIDTH), -1, 1)
        state = bench.random((2, WIDTH, WIDTH), -1, 1)
        options: dict[str, Any] = {
            "actual_start": _start(bench), "local_rows": 32 * GROUPS, "compute_kernel_config": PRECISE,
        }  # fmt: skip
        heads = [list(zip(factors[at : at + GROUPS], offsets[at : at + GROUPS], strict=True)) for at in (0, GROUPS)]
        if name == "affine_exclusive_scan":
            tensors = [bench.put(each, FLOAT) for each in (factors, offsets, state)]
            found = EXPERIMENTAL.kda.affine_exclusive_scan(
                *tensors, GROUPS, tail_a=tensors[0], tail_b=tensors[1], tail_entry_states=tensors[2], **options
            )
            wanted = []
            for head, first in zip(heads, state, strict=True):
                now = first
                for factor, offset in head:
                    wanted.append(now)
                    now = factor @ now + offset
            return found, torch.stack(wanted)
        if name == "reduce_affine_transforms":
            found = EXPERIMENTAL.kda.reduce_affine_transforms(
                bench.put(factors, FLOAT), bench.put(offsets, FLOAT), GROUPS, **options
            )
            totals = []
            for head in heads:
                total, rest = torch.eye(WIDTH), torch.zeros(WIDTH, WIDTH)
                for factor, offset in head:
                    total, rest = factor @ total, factor @ rest + offset
                totals.append((total, rest))
            return list(found), [torch.stack(each) for each in zip(*totals, strict=True)]
        packed = torch.cat((factors[:2], offsets[:2]), -1).unsqueeze(0)
        found = EXPERIMENTAL.kda.chain_affine_transforms(bench.put(packed), bench.put(state, FLOAT), **options)
        return list(found), [state, factors[:2] @ state + offsets[:2]]

    return Case(f"experimental.kda.{name}", "", run, 8, TENSOR_FLOAT_UNIT)


CHUNKS = 2


def _chunk_terms(bench: Bench) -> dict[str, torch.Tensor]:
    """What a chunk of 32 tokens does to the state, small enough that nothing grows."""
    shapes = {
        "v_beta": (2, CHUNKS, 32, WIDTH), "kd": (2, CHUNKS, 32, WIDTH), "q_decay": (2, CHUNKS, 32, WIDTH),
        "intra": (2, CHUNKS, 32, 32), "k_dec_t": (2, CHUNKS, WIDTH, 32), "final_decay": (2, CHUNKS, WIDTH, 1),
        "t_inv": (2, CHUNKS, 32, 32),
    }  # fmt: skip
    return {name: bench.random(shape, -0.2, 0.2) for name, shape in shapes.items()}


def _chunk_scan(terms: dict[str, torch.Tensor], state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    rows = []
    for chunk in range(CHUNKS):
        part = {name: each[:, chunk].double() for name, each in terms.items()}
        inner = part["t_inv"] @ (part["v_beta"] - part["kd"] @ state)
        rows.append(part["q_decay"] @ state + part["intra"] @ inner)
        state = part["final_decay"] * state + part["k_dec_t"] @ inner
    return torch.stack(rows, 1), state


def _chunks(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        terms = _chunk_terms(bench)
        tensors = [bench.put(each, FLOAT) for each in terms.values()]
        options: dict[str, Any] = {"actual_start": _start(bench), "compute_kernel_config": PRECISE}
        if name == "recurrent_chunk_scan":
            state = bench.random((2, WIDTH, WIDTH), -1, 1)
            entry = bench.put(state, FLOAT)
            found = EXPERIMENTAL.kda.recurrent_chunk_scan(*tensors, entry, tail_entry_states=entry, **options)
            rows, last = _chunk_scan(terms, state.double())
            results = [bench.get(each) for each in found[:2]]
            return [results[0].reshape(rows.shape), results[1].reshape(last.shape)], [rows, last]
        found = EXPERIMENTAL.kda.summarize_chunk_recurrence(*tensors, **options)
        _, offset = _chunk_scan(terms, torch.zeros(2, WIDTH, WIDTH, dtype=torch.float64))
        _, moved = _chunk_scan(terms, torch.eye(WIDTH, dtype=torch.float64).expand(2, WIDTH, WIDTH))
        factor = Summed(moved - offset, moved.abs() + offset.abs())
        return [bench.get(each).reshape(offset.shape) for each in found[:2]], [factor, offset]

    return Case(f"experimental.kda.{name}", "", run, CHUNKS * 6, TENSOR_FLOAT_UNIT)  # four products, two sums


def _chunk_preparation() -> Case:
    """The terms of a chunk, put together again, are what token after token does to the state."""

    def run(bench: Bench) -> tuple[Any, Any]:
        tokens, heads = 32 * CHUNKS, 2
        query, key, value = (bench.random((1, tokens, heads * WIDTH), -1, 1) for _ in range(3))
        gate, beta = -bench.random((1, tokens, heads * WIDTH), 0.01, 0.1), bench.random((1, tokens, heads), -1, 1)
        found = EXPERIMENTAL.kda.prepare_chunk_recurrence(*map(bench.put, (query, key, value, gate, beta)), heads)
        names = ("v_beta", "kd", "q_decay", "intra", "k_dec_t", "final_decay", "t_inv")
        terms = {name: bench.get(each) for name, each in zip(names, found, strict=True)}
        rows, _ = _chunk_scan(terms, torch.zeros(heads, WIDTH, WIDTH, dtype=torch.float64))
        by_head = [each.double().reshape(tokens, heads, WIDTH).transpose(0, 1) for each in (query, key, value, gate)]
        return rows.flatten(1, 2), _token_by_token(*by_head, strength=torch.sigmoid(beta.double()[0].T))

    # Two products and the inverse of a triangle of 32, whose terms pile up.
    return Case("experimental.kda.prepare_chunk_recurrence", "", run, 16, 2.0**-8)


def _token_by_token(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, gate: torch.Tensor, strength: torch.Tensor
) -> torch.Tensor:
    query, key = (torch.nn.functional.normalize(each, dim=-1) for each in (query, key))
    state = torch.zeros(key.shape[0], WIDTH, WIDTH, dtype=torch.float64)
    rows = []
    for token in range(key.shape[1]):
        now = key[:, token, :, None]
        state = state * gate[:, token, :, None].exp()
        change = (value[:, token, None] - now.transpose(1, 2) @ state) * strength[:, token, None, None]
        state = state + now @ change
        rows.append((query[:, token, None] @ state)[:, 0] * WIDTH**-0.5)
    return torch.stack(rows, 1)


def _conv_with_history() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        width = 128
        values, history = bench.random((1, 64, 3 * width)), bench.random((1, 3, 3 * width))
        taps = [bench.random((1, 1, 3 * width), -0.5, 0.5) for _ in range(4)]
        past = bench.put(history, layout=ROWS)
        found = EXPERIMENTAL.kda.qkv_causal_conv1d_silu(
            bench.put(values, layout=ROWS), past, *map(bench.put, taps), width, width, width,
            program_config=ttnn.QkvCausalConv1dSiluProgramConfig(channel_chunk_size=3 * width),
            actual_start=_start(bench), predecessor_carry=past,
        )  # fmt: skip
        window = torch.cat((history, values), 1)
        total = sum(window[:, tap : tap + 64] * taps[tap] for tap in range(4))
        return list(found), list(torch.nn.functional.silu(total).split(width, -1))

    return Case("experimental.kda.qkv_causal_conv1d_silu", "", run, 8)


def _gated_norm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, gate, weight = bench.random((2, 64, 64)), bench.random((1, 64, 128)), bench.random((64,), 0.5, 1.5)
        found = EXPERIMENTAL.kda.sigmoid_gated_rms_norm(*map(bench.put, (values, gate, weight)), 2)
        normal = values / (values.square().mean(-1, keepdim=True) + 1e-5).sqrt() * weight
        return found, normal.transpose(0, 1).reshape(1, 64, 128) * torch.sigmoid(gate)

    return Case("experimental.kda.sigmoid_gated_rms_norm", "", run, 8)


def _layer_norm_halves(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, weight, bias = bench.random((1, 1, 64, 128)), *(bench.random((1, 128)) for _ in range(2))
        grid = bench.device.compute_with_storage_grid_size()
        table = ttnn.create_layer_norm_reciprocals(bench.device, bench.cores(grid.x, grid.y), 128)
        tensor = bench.put(values)
        sums = EXPERIMENTAL.dit_layernorm_pre_allgather(tensor, table, compute_kernel_config=PRECISE)
        if name == "dit_layernorm_pre_allgather":
            found = bench.get(sums)
            return [found[..., :1], found[..., 32:33]], [
                values.mean(-1, keepdim=True), values.var(-1, keepdim=True, unbiased=False),
            ]  # fmt: skip
        found = EXPERIMENTAL.dit_layernorm_post_allgather(
            tensor, sums, weight=bench.put(weight), bias=bench.put(bias), compute_kernel_config=PRECISE
        )
        return found, torch.nn.functional.layer_norm(values, (128,), weight[0], bias[0], 1e-5)

    return Case(f"experimental.{name}", "", run, 8)


def _rms_norm_halves(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, weight = bench.random((1, 1, 64, 128)), bench.random((1, 128))
        tensor = bench.put(values)
        sums = EXPERIMENTAL.wan_fused_rmsnorm_pre_allgather(tensor, compute_kernel_config=PRECISE)
        if name == "wan_fused_rmsnorm_pre_allgather":
            return bench.get(sums)[..., :1], values.square().sum(-1, keepdim=True)
        cos, sin = (bench.random((1, 1, 64, 64), -1, 1) for _ in range(2))
        found = EXPERIMENTAL.wan_fused_rmsnorm_post_allgather(
            tensor, sums, epsilon=1e-5, num_heads_per_device=2, weight=bench.put(weight),
            transformation_mat=bench.put(rotation()), rope_cos=bench.put(cos), rope_sin=bench.put(sin),
            compute_kernel_config=PRECISE,
        )  # fmt: skip
        normal = values / (values.square().mean(-1, keepdim=True) + 1e-5).sqrt() * weight
        heads = normal.reshape(1, 64, 2, 64).transpose(1, 2)
        turned = torch.stack((-heads[..., 1::2], heads[..., ::2]), -1).flatten(-2)
        return found, heads * cos + turned * sin

    return Case(f"experimental.{name}", "", run, 8)


def _norm_and_activation() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, weight = bench.random((1, 1, 64, 128)), bench.random((1, 1, 1, 128))
        found = EXPERIMENTAL.dit_rms_norm_unary_fused(
            bench.put(values), weight=bench.put(weight), activation="silu", compute_kernel_config=PRECISE
        )
        normal = values / (values.square().mean(-1, keepdim=True) + 1e-5).sqrt() * weight
        return found, torch.nn.functional.silu(normal)

    return Case("experimental.dit_rms_norm_unary_fused", "", run, 8)


def _product_and_residue() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((64, 128)), bench.random((128, 96), -0.25, 0.25)
        residue, gate = bench.random((64, 96)), bench.random((1, 96))
        found = EXPERIMENTAL.dit_minimal_matmul_addcmul_fused(
            bench.put(first), bench.put(second), 0.5, bench.put(residue), bench.put(gate), compute_kernel_config=PRECISE
        )
        wanted = residue + 0.5 * (first @ second) * gate
        return found, Summed(wanted, residue.abs() + 0.5 * (first.abs() @ second.abs()) * gate.abs())

    return Case("experimental.dit_minimal_matmul_addcmul_fused", "", run, 4)


def _split_product() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((64, 128)), bench.random((128, 192), -0.25, 0.25)
        found = EXPERIMENTAL.minimal_matmul_split(
            bench.put(first), bench.put(second), chunks=3, compute_kernel_config=PRECISE
        )
        return list(found), list((first @ second).split(64, -1))

    return Case("experimental.minimal_matmul_split", "", run, 4)


def _decode_product() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((32, 256)), bench.random((256, 256), -0.25, 0.25)
        cores = bench.cores(4, 1)
        found = EXPERIMENTAL.matmul_decode(
            bench.put(first, memory=sharded(cores, (32, 64), "WIDTH")),
            bench.put(second, memory=sharded(cores, (256, 64), "WIDTH")),
        )
        return found, Summed(first @ second, first.abs() @ second.abs())

    return Case("experimental.matmul_decode", "", run, 8)


def _visible(rows: int, keys: int, start: int) -> torch.Tensor:
    return torch.arange(keys) <= start + torch.arange(rows)[:, None]


def _indexer(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        heads, rows, keys, width = 4, 64, 128, 128
        query, key = bench.random((1, heads, rows, width), -1, 1), bench.random((1, 1, keys, width), -1, 1)
        dots = query @ key.transpose(2, 3)
        visible = _visible(rows, keys, keys - rows)
        if name == "indexer_score_dsa":
            weights = bench.random((1, 1, rows, heads), 0, 1)
            found = EXPERIMENTAL.indexer_score_dsa(
                bench.put(query), bench.put(key), bench.put(weights), chunk_start_idx=keys - rows
            )
            terms = torch.relu(dots) * weights.permute(0, 3, 2, 1)
        else:
            found = EXPERIMENTAL.indexer_score_msa(
                bench.put(query), bench.put(key), num_groups=1, scale=width**-0.5, chunk_start_idx=keys - rows
            )
            terms = dots * width**-0.5
        size = (query.abs() @ key.abs().transpose(2, 3)).sum(1, keepdim=True)
        found = torch.where(visible, bench.get(found), 0.0)  # what is masked out is as small as the format allows
        return found, Summed(
            torch.where(visible, terms.sum(1, keepdim=True), 0.0), size * terms.abs().max() / size.max()
        )

    return Case(f"experimental.{name}", "", run, 8)


def _sparse_latent() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        query, cache = bench.random((1, 32, 4, 576), -1, 1), bench.random((1, 1, 256, 576), -1, 1)
        chosen = torch.stack([torch.randperm(256, generator=torch.Generator().manual_seed(row))[:128]
                              for row in range(4)]).reshape(1, 1, 4, 128)  # fmt: skip
        found = ttnn.transformer.sparse_sdpa(
            bench.put(query, layout=ROWS), bench.put(cache, layout=ROWS), bench.put(chosen.int(), ttnn.uint32, ROWS),
            512, kv_format=ttnn.SparseKVFormat.BF16, k_chunk_size=128,
        )  # fmt: skip
        picked = cache[0, 0][chosen[0, 0]]
        weights = (torch.einsum("hsd,sjd->hsj", query[0], picked) / math.sqrt(576)).softmax(-1)
        return found, Summed(
            *(torch.einsum("hsj,sjd->hsd", weights, each[..., :512]) for each in (picked, picked.abs()))
        )

    return Case("transformer.sparse_sdpa", "", run, 6)


def _sparse_blocks() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        query, key, value = (
            bench.random((1, 32, 4, 64), -1, 1),
            *(bench.random((1, 1, 256, 64), -1, 1) for _ in range(2)),
        )
        chosen = torch.tensor([[0, 2], [1, 3], [2, 3], [0, 1]])
        table = torch.nn.functional.pad(chosen, (0, 14), value=-1).reshape(1, 1, 4, 16)  # rows of 64 bytes
        found = ttnn.transformer.sparse_sdpa_msa(
            bench.put(query, layout=ROWS), bench.put(key), bench.put(value), bench.put(table.int(), ttnn.uint32, ROWS),
            block_size=64,
        )  # fmt: skip
        kept = torch.zeros(4, 4).scatter(1, chosen, 1.0).repeat_interleave(64, 1).bool()
        scores = torch.where(kept, query[0] @ key[0].transpose(1, 2) / 8, -torch.inf).softmax(-1)
        return found, Summed(scores @ value[0], scores @ value[0].abs())

    return Case("transformer.sparse_sdpa_msa", "", run, 6)


CASES = [
    _prefix_scan(),
    _spread_product(),
    _sum_of_32(),
    _delta_rule("fused_recurrent_gated_delta_rule"),
    _delta_rule("chunk_gated_delta_rule"),
    _delta_chunks(),
    *(_affine(name) for name in ("affine_exclusive_scan", "reduce_affine_transforms", "chain_affine_transforms")),
    _chunk_preparation(),
    *(_chunks(name) for name in ("recurrent_chunk_scan", "summarize_chunk_recurrence")),
    _conv_with_history(),
    _gated_norm(),
    *(_layer_norm_halves(name) for name in ("dit_layernorm_pre_allgather", "dit_layernorm_post_allgather")),
    *(_rms_norm_halves(name) for name in ("wan_fused_rmsnorm_pre_allgather", "wan_fused_rmsnorm_post_allgather")),
    _norm_and_activation(),
    _product_and_residue(),
    _split_product(),
    _decode_product(),
    *(_indexer(name) for name in ("indexer_score_dsa", "indexer_score_msa")),
    _sparse_latent(),
    _sparse_blocks(),
]
