# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts: choosing them, sorting tokens by expert, their products, and what sums the parts up again."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.decoder_cases import sharded
from tests.card.catalogue.operation_case import PRECISE, Bench, Case, Summed, golden, operation

ROWS = ttnn.ROW_MAJOR_LAYOUT
PREFILL = ttnn.experimental.deepseek_prefill
EXPERTS = 256
# Products of blocks are added up where they are packed; some kernels have no other way.
ACCUMULATING = ttnn.WormholeComputeKernelConfig(
    math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True, packer_l1_acc=True
)
BETTER_GROUPS = (torch.arange(8) % 2.0).repeat_interleave(32)  # every other of eight ranks above the rest


def _spread(bench: Bench, found: Any, experts: int = EXPERTS) -> torch.Tensor:
    """Weights and the experts they are for, as one row for each token: the order of the chosen does not matter."""
    weights, indices = (bench.get(each).reshape(-1, each.shape[-1]) for each in found)
    return torch.zeros(weights.shape[0], experts, dtype=torch.float64).scatter(1, indices.long(), weights)


def _apart(tokens: int, experts: int = EXPERTS) -> torch.Tensor:
    """Scores of which the best 32 of a token are so far apart that bfloat16 tells them from each other."""
    orders = [torch.randperm(experts, generator=torch.Generator().manual_seed(token)) for token in range(tokens)]
    place = torch.stack(orders)
    return torch.where(place < 32, 2 - place / 8, -5 - place / experts)


def _chosen(scores: torch.Tensor, ranks: torch.Tensor, count: int, scale: float) -> torch.Tensor:
    """The scores of those that rank highest, made to add up to ``scale``, and 0 for the rest."""
    kept = torch.zeros_like(scores).scatter(1, ranks.topk(count, -1).indices, 1.0)
    return scores * kept / (scores * kept).sum(-1, keepdim=True) * scale


def _only_best_groups(ranks: torch.Tensor) -> torch.Tensor:
    """Of eight groups, the four whose best two add up to the most; the others rank last."""
    groups = ranks.reshape(ranks.shape[0], 8, -1)
    best = groups.topk(2, -1).values.sum(-1).topk(4, -1).indices
    kept = torch.zeros(ranks.shape[0], 8).scatter(1, best, 1.0).bool()
    return torch.where(kept[..., None], groups, -torch.inf).flatten(1)


