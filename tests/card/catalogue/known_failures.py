# SPDX-License-Identifier: Apache-2.0
"""Cases that are not right, by chip, each with its reason. One that becomes right must leave this list."""

from __future__ import annotations

_BLACKHOLE_ONLY = "refused by ttnn: it is for Blackhole"
_WIDER = "refused by ttnn: it takes more columns of cores than Wormhole has"
_NOT_PUBLISHED = "does not compile, on a card neither: the package lacks unified_kernels/kernel_op_api.hpp"
_UNWRITTEN = "not written by ttnn: it copies L1 instead of DRAM (findings-in-ttnn.md)"
_BOTH = {
    "clone-bfloat16 tile DRAM sharded": _UNWRITTEN,
    "experimental.deepseek.moe.deepseek_moe_gate": _NOT_PUBLISHED,
    "experimental.deepseek.moe.generalized_moe_gate": _NOT_PUBLISHED,
}
_FOR_BLACKHOLE = """
    softcap situ_glu transformer.sparse_sdpa transformer.sparse_sdpa_msa experimental.indexer_score_dsa
    experimental.indexer_score_msa experimental.topk_large_indices experimental.kda.affine_exclusive_scan
    experimental.kda.chain_affine_transforms experimental.kda.prepare_chunk_recurrence
    experimental.deepseek_prefill.attn_res_weighted_reduce_nc experimental.deepseek_prefill.pack_scaled_fp8_kv_cache
    experimental.deepseek_prefill.per_token_cast_back experimental.deepseek_prefill.per_token_cast_to_fp8
"""
_WIDE = """
    experimental.concatenate_heads experimental.split_query_key_value_and_split_heads
    experimental.deepseek_prefill.unified_routed_expert_moe experimental.deepseek_prefill.hybrid_routed_expert_moe
"""
KNOWN_FAILURES: dict[str, dict[str, str]] = {
    "wormhole_b0": {
        **_BOTH,
        **dict.fromkeys(_FOR_BLACKHOLE.split(), _BLACKHOLE_ONLY),
        **dict.fromkeys(_WIDE.split(), _WIDER),
    },
    "blackhole": {
        **_BOTH,
        **dict.fromkeys(
            ("experimental.deepseek.mla.matmul_wo", "experimental.deepseek.moe.moe_gate_mm", "experimental.moe_gpt"),
            "for Wormhole: its weights lie over twelve banks",
        ),
    },
}
