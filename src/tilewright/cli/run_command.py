# SPDX-License-Identifier: Apache-2.0
"""``tilewright run``: run an operation on a simulated chip and compare it with float64."""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.cli.command_parser import CommandParser
from tilewright.cli.operation_arguments import DTYPES, add_operation_arguments, checked_grid
from tilewright.cli.output_file import require_writable, write_output
from tilewright.cli.progress_line import ProgressLine
from tilewright.cli.screen import fitted, wrapped
from tilewright.device.open_devices import close_device, open_device
from tilewright.ops import Operation, Options, Outcome, Strategy
from tilewright.ops.accuracy import Accuracy, compare
from tilewright.ops.arrays import is_of_floats
from tilewright.ops.plan_text import buffer_lines, plan_json, plan_lines, table
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.tensor.layout import Layout
from tilewright.tensor.tensor import Tensor

Array = np.ndarray[Any, Any]


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "run",
        "Run an operation on a simulated chip, on random numbers or on a file, compare the result with float64, and "
        "show plan, circular buffers, errors and time. Exit status 1 if an element is out of bounds.",
        """
        tilewright run variance_w_rm
        tilewright run layernorm_fused_rm --shape 2x3x64x128 --dtype float32 --json
        tilewright run centralize_w_rm --input x.npy --output y.npy
        """,
    )
    add_operation_arguments(parser)
    parser.add_argument("--input", type=Path, metavar="X.npy", help="the input instead of random numbers")
    parser.add_argument("--gamma", type=Path, metavar="G.npy", help="gamma instead of random numbers")
    parser.add_argument("--beta", type=Path, metavar="B.npy", help="beta instead of random numbers")
    parser.add_argument(
        "--vector",
        type=_named_file,
        action="append",
        default=[],
        metavar="NAME=V.npy",
        help="another vector of the operation instead of random numbers; may be repeated",
    )
    parser.add_argument("--output", type=Path, metavar="Y.npy", help="where to write the result")
    parser.add_argument("--epsilon", type=float, help="of operations that take one (default: the operation's own)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (default 0)")
    parser.add_argument("--threads", type=int, default=1, help="OS threads (default 1)")
    parser.add_argument("--json", action="store_true", help="print plan, errors and times as JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    operation: Operation = options.operation
    if options.threads < 1:
        parser.error(f"--threads is {options.threads}; it must be at least 1")
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; it must be 0 or more")
    grid = checked_grid(parser, options)
    epsilon = _epsilon(parser, options, operation)
    arrays = _arrays(parser, options, operation)
    begin = time.perf_counter()
    device = open_device(0, options.arch, grid=grid)
    try:
        tensors = _tensors(arrays, options, device)
        chosen = Options(strategy=Strategy(options.plan) if options.plan else None, threads=options.threads)
        with ProgressLine() as progress:
            with progress.during(f"compiling and running {operation.name}"):
                outcome = operation.launch(tensors, chosen, epsilon=epsilon)
            seconds = time.perf_counter() - begin
            with progress.during("comparing with float64"):
                exact = {name: tensor.to_numpy().astype(np.float64) for name, tensor in tensors.items()}
                accuracy = compare(operation, outcome.output.to_numpy(), exact, epsilon)
        if options.output:
            _save(options.output, outcome.output)
    finally:
        close_device(device)
    if options.json:
        print(json.dumps(_as_json(operation, outcome, accuracy, options, seconds), indent=2))
    else:
        lines = _report(operation, outcome, accuracy, options, seconds)
        print("\n".join(row for line in lines for row in wrapped(line)))
    if not accuracy.is_within_bound:
        text = (
            "tilewright run: out of bounds: an element is further off than allowed. Rows whose mean is large against "
            "their spread are, to the matrix unit (docs/operations.md, Accuracy)."
        )
        print(fitted(text, sys.stderr), file=sys.stderr)
        return 1
    return 0


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} names no file: write NAME=V.npy, such as gamma=g.npy")
    return name, Path(path)


def _epsilon(parser: argparse.ArgumentParser, options: argparse.Namespace, operation: Operation) -> float:
    if options.epsilon is not None and not operation.has_epsilon:
        parser.error(f"--epsilon: {operation.name} takes no epsilon")
    return operation.default_epsilon if options.epsilon is None else float(options.epsilon)


