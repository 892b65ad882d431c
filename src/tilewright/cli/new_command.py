# SPDX-License-Identifier: Apache-2.0
"""``tilewright new``: an operation's package from a spec."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from pathlib import Path

from tilewright.cli.command_parser import CommandParser
from tilewright.workshop.scaffold import Created, create_operation, derived_spec
from tilewright.workshop.scaffold.package import check_name, template_spec
from tilewright.workshop.spec import read_spec
from tilewright.workshop.spec.findings import SpecError

_DESCRIPTION = """
Make an operation of your own: NAME/ with its specification, the operation, its
program and kernels, references and a test for every stage.

Without --spec or --like you get a small operation whose spec.toml explains
itself. The kernels are stubs at first: they move pages as the real ones will,
so stages 1 to 6 pass at once.

To change more than kernels, begin with the spec:

    tilewright spec template NAME --like variance_w_rm > spec.toml
    tilewright spec check spec.toml
    tilewright new NAME --spec spec.toml
"""
_EXAMPLES = """
tilewright new my_op
tilewright new my_op --like variance_w_rm
tilewright new my_op --spec spec.toml --dir operations --kernels phases
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("new", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("name", metavar="NAME", help="of the operation and its directory, such as rms_norm_w_rm")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--spec", type=Path, metavar="FILE", help="the specification to make it from")
    source.add_argument(
        "--like", metavar="OPERATION", help="begin with the spec of an operation of tilewright, or of a directory"
    )
    parser.add_argument("--dir", type=Path, default=Path(), metavar="DIR", help="where NAME/ goes (default: here)")
    parser.add_argument(
        "--kernels",
        choices=("stubs", "phases"),
        default="stubs",
        help="stubs: phases move pages and compute nothing (default); phases: the library's phases at once",
    )
    parser.add_argument("--json", action="store_true", help="say what was written as JSON")
    return parser


def run(arguments: list[str]) -> int:
    options = build_parser().parse_args(arguments)
    check_name(options.name)
    kept: tuple[str, ...] = ()
    if options.like:
        spec, kept = derived_spec(options.name, options.like)
    elif options.spec:
        spec = read_spec(options.spec)
        if spec.name != options.name:
            cure = f'write name = "{options.name}", or call it: tilewright new {spec.name}'
            raise SpecError(str(spec.path), spec.place.of("name"), f"the spec is of {spec.name}", cure)
    else:
        spec = template_spec(options.name)
    created = create_operation(spec, options.dir, stubs=options.kernels == "stubs")
    if options.json:
        json.dump(_as_json(created, kept), sys.stdout, indent=2)
        print()
    else:
        print("\n".join(_report(created, kept, options)))
    return 0


def _as_json(created: Created, kept: tuple[str, ...]) -> dict[str, object]:
    return {
        "operation": created.spec.name,
        "directory": str(created.directory),
        "files": [str(path) for path in created.files],
        "kept": list(kept),
        "notes": list(created.notes),
    }


def _report(created: Created, kept: tuple[str, ...], options: argparse.Namespace) -> list[str]:
    lines = [str(path) for path in created.files]
    if kept:
        lines += ["", f"kept from {created.spec.like}:"]
        lines += [
            row for line in kept for row in textwrap.wrap(line, 78, initial_indent="  ", subsequent_indent="    ")
        ]
    for note in created.notes:
        lines += ["", *textwrap.wrap(note, 78)]
    lines += ["", f"Next: tilewright stages {created.directory}"]
    if options.kernels == "stubs":
        lines += ["Stages 1 to 6 pass with stubs; stage 7 passes when kernels.py computes."]
    return lines
