# SPDX-License-Identifier: Apache-2.0
"""Two layers of transformers out of ttnn's operations, with random weights, and the same in torch at any precision.

An encoder layer of BERT base (hidden 768, 12 heads, feed-forward 3072) and a decoder layer of Llama 3.2 1B (hidden
2048, 32 heads over 8 of keys and values, feed-forward 8192, rotary positions, causal).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import torch
import ttnn

SEQUENCE = 128
_EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Layer:
    """Sizes of a layer, and how many operations in a row round a result to bfloat16 on its longest way."""

    name: str
    hidden: int
    heads: int
    key_heads: int
    inner: int
    roundings: int

    @property
    def head(self) -> int:
        return self.hidden // self.heads


ENCODER = Layer("BERT base encoder layer", 768, 12, 12, 3072, 16)
DECODER = Layer("Llama 3.2 1B decoder layer", 2048, 32, 8, 8192, 20)

Weights = dict[str, torch.Tensor]


def random_weights(layer: Layer, generator: torch.Generator) -> Weights:
    """Weights that bfloat16 holds, of a size that keeps activations near one."""
    keys = layer.key_heads * layer.head
    matrices = {"query": (layer.hidden, layer.hidden), "key": (layer.hidden, keys), "value": (layer.hidden, keys)}
    matrices |= {"output": (layer.hidden, layer.hidden), "up": (layer.hidden, layer.inner)}
    matrices |= {"gate": (layer.hidden, layer.inner), "down": (layer.inner, layer.hidden)}
    weights = {name: torch.randn(shape, generator=generator) / math.sqrt(shape[0]) for name, shape in matrices.items()}
    for name in ("norm_1", "norm_2"):
        weights[name] = 1 + 0.1 * torch.randn(layer.hidden, generator=generator)
    for name in ("shift_1", "shift_2"):
        weights[name] = 0.1 * torch.randn(layer.hidden, generator=generator)
    return {name: tensor.bfloat16() for name, tensor in weights.items()}


def positions(layer: Layer) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines of rotary positions, for a head."""
    frequencies = 1 / 500000 ** (torch.arange(0, layer.head, 2).double() / layer.head)
    angles = torch.outer(torch.arange(SEQUENCE).double(), frequencies).repeat(1, 2)
    return angles.cos().bfloat16(), angles.sin().bfloat16()


def causal_mask() -> torch.Tensor:
    return torch.full((SEQUENCE, SEQUENCE), -1e9).triu(1).bfloat16()


class InTorch:
    """The layers in torch; ``precision`` is what everything is computed in."""

    def __init__(self, layer: Layer, weights: Weights, precision: torch.dtype) -> None:
        self._layer = layer
        self._weights = {name: tensor.to(precision) for name, tensor in weights.items()}
        self._cosines, self._sines = (table.to(precision) for table in positions(layer))
        self._mask = causal_mask().to(precision)

    def encoder(self, x: torch.Tensor) -> torch.Tensor:
        weights, size = self._weights, (self._layer.hidden,)
        functional = torch.nn.functional
        attended = x + self._attention(x, is_causal=False)
        first = functional.layer_norm(attended, size, weights["norm_1"], weights["shift_1"], _EPSILON)
        inner = functional.gelu(first @ weights["up"]) @ weights["down"]
        return functional.layer_norm(first + inner, size, weights["norm_2"], weights["shift_2"], _EPSILON)

    def decoder(self, x: torch.Tensor) -> torch.Tensor:
        weights = self._weights
        attended = x + self._attention(self._rms_norm(x, weights["norm_1"]), is_causal=True)
        normed = self._rms_norm(attended, weights["norm_2"])
        inner = torch.nn.functional.silu(normed @ weights["gate"]) * (normed @ weights["up"])
        return attended + inner @ weights["down"]

    def _rms_norm(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + _EPSILON) * weight

    def _attention(self, x: torch.Tensor, *, is_causal: bool) -> torch.Tensor:
        layer, weights = self._layer, self._weights
        queries = self._heads(x @ weights["query"], layer.heads)
        keys, values = (self._heads(x @ weights[name], layer.key_heads) for name in ("key", "value"))
        if is_causal:
            queries, keys = self._rotated(queries), self._rotated(keys)
        repeats = layer.heads // layer.key_heads
        keys, values = (each.repeat_interleave(repeats, dim=1) for each in (keys, values))
        scores = queries @ keys.transpose(-1, -2) / math.sqrt(layer.head)
        scores = scores + self._mask if is_causal else scores
        attended = torch.softmax(scores, -1) @ values
        return attended.transpose(1, 2).reshape(x.shape) @ weights["output"]

    def _heads(self, x: torch.Tensor, heads: int) -> torch.Tensor:
        return x.reshape(1, SEQUENCE, heads, self._layer.head).transpose(1, 2)

    def _rotated(self, x: torch.Tensor) -> torch.Tensor:
        half = self._layer.head // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        return x * self._cosines + turned * self._sines


