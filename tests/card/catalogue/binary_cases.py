# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations of two and three tensors, and of complex numbers."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, golden, operation

SHAPE = (1, 1, 64, 96)
_FLOATS: dict[str, tuple[float, float]] = {
    "add": (-4, 4), "subtract": (-4, 4), "multiply": (-4, 4), "divide": (0.5, 4), "div": (0.5, 4), "atan2": (0.5, 4),
    "div_no_nan": (0.5, 4), "eq": (-1, 1), "floor_div": (1, 8), "fmod": (1, 8), "ge": (-1, 1), "gt": (-1, 1),
    "hypot": (0.5, 4), "isclose": (0, 1), "ldexp": (0, 3), "le": (-1, 1), "logaddexp": (-2, 2), "logaddexp2": (-2, 2),
    "logical_and": (-1, 1), "logical_or": (-1, 1), "logical_xor": (-1, 1), "lt": (-1, 1), "maximum": (-4, 4),
    "minimum": (-4, 4), "ne": (-1, 1), "pow": (0.5, 2), "remainder": (1, 8), "rsub": (-4, 4),
    "squared_difference": (-4, 4),
    "xlogy": (0.5, 4), "bias_gelu": (-2, 2),
}  # fmt: skip
_IN_PLACE = (
    "add_", "subtract_", "multiply_", "divide_", "eq_", "ge_", "gt_", "le_", "lt_", "ne_", "logical_and_",
    "logical_or_",
    "logical_xor_", "rsub_", "squared_difference_", "logaddexp_", "logaddexp2_", "bias_gelu_", "ldexp_",
)  # fmt: skip
_INTEGERS = (
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "logical_left_shift",
    "logical_right_shift", "gcd", "lcm",
)  # fmt: skip
# A quotient just beside a whole number goes to either side of it.
_STEPS = {"atan2": 8, "pow": 8, "logaddexp2": 6, "hypot": 6, "bias_gelu": 6, "bias_gelu_": 6}


def _binary(name: str, low: float, high: float, shapes: tuple[Any, Any] = (SHAPE, SHAPE), label: str = "") -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random(shapes[0], low, high), bench.random(shapes[1], low, high)
        if name in ("floor_div", "fmod", "remainder"):  # exact quotients, so that rounding decides nothing
            first, second = first.round(), second.round()
        if name.startswith("ldexp"):
            second = second.round()
        result = operation(name)(bench.put(first), bench.put(second))
        return result, golden(name)(first.clone(), second)

    return Case(name, label, run, _STEPS.get(name, 4))


