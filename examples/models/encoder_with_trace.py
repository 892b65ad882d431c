# SPDX-License-Identifier: Apache-2.0
"""A transformer encoder layer, captured in a trace and replayed with new inputs.

    tilewright exec examples/models/encoder_with_trace.py
    tilewright time examples/models/encoder_with_trace.py

Each replay is compared with float64, element by element.
"""

import torch
import ttnn
from float64_reference import assert_close

HIDDEN, HEADS, SEQUENCE = 64, 2, 64
ROUNDINGS = 17  # results stored in bfloat16 between input and output, the longest way through the layer


def make_weights() -> dict[str, torch.Tensor]:
    """Random weights in the values that bfloat16 has."""
    generator = torch.Generator().manual_seed(1)
    shapes = {
        "qkv": (HIDDEN, 3 * HIDDEN),
        "out": (HIDDEN, HIDDEN),
        "up": (HIDDEN, 4 * HIDDEN),
        "down": (4 * HIDDEN, HIDDEN),
    }
    made = {name: torch.randn(shape, generator=generator) / shape[0] ** 0.5 for name, shape in shapes.items()}
    made |= {name: torch.ones(1, HIDDEN) for name in ("gamma_1", "gamma_2")}
    made |= {name: torch.randn(1, HIDDEN, generator=generator) / 10 for name in ("beta_1", "beta_2")}
    return {name: weight.bfloat16() for name, weight in made.items()}


def encoder_layer(x: ttnn.Tensor, weights: dict[str, ttnn.Tensor]) -> ttnn.Tensor:
    """The layer in ttnn: attention and a feed-forward network, each behind a norm."""
    normed = ttnn.layer_norm(x, weight=weights["gamma_1"], bias=weights["beta_1"])
    qkv = ttnn.linear(normed, weights["qkv"])
    query, key, value = ttnn.transformer.split_query_key_value_and_split_heads(qkv, num_heads=HEADS)
    scores = ttnn.matmul(query, key) * (HIDDEN // HEADS) ** -0.5
    context = ttnn.matmul(ttnn.softmax(scores, dim=-1), value)
    x = x + ttnn.linear(ttnn.transformer.concatenate_heads(context), weights["out"])
    normed = ttnn.layer_norm(x, weight=weights["gamma_2"], bias=weights["beta_2"])
    return x + ttnn.linear(ttnn.linear(normed, weights["up"], activation="gelu"), weights["down"])


def reference(x: torch.Tensor, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    """The same layer in float64."""
    w = {name: weight.double() for name, weight in weights.items()}
    x = x.double()

    def norm(y: torch.Tensor, number: int) -> torch.Tensor:
        gamma, beta = w[f"gamma_{number}"][0], w[f"beta_{number}"][0]
        return torch.nn.functional.layer_norm(y, (HIDDEN,), gamma, beta, eps=1e-12)

    query, key, value = (
        part.reshape(1, SEQUENCE, HEADS, HIDDEN // HEADS).transpose(1, 2)
        for part in (norm(x, 1) @ w["qkv"]).split(HIDDEN, dim=-1)
    )
    scores = torch.softmax(query @ key.transpose(-1, -2) * (HIDDEN // HEADS) ** -0.5, dim=-1)
    x = x + (scores @ value).transpose(1, 2).reshape(1, SEQUENCE, HIDDEN) @ w["out"]
    return x + torch.nn.functional.gelu(norm(x, 2) @ w["up"]) @ w["down"]


def main() -> None:
    device = ttnn.open_device(device_id=0, trace_region_size=1 << 20)
    weights = make_weights()
    on_device = {
        name: ttnn.from_torch(weight, layout=ttnn.TILE_LAYOUT, device=device) for name, weight in weights.items()
    }
    generator = torch.Generator().manual_seed(2)
    inputs = [torch.randn(1, SEQUENCE, HIDDEN, generator=generator).bfloat16() for _ in range(3)]
    x = ttnn.from_torch(inputs[0], layout=ttnn.TILE_LAYOUT, device=device)
    encoder_layer(x, on_device)  # compiles every program: a trace only records launches

    trace = ttnn.begin_trace_capture(device, cq_id=0)
    output = encoder_layer(x, on_device)
    ttnn.end_trace_capture(device, trace, cq_id=0)

    for number, values in enumerate(inputs):
        ttnn.copy_host_to_device_tensor(ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT), x)
        ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
        assert_close(f"replay {number}", ttnn.to_torch(output), reference(values, weights), ROUNDINGS)
    ttnn.release_trace(device, trace)
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
