# SPDX-License-Identifier: Apache-2.0
"""Gradients and losses of the moreh family, and the rest of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import PRECISE, Bench, Case, operation

SHAPE = (2, 2, 64, 64)
ROWS = ttnn.ROW_MAJOR_LAYOUT


def _gradients(function: Callable[..., torch.Tensor], gradient: torch.Tensor, *inputs: torch.Tensor) -> list[Any]:
    leaves = [each.clone().requires_grad_() for each in inputs]
    function(*leaves).backward(gradient)
    return [leaf.grad for leaf in leaves]


def _products(name: str, shapes: list[tuple[int, ...]], function: Callable[..., torch.Tensor]) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = [bench.random(shape) for shape in shapes]
        gradient = bench.random(function(*values).shape)
        names = ("input_grad", "mat2_grad") if name == "moreh_bmm_backward" else ("input_a_grad", "input_b_grad")
        room = {each: bench.put(torch.zeros(shape)) for each, shape in zip(names, shapes, strict=True)}
        found = operation(name)(
            bench.put(gradient), *map(bench.put, values), are_required_outputs=(True, True), **room,
            compute_kernel_config=PRECISE,
        )  # fmt: skip
        return found, _gradients(function, gradient, *values)

    return Case(name, "", run, 6)


def _dot() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        first, second, gradient = bench.random((1, 1, 1, 64)), bench.random((1, 1, 1, 64)), bench.random((1, 1, 1, 1))
        tensors = [bench.put(each) for each in (first, second)]
        room = [bench.put(torch.zeros(1, 1, 1, 64)) for _ in range(2)]
        found = ttnn.moreh_dot_backward(bench.put(gradient), *tensors, input_grad=room[0], other_grad=room[1])
        return found, [second * gradient, first * gradient]

    return Case("moreh_dot_backward", "", run, 4)


def _linear() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, weight, bias = bench.random((1, 1, 64, 64)), bench.random((32, 64)), bench.random((1, 32))
        gradient = bench.random((1, 1, 64, 32))
        tensors = [bench.put(each) for each in (gradient, values, weight)]
        room = [bench.put(torch.zeros(shape)) for shape in ((1, 1, 64, 64), (32, 64), (1, 32))]
        found = ttnn.moreh_linear_backward(
            *tensors, are_required_outputs=(True, True, True), bias=bench.put(bias), input_grad=room[0],
            weight_grad=room[1], bias_grad=room[2], compute_kernel_config=PRECISE,
        )  # fmt: skip
        wanted = [gradient @ weight, gradient[0, 0].T @ values[0, 0], gradient.sum((0, 1, 2)).reshape(1, 32)]
        return found, wanted

    return Case("moreh_linear_backward", "", run, 8)


def _reduced(name: str, divisor: int) -> Case:
    """The gradient of a sum or a mean is spread over what was reduced."""

    def run(bench: Bench) -> tuple[Any, Any]:
        gradient = bench.random((2, 2, 64, 1))
        wanted = (gradient / divisor).expand(SHAPE)
        if name == "moreh_sum_backward":
            found = ttnn.moreh_sum_backward(
                bench.put(gradient), input=bench.put(bench.random(SHAPE)), dim=3, keepdim=True
            )
        else:
            shape = ttnn.Shape(SHAPE)
            found = ttnn.moreh_mean_backward(bench.put(gradient), dim=3, keepdim=True, input_grad_shape=shape)
        return found, wanted

    return Case(name, "", run, 4)


def _norm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE)
        output = values.norm(2, 3, keepdim=True).to(torch.bfloat16).float()
        gradient = bench.random(output.shape)
        found = ttnn.moreh_norm_backward(*map(bench.put, (values, output, gradient)), 2.0, dim=3, keepdim=True)
        return found, values / output * gradient

    return Case("moreh_norm_backward", "", run, 12)


def _layer_norm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, gamma, gradient = bench.random((1, 2, 64, 64)), bench.random((1, 64)), bench.random((1, 2, 64, 64))
        mean = values.mean(-1, keepdim=True)
        rstd = (values.var(-1, correction=0, keepdim=True) + 1e-5).rsqrt()
        room = [bench.put(torch.zeros(shape)) for shape in (values.shape, gamma.shape, gamma.shape)]
        statistics = [bench.put(each.reshape(1, 2, 64)) for each in (mean, rstd)]
        found = ttnn.moreh_layer_norm_backward(
            bench.put(gradient), bench.put(values), *statistics, 1, gamma=bench.put(gamma), input_grad=room[0],
            gamma_grad=room[1], beta_grad=room[2], compute_kernel_config=PRECISE,
        )  # fmt: skip
        leaves = [each.clone().requires_grad_() for each in (values, gamma[0], torch.zeros(64))]
        torch.nn.functional.layer_norm(leaves[0], (64,), leaves[1], leaves[2], 1e-5).backward(gradient)
        return found, [leaf.grad for leaf in leaves]

    return Case("moreh_layer_norm_backward", "", run, 24)


def _group_norm() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, gamma, gradient = bench.random((2, 4, 32, 32)), bench.random((1, 1, 1, 4)), bench.random((2, 4, 32, 32))
        groups = values.reshape(2, 2, -1)
        statistics = [
            bench.put(each.reshape(1, 1, 2, 2))
            for each in (groups.mean(-1), (groups.var(-1, correction=0) + 1e-5).rsqrt())
        ]
        found = ttnn.moreh_group_norm_backward(
            bench.put(gradient), bench.put(values), *statistics, 2, are_required_outputs=(True, True, True),
            gamma=bench.put(gamma), compute_kernel_config=PRECISE,
        )  # fmt: skip
        leaves = [each.clone().requires_grad_() for each in (values, gamma.flatten(), torch.zeros(4))]
        torch.nn.functional.group_norm(leaves[0], 2, leaves[1], leaves[2], 1e-5).backward(gradient)
        return found, [leaf.grad for leaf in leaves]

    return Case("moreh_group_norm_backward", "", run, 24)


def _cumsum() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient = bench.random((8, 2, 32, 32))
        return ttnn.moreh_cumsum_backward(bench.put(gradient), 0), gradient.flip(0).cumsum(0).flip(0)

    return Case("moreh_cumsum_backward", "", run, 8)


def _clip() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = [bench.random((1, 1, 32, 64)) for _ in range(2)]
        tensors = [bench.put(each) for each in values]
        total = ttnn.moreh_clip_grad_norm(tensors, 2.0, 2.0)
        norm = torch.cat([each.flatten() for each in values]).norm()
        return [total, *tensors], [norm, *(each * 2.0 / norm for each in values)]

    return Case("moreh_clip_grad_norm", "", run, 12)


def _fold() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 4 * 4, 16))
        found = ttnn.moreh_fold(bench.put(values, layout=ROWS), None, (8, 8), (2, 2), (1, 1), (0, 0), (2, 2))
        return found, torch.nn.functional.fold(values, (8, 8), (2, 2), stride=(2, 2))

    return Case("moreh_fold", "", run, 4)


def _getitem(layout: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, indices = bench.random((4, 2, 32, 64)), torch.tensor([2, 0, 3, 3])
        place = bench.put(indices.int(), ttnn.int32, ROWS)
        return ttnn.moreh_getitem(bench.put(values, layout=layout), [place], [0]), values[indices]

    return Case("moreh_getitem", str(layout).rsplit(".", maxsplit=1)[-1].lower(), run, 0)


def _nll(reduction: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values, target = bench.random((32, 10), -4, 0), bench.integers((32,), 0, 10)
        weight = bench.random((10,), 0.5, 2)
        more = {} if reduction == "none" else {"divisor_tensor": bench.put(torch.zeros(1))}
        if reduction == "sum":
            more = {}
        found = ttnn.moreh_nll_loss(
            bench.put(values), bench.put(target, ttnn.int32), reduction, weight_tensor=bench.put(weight), **more
        )
        return found, torch.nn.functional.nll_loss(values, target.long(), weight, reduction=reduction)

    return Case("moreh_nll_loss", reduction, run, 8)


def _nll_backward(name: str, mean: bool) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        target, weight = bench.integers((32,), 0, 10), bench.random((10,), 0.5, 2)
        shape = (32,) if name.endswith("unreduced_backward") else (1,)
        gradient = bench.random(shape)
        leaf = torch.zeros(32, 10).requires_grad_()
        reduction = "none" if len(gradient) > 1 else "mean" if mean else "sum"
        loss = torch.nn.functional.nll_loss(leaf, target.long(), weight, reduction=reduction)
        loss.backward(gradient if len(gradient) > 1 else gradient[0])
        more: dict[str, Any] = {"input_grad_tensor": bench.put(torch.zeros(32, 10)), "weight_tensor": bench.put(weight)}
        tensors = bench.put(target, ttnn.int32), bench.put(gradient)
        if len(gradient) > 1:
            return ttnn.moreh_nll_loss_unreduced_backward(*tensors, **more), leaf.grad
        if mean:
            more["divisor_tensor"] = bench.put(weight[target.long()].sum().reshape(1))
        return ttnn.moreh_nll_loss_backward(*tensors, mean, **more), leaf.grad

    return Case(name, "mean" if mean else "", run, 8)


def _made(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        if name == "moreh_arange":
            return ttnn.moreh_arange(0, 64, 2, bench.device, dtype=ttnn.bfloat16), torch.arange(0, 64, 2)
        if name == "moreh_full":
            return ttnn.moreh_full((1, 1, 32, 64), 2.5, bench.device), torch.full((1, 1, 32, 64), 2.5)
        return ttnn.moreh_full_like(bench.put(bench.random((1, 1, 32, 64))), 2.5), torch.full((1, 1, 32, 64), 2.5)

    return Case(name, "", run, 0)


CASES = [
    _products("moreh_bmm_backward", [(2, 64, 32), (2, 32, 64)], torch.bmm),
    _products("moreh_matmul_backward", [(2, 64, 32), (2, 32, 64)], torch.matmul),
    _dot(),
    _linear(),
    _reduced("moreh_sum_backward", 1),
    _reduced("moreh_mean_backward", 64),
    _norm(),
    _layer_norm(),
    _group_norm(),
    _cumsum(),
    _clip(),
    _fold(),
    _getitem(ROWS),
    _getitem(ttnn.TILE_LAYOUT),
    *(_nll(reduction) for reduction in ("sum", "mean")),
    _nll_backward("moreh_nll_loss_backward", False),
    _nll_backward("moreh_nll_loss_backward", True),
    _nll_backward("moreh_nll_loss_unreduced_backward", False),
    *(_made(name) for name in ("moreh_arange", "moreh_full", "moreh_full_like")),
]
