# SPDX-License-Identifier: Apache-2.0
"""Gradients whose operations take something besides tensors, or complex numbers."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, operation

SHAPE = (1, 1, 32, 64)
_DRAM = ttnn.DRAM_MEMORY_CONFIG


def _complex(name: str, function: Any, real_result: bool) -> Case:
    """The gradient of a function of complex numbers, with respect to their two parts."""

    def run(bench: Bench) -> tuple[Any, Any]:
        parts = [bench.random(SHAPE, 0.5, 2).requires_grad_() for _ in range(2)]
        gradients = [bench.random(SHAPE) for _ in range(1 if real_result else 2)]
        result = function(*parts)
        (result * gradients[0] if real_result else result[0] * gradients[0] + result[1] * gradients[1]).sum().backward()
        value = ttnn.complex_tensor(*(bench.put(part.detach()) for part in parts))
        given = [bench.put(each) for each in gradients]
        found = operation(name)(given[0] if real_result else ttnn.complex_tensor(*given), value, memory_config=_DRAM)[0]
        wanted = [torch.zeros(SHAPE) if part.grad is None else part.grad for part in parts]
        return [found.real, found.imag], wanted

    return Case(name, "complex", run, 16)


def _polar(radius: torch.Tensor, angle: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return radius * angle.cos(), radius * angle.sin()


def _assign() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient, values = bench.random(SHAPE), bench.random(SHAPE)
        return ttnn.assign_bw(bench.put(gradient), bench.put(values))[0], gradient

    return Case("assign_bw", "", run, 0)


def _bias_gelu() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient, first, second = (bench.random(SHAPE) for _ in range(3))
        argument = (first + second).requires_grad_()
        torch.nn.functional.gelu(argument).backward(gradient)
        return ttnn.bias_gelu_bw(*map(bench.put, (gradient, first, second))), [argument.grad, argument.grad]

    return Case("bias_gelu_bw", "", run, 16)


def _concat() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient, first, second = bench.random((1, 1, 64, 64)), bench.random(SHAPE), bench.random(SHAPE)
        return ttnn.concat_bw(*map(bench.put, (gradient, first, second)), 2), list(gradient.split(32, 2))

    return Case("concat_bw", "", run, 0)


def _by_number(name: str, factor: float, low: float, high: float, *arguments: Any) -> Case:
    """What a gradient is multiplied by does not depend on the input."""

    def run(bench: Bench) -> tuple[Any, Any]:
        gradient, values = bench.random(SHAPE), bench.random(SHAPE, low, high)
        return operation(name)(bench.put(gradient), bench.put(values), *arguments)[0], gradient * factor

    return Case(name, "", run, 4)


def _fill() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        # The input is overwritten whole: nothing comes back to it.
        return ttnn.fill_bw(bench.put(bench.random(SHAPE)), bench.put(bench.random(SHAPE)))[0], torch.zeros(SHAPE)

    return Case("fill_bw", "", run, 0)


def _ldexp() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient, first, second = bench.random(SHAPE), bench.random(SHAPE), bench.random(SHAPE).round()
        leaves = [first.clone().requires_grad_(), second.clone().requires_grad_()]
        (leaves[0] * torch.exp2(leaves[1])).backward(gradient)
        return ttnn.ldexp_bw(*map(bench.put, (gradient, first, second))), [leaf.grad for leaf in leaves]

    return Case("ldexp_bw", "", run, 16)


def _of_two(name: str, function: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient, second = bench.random(SHAPE), bench.random(SHAPE, 1.5, 2)
        first = (second * bench.random(SHAPE, 3.2, 3.8)).to(torch.bfloat16).float()  # away from whole quotients
        leaves = [first.clone().requires_grad_(), second.clone().requires_grad_()]
        function(*leaves).backward(gradient)
        return operation(name)(*map(bench.put, (gradient, first, second))), [leaf.grad for leaf in leaves]

    return Case(name, "tensors", run, 8)


def _prod(dim: int) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 3, 32, 64), 0.5, 2).requires_grad_()
        result = values.prod(dim, keepdim=True)
        gradient = bench.random(result.shape)
        result.backward(gradient)
        return ttnn.prod_bw(bench.put(gradient), bench.put(values.detach()), dim=dim)[0], values.grad

    return Case("prod_bw", f"dim {dim}", run, 16)


def _repeat() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient, values = bench.random((4, 1, 32, 64)), bench.random(SHAPE)
        found = ttnn.repeat_bw(bench.put(gradient), bench.put(values), ttnn.Shape((4, 1, 1, 1)))[0]
        return found, gradient.sum(0, keepdim=True)

    return Case("repeat_bw", "", run, 8)


def _where() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient, first, second = (bench.random(SHAPE) for _ in range(3))
        condition = (bench.random(SHAPE) > 0).float()
        found = ttnn.where_bw(*map(bench.put, (gradient, condition, first, second)))
        return found, [gradient * condition, gradient * (1 - condition)]

    return Case("where_bw", "", run, 0)


def _embedding() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        indices, table = bench.integers((1, 1, 1, 64), 0, 32), bench.random((1, 1, 32, 64))
        gradient = bench.random((1, 1, 64, 64))
        found = ttnn.embedding_bw(
            bench.put(indices, ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT),
            bench.put(table),
            bench.put(gradient),
            dtype=ttnn.bfloat16,
        )
        return found, torch.zeros(32, 64).index_add(0, indices.flatten(), gradient[0, 0])

    return Case("embedding_bw", "", run, 8)


CASES = [
    _complex("real_bw", lambda x, _: x, True),
    _complex("imag_bw", lambda _, y: y, True),
    _complex("angle_bw", lambda x, y: torch.atan2(y, x), True),
    _complex("conj_bw", lambda x, y: (x, -y), False),
    _complex("polar_bw", _polar, False),
    _assign(),
    _bias_gelu(),
    _concat(),
    _by_number("div_no_nan_bw", 0.5, -4, 4, 2.0),
    _by_number("fmod_bw", 1.0, -4, 4, 1.5),
    _by_number("remainder_bw", 1.0, -4, 4, 1.5),
    _fill(),
    _ldexp(),
    _of_two("fmod_bw", torch.fmod),
    _of_two("remainder_bw", torch.remainder),
    _prod(0),
    _prod(1),
    _repeat(),
    _where(),
    _embedding(),
]
