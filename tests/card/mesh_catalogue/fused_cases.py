# SPDX-License-Identifier: Apache-2.0
"""Products of matrices joined with a collective: within the rounding of their sums and of what is sent."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import ttnn

from tests.card.mesh_catalogue.chips import AXIS, ULP, Chips, numbers

BLOCKS = 4  # of the inner dimension, at most: partial sums are packed once for each


def _exact_sums() -> ttnn.WormholeComputeKernelConfig:
    """Products of bfloat16 that lose nothing, added in float32."""
    return ttnn.WormholeComputeKernelConfig(
        math_fidelity=ttnn.MathFidelity.HiFi4, math_approx_mode=False, fp32_dest_acc_en=True, packer_l1_acc=True
    )


def _program(m_tiles: int, n_tiles: int, k_block: int) -> ttnn.MatmulMultiCoreReuseMultiCastProgramConfig:
    return ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
        compute_with_storage_grid_size=(2, 2),
        in0_block_w=k_block,
        out_subblock_h=1,
        out_subblock_w=1,
        per_core_M=m_tiles // 2,
        per_core_N=n_tiles // 2,
        transpose_mcast=False,
        fused_activation=None,
        fuse_batch=False,
    )


def _products_within(
    chips: Chips, tensor: ttnn.Tensor, factors: Sequence[Sequence[tuple[torch.Tensor, torch.Tensor]]]
) -> bool:
    """Sums of products for each chip. Each product is rounded where it is packed, the sum where it is added up."""
    exact, allowed = [], []
    for pairs in factors:
        pairs64 = [(a.double(), b.double()) for a, b in pairs]
        exact.append(sum((a @ b for a, b in pairs64), start=torch.zeros(1, dtype=torch.float64)))
        magnitude = sum((a.abs() @ b.abs() for a, b in pairs64), start=torch.zeros(1, dtype=torch.float64))
        allowed.append((BLOCKS + 2 * len(pairs)) * ULP * magnitude)
    return chips.within(tensor, exact, allowed)


def all_gather_matmul_async(chips: Chips) -> bool:
    parts = [numbers(1, 1, 64, 64) for _ in range(chips.count)]
    weights = [numbers(1, 1, 64 * chips.count, 128) for _ in range(chips.count)]
    whole = torch.cat(parts, dim=3)
    gathered, product = ttnn.experimental.all_gather_matmul_async(
        chips.spread(parts),
        chips.spread(weights),
        dim=3,
        multi_device_global_semaphore=chips.semaphores(2),
        all_gather_core_grid_offset=(0, 4),
        barrier_semaphore=chips.semaphores(1)[0],
        num_links=1,
        topology=chips.topology,
        memory_config_ag=ttnn.DRAM_MEMORY_CONFIG,
        memory_config_mm=ttnn.DRAM_MEMORY_CONFIG,
        program_config=_program(2, 4, 1),
        compute_kernel_config=_exact_sums(),
    )
    return chips.equal(gathered, [whole] * chips.count) and _products_within(
        chips, product, [[(whole, weight)] for weight in weights]
    )


def all_gather_minimal_matmul_async(chips: Chips) -> bool:
    """The gathered factor is not returned."""
    parts = [numbers(1, 1, 64, 64) for _ in range(chips.count)]
    weights = [numbers(1, 1, 64 * chips.count, 128) for _ in range(chips.count)]
    whole = torch.cat(parts, dim=3)
    products = ttnn.experimental.all_gather_minimal_matmul_async(
        chips.spread(parts),
        chips.spread(weights),
        config=ttnn.MinimalMatmulConfig(
            M_block_size=1,
            K_block_size=2,
            N_block_size=2,
            subblock_h=1,
            subblock_w=1,
            compute_with_storage_grid_size=ttnn.CoreCoord(4, 4),
        ),
        multi_device_global_semaphore=chips.semaphores(2),
        topology=chips.topology,
        compute_kernel_config=_exact_sums(),
        num_links=1,
        cluster_axis=AXIS,
        barrier_semaphore=chips.semaphores(1)[0],
        num_workers_per_link=4,
    )
    return _products_within(chips, products[0], [[(whole, weight)] for weight in weights])


def matmul_reduce_scatter_async(chips: Chips) -> bool:
    width = 64 * chips.count
    parts = [numbers(1, 1, 64, 64) for _ in range(chips.count)]
    weights = [numbers(1, 1, 64, width) for _ in range(chips.count)]
    between = chips.everywhere(torch.zeros(1, 1, 64, width).bfloat16())
    out = chips.everywhere(torch.zeros(1, 1, 64, 64).bfloat16())
    _, scattered = ttnn.experimental.matmul_reduce_scatter_async(
        chips.spread(parts),
        chips.spread(weights),
        between,
        out,
        3,
        chips.semaphores(3),
        (0, 4),
        barrier_semaphore=chips.semaphores(1)[0],
        num_links=1,
        memory_config_rs=ttnn.DRAM_MEMORY_CONFIG,
        memory_config_mm=ttnn.DRAM_MEMORY_CONFIG,
        topology=chips.topology,
        program_config=_program(2, 2 * chips.count, 2),
        compute_kernel_config=_exact_sums(),
    )
    slices = [weight.split(64, dim=3) for weight in weights]
    factors = [[(part, each[chip]) for part, each in zip(parts, slices, strict=True)] for chip in range(chips.count)]
    return _products_within(chips, scattered, factors)


def _block_config() -> ttnn.MinimalMatmulConfig:
    return ttnn.MinimalMatmulConfig(
        M_block_size=1,
        K_block_size=1,
        N_block_size=1,
        subblock_h=1,
        subblock_w=1,
        compute_with_storage_grid_size=ttnn.CoreCoord(2, 2),
    )


def strided_all_gather_minimal_matmul_async(chips: Chips) -> bool:
    parts = [numbers(1, 1, 64, 64) for _ in range(chips.count)]
    weights = [numbers(1, 1, 64 * chips.count, 128) for _ in range(chips.count)]
    whole = torch.cat(parts, dim=3)
    _, product = ttnn.experimental.strided_all_gather_minimal_matmul_async(
        chips.spread(parts),
        chips.spread(weights),
        persistent_output_buffer=chips.everywhere(torch.zeros(whole.shape).bfloat16()),
        dim=3,
        multi_device_global_semaphore=chips.semaphores(4),  # two more for the kernels that signal the product
        strided_all_gather_core_grid_offset=(0, 4),
        num_links=1,
        memory_config_ag=ttnn.DRAM_MEMORY_CONFIG,
        memory_config_mm=ttnn.DRAM_MEMORY_CONFIG,
        topology=chips.topology,
        cluster_axis=AXIS,
        config=_block_config(),
        compute_kernel_config=_exact_sums(),
        num_workers_per_link=1,
        read_local_slice_from_input=True,
    )
    return _products_within(chips, product, [[(whole, weight)] for weight in weights])


def minimal_matmul_strided_reduce_scatter_async(chips: Chips) -> bool:
    width = 64 * chips.count
    parts = [numbers(1, 1, 64, 64) for _ in range(chips.count)]
    weights = [numbers(1, 1, 64, width) for _ in range(chips.count)]
    _, scattered = ttnn.experimental.minimal_matmul_strided_reduce_scatter_async(
        chips.spread(parts),
        chips.spread(weights),
        3,
        chips.semaphores(3),
        ttnn.CoreCoord(0, 4),
        num_links=1,
        memory_config_mm=ttnn.DRAM_MEMORY_CONFIG,
        rs_output_mem_config=ttnn.DRAM_MEMORY_CONFIG,
        topology=chips.topology,
        cluster_axis=AXIS,
        config=_block_config(),
        compute_kernel_config=_exact_sums(),
        barrier_semaphore=chips.semaphores(1)[0],
        num_workers_per_link=1,
        chunk_width_in_mm_blocks=1,
    )
    slices = [weight.split(64, dim=3) for weight in weights]
    factors = [[(part, each[chip]) for part, each in zip(parts, slices, strict=True)] for chip in range(chips.count)]
    return _products_within(chips, scattered, factors)


CASES = {
    "experimental.minimal_matmul_strided_reduce_scatter_async": minimal_matmul_strided_reduce_scatter_async,
    "experimental.strided_all_gather_minimal_matmul_async": strided_all_gather_minimal_matmul_async,
    "experimental.all_gather_matmul_async": all_gather_matmul_async,
    "experimental.all_gather_minimal_matmul_async": all_gather_minimal_matmul_async,
    "experimental.matmul_reduce_scatter_async": matmul_reduce_scatter_async,
}
