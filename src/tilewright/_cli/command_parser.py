# SPDX-License-Identifier: Apache-2.0
"""The parser of a command: help with examples, and errors that fit a terminal."""

from __future__ import annotations

import argparse
import math
import re
import sys
import textwrap
from typing import NoReturn

from tilewright._cli.screen import fitted


class UsageExit(SystemExit):
    """Wrong arguments of a command: it ends with status 2 after a message on stderr."""

    def __init__(self, message: str) -> None:
        super().__init__(2)
        self.message = message


class CommandParser(argparse.ArgumentParser):
    """Parser of ``tilewright NAME``.

    Example::

        parser = CommandParser("doctor", "Show what this machine has.", "tilewright doctor --json")
    """

    def __init__(self, name: str, description: str, examples: str, usage: str | None = None) -> None:
        """
        Args:
            description: paragraphs; those that are not indented are filled.
            examples: command lines.
        """
        super().__init__(
            prog=f"tilewright {name}",
            usage=usage,
            description=_filled(description),
            epilog="examples:\n" + textwrap.indent(textwrap.dedent(examples).strip(), "  "),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments:") and "-- script arguments" in (self.usage or ""):
            message += "; arguments of the script stand behind --"
        unknown = re.match(r"unrecognized arguments: (\d\S*)", message)
        if unknown is not None and "--shape" in self._option_string_actions:
            message += f"; is {unknown.group(1)} a shape? One stands behind its option: --shape 2x3x64x128"
        self.print_usage(sys.stderr)
        print(fitted(f"{self.prog}: error: {message}", sys.stderr), file=sys.stderr)
        raise UsageExit(message)


def seconds(text: str) -> float:
    """A time limit."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no time limit: write a positive number of seconds, such as 60")
    return value


def _filled(text: str) -> str:
    paragraphs = textwrap.dedent(text).strip().split("\n\n")
    return "\n\n".join(each if each.startswith(" ") else textwrap.fill(each, 78) for each in paragraphs)