class InTtnn:
    """The same layers on a device."""

    def __init__(self, layer: Layer, weights: Weights, device: Any) -> None:
        self._layer = layer
        self._device = device
        self._weights = {name: self.put(tensor) for name, tensor in weights.items()}
        self._cosines, self._sines = (self.put(table) for table in positions(layer))
        self._mask = self.put(causal_mask())
        # As a model that cares for its results: all mantissa bits, sums in float32.
        self._precise = ttnn.init_device_compute_kernel_config(
            device.arch(), math_fidelity=ttnn.MathFidelity.HiFi4, math_approx_mode=False, fp32_dest_acc_en=True
        )

    def put(self, tensor: torch.Tensor) -> Any:
        return ttnn.from_torch(tensor, layout=ttnn.TILE_LAYOUT, device=self._device)

    def encoder(self, x: Any) -> Any:
        first = self._layer_norm(ttnn.add(x, self._attention(x, is_causal=False)), "1")
        inner = self._product(ttnn.gelu(self._product(first, "up"), fast_and_approximate_mode=False), "down")
        return self._layer_norm(ttnn.add(first, inner), "2")

    def decoder(self, x: Any) -> Any:
        attended = ttnn.add(x, self._attention(self._rms_norm(x, "norm_1"), is_causal=True))
        normed = self._rms_norm(attended, "norm_2")
        inner = ttnn.multiply(ttnn.silu(self._product(normed, "gate")), self._product(normed, "up"))
        return ttnn.add(attended, self._product(inner, "down"))

    def _layer_norm(self, x: Any, number: str) -> Any:
        weight, shift = self._weights[f"norm_{number}"], self._weights[f"shift_{number}"]
        return ttnn.layer_norm(x, weight=weight, bias=shift, epsilon=_EPSILON, compute_kernel_config=self._precise)

    def _rms_norm(self, x: Any, name: str) -> Any:
        return ttnn.rms_norm(x, weight=self._weights[name], epsilon=_EPSILON, compute_kernel_config=self._precise)

    def _product(self, x: Any, name: str) -> Any:
        return ttnn.linear(x, self._weights[name], compute_kernel_config=self._precise)

    def _attention(self, x: Any, *, is_causal: bool) -> Any:
        layer = self._layer
        queries = self._heads(self._product(x, "query"), layer.heads)
        keys, values = (self._heads(self._product(x, name), layer.key_heads) for name in ("key", "value"))
        if is_causal:
            queries, keys = self._rotated(queries), self._rotated(keys)
        repeats = layer.heads // layer.key_heads
        if repeats > 1:
            keys, values = (ttnn.repeat_interleave(each, repeats, dim=1) for each in (keys, values))
        turned = ttnn.transpose(keys, -2, -1)
        scores = ttnn.multiply(
            ttnn.matmul(queries, turned, compute_kernel_config=self._precise), 1 / math.sqrt(layer.head)
        )
        scores = ttnn.add(scores, self._mask) if is_causal else scores
        shares = ttnn.softmax(scores, dim=-1, numeric_stable=True, compute_kernel_config=self._precise)
        attended = ttnn.matmul(shares, values, compute_kernel_config=self._precise)
        joined = ttnn.reshape(ttnn.permute(attended, (0, 2, 1, 3)), tuple(x.shape))
        return self._product(joined, "output")

    def _heads(self, x: Any, heads: int) -> Any:
        return ttnn.permute(ttnn.reshape(x, (1, SEQUENCE, heads, self._layer.head)), (0, 2, 1, 3))

    def _rotated(self, x: Any) -> Any:
        half = self._layer.head // 2
        turned = ttnn.concat([ttnn.neg(x[..., half:]), x[..., :half]], dim=-1)
        return ttnn.add(ttnn.multiply(x, self._cosines), ttnn.multiply(turned, self._sines))


def distance(got: torch.Tensor, wanted: torch.Tensor, roundings: int) -> float:
    """The largest error of an element, 1 being what so many roundings to bfloat16 can add up to.

    A rounding is half a unit in the last place, 2**-9 of the number that is rounded, which is of the result's typical
    size or of its own.
    """
    typical = wanted.square().mean().sqrt()
    allowed = roundings * 2.0**-9 * torch.maximum(wanted.abs(), typical)
    return float(((got.double() - wanted).abs() / allowed).max())
