# SPDX-License-Identifier: Apache-2.0
"""Arguments that say which operation, on what and where: shared by the commands about operations."""

from __future__ import annotations

import argparse
import ast
import re
from pathlib import Path

from tilewright._card.products import PRODUCTS, CardModel, choose_card
from tilewright._tensor.arch import ARCHS, describe_arch
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright.ops import OPERATIONS, Operation, Options, Strategy

_DEFAULT_ARCH = "wormhole_b0"
DTYPES = {"bfloat16": DataType.BFLOAT16, "float32": DataType.FLOAT32}


def add_operation_arguments(parser: argparse.ArgumentParser) -> None:
    add_operation_argument(parser)
    add_operation_options(parser)


def add_operation_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("operation", type=operation, help=f"{', '.join(OPERATIONS)}, or a file with a declaration")


def add_operation_options(parser: argparse._ActionsContainer, *, or_cards: bool = False) -> None:
    """On what and where, for a command that has its own way to say which.

    Args:
        or_cards: the command also takes scripts of the real ttnn, whose card may be a product.
    """
    parser.add_argument("--shape", type=shape, help="shape of the input, two or more dimensions (default 2x3x64x128)")
    parser.add_argument("--dtype", choices=DTYPES, help="dtype of the input (default bfloat16)")
    default = None if or_cards else _DEFAULT_ARCH
    parser.add_argument("--arch", choices=ARCHS, default=default, help=f"chip (default {_DEFAULT_ARCH})")
    products = f"; for scripts also a product: {', '.join(PRODUCTS)}" if or_cards else ""
    parser.add_argument(
        "--grid",
        type=_grid_or_product if or_cards else grid,
        help=f"cores, columns by rows, such as 8x8 (default: all){products}",
    )
    parser.add_argument(
        "--plan", choices=[each.value for each in Strategy], help="use this plan; by default the free L1 decides"
    )


def add_tuned_option(parser: argparse._ActionsContainer) -> None:
    """``--tuned``, for commands that run an operation once."""
    parser.add_argument(
        "--tuned", metavar="FILE", type=Path, help="use the plan that `tilewright tune --output FILE` wrote"
    )


def plan_options(options: argparse.Namespace, made: Operation, shape: tuple[int, ...], device: Device) -> Options:
    """Planner options of ``--plan`` and ``--tuned``."""
    if options.tuned is not None:
        # Tuning brings the checker along, which takes a while to import.
        from tilewright.ops._tuned_plan import TunedFor, tuned_options

        tuned_for = TunedFor.of(made, shape, DTYPES[options.dtype or "bfloat16"], device)
        return tuned_options(options.tuned, tuned_for, device)
    return Options(strategy=Strategy(options.plan) if options.plan else None)


def operation(text: str) -> Operation:
    """The operation of this name, or of a file with its declaration."""
    if text in OPERATIONS:
        return OPERATIONS[text]
    if is_script(text):
        raise argparse.ArgumentTypeError(
            f"{text} is a script, it declares no operation: `tilewright exec {text}` runs it"
        )
    # The workshop takes a while to import, and only operations of one's own need it.
    from tilewright._workshop.home import NoOperationError, find_operation

    try:
        return find_operation(text).operation()
    except NoOperationError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    except Exception as error:  # whatever a module of the user's may raise
        message = f"{type(error).__name__}: {error}"
        raise argparse.ArgumentTypeError(f"{text} cannot be imported: {message}") from None


def declares_operation(text: str) -> bool:
    """Whether a file is a declaration and no script: ``@operation`` stands in it."""
    path = Path(text.partition(":")[0])
    if path.suffix != ".py" or not path.is_file():
        return False
    return (
        re.search(r"^@(tilewright\.)?operation\b", path.read_text(encoding="utf-8", errors="replace"), re.M) is not None
    )


def is_script(text: str) -> bool:
    """Whether a file says nothing of an operation, so that importing it would only run it."""
    path = Path(text.partition(":")[0])
    if path.suffix != ".py" or not path.is_file():
        return False
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return False  # importing it names what is wrong
    named = {getattr(node, "id", None) or getattr(node, "attr", None) for node in ast.walk(tree)}
    return "operation" not in named


def is_declaration(text: str) -> bool:
    """Whether a file declares operations and does nothing with them, so that running it would show nothing."""
    if not declares_operation(text):
        return False
    try:
        body = ast.parse(Path(text.partition(":")[0]).read_bytes()).body
    except (SyntaxError, ValueError):
        return False
    silent = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    return all(isinstance(each, silent) or _is_text(each) for each in body)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def shape(text: str) -> tuple[int, ...]:
    """The sides of ``2x3x64x128``."""
    sides = text.lower().split("x")
    if len(sides) < 2 or not all(re.fullmatch(r"[1-9]\d*", side) for side in sides):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no shape: write two or more sides of 1 or more, such as 2x3x64x128"
        )
    return tuple(map(int, sides))


def grid(text: str) -> tuple[int, int]:
    """Columns and rows of ``8x8``."""
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text.lower())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no grid: write columns by rows, such as 8x8")
    return int(match[1]), int(match[2])


def _grid_or_product(text: str) -> tuple[int, int] | str:
    return text if text in PRODUCTS else grid(text)


def chosen_card(options: argparse.Namespace) -> CardModel:
    """The card that the options of a command for scripts name."""
    named = options.grid if options.grid is None or isinstance(options.grid, str) else "x".join(map(str, options.grid))
    return choose_card(options.arch, named, options.system, options.dispatch)


def checked_grid(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[int, int]:
    """The grid asked for, or all of the chip; an error that names the limit where it is too large."""
    if getattr(options, "dispatch", None) is not None:
        parser.error("--dispatch is for the real ttnn; an operation has no command queues")
    if getattr(options, "system", None) is not None:
        parser.error("--system is for the real ttnn; an operation runs on one chip")
    if isinstance(options.grid, str):
        parser.error(f"--grid {options.grid} names a card, which only scripts have; give columns by rows, such as 8x8")
    options.arch = options.arch or _DEFAULT_ARCH
    largest = describe_arch(options.arch).grid
    columns, rows = options.grid or (largest.x, largest.y)
    if columns > largest.x or rows > largest.y:
        parser.error(f"--grid {columns}x{rows} does not fit {options.arch}; allowed: 1x1 to {largest.x}x{largest.y}")
    return columns, rows
