# SPDX-License-Identifier: Apache-2.0
"""Numbers packed by blocks, weights laid out for one kernel, long rows sorted, and operations of one's own."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, Summed, operation

ROWS = ttnn.ROW_MAJOR_LAYOUT
PREFILL = ttnn.experimental.deepseek_prefill
LARGEST = 448.0  # of an 8-bit float with four bits of exponent
E4M3_UNIT = 2.0**-3


def _by_blocks(values: torch.Tensor) -> torch.Tensor:
    """The scale of each block of 128 numbers."""
    return values.abs().reshape(*values.shape[:-1], -1, 128).amax(-1) / LARGEST


def _cast(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 512))
        packed, scales = PREFILL.per_token_cast_to_fp8(bench.put(values, layout=ROWS))
        spread = _by_blocks(values).repeat_interleave(128, -1)
        if name == "per_token_cast_to_fp8":
            small = _host(packed).float() * bench.get(scales).repeat_interleave(128, -1)
            return [scales, small], [_by_blocks(values), values]
        return PREFILL.per_token_cast_back(packed, scales), Summed(values, spread * 2.0**-6)

    return Case(f"experimental.deepseek_prefill.{name}", "", run, 1, E4M3_UNIT)


def _host(tensor: Any) -> torch.Tensor:
    """Small floats leave the card only this way."""
    return ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(tensor.device(), dim=0))


def _row_bytes(tensor: Any) -> torch.Tensor:
    values = _host(tensor).contiguous()
    return values.view(torch.uint8).reshape(values.shape[:-1].numel(), -1)


def _pack_cache() -> Case:
    """A row of bytes: 512 small floats, their four scales, 64 numbers as they are."""

    def run(bench: Bench) -> tuple[Any, Any]:
        latent, scales = PREFILL.per_token_cast_to_fp8(bench.put(bench.random((1, 1, 8, 512)), layout=ROWS))
        rope = bench.put(bench.random((1, 1, 8, 64)), layout=ROWS)
        found = PREFILL.pack_scaled_fp8_kv_cache(latent, scales, rope)
        return _row_bytes(found), torch.cat([_row_bytes(each) for each in (latent, scales, rope)], -1)

    return Case("experimental.deepseek_prefill.pack_scaled_fp8_kv_cache", "", run, 0)


# One chunk of 512; three of them, the last in part; four of 1024; more chunks of 2048 than their stamps tell apart.
_LONG_ROWS = ((512, 512), (1500, 48), (4096, 1024), (67000, 2048))


def _long_rows() -> Case:
    """Places of the largest numbers of two rows, compared by their values: of equal ones either may come first."""

    def largest(bench: Bench, columns: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
        values = bench.random((2, columns))
        places = ttnn.to_torch(ttnn.experimental.topk_large_indices(bench.put(values, layout=ROWS), k=k)).long()
        assert all(len(set(row)) == k for row in places.tolist()), "a place comes twice"
        return values.gather(1, places), values.topk(k).values

    def run(bench: Bench) -> tuple[Any, Any]:
        found, expected = zip(*(largest(bench, *sizes) for sizes in _LONG_ROWS), strict=True)
        return torch.cat(found, -1), torch.cat(expected, -1)

    return Case("experimental.topk_large_indices", "", run, 0)


LAYERS, EXPERTS, HIDDEN, INNER, TOKENS, CHOSEN = 1, 2, 1024, 512, 32, 2
SIZES = {"L": LAYERS, "E": EXPERTS, "K": HIDDEN, "N": INNER}


def _weights(bench: Bench) -> list[torch.Tensor]:
    """Numbers that bfloat4_b holds whatever stands beside them."""
    shapes = ((HIDDEN, INNER), (HIDDEN, INNER), (INNER, HIDDEN))
    return [bench.integers((LAYERS, EXPERTS, *shape), -4, 5) / 32 for shape in shapes]


def _laid_out(bench: Bench, name: str, weights: list[torch.Tensor]) -> Any:
    tensors = [bench.put(each) for each in weights]
    return operation(f"experimental.{name}")(*tensors, **SIZES)


def _all_there(name: str, parts: tuple[int, ...]) -> Case:
    """Every weight is there once, and nothing else but zeros; moe_compute tells whether they are in order."""

    def run(bench: Bench) -> tuple[Any, Any]:
        weights = _weights(bench)
        biases = [bench.random((LAYERS, EXPERTS, each.shape[-1]), 0.5, 1) for each in weights]
        given = [weights[part] for part in parts]
        if name.endswith("bias"):
            given += [biases[part] for part in parts]
        found = bench.get(_laid_out(bench, name, given)).flatten()
        wanted = torch.cat([each.flatten() for each in given])
        return [found[found != 0].sort().values], [wanted[wanted != 0].sort().values]

    return Case(f"experimental.{name}", "", run, 0)


def _places(bench: Bench) -> Any:
    return ttnn.experimental.get_weight_mem_configs(
        bench.device, num_layers=LAYERS, experts_per_device=EXPERTS, hidden_size=HIDDEN, intermediate_size=INNER
    )


def _stored(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        packed = _laid_out(bench, "prepare_w2_tensor_for_moe_compute", _weights(bench)[2:])
        found = ttnn.experimental.quantize_weights_via_host(
            packed, dtype=ttnn.bfloat16, memory_config=_places(bench).w2
        )
        return found, bench.get(packed)

    return Case(f"experimental.{name}", "", run, 0)


def _experts_at_once() -> Case:
    """All experts of a card in one program: tokens sorted, three products, results back in the tokens' order."""

    def run(bench: Bench) -> tuple[Any, Any]:
        weights, places = _weights(bench), _places(bench)
        packed = [
            ttnn.experimental.quantize_weights_via_host(
                _laid_out(bench, name, part), dtype=ttnn.bfloat4_b, memory_config=place
            )
            for name, part, place in (
                ("prepare_w0_w1_tensor_for_moe_compute", weights[:2], places.w0_w1),
                ("prepare_w2_tensor_for_moe_compute", weights[2:], places.w2),
            )
        ]
        tokens, scores = bench.integers((1, TOKENS, HIDDEN), -16, 17) / 16, bench.random((1, TOKENS, CHOSEN), 0, 1)
        chosen = torch.stack([torch.tensor([token % 2, 1 - token % 2]) for token in range(TOKENS)])
        core = ttnn.experimental.get_moe_tilize_drain_core(bench.device, 4, 4, HIDDEN)
        drain = ttnn.CoreRangeSet({ttnn.CoreRange(core, core)})
        memory = ttnn.MemoryConfig(
            ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1,
            ttnn.ShardSpec(drain, (TOKENS, CHOSEN), ttnn.ShardOrientation.ROW_MAJOR),
        )  # fmt: skip
        found = ttnn.experimental.moe_compute(
            bench.put(tokens, layout=ROWS, memory=ttnn.L1_MEMORY_CONFIG),
            bench.put(chosen.reshape(1, TOKENS, CHOSEN).int(), ttnn.uint16, ROWS, memory),
            bench.put(scores, layout=ROWS, memory=memory),
            bench.put(torch.zeros(1, EXPERTS).int(), ttnn.uint16, ROWS, ttnn.L1_MEMORY_CONFIG),
            *packed, layer_id=0, output_height_shard_dim=4, intermediate_size=INNER,
        )  # fmt: skip
        inner = [torch.nn.functional.silu(tokens @ weights[0][0]) * (tokens @ weights[1][0])][0]
        results, sizes = inner @ weights[2][0], inner.abs() @ weights[2][0].abs()
        pick = chosen.T, torch.arange(TOKENS)
        return found[-1], Summed(results[pick], sizes[pick])

    return Case("experimental.moe_compute", "", run, 8)