def _grouped_gate(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        logits = _apart(32)
        bias = BETTER_GROUPS.expand(32, EXPERTS)
        shape, dtype = (1, 1, 32, EXPERTS), ttnn.float32 if "topk" in name else ttnn.bfloat16
        tensors = [bench.put(each.reshape(shape), dtype) for each in (logits, bias)]
        scores = torch.sigmoid(bench.get(tensors[0]).reshape(32, EXPERTS))
        found = operation(f"experimental.{name}")(
            *tensors, n_groups=8, summed_experts_per_group=2, topk_groups=4, n_activated_experts=8, route_scale=2.0
        )
        return _spread(bench, found), _chosen(scores, _only_best_groups(scores + bias), 8, 2.0)

    return Case(f"experimental.{name}", "", run, 8)


def _hash_gate() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        logits, words = _apart(32), torch.arange(32) * 3
        table = torch.stack([torch.randperm(EXPERTS, generator=torch.Generator().manual_seed(each))[:16]
                             for each in range(96)])  # fmt: skip
        found = PREFILL.moe_hash_gate(
            bench.put(logits.reshape(1, 1, 32, EXPERTS), ttnn.float32),
            bench.put(words.reshape(1, 32).int(), ttnn.uint32, ROWS), bench.put(table.int(), ttnn.uint16, ROWS),
            n_activated_experts=6, route_scale=1.5,
        )  # fmt: skip
        scores = torch.nn.functional.softplus(logits).sqrt()
        ranks = torch.zeros_like(scores).scatter(1, table[words][:, :6], 1.0)
        return _spread(bench, found), _chosen(scores, ranks, 6, 1.5)

    return Case("experimental.deepseek_prefill.moe_hash_gate", "", run, 8)


def _gate(name: str) -> Case:
    """One token to a core, its 256 experts in the first face of a tile."""

    def run(bench: Bench) -> tuple[Any, Any]:
        tokens = 4
        memory = sharded(bench.cores(tokens, 1), (32, 32))
        grouped = name == "deepseek_moe_gate"
        logits = _apart(tokens).to(torch.bfloat16).float()
        scores = torch.sigmoid(logits)
        bias = (BETTER_GROUPS * grouped).expand(tokens, EXPERTS)
        numbers = torch.arange(EXPERTS).expand(tokens, EXPERTS)
        face = (tokens, 16, 16)
        out = [bench.put(torch.zeros(tokens, 1, 16), dtype, memory=memory) for dtype in (ttnn.bfloat16, ttnn.uint16)]
        found = operation(f"experimental.deepseek.moe.{name}")(
            bench.put(logits.reshape(face), memory=memory),
            bias_tensor=bench.put(bias.reshape(face).transpose(1, 2).contiguous(), memory=memory),
            input_indices_tensor=bench.put(
                numbers.reshape(face).transpose(1, 2).contiguous().int(), ttnn.uint16, memory=memory
            ),
            output_tensor=out[0], output_indices_tensor=out[1], scaling_factor=2.0, enable_sigmoid=True,
        )  # fmt: skip
        best = [bench.get(each)[:, 0, :8] for each in found]
        spread = torch.zeros(tokens, EXPERTS, dtype=torch.float64).scatter(1, best[1].long(), best[0])
        ranks = scores + bias
        return spread, _chosen(scores, _only_best_groups(ranks) if grouped else ranks, 8, 2.0)

    return Case(f"experimental.deepseek.moe.{name}", "", run, 8)


def _bank_parts(weights: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """What each of twelve banks has of 7168x256 weights, two tiles in a row.

    Every third has the last 72 tiles of two columns, beside each other. The others have a column each, its first 152
    tiles in pairs, and the column's bias below.
    """
    tiles = weights.reshape(224, 32, 8, 32).transpose(1, 2)
    parts = []
    for bank in range(12):
        column = bank - (bank + 2) // 3
        if bank % 3 == 0:
            parts.append(torch.cat((tiles[152:, column], tiles[152:, column + 1]), -1))
        else:
            last = torch.zeros(1, 32, 64)
            last[0, 0, :32] = bias[32 * column : 32 * column + 32]
            parts.append(torch.cat((torch.cat((tiles[:152:2, column], tiles[1:152:2, column]), -1), last)))
    return torch.stack([torch.cat((each, torch.zeros(77 - len(each), 32, 64))) for each in parts]).flatten(1, 2)


def _gate_product() -> Case:
    """A product with the gate's weights, then the gate; each token takes one row of the weights for its logits."""

    def run(bench: Bench) -> tuple[Any, Any]:
        tokens, width = 32, 7168
        cores = bench.device.get_optimal_dram_bank_to_logical_worker_assignment(ttnn.NOC.NOC_0)
        ring = sorted(range(len(cores)), key=lambda bank: (cores[bank].y, cores[bank].x), reverse=True)
        grid = ttnn.CoreRangeSet([ttnn.CoreRange(cores[bank], cores[bank]) for bank in ring])
        banks = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(bank, 0), ttnn.CoreCoord(bank, 0)) for bank in ring])
        logits = _apart(tokens).to(torch.bfloat16).float()
        rows = torch.randperm(width, generator=torch.Generator().manual_seed(1))[:tokens]
        weights, values = bench.random((width, EXPERTS)), torch.zeros(tokens, width)
        weights[rows], values[torch.arange(tokens), rows] = logits, 1.0
        spec = ttnn.ShardSpec(banks, (77 * 32, 64), ttnn.ShardOrientation.ROW_MAJOR)
        in_banks = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.DRAM, spec)
        out = bench.put(torch.zeros(tokens, 12 * 32), memory=sharded(grid, (tokens, 32), "WIDTH"))
        ttnn.experimental.deepseek.moe.moe_gate_mm(
            bench.put(values.expand(12, -1, -1).contiguous(), memory=sharded(grid, (tokens, width))),
            w_tensor=bench.put(_bank_parts(weights, BETTER_GROUPS), memory=in_banks),
            output_tensor=out, layer_id=0, column_id=0,
        )  # fmt: skip
        found = ttnn.to_torch(out)[:16, -32:].T.contiguous()  # of the last core: eight scores, and their experts
        experts = found[:, 8:].contiguous().view(torch.int16).long() >> 7  # numbers in the bits of the exponent
        spread = torch.zeros(tokens, EXPERTS, dtype=torch.float64).scatter(1, experts, found[:, :8].double())
        ranks = _only_best_groups(torch.sigmoid(logits) + BETTER_GROUPS)
        best = ranks.topk(8, -1)
        return spread, torch.zeros(tokens, EXPERTS).scatter(1, best.indices, best.values)

    return Case("experimental.deepseek.moe.moe_gate_mm", "", run, 4)


