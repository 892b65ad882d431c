# SPDX-License-Identifier: Apache-2.0
"""``tilewright run``: run an operation on a simulated chip and compare it with float64."""

from __future__ import annotations

import argparse
import dataclasses
import io
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import error_object, json_text
from tilewright._cli.operation_arguments import (
    DTYPES,
    add_operation_arguments,
    add_tuned_option,
    checked_grid,
    plan_options,
)
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cli.progress_line import ProgressLine
from tilewright._cli.screen import fitted, wrapped
from tilewright._launch.observer import observed_launches
from tilewright._launch.open_devices import close_device, open_device
from tilewright._planner.error_bound import roundings_of
from tilewright._planner.plan_text import table
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.paper_device import paper_device
from tilewright._tensor.tensor import Tensor
from tilewright.ops import Operation, Outcome
from tilewright.ops._accuracy import Accuracy, held, judge
from tilewright.ops._arrays import is_of_floats
from tilewright.ops._what_runs import split_lines, what_runs_json, what_runs_lines, words_of
from tilewright.timing._observer import TimeObserver

Array = np.ndarray[Any, Any]


_OUT_OF_BOUNDS = "an element is further off than the error analysis of its plan allows"
_WORDS = {"": "within bounds", "OutOfBounds": "out of bounds", "NotJudged": "not judged"}
_NOT_JUDGED = (
    "no element has a finite error bound for these values, such as powers of sums with large errors: give smaller "
    "ones with --input"
)


@dataclasses.dataclass(frozen=True)
class _Times:
    """Seconds this machine took for the launch and for everything, and microseconds a card takes by the model."""

    engine: float
    whole: float
    modelled: float


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "run",
        "Run an operation on a simulated chip, with random inputs or inputs from files, compare the result with "
        "float64, and show plan, circular buffers, errors and time. Exit status 1 if an element is outside its "
        "error bound.",
        """
        tilewright run variance_w_rm
        tilewright run layernorm_fused_rm --shape 2x3x64x128 --dtype float32 --json
        tilewright run centralize_w_rm --input x.npy --output y.npy
        tilewright run variance_w_rm --shape 1024x2048 --tuned best.json
        """,
    )
    add_operation_arguments(parser)
    add_tuned_option(parser)
    parser.add_argument(
        "--input",
        type=_named_file,
        action="append",
        default=[],
        metavar="[NAME=]X.npy",
        help="file of an input tensor instead of random numbers; without NAME, the first tensor; may be repeated",
    )
    parser.add_argument(
        "--set",
        type=_named_number,
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="value of a number, such as epsilon=1e-3; may be repeated",
    )
    parser.add_argument("--output", type=Path, metavar="Y.npy", help="file for the result")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random numbers (default 0)")
    parser.add_argument(
        "--threads", type=int, help="OS threads (default: one; from 1 ms per launch on, one per processor)"
    )
    parser.add_argument("--json", action="store_true", help="print plan, errors and times as JSON")
    parser.add_argument("--brief", action="store_true", help="print verdict and modelled time only, for agents")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    operation: Operation = options.operation
    if options.threads is not None and options.threads < 1:
        parser.error(f"--threads is {options.threads}; it must be at least 1")
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; it must be 0 or more")
    grid = checked_grid(parser, options)
    parameters = _parameters(parser, options, operation)
    arrays = _arrays(parser, options, operation)
    begin = time.perf_counter()
    device = open_device(0, options.arch, grid=grid)
    try:
        tensors = _tensors(operation, arrays, options, device)
        shape = tuple(tensors[operation.main_input.name].shape)
        chosen = dataclasses.replace(plan_options(options, operation, shape, device), threads=options.threads)
        with ProgressLine() as progress:
            with progress.during(f"compiling and running {operation.name}"):
                outcome = operation.launch(tensors, chosen, parameters=parameters)
            seconds = time.perf_counter() - begin
            with progress.during("timing on the model's clock"), observed_launches(TimeObserver()) as timed:
                operation.launch(tensors, chosen, parameters=parameters)
            modelled = sum(launch.time.microseconds for launch in timed)
            with progress.during("comparing with float64"):
                wanted = operation.outcome_bounds(outcome, held(tensors), parameters)
                accuracy = judge([each.to_numpy() for each in outcome.outputs], wanted)
        if options.output:
            _save(options.output, outcome.output)
    finally:
        close_device(device)
    times = _Times(outcome.seconds, seconds, modelled)
    name, wrong = _problem(accuracy)
    if options.json:
        error = error_object(name, wrong) if wrong else None
        print(json_text("run", _as_json(operation, outcome, accuracy, options, times), 1 if wrong else 0, error))
    else:
        lines = (_brief if options.brief else _report)(operation, outcome, accuracy, options, times)
        print("\n".join(row for line in lines for row in wrapped(line)))
    if wrong:
        print(fitted(f"tilewright run: {_WORDS[name]}: {wrong}", sys.stderr), file=sys.stderr)
    return 1 if wrong else 0


