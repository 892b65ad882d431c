# SPDX-License-Identifier: Apache-2.0
"""Compile every single-chip kernel of a ttnn package and report what is missing: ``python -m tools.survey``."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from tilewright._build.compiler import Compiler, available_compilers, find_compiler
from tilewright._cli.progress_line import ProgressLine
from tilewright._errors import CompilerNotFoundError, TilewrightError
from tools.survey.inventory import CORE, MULTI_CHIP, QUASAR, Kernel, find_kernels, package_root
from tools.survey.report import CompilerReport, as_json, failure_lines, family_table, summary_line
from tools.survey.source_text import SourceTree
from tools.survey.verdict import CRASHED, PASSED, Verdict, judge
from tools.ttnn_wheel import fetch_wheel

_FAMILIES = {"g++": "gcc", "clang++": "clang", "zig": "zig"}


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.survey",
        description="Compile every single-chip kernel of a ttnn package, with made-up arguments and defines, and "
        "report how many compile and what is missing for the rest.",
    )
    parser.add_argument(
        "package", nargs="?", type=Path, help="root of a ttnn package or tt-metal tree (default: the published wheel)"
    )
    parser.add_argument(
        "--compiler",
        action="append",
        choices=sorted(_FAMILIES),
        help="compiler to use; may be repeated (default: the one kernels are compiled with, and where it crashes, "
        "the next)",
    )
    parser.add_argument("--only", metavar="REGEX", default="", help="only kernels whose path matches")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="compile N kernels side by side (default 1)")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--list-failures", action="store_true", help="name every kernel that does not compile")
    return parser


def _compilers(names: Sequence[str] | None) -> list[Compiler]:
    if not names:
        return [find_compiler()]
    chosen = []
    for name in names:
        usable = [compiler for compiler in available_compilers() if compiler.family == _FAMILIES[name]]
        if not usable:
            raise CompilerNotFoundError(
                f"--compiler {name}: not found here; there is {', '.join(map(str, available_compilers())) or 'none'}"
            )
        chosen.append(usable[0])
    return chosen


def _judge_with_rescue(kernel: Kernel, tree: SourceTree, compiler: Compiler, others: Sequence[Compiler]) -> Verdict:
    """As a launch does: where the compiler crashes, the next one gets the kernel."""
    verdict = judge(kernel, tree, compiler)
    if verdict.status == CRASHED:
        for other in others:
            if judge(kernel, tree, other).status == PASSED:
                return dataclasses.replace(verdict, passed_with=other.family)
    return verdict


def _survey(kernels: Sequence[Kernel], tree: SourceTree, compiler: Compiler, jobs: int) -> CompilerReport:
    others = [other for other in available_compilers() if other != compiler]
    verdicts: dict[Kernel, Verdict] = {}
    counts: collections.Counter[str] = collections.Counter()
    with ProgressLine() as progress, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        pending = {pool.submit(_judge_with_rescue, kernel, tree, compiler, others): kernel for kernel in kernels}
        try:
            for future in concurrent.futures.as_completed(pending):
                verdict = future.result()
                verdicts[verdict.kernel] = verdict
                counts[verdict.status] += 1
                name = verdict.kernel.relative.rsplit("/", 1)[-1]
                progress.show(f"{len(verdicts)}/{len(kernels)}  {counts[PASSED]} compile  {name}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return CompilerReport(compiler, tuple(verdicts[kernel] for kernel in kernels))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error(f"--jobs is {options.jobs}; it must be at least 1")
    try:
        only = re.compile(options.only)
    except re.error as error:
        parser.error(f"--only is {options.only!r}, not a regular expression: {error}")
    compilers = _compilers(options.compiler)
    root = package_root(options.package) if options.package is not None else fetch_wheel()
    kernels = find_kernels(root)
    scopes = {scope: sum(kernel.scope == scope for kernel in kernels) for scope in (CORE, QUASAR, MULTI_CHIP)}
    chosen = [kernel for kernel in kernels if kernel.scope == CORE and only.search(kernel.relative)]
    tree = SourceTree(root)
    reports = [_survey(chosen, tree, compiler, options.jobs) for compiler in compilers]
    if options.json:
        print(json.dumps(as_json(reports, scopes), indent=2))
    else:
        _print(reports, scopes, options.list_failures)


def _print(reports: Sequence[CompilerReport], scopes: dict[str, int], list_failures: bool) -> None:
    print(
        f"{sum(scopes.values())} kernels: {scopes[CORE]} for a single chip, "
        f"{scopes[QUASAR]} for Quasar and {scopes[MULTI_CHIP]} for several chips (not surveyed)"
    )
    for report in reports:
        print(f"\n{summary_line(report)}\n\n{family_table(report)}")
        lines = failure_lines(report, list_failures)
        if lines:
            print("\nfirst missing name or first error, and how many kernels it stops:")
            print("\n".join(lines))


if __name__ == "__main__":
    try:
        main()
    except TilewrightError as error:
        sys.exit(f"tools.survey: {error}")
