# SPDX-License-Identifier: Apache-2.0
"""Registered operations that no case calls, each under the reason why. What is registered is called or is here."""

from __future__ import annotations

# Called on several chips (tests/card/collectives.py).
ON_SEVERAL_CHIPS = ("all_broadcast", "all_gather", "all_reduce", "broadcast", "point_to_point", "reduce_scatter")
# Cases of tests/card/mesh_catalogue.
_IN_MESH_CATALOGUE = """
    all_to_all_combine all_to_all_dispatch experimental.all_gather_async experimental.all_reduce_async
    experimental.all_to_all_async_generic experimental.deepseek_prefill.compressor_state_exchange
    experimental.deepseek_prefill.offset_cumsum experimental.dit_fused_distributed_layernorm
    experimental.dit_fused_distributed_layernorm_create_stats_buffer experimental.dit_fused_distributed_rmsnorm
    experimental.dit_fused_distributed_rmsnorm_create_stats_buffer experimental.high_bw_all_gather
    experimental.neighbor_pad_async experimental.reduce_scatter_minimal_async
    experimental.ring_attention_all_gather_async
"""
_ON_RINGS = """
    experimental.all_to_all_async experimental.matmul_reduce_scatter_async
    experimental.minimal_matmul_strided_reduce_scatter_async
    experimental.reduce_scatter_minimal_async_create_intermediate_buffer experimental.reduce_scatter_minimal_direct
    experimental.reduce_scatter_minimal_direct_create_persistent_buffers
    experimental.reduce_scatter_minimal_direct_create_staging_buffer experimental.strided_reduce_scatter_async
"""
_THROUGH_SOCKETS = """
    experimental.recv_async experimental.recv_direct_async experimental.send_async experimental.send_direct_async
"""
_ON_A_LINE_OF_TWO_AND_RINGS = """
    experimental.all_gather_minimal_matmul_async experimental.deepseek_prefill.combine
    experimental.deepseek_prefill.dispatch experimental.kda.select_final_carry
    experimental.strided_all_gather_minimal_matmul_async transformer.ring_joint_scaled_dot_product_attention
    transformer.ring_mla
"""
_SEVERAL_CHIPS = """
    experimental.all_to_all_dispatch_metadata experimental.deepseek_prefill.attn_res_gather_softmax
    experimental.deepseek_prefill.combine_fabric2d experimental.deepseek_prefill.dispatch_fabric2d
    experimental.deepseek_prefill.hybrid_routed_expert_moe_forwarding_buffer
    experimental.deepseek_prefill.inbound_socket_service_sync
    experimental.deepseek_prefill.outbound_socket_service_sync experimental.dit_fused_distributed_groupnorm
    experimental.dit_fused_distributed_groupnorm_create_stats_buffer
    experimental.kda.qkv_causal_conv1d_silu_with_carry experimental.llama_all_gather_matmul_async
    experimental.llama_rs_create_heads experimental.llama_rs_matmul experimental.recv_async_h2d
    experimental.ring_indexer_score_dsa experimental.selective_reduce_combine experimental.send_async_d2h
    reduce_to_root transformer.exp_ring_joint_scaled_dot_product_attention
"""
_TEST_KERNELS = "experimental.test_dram_prefetcher_consumer experimental.test_dram_prefetcher_validator"
_DRAM_CORES = """
    experimental.create_global_circular_buffer_for_matmul_1d
    experimental.create_global_circular_buffer_for_tensor_prefetcher
    experimental.create_prefetcher_pipes_for_tensor_prefetcher experimental.queue_tensor_prefetcher_request
    experimental.start_tensor_prefetcher experimental.stop_tensor_prefetcher
    experimental.tensor_prefetcher_block_count_for_matmul_1d experimental.test_tensor_prefetcher_pipe_consumer
    experimental.test_tensor_prefetcher_pipe_validator experimental.wait_for_cq_on_tensor_prefetcher
"""

# By reason, as it stands on the page.
UNCALLED: dict[str, frozenset[str]] = {
    "For several chips: right on 2 to 32 (tests/card/collectives.py)": frozenset(ON_SEVERAL_CHIPS),
    "For several chips: right on 2, 4 and 8, on lines, rings and meshes (tests/card/mesh_catalogue)": frozenset(
        _IN_MESH_CATALOGUE.split()
    ),
    "For several chips: right on lines and rings; its kernels write no routes in two dimensions": frozenset(
        {"experimental.all_gather_async_reversed"}
    ),
    "For several chips: right on lines and rings of 4 and 8; on 2, ttnn's host code sends a row too many": frozenset(
        {"experimental.slice_reshard_async"}
    ),
    "For several chips: right on rings, which they are for": frozenset(_ON_RINGS.split()),
    "For several chips: right on a ring of 8, which its kernels assume": frozenset(
        {"experimental.all_gather_matmul_async"}
    ),
    "For several chips: right on a line of 2 and on rings of 4 and 8": frozenset(_ON_A_LINE_OF_TWO_AND_RINGS.split()),
    "For several chips: right on 2 and 4, which it is for": frozenset({"experimental.llama_reduce_scatter"}),
    "For several chips: right on 2 and 4 with the 64 cores that it needs": frozenset(
        {"experimental.all_reduce_create_qkv_heads"}
    ),
    "For several chips: its kernels are on cores that only a Galaxy has": frozenset({"experimental.all_gather_concat"}),
    "For several chips: a kernel starts up with a buffer that its core lacks, which is an error here": frozenset(
        {"fused_rms_minimal"}
    ),
    "For several chips: right on a ring of 8, which ttnn's tests have": frozenset(
        {"experimental.deepseek_moe_reduce_scatter"}
    ),
    "For several chips: right on lines and rings of 2 and 4": frozenset({"experimental.strided_all_gather_async"}),
    "For several chips: right from the first chip of a line to the last; a hang under slow dispatch": frozenset(
        _THROUGH_SOCKETS.split()
    ),
    "For several chips: a kernel reads an argument that it was not given, which is an error here": frozenset(
        {"experimental.halo_scatter", "experimental.neighbor_pad_halo"}
    ),
    "For several chips: a kernel overfills a circular buffer, which is an error here; not explained": frozenset(
        {"transformer.ring_distributed_scaled_dot_product_attention"}
    ),
    "For several chips; ttnn refuses them on one. Not called yet": frozenset(_SEVERAL_CHIPS.split()),
    "One feeds the other while it runs, on a card made for it: tests/card/prefetcher.py calls them": frozenset(
        {"dram_prefetcher", "matmul_batched_weights"}
    ),
    "For kernels on DRAM cores, of Blackhole cards with newer firmware; ttnn refuses them on these": frozenset(
        _DRAM_CORES.split()
    ),
    "For tests of tt-metal itself; the package lacks their kernels": frozenset(_TEST_KERNELS.split()),
}
# Copies of other operations for a chip that this card is not.
QUASAR = "experimental.quasar."


def unexplained(registered: set[str], called: set[str]) -> tuple[list[str], list[str]]:
    """Operations that are neither called nor listed, and listed ones that are called or do not exist."""
    listed = set().union(*UNCALLED.values())
    others = {name for name in registered if not name.startswith(QUASAR)}
    return sorted(others - called - listed), sorted(listed & called | listed - registered)
