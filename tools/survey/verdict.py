# SPDX-License-Identifier: Apache-2.0
"""Compiles one kernel of a package and says how it went."""

from __future__ import annotations

import dataclasses
import re

from tilewright._build.compiler import Compiler
from tilewright._build.kernel_build import check_kernel
from tilewright._build.translation_unit import KernelSource
from tilewright._errors import CompilerCrashError, KernelCompileError
from tools.survey.inventory import Kernel
from tools.survey.plausible import fillable, plausible_sources, with_filler
from tools.survey.source_text import SourceTree

PASSED, FAILED, CRASHED = "passed", "failed", "compiler crashed"

_FILLER_ROUNDS = 8
_QUOTED = r"'(?:[\w:]*::)?(\w+)[^']*'"
_UNDECLARED = re.compile(
    rf"error: {_QUOTED} (?:was not declared|has not been declared)|use of undeclared identifier '(\w+)'"
)
# Ways the compilers say that a name is missing, most telling first.
_MISSING = tuple(
    re.compile(pattern)
    for pattern in (
        r"fatal error: ([^:\s]+): No such file",
        r"fatal error: '([^']+)' file not found",
        rf"error: {_QUOTED} (?:was not declared|has not been declared|is not a member|does not name)",
        r"error: .*has no member named '(\w+)",
        r"error: use of undeclared identifier '(\w+)'",
        r"error: no (?:member|template|type) named '(\w+)'",
        r"error: unknown type name '(\w+)'",
        r"error: no matching function for call to '(?:[\w:]*::)?(\w+)",
    )
)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How one kernel fared with one compiler.

    Attributes:
        status: ``"passed"``, ``"failed"`` or ``"compiler crashed"``.
        missing: the first name the compiler did not find, where its error names one.
        error: the compiler's first error.
        passed_with: another compiler that compiles a kernel on which this one crashed.
    """

    kernel: Kernel
    status: str
    missing: str = ""
    error: str = ""
    passed_with: str = ""


def judge(kernel: Kernel, tree: SourceTree, compiler: Compiler) -> Verdict:
    """Compiles the kernel with one made-up set of arguments after the other until one works, or the compiler crashes.

    A failure is reported as of the first set: later ones are further from what a host would pass.
    """
    verdicts = []
    for source in plausible_sources(kernel, tree):
        verdict = _try(kernel, source, tree, compiler)
        if verdict.status != FAILED:
            return verdict
        verdicts.append(verdict)
    return verdicts[0]


def _try(kernel: Kernel, source: KernelSource, tree: SourceTree, compiler: Compiler) -> Verdict:
    for _ in range(_FILLER_ROUNDS):
        try:
            check_kernel(source, compiler)
            return Verdict(kernel, PASSED)
        except CompilerCrashError as crash:
            return Verdict(kernel, CRASHED, error=str(crash))
        except KernelCompileError as error:
            output = error.output
        undeclared = [first or second for first, second in _UNDECLARED.findall(output)]
        filler = fillable(undeclared, source, tree)
        if not filler:
            break
        source = with_filler(source, dict.fromkeys(filler, "1"))
    return Verdict(kernel, FAILED, missing=missing_name(output), error=first_error(output))


def first_error(output: str) -> str:
    """The compiler's first error, without the place."""
    match = re.search(r"error: (.*)", output)
    return match.group(1).strip() if match else output.strip()[-200:]


def missing_name(output: str) -> str:
    """The name the first error says is missing, or ``""`` if it says something else."""
    line = next((line for line in output.splitlines() if "error: " in line), "")
    for pattern in _MISSING:
        match = pattern.search(line)
        if match:
            return match.group(1)
    return ""