def _problem(accuracy: Accuracy) -> tuple[str, str]:
    """Kind and text of what is wrong with a result; empty if nothing is."""
    if not accuracy.is_within_bound:
        return "OutOfBounds", f"{_OUT_OF_BOUNDS}: {accuracy.text}"
    return ("", "") if accuracy.is_judged else ("NotJudged", _NOT_JUDGED)


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.rpartition("=")
    if not path or (equals and not name):
        raise argparse.ArgumentTypeError(f"{text!r} names no file: write X.npy, or NAME=X.npy such as gamma=g.npy")
    return name, Path(path)


def _named_number(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number: write NAME=NUMBER, such as epsilon=1e-3") from None


def _parameters(parser: argparse.ArgumentParser, options: argparse.Namespace, operation: Operation) -> dict[str, float]:
    for name, _ in options.set:
        if name not in operation.parameters:
            has = ", ".join(operation.parameters) or "none"
            parser.error(f"--set {name}: {operation.name} has no such number; it has {has}")
    return {**operation.defaults, **dict(options.set)}


def _files(
    parser: argparse.ArgumentParser, options: argparse.Namespace, operation: Operation
) -> dict[str, tuple[str, Path]]:
    """The files that are given, each with its option, by tensor."""
    names = [each.name for each in operation.inputs]
    files: dict[str, tuple[str, Path]] = {}
    for given, path in options.input:
        name = given or names[0]
        option = f"--input {given}=" if given else "--input"
        if name not in names:
            parser.error(f"{option}: {operation.name} takes no {name}; it takes {', '.join(names)}")
        if name in files:
            parser.error(f"{option}: {name} is given twice")
        files[name] = (option, path)
    return files


def _arrays(parser: argparse.ArgumentParser, options: argparse.Namespace, operation: Operation) -> dict[str, Array]:
    """The operands: from files where they are given, random numbers else."""
    generator = np.random.default_rng(options.seed)
    files = _files(parser, options, operation)
    if options.output is not None:
        require_writable(parser, "--output", options.output)
    main = operation.main_input.name
    if main in files and options.shape is not None:
        parser.error("--shape and --input: a file has its own shape; give one of them")
    loaded = {name: _load(parser, *files[name]) for name in files}
    shape = loaded[main].shape if main in loaded else options.shape or (2, 3, 64, 128)
    return {
        name: loaded[name] if name in loaded else generator.standard_normal(size, np.float32)
        for name, size in operation.input_shapes(tuple(shape)).items()
    }


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


def _tensors(
    operation: Operation, arrays: dict[str, Array], options: argparse.Namespace, device: Device
) -> dict[str, Tensor]:
    main = operation.main_input.name
    is_given = any((name or main) == main for name, _ in options.input)
    default = "float32" if is_given and arrays[main].dtype.name != "bfloat16" else "bfloat16"
    dtype = DTYPES[options.dtype or default]
    return {name: Tensor(array, dtype, device, Layout.ROW_MAJOR) for name, array in arrays.items()}


def _save(path: Path, output: Tensor) -> None:
    array = output.to_numpy()
    plain = array.astype(np.float32) if output.dtype is DataType.BFLOAT16 else array
    data = io.BytesIO()
    np.save(data, plain)
    write_output("--output", path, data.getvalue())
    print(f"result written to {path} as {plain.dtype}", file=sys.stderr)


def _brief(
    operation: Operation, outcome: Outcome, accuracy: Accuracy, options: argparse.Namespace, times: _Times
) -> list[str]:
    """Two lines, for agents."""
    kind, _ = _problem(accuracy)
    verdict = _WORDS[kind].upper() if kind else _WORDS[kind]
    return [
        f"{operation.name} {_words(outcome)} of {options.arch}: "
        f"{verdict}, {accuracy.share_of_bound:.0%} of what is allowed at the worst element{_unjudged(accuracy)}",
        f"a card, by the model: {times.modelled:.1f} us",
    ]


def _unjudged(accuracy: Accuracy) -> str:
    """How many elements have no bound; empty if all have one."""
    return f"; {accuracy.unjudged} of {accuracy.count} elements have no finite bound" if accuracy.unjudged else ""


def _words(outcome: Outcome) -> str:
    """Strategy and cores of each program."""
    words = [words_of(each.operation, each.plan, each.program) for each in outcome.parts]
    return words[0] if len(words) == 1 else f"in {len(words)} programs ({', '.join(words)})"


def _program_lines(outcome: Outcome, arch: str) -> list[str]:
    """Plan, circular buffers and roundings of one program."""
    operation, plan = outcome.operation, outcome.plan
    return [
        *what_runs_lines(operation, plan, outcome.program, paper_device(arch)),
        "",
        *(["error bound of the plan that the program replaces:"] if operation.choices.program is not None else []),
        *table([(each.what, f"{each.unit:.3g}", each.why) for each in roundings_of(plan.schedule)]),
        "",
    ]


def _report(
    operation: Operation, outcome: Outcome, accuracy: Accuracy, options: argparse.Namespace, times: _Times
) -> list[str]:
    programs: list[str] = []
    for each in outcome.parts:
        if each is not outcome:
            programs += [f"program {each.operation.name}: {each.operation.formula}", ""]
        programs += _program_lines(each, options.arch)
    return [
        f"{operation.name} on {options.arch}",
        operation.formula,
        "",
        *split_lines([each.operation for each in outcome.parts]),
        *programs,
        *table(
            [
                ("largest error", f"{accuracy.largest_error:.3g}"),
                ("of what is allowed", f"{accuracy.share_of_bound:.1%} at the worst element{_unjudged(accuracy)}"),
                ("allowed there", f"{accuracy.allowed:.3g} of {abs(accuracy.exact):.3g}"),
                *([] if operation.tolerance is None else [("by its own tolerance", operation.tolerance.reason)]),
                ("mean error", f"{accuracy.mean_error:.3g}"),
                ("PCC", f"{accuracy.pcc:.6f}"),
                ("a card, by the model", f"{times.modelled:.1f} us"),
                ("this machine's engine", f"{times.engine * 1e3:.1f} ms; says nothing about a card"),
                ("with compiling and loading", f"{times.whole * 1e3:.0f} ms"),
            ]
        ),
    ]


def _programs_json(outcome: Outcome) -> dict[str, object]:
    """Plan and buffers; of several programs a list of them."""
    made = [what_runs_json(each.operation, each.plan, each.program) for each in outcome.parts]
    if len(made) == 1:
        return made[0]
    return {"programs": [{"name": each.operation.name, **json} for each, json in zip(outcome.parts, made, strict=True)]}


def _as_json(
    operation: Operation, outcome: Outcome, accuracy: Accuracy, options: argparse.Namespace, times: _Times
) -> dict[str, object]:
    return {
        "operation": operation.name,
        "arch": options.arch,
        **_programs_json(outcome),
        "largest_error": accuracy.largest_error,
        "share_of_bound": accuracy.share_of_bound,
        "is_within_bound": accuracy.is_within_bound,
        "elements": accuracy.count,
        "unjudged_elements": accuracy.unjudged,
        "mean_error": accuracy.mean_error,
        "pcc": accuracy.pcc,
        "modelled_microseconds": times.modelled,
        "engine_seconds": times.engine,
        "seconds": times.whole,
    }
