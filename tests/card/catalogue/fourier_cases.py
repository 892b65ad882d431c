# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms and what they are made of: passes, twiddles, transposition."""

from __future__ import annotations

import math
from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, Summed, operation

ROWS = ttnn.ROW_MAJOR_LAYOUT
FLOAT_UNIT = 2.0**-23


def _complex(bench: Bench, shape: tuple[int, ...]) -> torch.Tensor:
    return torch.complex(bench.random(shape), bench.random(shape))


def _halves(bench: Bench, values: torch.Tensor) -> tuple[Any, Any]:
    real, imaginary = (bench.put(part.contiguous(), ttnn.float32, ROWS) for part in (values.real, values.imag))
    return real, imaginary


def _both(wanted: torch.Tensor, size: torch.Tensor) -> list[Summed]:
    return [Summed(part, size.expand(part.shape)) for part in (wanted.real, wanted.imag)]


def _case(name: str, label: str, length: int, run: Any) -> Case:
    """Each of the passes multiplies by a rounded factor and adds: four roundings of what is summed."""
    return Case(f"experimental.{name}", label, run, 4 * max(1, math.ceil(math.log2(length))), FLOAT_UNIT)


def _transform(name: str, length: int, real_only: bool = False, **more: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = _complex(bench, (4, length))
        if real_only:
            values = torch.complex(values.real, torch.zeros_like(values.real))
        parts = _halves(bench, values)
        found = operation(f"experimental.{name}")(*(parts[:1] if real_only else parts), **more)
        double = values.to(torch.complex128)
        wanted = torch.fft.ifft(double) if name == "ifft" else torch.fft.fft(double)
        size = double.abs().sum(-1, keepdim=True) / (length if name == "ifft" else 1)
        return list(found), _both(wanted, size)

    return _case(name, f"{'real ' if real_only else ''}{length}", length, run)


def _three_pass() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        length = 1 << 21  # the shortest it takes: 64 x 32 x 1024
        values = _complex(bench, (length,)).reshape(-1, 1024)
        found = ttnn.experimental.fft_three_pass(*_halves(bench, values), full_N=length)
        wanted = torch.fft.fft(values.to(torch.complex128).flatten())
        size = wanted.abs().square().mean().sqrt() * math.log2(length)
        return [bench.get(part).flatten() for part in found], _both(wanted, size)

    return _case("fft_three_pass", "", 1 << 21, run)


def _radix_pass() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = _complex(bench, (8, 64))
        found = ttnn.experimental.fft_radix_pass(*_halves(bench, values), P=64, twiddle_N2=8, output_scale=0.5)
        double = values.to(torch.complex128)
        phase = torch.outer(torch.arange(8), torch.arange(64)) / (64 * 8)
        wanted = torch.fft.fft(double) * torch.exp(-2j * torch.pi * phase.double()) * 0.5
        return list(found), _both(wanted, double.abs().sum(-1, keepdim=True) * 0.5)

    return _case("fft_radix_pass", "", 64, run)


def _twiddles(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = _complex(bench, (8, 64))
        phase = torch.outer(torch.arange(8), torch.arange(64)) / 512
        more = {"N1": 64, "N2": 8} if name == "apply_twiddles" else {"P": 64, "big_modulus": 8, "full_N": 512}
        found = operation(f"experimental.{name}")(*_halves(bench, values), **more)
        double = values.to(torch.complex128)
        return list(found), _both(double * torch.exp(-2j * torch.pi * phase.double()), double.abs())

    # Each twiddle of a long transform is the product of the one before it and the first.
    return Case(f"experimental.{name}", "", run, 4 if name == "apply_twiddles" else 4 * 64, FLOAT_UNIT)


def _transpose(dtype: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((2, 64, 96)) + (2.0**-20 if dtype == ttnn.float32 else 0.0)
        return ttnn.experimental.transpose_rm(bench.put(values, dtype, ROWS)), values.transpose(1, 2)

    return Case("experimental.transpose_rm", str(dtype).rsplit(".", maxsplit=1)[-1].lower(), run, 0)


CASES = [
    _transform("fft", 64),
    _transform("fft", 256, real_only=True),
    _transform("fft", 48),
    _transform("fft", 4096),
    _transform("ifft", 64),
    _transform("ifft", 2048),
    _transform("bluestein_fft", 37, N=37),
    _three_pass(),
    _radix_pass(),
    _twiddles("apply_twiddles"),
    _twiddles("apply_twiddles_xl"),
    _transpose(ttnn.float32),
    _transpose(ttnn.bfloat16),
]