def _router() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, weight = bench.random((32, 64), -1, 1), bench.random((64, 128), -0.125, 0.125)
        bias = _apart(32, 128).to(torch.bfloat16).float()
        found = ttnn.experimental.topk_router_gpt(
            bench.put(values), weight_tensor=bench.put(weight * 0), bias_tensor=bench.put(bias), k=4, num_experts=128
        )
        weights = [bench.get(each)[:32, :4] for each in (found[1], found[0])]
        spread = torch.zeros(32, 128, dtype=torch.float64).scatter(1, weights[1].long(), weights[0])
        best = bias.topk(4, -1)
        return spread, torch.zeros(32, 128).scatter(1, best.indices, best.values.softmax(-1))

    return Case("experimental.topk_router_gpt", "", run, 8)


def _remap_tokens() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        weights, mapping = bench.random((1, 8, 4, 16), 0, 1), torch.ones(1, 1, 16, 1)
        chosen = torch.stack([torch.randperm(16, generator=torch.Generator().manual_seed(each))[:4]
                              for each in range(32)]).reshape(1, 8, 4, 4)  # fmt: skip
        found = ttnn.moe_expert_token_remap(
            bench.put(weights, layout=ROWS), bench.put(mapping.int(), ttnn.uint16, ROWS),
            bench.put(chosen.int(), ttnn.uint16, ROWS), reduction_size=16,
        )  # fmt: skip
        return list(found), list(golden("moe_expert_token_remap")(weights, mapping, chosen, reduction_size=16))

    return Case("moe_expert_token_remap", "", run, 0)


def _remap_routing() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        weights = torch.zeros(1, 32)
        weights[0, torch.tensor([2, 4, 10, 13])] = torch.tensor([1.0, 2.0, 3.0, 4.0])
        found = ttnn.moe_routing_remap(bench.put(weights, layout=ROWS), 4, 1, 0)
        return found, weights

    return Case("moe_routing_remap", "", run, 0)


def _table(bench: Bench, numbers: list[int]) -> Any:
    return bench.put(torch.tensor([numbers]).int(), ttnn.uint32, ROWS)


