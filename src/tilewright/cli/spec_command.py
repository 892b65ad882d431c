# SPDX-License-Identifier: Apache-2.0
"""``tilewright spec``: specifications to begin with, and whether they make sense before anything is made of them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tilewright.cli.command_parser import CommandParser
from tilewright.workshop.scaffold import derived_spec
from tilewright.workshop.scaffold.package import check_name, template_spec
from tilewright.workshop.spec import Finding, SpecError, check_spec, finding_lines, read_spec


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "spec",
        "Specifications of operations: print one to begin with, or check some for sense.",
        """
        tilewright spec template my_op > spec.toml
        tilewright spec template my_op --like variance_w_rm > spec.toml
        tilewright spec check spec.toml
        """,
    )
    actions = parser.add_subparsers(
        dest="action", metavar="action", required=True, parser_class=argparse.ArgumentParser
    )
    check = actions.add_parser(
        "check",
        help="say what makes no sense, with line, cause and cure",
        description="Say what makes no sense in specs, as a compiler does: file, line, rule, cause, cure. "
        "Exit status 1 if there is anything.",
        epilog="example: tilewright spec check my_op/spec.toml",
    )
    check.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a spec.toml, or a directory that has one")
    check.add_argument("--json", action="store_true", help="print findings as JSON")
    template = actions.add_parser(
        "template",
        help="print a spec to begin with",
        description="Print a spec to begin with: a small commented one, or that of an existing operation.",
        epilog="example: tilewright spec template my_op --like variance_w_rm > spec.toml",
    )
    template.add_argument("name", metavar="NAME", help="of the operation, such as rms_norm_w_rm")
    template.add_argument("--like", metavar="OPERATION", help="an operation of tilewright, or a directory with a spec")
    return parser


def run(arguments: list[str]) -> int:
    options = build_parser().parse_args(arguments)
    return _template(options) if options.action == "template" else _check(options)


def _template(options: argparse.Namespace) -> int:
    check_name(options.name)
    spec = derived_spec(options.name, options.like)[0] if options.like else template_spec(options.name)
    print(spec.text, end="")
    return 0


def _check(options: argparse.Namespace) -> int:
    found: list[tuple[Path, tuple[Finding, ...], list[str]]] = []
    for file in options.files:
        path = file / "spec.toml" if file.is_dir() else file
        try:
            spec = read_spec(path)
            found.append((path, tuple(check_spec(spec)), spec.text.splitlines()))
        except SpecError as error:
            source = path.read_text(errors="replace").splitlines() if path.is_file() else []
            found.append((path, error.findings, source))
    if options.json:
        entries = [{"file": str(path), **each.as_json()} for path, findings, _ in found for each in findings]
        json.dump(entries, sys.stdout, indent=2)
        print()
    else:
        for path, findings, source in found:
            print("\n".join(finding_lines(str(path), findings, source) or [f"{path}: makes sense"]))
    return 1 if any(findings for _, findings, _ in found) else 0
