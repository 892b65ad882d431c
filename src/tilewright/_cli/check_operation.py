# SPDX-License-Identifier: Apache-2.0
"""The launches ``tilewright check`` makes of an operation: two calls, on other tensors and with other numbers."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

from tilewright._cli.operation_arguments import DTYPES
from tilewright._launch.open_devices import close_device, open_device
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.check._finding import Finding
from tilewright.check._reuse import compare_programs
from tilewright.ops import Operation, Options, Outcome, Plan, Strategy

_DEFAULT_SHAPE = (2, 3, 64, 128)
# What the numbers of each call are multiplied by.
_FACTORS = (1.0, 3.0)


@dataclasses.dataclass(frozen=True)
class OperationCall:
    """A call that has been made, with what it was given."""

    operation: Operation
    tensors: Mapping[str, Tensor]
    parameters: Mapping[str, float]
    outcome: Outcome


def call_twice(
    operation: Operation,
    options: argparse.Namespace,
    grid: tuple[int, int],
    on_plan: Callable[[Plan], None],
    on_call: Callable[[OperationCall], None] = lambda call: None,
) -> list[Finding]:
    """Runs the operation and gives what is wrong with the program its second call takes from the cache."""
    shape, dtype = options.shape or _DEFAULT_SHAPE, DTYPES[options.dtype or "bfloat16"]
    chosen = Options(strategy=Strategy(options.plan) if options.plan else None)
    generator = np.random.default_rng(0)
    found: list[Finding] = []
    device = open_device(0, options.arch, grid=grid)
    try:
        if len(operation.parts) == 1:
            on_plan(operation.plan(shape, dtype, device, strategy=chosen.strategy))
        kept = []
        for number, factor in enumerate(_FACTORS, 1):
            parameters = {name: value * factor for name, value in operation.defaults.items()}
            tensors = {
                name: Tensor(generator.standard_normal(size, np.float32), dtype, device, Layout.ROW_MAJOR)
                for name, size in operation.input_shapes(shape).items()
            }
            outcome = operation.launch(tensors, chosen, parameters=parameters)
            kept.append((tensors, outcome))  # so that the second call's tensors lie elsewhere
            on_call(OperationCall(operation, tensors, parameters, outcome))
            for each in outcome.parts:
                numbers = {name: parameters[name] for name in each.operation.parameters}
                fresh = each.operation.program(each.plan, each.tensors, parameters=numbers)
                found += compare_programs(each.program, fresh, f"call {number}")
    finally:
        close_device(device)
    return found