def _files(
    parser: argparse.ArgumentParser, options: argparse.Namespace, operation: Operation
) -> dict[str, tuple[str, Path]]:
    """The files that are given, each with its option, by operand."""
    given = [(name, f"--{name}", getattr(options, name)) for name in ("gamma", "beta")]
    given += [(name, f"--vector {name}", path) for name, path in options.vector]
    files: dict[str, tuple[str, Path]] = {}
    for name, option, path in given:
        if path is None:
            continue
        if name not in operation.vectors:
            has = f"; it takes {', '.join(operation.vectors)}" if operation.vectors else ""
            parser.error(f"{option}: {operation.name} takes no {name}{has}")
        if name in files:
            parser.error(f"{option}: {name} is given twice")
        files[name] = (option, path)
    if options.input is not None:
        files["input_tensor"] = ("--input", options.input)
    return files


def _arrays(parser: argparse.ArgumentParser, options: argparse.Namespace, operation: Operation) -> dict[str, Array]:
    """The operands: from files where they are given, random numbers else."""
    generator = np.random.default_rng(options.seed)
    files = _files(parser, options, operation)
    if options.output is not None:
        require_writable(parser, "--output", options.output)
    if options.input is not None and options.shape is not None:
        parser.error("--shape and --input: a file has its own shape; give one of them")
    arrays: dict[str, Array] = {}
    for name in ("input_tensor", *operation.vectors):
        shape = options.shape or (2, 3, 64, 128)
        if name in arrays or name != "input_tensor":
            shape = arrays["input_tensor"].shape[-1:]
        arrays[name] = _load(parser, *files[name]) if name in files else generator.standard_normal(shape, np.float32)
    return arrays


def _load(parser: argparse.ArgumentParser, option: str, path: Path) -> Array:
    try:
        array: Array = np.load(path, allow_pickle=False)
    except OSError as error:
        parser.error(f"{option} {path}: {error.strerror or error}")
    except (ValueError, EOFError):
        parser.error(f"{option} {path}: no array of numbers, as numpy.save writes them")
    if not isinstance(array, np.ndarray):
        parser.error(f"{option} {path}: several arrays in one file; save one with numpy.save")
    if array.dtype == np.dtype("V2"):  # what NumPy makes of a bfloat16 it does not know
        array = array.view(DataType.BFLOAT16.numpy_dtype)
    if not is_of_floats(array):
        parser.error(f"{option} {path}: an array of {array.dtype}; it must be of floats")
    return array


def _tensors(arrays: dict[str, Array], options: argparse.Namespace, device: Device) -> dict[str, Tensor]:
    is_bfloat16 = arrays["input_tensor"].dtype.name == "bfloat16"
    default = "float32" if options.input is not None and not is_bfloat16 else "bfloat16"
    dtype = DTYPES[options.dtype or default]
    return {name: Tensor(array, dtype, device, Layout.ROW_MAJOR) for name, array in arrays.items()}


def _save(path: Path, output: Tensor) -> None:
    array = output.to_numpy()
    plain = array.astype(np.float32) if output.dtype is DataType.BFLOAT16 else array
    data = io.BytesIO()
    np.save(data, plain)
    write_output("--output", path, data.getvalue())
    print(f"result written to {path} as {plain.dtype}", file=sys.stderr)


def _report(
    operation: Operation, outcome: Outcome, accuracy: Accuracy, options: argparse.Namespace, seconds: float
) -> list[str]:
    plan = outcome.plan
    return [
        f"{operation.name} on {options.arch}",
        operation.formula,
        "",
        *plan_lines(plan, operation.output_shape(plan.rows.shape)),
        "",
        *buffer_lines(plan),
        "",
        *table(
            [
                ("largest error", f"{accuracy.largest_error:.3g}"),
                ("of what is allowed", f"{accuracy.share_of_bound:.1%} (2^-7 * {accuracy.bound_text})"),
                ("mean error", f"{accuracy.mean_error:.3g}"),
                ("PCC", f"{accuracy.pcc:.6f}"),
                ("engine", f"{outcome.run.seconds * 1e3:.1f} ms"),
                ("with compiling and loading", f"{seconds * 1e3:.0f} ms"),
            ]
        ),
    ]


def _as_json(
    operation: Operation, outcome: Outcome, accuracy: Accuracy, options: argparse.Namespace, seconds: float
) -> dict[str, object]:
    return {
        "operation": operation.name,
        "arch": options.arch,
        **plan_json(outcome.plan, operation.output_shape(outcome.plan.rows.shape)),
        "largest_error": accuracy.largest_error,
        "share_of_bound": accuracy.share_of_bound,
        "is_within_bound": accuracy.is_within_bound,
        "mean_error": accuracy.mean_error,
        "pcc": accuracy.pcc,
        "engine_seconds": outcome.run.seconds,
        "seconds": seconds,
    }
