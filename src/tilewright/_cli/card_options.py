# SPDX-License-Identifier: Apache-2.0
"""Options that choose the ttnn a script gets, and the card under it."""

from __future__ import annotations

import argparse
import ast
import os
from pathlib import Path

from tilewright._card.environment import environment_with
from tilewright._card.package import installed_ttnn, require_ttnn
from tilewright._card.products import DISPATCHES, PRODUCTS, choose_card
from tilewright._card.systems.known_systems import SYSTEMS

BUILT_IN, REAL = "built-in", "real"


def add_card_options(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """``--arch`` and ``--grid``."""
    parser.add_argument("--arch", metavar="NAME", help="chip of the card: wormhole_b0 (default) or blackhole")
    parser.add_argument(
        "--grid",
        metavar="GRID",
        help=f"cores of the card: a product ({', '.join(PRODUCTS)}) or columns x rows, such as 4x4",
    )


def add_system_options(parser: argparse._ActionsContainer) -> None:
    """``--system`` and ``--dispatch``."""
    parser.add_argument(
        "--system",
        metavar="SYSTEM",
        help=f"several chips: a product ({', '.join(SYSTEMS)}) or rows x columns of chips, such as 1x4 or 2x4-torus",
    )
    parser.add_argument(
        "--dispatch",
        choices=DISPATCHES,
        help="how the host launches programs: fast, through command queues (default; traces, sub-devices and several "
        "queues need it), or slow (default if TT_METAL_SLOW_DISPATCH_MODE is set)",
    )


def add_ttnn_option(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """``--ttnn``, ``--system`` and ``--dispatch``."""
    parser.add_argument(
        "--ttnn",
        choices=(REAL, BUILT_IN),
        help="the installed ttnn on a simulated card, or tilewright's own module (default: real if ttnn is installed)",
    )
    add_system_options(parser)


def wants_real_ttnn(options: argparse.Namespace, script: Path | None = None) -> bool:
    """Whether a script gets the installed package: unless --ttnn decides, not if it names tilewright's own module."""
    if options.ttnn is not None:
        return bool(options.ttnn == REAL)
    return installed_ttnn() is not None and (script is None or not _imports_only_ours(script))


def _imports_only_ours(script: Path) -> bool:
    """Whether a script imports tilewright and not ``ttnn``."""
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False  # the run shows what is wrong
    imported = [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
    imported += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
    packages = {name.partition(".")[0] for name in imported}
    return "tilewright" in packages and "ttnn" not in packages


def environment_with_card(options: argparse.Namespace, **further: str) -> dict[str, str]:
    """This process's environment with the card that the options choose."""
    card = choose_card(options.arch, options.grid, options.system, options.dispatch)
    return {**environment_with(require_ttnn(), card, os.environ), **further}
