# SPDX-License-Identifier: Apache-2.0
"""The launches ``tilewright check`` makes of an operation: two calls, on other tensors and with another epsilon."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from tilewright.check.finding import Finding
from tilewright.check.reuse import compare_programs
from tilewright.cli.operation_arguments import DTYPES
from tilewright.device.open_devices import close_device, open_device
from tilewright.ops import Operation, Options, Plan, Strategy
from tilewright.tensor.layout import Layout
from tilewright.tensor.tensor import Tensor

_DEFAULT_SHAPE = (2, 3, 64, 128)
_EPSILONS = (1e-5, 1e-3)


def call_twice(
    operation: Operation,
    options: argparse.Namespace,
    grid: tuple[int, int],
    on_plan: Callable[[Plan], None],
) -> list[Finding]:
    """Runs the operation and gives what is wrong with the program its second call takes from the cache."""
    shape, dtype = options.shape or _DEFAULT_SHAPE, DTYPES[options.dtype or "bfloat16"]
    chosen = Options(strategy=Strategy(options.plan) if options.plan else None)
    generator = np.random.default_rng(0)
    found: list[Finding] = []
    device = open_device(0, options.arch, grid=grid)
    try:
        plan = operation.plan(shape, dtype, device, strategy=chosen.strategy)
        on_plan(plan)
        kept = []
        for number, epsilon in enumerate(_EPSILONS, 1):
            tensors = {
                name: Tensor(generator.standard_normal(size, np.float32), dtype, device, Layout.ROW_MAJOR)
                for name, size in [("input_tensor", shape), *((name, shape[-1:]) for name in operation.vectors)]
            }
            outcome = operation.launch(tensors, chosen, epsilon=epsilon)
            kept.append((tensors, outcome))  # so that the second call's tensors lie elsewhere
            fresh = operation.program(outcome.plan, {**tensors, "output": outcome.output}, epsilon=epsilon)
            found += compare_programs(outcome.program, fresh, f"call {number}")
    finally:
        close_device(device)
    return found