def _integers(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        shift = "shift" in name
        first = bench.integers(SHAPE, 1, 1000)
        second = bench.integers(SHAPE, 1, 8 if shift else 100)
        result = operation(name)(bench.put(first, ttnn.int32), bench.put(second, ttnn.int32))
        return result, golden(name)(first, second)

    return Case(name, "int32", run, 0)


def _in_dtype(name: str, dtype: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        if dtype in (ttnn.int32, ttnn.uint32):
            first, second = bench.integers(SHAPE, 50, 100), bench.integers(SHAPE, 0, 50)
        else:
            first, second = bench.random(SHAPE), bench.random(SHAPE)
        tensors = [bench.put(first, dtype), bench.put(second, dtype)]
        return operation(name)(*tensors), golden(name)(*(bench.get(each).to(torch.float32) for each in tensors))

    exact = dtype in (ttnn.int32, ttnn.uint32)
    unit = 2.0**-6 if dtype == ttnn.bfloat8_b else 2.0**-22
    return Case(name, str(dtype).rsplit(".", maxsplit=1)[-1].lower(), run, 0 if exact else 4, unit)


def _scalar(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE, 0.5, 4)
        return operation(name)(bench.put(values), 1.5), golden(name)(values, 1.5)

    return Case(name, "scalar", run)


def _alpha(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random(SHAPE), bench.random(SHAPE)
        return operation(name)(bench.put(first), bench.put(second), 1.5), golden(name)(first, second, alpha=1.5)

    return Case(name, "", run)


def _ternary(name: str, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = [bench.random(SHAPE, 0.5, 3) for _ in range(3)]
        return operation(name)(*map(bench.put, values), **options), golden(name)(*values, **options)

    return Case(name, "", run, 6)


def _where(label: str, *scalars: bool) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        condition = (bench.random(SHAPE) > 0).float()
        values = [bench.random(SHAPE) for _ in range(2)]
        given = [1.5 if scalar else bench.put(value) for scalar, value in zip(scalars, values, strict=True)]
        wanted = [torch.tensor(1.5) if scalar else value for scalar, value in zip(scalars, values, strict=True)]
        return ttnn.where(bench.put(condition), *given), torch.where(condition.bool(), *wanted)

    return Case("where", label, run, 0)


def _complex(name: str, reference: Any, steps: float = 8) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        real, imaginary = bench.random(SHAPE, 0.5, 2), bench.random(SHAPE, 0.5, 2)
        value = ttnn.complex_tensor(bench.put(real), bench.put(imaginary))
        memory = ttnn.DRAM_MEMORY_CONFIG
        result = operation(name)(value, memory_config=memory)
        wanted = reference(torch.complex(real, imaginary))
        if hasattr(result, "real"):
            return [result.real, result.imag], [wanted.real, wanted.imag]
        return result, wanted

    return Case(name, "complex", run, steps)


def _logical_not_in_place() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE).round()
        return ttnn.logical_not_(bench.put(values)), torch.logical_not(values)

    return Case("logical_not_", "", run, 0)


def _polyval() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE, 0.5, 2)
        return ttnn.polyval(bench.put(values), [1.0, 2.0, 3.0]), values**2 + 2 * values + 3

    return Case("polyval", "", run, 6)


def _outer() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((1, 1, 64, 1)), bench.random((1, 1, 1, 96))
        return ttnn.outer(bench.put(first), bench.put(second)), first * second

    return Case("outer", "", run)


_BROADCASTS = {"row": ((1, 1, 64, 96), (1, 1, 1, 96)), "column": ((1, 1, 64, 96), (1, 1, 64, 1)),
               "batch": ((2, 3, 32, 64), (1, 1, 32, 64)), "scalar tensor": ((1, 1, 64, 96), (1, 1, 1, 1))}  # fmt: skip
CASES = [
    *(_binary(name, *ends) for name, ends in _FLOATS.items()),
    *(_binary(name, 0.5, 2) for name in _IN_PLACE),
    *(_binary(name, -2, 2, shapes, how) for how, shapes in _BROADCASTS.items() for name in ("add", "multiply", "gt")),
    *(_integers(name) for name in _INTEGERS),
    *(_in_dtype(name, dtype) for name in ("add", "subtract", "multiply") for dtype in (ttnn.float32, ttnn.bfloat8_b)),
    *(_in_dtype(name, dtype) for name in ("add", "subtract") for dtype in (ttnn.int32, ttnn.uint32)),
    *(_scalar(name) for name in ("add", "subtract", "multiply", "divide", "gt", "eq", "maximum")),
    *(_alpha(name) for name in ("addalpha", "subalpha")),
    _ternary("addcdiv", value=0.5),
    _ternary("addcmul", value=0.5),
    _ternary("mac"),
    _ternary("lerp"),
    _where("tensors", False, False),
    _where("scalar", False, True),
    _complex("real", lambda value: value.real, 0),
    _complex("imag", lambda value: value.imag, 0),
    _complex("conj", torch.conj, 0),
    _complex("abs", torch.abs),
    _complex("angle", torch.angle),
    _complex("reciprocal", torch.reciprocal),
    _complex("is_real", lambda value: (value.imag == 0).float(), 0),
    _complex("is_imag", lambda value: (value.real == 0).float(), 0),
    _logical_not_in_place(),
    _polyval(),
    _outer(),
]
