# SPDX-License-Identifier: Apache-2.0
"""Cases that are not right, each with its reason. One that becomes right must leave this list."""

from __future__ import annotations

KNOWN_FAILURES: dict[str, str] = {
    "softcap": "refused by ttnn: it is for Blackhole",
    "transformer.scaled_dot_product_attention": "reduce_block_max_row_runtime is not simulated",
    "transformer.scaled_dot_product_attention-causal": "reduce_block_max_row_runtime is not simulated",
    "conv2d-64 channels 3x3 stride 1": "one element of 2048 is 1.06 times what is allowed off, the cause not known",
    "moreh_adam": "a deadlock that a card's three compute threads do not have",
    "moreh_adamw": "a deadlock that a card's three compute threads do not have",
}
