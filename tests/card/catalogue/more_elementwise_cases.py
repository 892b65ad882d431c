# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations with arguments of their own: gated activations, chains, bits, random numbers."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, operation

SHAPE = (1, 1, 64, 96)


def _plain(name: str, label: str, reference: Any, inputs: int, steps: float, *arguments: Any, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = [bench.random(SHAPE, -3, 3) for _ in range(inputs)]
        return operation(name)(*map(bench.put, values), *arguments, **options), reference(*values)

    return Case(name, label, run, steps)


def _rotated(values: torch.Tensor) -> torch.Tensor:
    pairs = values.reshape(*values.shape[:-1], -1, 2)
    return torch.stack((-pairs[..., 1], pairs[..., 0]), -1).reshape(values.shape)


def _xielu(values: torch.Tensor) -> torch.Tensor:
    below = 0.8 * torch.expm1(values.clamp(max=-1e-6)) - 0.8 * values + 0.5 * values
    return torch.where(values > 0, 0.8 * values.square() + 0.5 * values, below)


def _chain() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        chain = [ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU), ttnn.UnaryWithParam(ttnn.UnaryOpType.EXP, 0.0)]
        return ttnn.unary_chain(bench.put(values), chain), values.relu().exp()

    return Case("unary_chain", "", run)


def _snake() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, alpha, beta = (
            bench.random(SHAPE),
            bench.random((1, 1, 1, 96), 0.5, 2),
            bench.random((1, 1, 1, 96), 0.5, 2),
        )
        found = ttnn.snake_beta(*map(bench.put, (values, alpha, beta)))
        return found, values + (alpha * values).sin().square() / beta

    return Case("snake_beta", "", run, 12)


def _bits(source: Any, target: Any, torch_source: Any, torch_target: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.integers(SHAPE, 0x3C00, 0x4100) * (65536 if torch_source == torch.int32 else 1)
        tensor = bench.put(values.to(torch_source), source)
        return ttnn.bitcast(tensor, target), values.to(torch_source).view(torch_target)

    names = (str(each).rsplit(".", maxsplit=1)[-1].lower() for each in (source, target))
    return Case("bitcast", " to ".join(names), run, 0)


def _nextafter() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random(SHAPE), bench.random(SHAPE)
        epsilon = 2.0**-7
        wanted = torch.where(first < second, first + epsilon, torch.where(first > second, first - epsilon, first))
        return ttnn.nextafter(bench.put(first), bench.put(second)), wanted

    return Case("nextafter", "", run, 4)


def _bcast(dim: str, shape: tuple[int, ...], math: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random(SHAPE), bench.random(shape)
        found = ttnn.bcast(
            bench.put(first), bench.put(second), getattr(ttnn.BcastOpMath, math), getattr(ttnn.BcastOpDim, dim)
        )
        return found, getattr(torch, math.lower())(first, second)

    return Case("bcast", f"{math} along {dim}", run)


def _polar() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        radius, angle = bench.random(SHAPE, 0.5, 2), bench.random(SHAPE)
        found = ttnn.polar(
            ttnn.complex_tensor(bench.put(radius), bench.put(angle)), memory_config=ttnn.DRAM_MEMORY_CONFIG
        )
        return [found.real, found.imag], [radius * angle.cos(), radius * angle.sin()]

    return Case("polar", "complex", run, 6)


def _complex_tensor() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        real, imaginary = bench.random(SHAPE), bench.random(SHAPE)
        value = ttnn.complex_tensor(bench.put(real), bench.put(imaginary))
        return [value.real, value.imag], [real, imaginary]

    return Case("complex_tensor", "", run, 0)


def _within(name: str, low: float, high: float, mean: float, deviation: float, call: Any) -> Case:
    """Random numbers: within their bounds, with the mean and the deviation of their distribution.

    Of 4096 numbers the mean is off by less than five of its own standard deviations, and so is the deviation.
    """

    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.get(call(bench))
        same = bench.get(call(bench))
        statistics = [
            bool(((values >= low) & (values <= high)).all()),
            abs(float(values.mean()) - mean) < 5 * deviation / 64,
            abs(float(values.std()) - deviation) < 5 * deviation / 64,
            torch.equal(values, same),  # the same seed
        ]
        return torch.tensor(statistics), torch.ones(4)

    return Case(name, "", run, 0)


_RANDOM = (1, 1, 64, 64)
_infinite = float("inf")


def _uniform(bench: Bench) -> Any:
    return ttnn.uniform(bench.put(torch.zeros(_RANDOM), ttnn.float32), -1.0, 3.0, 7)


def _bernoulli(bench: Bench) -> Any:
    return ttnn.bernoulli(bench.put(torch.full(_RANDOM, 0.25), ttnn.float32), 7, dtype=ttnn.float32)


def _dropout(bench: Bench) -> Any:
    return ttnn.experimental.dropout(bench.put(torch.ones(_RANDOM)), 0.25, 2.0, 7)


CASES = [
    _plain("alt_complex_rotate90", "", _rotated, 1, 0),
    _plain("xielu", "", _xielu, 1, 8, alpha_p=0.8, alpha_n=0.8),
    _plain("clamped_silu_glu", "", lambda g, u: torch.nn.functional.silu(g.clamp(max=2.0)) * u.clamp(-2, 2), 2, 8, 2.0),
    _plain("situ_glu", "", lambda g, u: 2 * (g / 2).tanh() * g.sigmoid() * 1.5 * (u / 1.5).tanh(), 2, 12, 2.0, 1.5),
    _plain("composite_example", "", lambda x: x, 1, 0),
    _plain("composite_example_multiple_return", "", lambda x: [x, x], 1, 0),
    _chain(),
    _snake(),
    _bits(ttnn.uint16, ttnn.bfloat16, torch.int16, torch.bfloat16),
    _bits(ttnn.uint32, ttnn.float32, torch.int32, torch.float32),
    _nextafter(),
    *(_bcast(dim, shape, math) for dim, shape in (("W", (1, 1, 64, 1)), ("H", (1, 1, 1, 96)), ("HW", (1, 1, 1, 1)))
      for math in ("ADD", "SUB", "MUL")),
    _polar(),
    _complex_tensor(),
    _within("rand", -1, 3, 1.0, 4 / 12**0.5,
            lambda bench: ttnn.rand(_RANDOM, bench.device, dtype=ttnn.float32, low=-1.0, high=3.0, seed=7)),
    _within("randn", -_infinite, _infinite, 0.0, 1.0,
            lambda bench: ttnn.randn(_RANDOM, bench.device, dtype=ttnn.float32, seed=7)),
    _within("uniform", -1, 3, 1.0, 4 / 12**0.5, _uniform),
    _within("bernoulli", 0, 1, 0.25, 0.1875**0.5, _bernoulli),
    _within("experimental.dropout", 0, 2, 1.5, 2 * 0.1875**0.5, _dropout),
]  # fmt: skip