def _slices(name: str) -> Case:
    """Tokens of one expert out of a buffer of all, and back: expert 2 has 40 of them from row 64 on."""

    def run(bench: Bench) -> tuple[Any, Any]:
        everything = bench.put(bench.random((256, 128)), ttnn.bfloat8_b)
        start, counts, local = _table(bench, [0, 32, 64, 128]), _table(bench, [10, 20, 40, 5]), _table(bench, [2, 3])
        wanted = bench.get(everything)
        if name == "extract":
            found = PREFILL.extract(
                everything, start, counts, local, local_expert_id=0, max_dispatched_tokens_per_expert=96
            )
            return bench.get(found)[:64], wanted[64:128]
        part = bench.put(bench.random((96, 128)), ttnn.bfloat8_b)
        wanted[64:128] = bench.get(part)[:64]
        return PREFILL.insert(everything, part, start, counts, local, local_expert_id=0), wanted

    return Case(f"experimental.deepseek_prefill.{name}", "", run, 0)


def _bincount() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        chosen, here = bench.integers((64, 4), 0, 16), torch.where(torch.arange(32) % 3 == 0, -1, 0)
        found = PREFILL.masked_bincount(bench.put(chosen, ttnn.uint16), bench.put(here.int(), ttnn.int32, ROWS), 16, 4)
        return found, torch.where(here[:16] < 0, 0, torch.bincount(chosen.flatten(), minlength=16))

    return Case("experimental.deepseek_prefill.masked_bincount", "", run, 0)


def _padding() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        config, bounds = _table(bench, [0, 0]), [_scalar(bench, each) for each in (64, 150)]
        return PREFILL.moe_padding_config(config, *bounds, 128, 0, 0), torch.tensor([86, 0])

    return Case("experimental.deepseek_prefill.moe_padding_config", "", run, 0)


def _scalar(bench: Bench, number: int) -> Any:
    return bench.put(torch.full((1, 1, 1, 1), number, dtype=torch.int32), ttnn.uint32, ROWS)


def _weighted() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        parts, weights = bench.random((1, 1, 32, 8, 1024)), bench.random((1, 1, 32, 8, 1), 0, 1)
        found = PREFILL.post_combine_reduce(bench.put(parts, layout=ROWS), bench.put(weights, layout=ROWS))
        return found, Summed((parts * weights).sum(3), (parts * weights).abs().sum(3))

    return Case("experimental.deepseek_prefill.post_combine_reduce", "", run, 4)


def _weighted_planes() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, weight = bench.random((1, 3, 64, 64)), bench.random((2, 3, 64, 1))
        found = PREFILL.attn_res_weighted_reduce_nc(bench.put(values), bench.put(weight), compute_kernel_config=PRECISE)
        terms = values * weight
        return found, Summed(terms.sum(1, keepdim=True), terms.abs().sum(1, keepdim=True))

    return Case("experimental.deepseek_prefill.attn_res_weighted_reduce_nc", "", run, 4)


