# SPDX-License-Identifier: Apache-2.0
"""Operations for ``tilewright exec --compare``: some right, one whose golden function is wrong, some without one.

The product is of low fidelity: its error is above the allowed units of a result's format and explained by the fidelity.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch
import ttnn


def wrong(values: Any, *_: Any, **__: Any) -> Any:
    """Half as much again in one element."""
    expected = torch.exp(values)
    expected[0, 0, 5, 7] *= 1.5
    return expected


def unable(*_: Any, **__: Any) -> Any:
    raise NotImplementedError("no meaning is known")


ttnn.attach_golden_function(ttnn.exp, wrong)
ttnn.attach_golden_function(ttnn.tanh, unable)
torch.manual_seed(0)
device = ttnn.open_device(device_id=0, l1_small_size=16384, trace_region_size=1 << 20)
values = torch.randn(1, 1, 32, 64)
x = ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
x + x
ttnn.exp(x)
ttnn.tanh(x)
ttnn.sum(ttnn.exp(x), dim=-1)
ttnn.permute(x, (0, 1, 3, 2))
trace = ttnn.begin_trace_capture(device, cq_id=0)
ttnn.permute(x, (0, 1, 3, 2))
ttnn.end_trace_capture(device, trace, cq_id=0)
ttnn.release_trace(device, trace)
lo_fi = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.LoFi)
weights = ttnn.from_torch(torch.randn(256, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
rows = ttnn.from_torch(torch.randn(32, 256), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
ttnn.linear(rows, weights, compute_kernel_config=lo_fi)
ttnn.conv1d(
    input_tensor=ttnn.from_torch(torch.randn(1, 64, 32), dtype=ttnn.bfloat16),
    weight_tensor=ttnn.from_torch(torch.randn(32, 32, 3), dtype=ttnn.bfloat16),
    device=device,
    in_channels=32,
    out_channels=32,
    batch_size=1,
    input_length=64,
    kernel_size=3,
    stride=1,
    padding=1,
)
ttnn.conv2d(
    input_tensor=ttnn.from_torch(torch.randn(1, 1, 64, 32), dtype=ttnn.bfloat16),
    weight_tensor=ttnn.from_torch(torch.randn(32, 32, 1, 3), dtype=ttnn.bfloat16),
    device=device,
    in_channels=32,
    out_channels=32,
    batch_size=1,
    input_height=1,
    input_width=64,
    kernel_size=(1, 3),
    stride=(1, 1),
    padding=(0, 1),
    return_output_dim=True,
)
# Logits of some hundreds: their rounding to bfloat16 changes the exponentials.
queries, keys, columns = (
    ttnn.from_torch(size * torch.randn(1, 2, 64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    for size in (12, 12, 1)
)
ttnn.transformer.scaled_dot_product_attention(queries, keys, columns, is_causal=False)
fused = ttnn.from_torch(torch.randn(1, 1, 32, 256), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
heads = ttnn.experimental.nlp_create_qkv_heads(fused, num_heads=4, num_kv_heads=2, transpose_k_heads=True)
ttnn.experimental.nlp_concat_heads(heads[0])
ttnn.reshape(heads[0], (1, 1, 128, 32), memory_config=ttnn.L1_MEMORY_CONFIG)
ttnn.empty_like(x)
ttnn.deallocate(x)
with contextlib.suppress(RuntimeError):
    ttnn.add(x, x)
print("the script's own number", torch.initial_seed())