GPT_HIDDEN, GPT_EXPERTS, GPT_TOKENS, GPT_COLUMNS = 2880, 4, 32, 128


def _same_weights(bench: Bench, groups: int, used: int) -> Any:
    """Weights over twelve banks, alike in the first rows of each column and zero below, where the biases are last."""
    rows = GPT_HIDDEN + 32
    weights = torch.full((12, 1, GPT_EXPERTS, groups, rows, GPT_COLUMNS), 1 / 64)
    weights[..., used:, :] = 0
    banks = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(i, 0), ttnn.CoreCoord(i, 0)) for i in range(12)])
    memory = ttnn.MemoryConfig(
        ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.DRAM,
        ttnn.ShardSpec(banks, (GPT_EXPERTS * groups * rows, GPT_COLUMNS), ttnn.ShardOrientation.ROW_MAJOR),
    )  # fmt: skip
    return bench.put(weights, ttnn.bfloat4_b, memory=memory)


def _experts_of_gpt() -> Case:
    """Every token goes to every expert. Of a token one number is not zero, and all columns between the products are the
    same, so that weights may lie in any order and only what is between the products is rounded.
    """

    def run(bench: Bench) -> tuple[Any, Any]:
        gates = torch.linspace(-3, 8, GPT_TOKENS).mul(8).round() / 8
        tokens = torch.zeros(GPT_TOKENS, GPT_HIDDEN)
        tokens[torch.arange(GPT_TOKENS), torch.arange(GPT_TOKENS) * 89] = gates * 64
        grid = bench.device.compute_with_storage_grid_size()
        last = ttnn.CoreCoord(grid.x - 1, grid.y - 1)
        shard = ttnn.ShardSpec(
            ttnn.CoreRangeSet({ttnn.CoreRange(last, last)}), [GPT_TOKENS, GPT_EXPERTS], ttnn.ShardOrientation.ROW_MAJOR
        )
        memory = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shard)
        chosen = torch.arange(GPT_EXPERTS).repeat(1, GPT_TOKENS, 1)
        found = ttnn.experimental.moe_gpt(
            bench.put(tokens, layout=ROWS, memory=ttnn.L1_MEMORY_CONFIG),
            expert_indices=bench.put(chosen.int(), ttnn.uint16, ROWS, memory),
            expert_scores=bench.put(torch.full((1, GPT_TOKENS, GPT_EXPERTS), 0.25), layout=ROWS, memory=memory),
            expert_mapping=bench.put(torch.zeros(1, GPT_EXPERTS).int(), ttnn.uint16, ROWS, ttnn.L1_MEMORY_CONFIG),
            w0_w1_tensor=_same_weights(bench, 4, GPT_HIDDEN), w2_tensor=_same_weights(bench, 2, 32),
        )  # fmt: skip
        # Twelve cores have results: four rows of them by eight tokens, columns 1 to 3 by a third of the columns.
        on_cores = bench.get(found[4]).reshape(grid.y, grid.x, -1)[:4, 1:4, : 32 * 960]
        results = on_cores.reshape(4, 3, GPT_EXPERTS, 8, 960)
        up, gate = gates.double().clamp(-7, 7), gates.double().clamp(max=7)
        wanted = (up + 1) * gate * torch.sigmoid(1.702 * gate) * 32 / 64
        return results, wanted.reshape(4, 1, 1, 8, 1).expand(results.shape)

    return Case("experimental.moe_gpt", "", run, 4)