def _reduce_and_split(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((8, 1, 32, 256))
        total = Summed(values.sum(0, keepdim=True), values.abs().sum(0, keepdim=True))
        if name == "fast_reduce_nc_split":
            found = ttnn.experimental.fast_reduce_nc_split(
                bench.put(values), dim=0, split_output_width=64, compute_kernel_config=PRECISE
            )
            sizes = [64, 192]
        else:
            memory = ttnn.DRAM_MEMORY_CONFIG
            found = ttnn.experimental.deepseek_moe_fast_reduce_nc(
                bench.put(values), 0, split_size=128, output_memory_config=memory, compute_kernel_config=PRECISE
            )
            sizes = [128, 128]
        return list(found), [
            Summed(*pair) for pair in zip(total.value.split(sizes, -1), total.size.split(sizes, -1), strict=True)
        ]

    return Case(f"experimental.{name}", "", run, 4)


def _reduce_scaled() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, scores = bench.random((4, 1, 32, 256)), bench.random((32, 1, 1, 4), 0, 1)
        chosen = torch.arange(4).expand(32, 1, 1, 4).contiguous().int()
        mapping = torch.zeros(1, 1, 1, 16).int()  # whose each expert is: this device's
        found = ttnn.experimental.deepseek_moe_fast_reduce_nc_fused(
            bench.put(values, memory=ttnn.L1_MEMORY_CONFIG), bench.put(chosen, ttnn.uint16, ROWS),
            bench.put(mapping, ttnn.uint16, ROWS), 0, split_size=128, cluster_axis=0,
            output_memory_config=ttnn.DRAM_MEMORY_CONFIG, scores_tensor=bench.put(scores, layout=ROWS),
            compute_kernel_config=PRECISE,
        )  # fmt: skip
        terms = values * scores.reshape(32, 4).T.reshape(4, 1, 32, 1)
        total = [part.sum(0, keepdim=True).split(128, -1) for part in (terms, terms.abs())]
        return list(found), [Summed(*pair) for pair in zip(*total, strict=True)]

    return Case("experimental.deepseek_moe_fast_reduce_nc_fused", "", run, 4)


def _tilize() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((8, 1, 32, 1024))
        part = ttnn.NdShardSpec(ttnn.Shape((32, 256)), bench.cores(8, 4))
        found = ttnn.experimental.deepseek_moe_post_combine_tilize(
            bench.put(values, layout=ROWS), output_memory_config=ttnn.MemoryConfig(ttnn.BufferType.L1, part)
        )
        return found, values

    return Case("experimental.deepseek_moe_post_combine_tilize", "", run, 0)


def _gated(values: torch.Tensor, gate: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> Summed:
    inner = torch.nn.functional.silu(values @ gate) * (values @ up)
    return Summed(inner @ down, inner.abs() @ down.abs())


def _expert() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((64, 512), -1, 1)
        weights = [bench.random(shape, -0.125, 0.125) for shape in ((512, 512), (512, 512), (512, 512))]
        found = PREFILL.routed_expert_ffn(*map(bench.put, (values, *weights)), compute_kernel_config=PRECISE)
        return found, _gated(values, *weights)

    return Case("experimental.deepseek_prefill.routed_expert_ffn", "", run, 8)


def _all_experts(name: str) -> Case:
    """Two experts: 40 tokens for the first from row 0 on, 20 for the second from row 64 on."""

    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((128, 256), -1, 1)
        weights = [
            [bench.put(bench.random(shape, -0.125, 0.125), ttnn.bfloat8_b) for _ in range(2)]
            for shape in ((256, 256), (256, 256), (256, 256))
        ]
        tensor = (
            bench.put(values, layout=ROWS) if name != "unified_routed_expert_moe" else bench.put(values, ttnn.bfloat8_b)
        )
        given = bench.get(tensor)  # before some of the operations write their results there
        start, counts, local = _table(bench, [0, 64]), _table(bench, [40, 20]), _table(bench, [0, 1])
        if name == "moe_fused_swiglu":
            found = PREFILL.moe_fused_swiglu(  # eight tiles of results, so no float32 in between
                tensor, *weights, counts, local, expert_region_offsets=start, read_x_at_offset=True,
                output=bench.put(torch.zeros(128, 256), ttnn.bfloat8_b), core_grid=ttnn.CoreCoord(4, 2),
            )  # fmt: skip
        else:
            found = operation(f"experimental.deepseek_prefill.{name}")(
                tensor, start, counts, local, *weights, 64, compute_kernel_config=ACCUMULATING
            )
        rows = bench.get(found).reshape(-1, 256)
        wanted = [
            _gated(given[first:last], *(bench.get(each[index]) for each in weights))
            for index, (first, last) in enumerate(((0, 40), (64, 84)))
        ]
        return [rows[:40], rows[64:84]], wanted

    return Case(f"experimental.deepseek_prefill.{name}", "", run, 8, 2.0**-6)


def _streams() -> Case:
    """A matrix made doubly stochastic by dividing rows and columns by their sums in turn."""

    def run(bench: Bench) -> tuple[Any, Any]:
        count, iterations, epsilon = 4, 3, 1e-6
        mixes = bench.random((32, (2 + count) * count), -1, 1)
        chosen = torch.zeros(3, 32, 32)
        for part, (first, width) in enumerate(((0, count), (count, count), (2 * count, count * count))):
            chosen[part, first + torch.arange(width), torch.arange(width)] = 1.0
        rows, columns = (torch.zeros(32, 32) for _ in range(2))
        number = torch.arange(count * count)
        rows[: count * count, : count * count] = (number[:, None] // count == number // count).float()
        columns[: count * count, : count * count] = (number[:, None] % count == number % count).float()
        constants = torch.cat((chosen, torch.zeros(3, 32, 32), torch.stack((rows, columns))))
        found = PREFILL.mhc_split_sinkhorn(
            bench.put(mixes, ttnn.float32), bench.put(constants, ttnn.float32), count, iterations, epsilon
        )
        before, after, logits = mixes.split([count, count, count * count], -1)
        matrix = logits.reshape(32, count, count).softmax(-1) + epsilon
        for step in range(2 * iterations - 1):
            matrix = matrix / (matrix.sum(1 + step % 2, keepdim=True) + epsilon)
        return list(found), [torch.sigmoid(before) + epsilon, 2 * torch.sigmoid(after), matrix.flatten(1)]

    return Case("experimental.deepseek_prefill.mhc_split_sinkhorn", "", run, 6 * 3, 2.0**-10)


def _compressed() -> Case:
    """Four tokens and the four before them become one, weighted by the softmax of their scores."""

    def run(bench: Bench) -> tuple[Any, Any]:
        width, tokens = 64, 128
        values, scores = (bench.random((1, 1, tokens, 2 * width), -1, 1) for _ in range(2))
        bias = bench.random((1, 1, 4, 2 * width), -1, 1)
        states = [bench.put(torch.zeros(1, 1, 64, width)) for _ in range(2)]
        found = PREFILL.csa_compressor(*map(bench.put, (values, scores, bias)), *states, seq_len_actual=tokens)
        biased = (scores + bias.repeat(1, 1, tokens // 4, 1)).reshape(-1, 4, 2 * width)
        values = values.reshape(-1, 4, 2 * width)
        both = [torch.cat((each[:-1, :, :width], each[1:, :, width:]), 1) for each in (values, biased)]
        weights = both[1].softmax(1)
        pooled = bench.get(found[0]).reshape(-1, width)[1 : tokens // 4]  # the first has none before it
        return pooled, Summed((weights * both[0]).sum(1), (weights * both[0].abs()).sum(1))

    return Case("experimental.deepseek_prefill.csa_compressor", "", run, 8)


def _with_shared() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        shapes = ((128, 64), (128, 64), (64, 128))
        routed, shared = ([bench.random((1, count, *shape)) for shape in shapes] for count in (2, 1))
        found = ttnn.experimental.add_shared_expert_weights(*map(bench.put, routed), *map(bench.put, shared), 0)
        return list(found), [torch.cat(pair, 1) for pair in zip(routed, shared, strict=True)]

    return Case("experimental.add_shared_expert_weights", "", run, 0)


CASES = [
    _streams(),
    _compressed(),
    _with_shared(),
    _grouped_gate("deepseek_grouped_gate"),
    _grouped_gate("deepseek_prefill.moe_grouped_topk"),
    _hash_gate(),
    _gate("deepseek_moe_gate"),
    _gate("generalized_moe_gate"),
    _gate_product(),
    _router(),
    _remap_tokens(),
    _remap_routing(),
    _slices("extract"),
    _slices("insert"),
    _bincount(),
    _padding(),
    _weighted(),
    _weighted_planes(),
    _reduce_and_split("fast_reduce_nc_split"),
    _reduce_and_split("deepseek_moe_fast_reduce_nc"),
    _reduce_scaled(),
    _tilize(),
    _expert(),
    *(_all_experts(name) for name in ("moe_fused_swiglu", "unified_routed_expert_moe", "hybrid_routed_expert_moe")),
]
