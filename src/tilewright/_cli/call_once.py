# SPDX-License-Identifier: Apache-2.0
"""Call an operation once on random inputs, for commands that observe its launch."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from tilewright._cli.operation_arguments import DTYPES, checked_grid, declares_operation, plan_options
from tilewright._cli.operation_arguments import operation as operation_named
from tilewright._cli.progress_line import ProgressLine
from tilewright._launch.open_devices import close_device, open_device
from tilewright._planner.row_program import Tensors
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.ops import OPERATIONS
from tilewright.ops._operation import Operation
from tilewright.ops._options import Options
from tilewright.ops._outcome import Outcome

_DEFAULT_SHAPE = (2, 3, 64, 128)
Afterwards: TypeAlias = Callable[[Operation, Tensors, Options, Outcome], None]


def call_once(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    progress: ProgressLine | None,
    afterwards: Afterwards | None = None,
) -> int:
    """Calls the operation that ``options.target`` names; a mistake in the arguments ends the command.

    Args:
        afterwards: called while the tensors are still there.

    Returns:
        the exit status, 0: what goes wrong is raised.
    """
    if options.target not in OPERATIONS and not declares_operation(options.target):
        parser.error(f"{options.target!r} is neither a script that exists nor an operation ({', '.join(OPERATIONS)})")
    try:
        operation = operation_named(options.target)
    except argparse.ArgumentTypeError as error:
        parser.error(f"target: {error}")
    grid = checked_grid(parser, options)
    shape, dtype = options.shape or _DEFAULT_SHAPE, DTYPES[options.dtype or "bfloat16"]
    device = open_device(0, options.arch, grid=grid)
    try:
        generator = np.random.default_rng(0)
        tensors = {
            name: Tensor(generator.standard_normal(size, np.float32), dtype, device, Layout.ROW_MAJOR)
            for name, size in operation.input_shapes(shape).items()
        }
        chosen = plan_options(options, operation, shape, device)
        if progress is None:
            operation.launch(tensors, chosen)
            return 0
        with progress:
            with progress.during(f"running {operation.name}"):
                outcome = operation.launch(tensors, chosen)
            if afterwards is not None:
                afterwards(operation, tensors, chosen, outcome)
    finally:
        close_device(device)
    return 0