# Rows of tiles of the weights that each of twelve banks has.
BANK_ROWS = (44, 44, 42, 42, 42, 42, 42, 42, 44, 44, 42, 42)


def _by_banks(weights: torch.Tensor) -> torch.Tensor:
    """Weights as the banks have them: columns in groups of seven tiles, each group row after row, then padding."""
    parts = []
    for rows in weights.split([32 * count for count in BANK_ROWS]):
        groups = torch.cat(rows.split(7 * 32, 1))
        room = max(BANK_ROWS) * 32 * (weights.shape[1] // (7 * 32))
        parts.append(torch.nn.functional.pad(groups, (0, 0, 0, room - groups.shape[0])))
    return torch.stack(parts)


def _projection() -> Case:
    """The output projection of one model, in its sizes: twelve cores multiply, seven others put the parts together."""

    def run(bench: Bench) -> tuple[Any, Any]:
        values, weights = bench.random((32, 16384), -0.5, 0.5), bench.random((16384, 896), -0.5, 0.5)
        near = bench.device.get_optimal_dram_bank_to_logical_worker_assignment(ttnn.NOC.NOC_0)
        grid = bench.device.compute_with_storage_grid_size()
        places = [ttnn.CoreCoord(x, y) for y in reversed(range(grid.y)) for x in reversed(range(grid.x))]
        others = [core for core in places if (core.x, core.y) not in {(each.x, each.y) for each in near}][:7]
        packed = _by_banks(weights)
        banks = [ttnn.CoreCoord(bank, 0) for bank in range(len(near))]
        out = bench.put(torch.zeros(32, 896), memory=_spread_over(others, (32, 128), "WIDTH"))
        stored = bench.put(
            packed.unsqueeze(0), ttnn.bfloat8_b,
            memory=_spread_over(banks, tuple(packed.shape[1:]), "HEIGHT", ttnn.BufferType.DRAM),
        )  # fmt: skip
        ttnn.experimental.deepseek.mla.matmul_wo(
            bench.put(values.expand(len(near), 32, 16384), memory=_spread_over(near, (32, 16384), "HEIGHT")),
            w_tensor=stored, output_tensor=out, layer_id=0,
        )  # fmt: skip
        found = bench.get(out).reshape(32, 7, 4, 32).transpose(1, 2).reshape(32, 896)
        rounded = bench.get(ttnn.from_torch(weights, ttnn.bfloat8_b, layout=ttnn.TILE_LAYOUT))
        return found, Summed(values.double() @ rounded, values.double().abs() @ rounded.abs() / 16)

    # 512 tiles of products, of which sixteen cores' worth are added up at a time.
    return Case("experimental.deepseek.mla.matmul_wo", "", run, 8)


def _spread_over(cores: Any, part: tuple[int, ...], way: str, where: Any = ttnn.BufferType.L1) -> Any:
    ranges = ttnn.CoreRangeSet([ttnn.CoreRange(core, core) for core in cores])
    layout = getattr(ttnn.TensorMemoryLayout, f"{way}_SHARDED")
    return ttnn.MemoryConfig(layout, where, ttnn.ShardSpec(ranges, part, ttnn.ShardOrientation.ROW_MAJOR))


def _cores(name: str) -> Case:
    """Where the parts of moe_compute run: sixteen cores that put results together, one that sorts, all in one box."""

    def run(bench: Bench) -> tuple[Any, Any]:
        sorting = ttnn.experimental.get_moe_tilize_drain_core(bench.device, 4, 4, HIDDEN)
        combining = ttnn.experimental.get_moe_combine_cores(bench.device, 4, 4, HIDDEN)
        box = ttnn.experimental.get_moe_worker_mcast_bounding_box(bench.device, 4, 4, HIDDEN)
        places = {(core.x, core.y) for core in (sorting, *combining)}
        inside = [box.start.x <= x <= box.end.x and box.start.y <= y <= box.end.y for x, y in places]
        return torch.tensor([len(places), sum(inside)]), torch.tensor([17, 17])

    return Case(f"experimental.{name}", "", run, 0)


def _shares() -> Case:
    """Which columns of weights each core has: all of them, once."""

    def run(bench: Bench) -> tuple[Any, Any]:
        maps = ttnn.experimental.get_weight_core_shard_maps(bench.device, HIDDEN, INNER)
        columns = [sum(maps.w0_w1_shard_map), sum(own for own, _ in maps.w2_shard_map)]  # the rest is padding
        return torch.tensor(columns), torch.tensor([INNER // 32, HIDDEN // 32])

    return Case("experimental.get_weight_core_shard_maps", "", run, 0)


def _one_part() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 32, 64))
        return ttnn.mesh_partition(bench.put(values), dim=3), values  # of one chip's part, everything

    return Case("mesh_partition", "", run, 0)


def _no_prefetcher() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        return torch.tensor(ttnn.experimental.is_tensor_prefetcher_supported(bench.device)), torch.tensor(False)

    return Case("experimental.is_tensor_prefetcher_supported", "", run, 0)


def _hang() -> Case:
    """It never ends, and that is said."""

    def run(bench: Bench) -> tuple[Any, Any]:
        said = ""
        try:
            ttnn.test_hang_device_operation(bench.put(bench.random((1, 1, 32, 32))))
        except RuntimeError as error:
            said = str(error)
        return torch.tensor("hang_device_kernel" in said and "polls memory" in said), torch.tensor(True)

    return Case("test_hang_device_operation", "", run, 0)


OWN = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto target_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto target = TensorAccessor(target_args, get_arg_val<uint32_t>(1), get_tile_size(0));
    const uint32_t page = get_write_ptr(0);
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(2); ++tile) {
        noc_async_read_tile(tile, source, page);
        noc_async_read_barrier();
        noc_async_write_tile(tile, target, page);
        noc_async_write_barrier();
    }
}
"""


def _own(name: str) -> Case:
    """A copy, tile by tile, by a kernel written here."""

    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64))
        source, target = bench.put(values), bench.put(torch.zeros(values.shape))
        cores, arguments = bench.cores(1, 1), ttnn.RuntimeArgs()
        arguments[0][0] = [source.buffer_address(), target.buffer_address(), 4]
        kernel = ttnn.KernelDescriptor(
            kernel_source=OWN, source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE, core_ranges=cores,
            compile_time_args=[
                *ttnn.TensorAccessorArgs(source).get_compile_time_args(),
                *ttnn.TensorAccessorArgs(target).get_compile_time_args(),
            ],
            runtime_args=arguments, config=ttnn.ReaderConfigDescriptor(),
        )  # fmt: skip
        buffer = ttnn.CBDescriptor(
            total_size=2048, core_ranges=cores,
            format_descriptors=[ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)],
        )  # fmt: skip
        program = ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer])
        if name == "experimental.prepare_generic_op":
            ttnn.experimental.prepare_generic_op([source, target], program)
            return target, torch.zeros(values.shape)  # prepared only
        return ttnn.generic_op([source, target], program), values

    return Case(name, "", run, 0)


CASES = [
    _cast("per_token_cast_to_fp8"),
    _cast("per_token_cast_back"),
    _pack_cache(),
    _long_rows(),
    _all_there("prepare_w0_w1_tensor_for_moe_compute", (0, 1)),
    _all_there("prepare_w0_w1_tensor_with_bias", (0, 1)),
    _all_there("prepare_w2_tensor_for_moe_compute", (2,)),
    _all_there("prepare_w2_tensor_with_bias", (2,)),
    _stored("get_weight_mem_configs"),
    _stored("quantize_weights_via_host"),
    _experts_at_once(),
    _experts_of_gpt(),
    _cores("get_moe_tilize_drain_core"),
    _cores("get_moe_worker_mcast_bounding_box"),
    _cores("get_moe_combine_cores"),
    _shares(),
    _one_part(),
    _no_prefetcher(),
    _hang(),
    _projection(),
    _own("generic_op"),
    _own("experimental.prepare_generic_op"),
]
