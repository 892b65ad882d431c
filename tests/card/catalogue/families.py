# SPDX-License-Identifier: Apache-2.0
"""Cases that stand for families: a set of kernels of ttnn each, those that models call most.

They run on a card of one core, too, where one kernel does all of the work. Attention and sampling are not among them:
ttnn, or the case, needs more cores than one.
"""

from __future__ import annotations

FAMILIES = frozenset({
    # element by element
    "exp", "add", "add-row", "multiply-column", "where-tensors", "addcmul",
    "typecast-bfloat16 to float32", "quantize", "uniform",
    # reductions, searching and sorting
    "sum-dim -1", "sum-dim -2", "mean-dim (-2, -1)", "max-dim -1", "std-dim -1", "prod-dim 1", "argmax-dim 3",
    "topk-32 largest", "sort", "cumsum", "gather", "scatter", "experimental.fast_reduce_nc",
    # layouts and data movement
    "concat-last", "concat-row-major", "transpose--1 -2", "transpose-1 2", "permute-(0, 2, 1, 3)",
    "permute-row-major", "reshape-tile", "reshape-row-major", "slice-tile", "slice-row-major", "pad-tile",
    "pad-row-major", "repeat", "repeat_interleave", "tilize", "untilize", "tilize_with_val_padding",
    "untilize_with_unpadding", "fold", "full", "arange", "clone",
    # products, norms and softmax
    "matmul", "matmul-batch of both", "linear-bias", "experimental.minimal_matmul",
    "softmax-dim -1", "softmax-dim -2", "scale_mask_softmax", "layer_norm-weights", "rms_norm-weights", "batch_norm",
    "group_norm",
    # transformers
    "embedding-row_major", "embedding-tile", "transformer.concatenate_heads",
    "transformer.split_query_key_value_and_split_heads", "experimental.nlp_create_qkv_heads",
    "experimental.nlp_concat_heads", "experimental.rotary_embedding", "experimental.rotary_embedding_llama",
    "fill_cache", "update_cache",
    # images
    "conv2d-32 channels 3x3 stride 1", "conv1d", "max_pool2d-32 channels", "avg_pool2d-32 channels",
    "upsample-nearest",
    # training
    "moreh_layer_norm", "moreh_softmax", "moreh_adam",
})  # fmt: skip
