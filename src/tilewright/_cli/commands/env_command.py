# SPDX-License-Identifier: Apache-2.0
"""``tilewright env``: print what makes tt-metal find the simulated card, for a shell."""

from __future__ import annotations

import argparse
import shlex

from tilewright._card.environment import card_environment
from tilewright._card.package import require_ttnn
from tilewright._card.products import SLOW_DISPATCH, choose_card
from tilewright._cli.card_options import add_card_options, add_system_options
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "env",
        "Print shell commands that set environment variables with which tt-metal, and so the installed ttnn, uses the "
        "simulated card: for notebooks, debuggers and host programs in C++. Each program started from such a shell "
        "gets its own card.",
        """
        eval "$(tilewright env)"
        eval "$(tilewright env --arch blackhole)"
        eval "$(tilewright env --system t3000)"
        tilewright env --json
        """,
    )
    add_card_options(parser)
    add_system_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(arguments: list[str]) -> int:
    options = build_parser().parse_args(arguments)
    card = choose_card(options.arch, options.grid, options.system, options.dispatch)
    variables = card_environment(require_ttnn(), card)
    if options.json:
        print(json_text("env", {"variables": variables}))
    else:
        if SLOW_DISPATCH not in variables:
            print(f"unset {SLOW_DISPATCH}")
        print("\n".join(f"export {name}={shlex.quote(value)}" for name, value in variables.items()))
    return 0
