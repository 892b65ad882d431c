# SPDX-License-Identifier: Apache-2.0
"""Operations for training: the moreh family, with their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import PRECISE, Bench, Case, operation

SHAPE = (2, 2, 64, 64)


def _forward(name: str, reference: Callable[..., Any], steps: float, *arguments: Any, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        return operation(name)(bench.put(values), *arguments, **options), reference(values)

    return Case(name, "", run, steps)


def _backward(name: str, function: Callable[[torch.Tensor], torch.Tensor], steps: float) -> Case:
    """From an output and its gradient to the gradient of the input."""

    def run(bench: Bench) -> tuple[Any, Any]:
        values, gradient = bench.random(SHAPE).requires_grad_(), bench.random(SHAPE)
        output = function(values)
        rounded = output.detach().to(torch.bfloat16).float()
        output.backward(gradient)
        return operation(name)(bench.put(rounded), bench.put(gradient), 3), values.grad

    return Case(name, "", run, steps)


def _matmul(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((2, 64, 64)), bench.random((2, 64, 64))
        result = operation(name)(bench.put(first), bench.put(second), compute_kernel_config=PRECISE)
        return result, first @ second

    return Case(name, "", run, 4)


def _dot() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second = bench.random((1, 1, 1, 128)), bench.random((1, 1, 1, 128))
        return ttnn.moreh_dot(bench.put(first), bench.put(second)), (first * second).sum()

    return Case("moreh_dot", "", run, 12)


def _linear() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, weight, bias = bench.random((1, 1, 64, 64)), bench.random((32, 64)), bench.random((1, 32))
        wanted = values @ weight.transpose(-1, -2) + bias
        tensors = bench.put(values), bench.put(weight)
        return ttnn.moreh_linear(*tensors, bias=bench.put(bias), compute_kernel_config=PRECISE), wanted

    return Case("moreh_linear", "", run, 8)


def _layer_norm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 64))
        result, _, _ = ttnn.moreh_layer_norm(bench.put(values), 1, 1e-5, None, None)
        return result, torch.nn.functional.layer_norm(values, (64,), eps=1e-5)

    return Case("moreh_layer_norm", "", run, 8)


def _group_norm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((2, 4, 32, 32))
        result, _, _ = ttnn.moreh_group_norm(bench.put(values), 2, 1e-5, None, None)
        return result, torch.nn.functional.group_norm(values, 2, eps=1e-5)

    return Case("moreh_group_norm", "", run, 8)


def _adam(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        value, gradient = bench.random((1, 1, 32, 64)), bench.random((1, 1, 32, 64))
        first, second = torch.zeros_like(value), torch.zeros_like(value)
        result = operation(name)(
            bench.put(value), bench.put(gradient), bench.put(first), bench.put(second),
            lr=0.01, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0, step=1,
        )  # fmt: skip
        parameter = value.clone().requires_grad_()
        kind = torch.optim.AdamW if name.endswith("w") else torch.optim.Adam
        optimizer = kind([parameter], 0.01, (0.9, 0.999), 1e-6, 0.0)
        parameter.grad = gradient
        optimizer.step()
        return result[0], parameter.detach()

    return Case(name, "", run, 4)


def _sgd() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        value, gradient = bench.random((1, 1, 32, 64)), bench.random((1, 1, 32, 64))
        result = ttnn.moreh_sgd(
            bench.put(value),
            bench.put(gradient),
            None,
            None,
            None,
            0.1,
            0.0,
            0.0,
            0.0,
            False,
            momentum_initialized=False,
        )
        return result[0], value - 0.1 * gradient

    return Case("moreh_sgd", "", run, 4)


def _cumsum() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((8, 2, 32, 32))
        return ttnn.moreh_cumsum(bench.put(values), 0), values.cumsum(0)

    return Case("moreh_cumsum", "", run, 8)


CASES = [
    _forward("moreh_softmax", lambda x: x.softmax(3), 6, 3),
    _forward("moreh_softmin", lambda x: (-x).softmax(3), 6, 3),
    _forward("moreh_logsoftmax", lambda x: x.log_softmax(3), 6, 3),
    _forward("moreh_sum", lambda x: x.sum(3, keepdim=True), 8, 3, keepdim=True),
    _forward("moreh_mean", lambda x: x.mean(3, keepdim=True), 8, dim=3, keepdim=True),
    _forward("moreh_abs_pow", lambda x: x.abs().pow(2), 6, 2.0),
    _forward("moreh_norm", lambda x: x.norm(2, 3, keepdim=True), 8, 2.0, dim=3, keepdim=True),
    _backward("moreh_softmax_backward", lambda x: x.softmax(3), 12),
    _backward("moreh_softmin_backward", lambda x: (-x).softmax(3), 12),
    _backward("moreh_logsoftmax_backward", lambda x: x.log_softmax(3), 12),
    _matmul("moreh_matmul"),
    _matmul("moreh_bmm"),
    _dot(),
    _linear(),
    _layer_norm(),
    _group_norm(),
    _adam("moreh_adam"),
    _adam("moreh_adamw"),
    _sgd(),
    _cumsum(),
]
