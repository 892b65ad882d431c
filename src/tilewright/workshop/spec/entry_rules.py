# SPDX-License-Identifier: Apache-2.0
"""Rules about single entries of a spec: names, texts, numbers, tolerances, references."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tilewright.kernels.cpp_text import CPP_WORDS
from tilewright.workshop.spec.expressions import ExpressionError, page_count
from tilewright.workshop.spec.findings import Finding, did_you_mean
from tilewright.workshop.spec.model import Entry, Spec
from tilewright.workshop.spec.reading import PROPERTIES

WORK_COUNT = "N*C*Ht"
NUM_CIRCULAR_BUFFERS = 32
# Names that the generated files have for other things: parameters of the operation and of its kernels, what these
# call, and numbers of the phases.
RESERVED = frozenset((
    "self", "x", "input_tensor", "epsilon", "output", "memory_config", "compute_kernel_config", "core_grid", "device",
    "dtype", "options", "values", "vectors", "tensors", "references", "check_input", "check_vector", "np",
    "cb", "Buffers", "phases", "stub", "pass_through", "phase", "Region", "min", "range", "uint32", "CB",
    "CircularBuffers", "CompileTimeArg", "RuntimeArg", "TensorArg", "TILE_ROWS",
    "reader_kernel", "compute_kernel", "writer_kernel", "compute_kernel_hw_startup", "cb_pop_front", "cb_wait_front",
    "read_rows", "read_rows_streaming", "compute_rows", "compute_rows_streaming", "write_rows",
    "fill_constant_tile", "fill_row_scaler", "read_blocks", "read_sticks", "read_vector", "read_vector_row",
    "write_blocks", "write_sticks",
    "first_stick", "num_sticks", "epsilon_bits", "stick_bytes", "block_bytes", "block_tiles", "last_tile_columns",
    "num_tile_rows", "width_tiles", "num_blocks", "last_block_tiles", "inverse_width_bits", "mean_factor_bits",
    "block", "stick", "rows", "offset", "num_bytes", "end", "partial", "Wt", "B",
))  # fmt: skip


def entry_findings(spec: Spec) -> Iterator[Finding]:
    """What makes no sense by itself."""
    yield from _names(spec)
    yield from _requirements(spec)
    yield from _parameters(spec)
    yield from _pages(spec)
    yield from _work(spec)
    yield from _tests(spec)
    yield from _references(spec)


def _names(spec: Spec) -> Iterator[Finding]:
    for buffer in spec.buffers:
        if not 0 <= buffer.index < NUM_CIRCULAR_BUFFERS:
            cause = f"c_{buffer.index} does not exist"
            yield Finding("buffer-index", buffer.place.of("index"), cause, "circular buffers are c_0 to c_31")
    yield from _unique("buffer-index", "index", spec.buffers, lambda index: f"c_{index}")
    yield from _unique("unique-names", "name", spec.buffers)
    yield from _unique("unique-names", "name", spec.phases)
    yield from _unique("unique-names", "name", spec.vectors)
    yield from _unique("unique-names", "name", spec.tests)
    taken = {*RESERVED, *CPP_WORDS, spec.name}
    for kind, entries, names in (
        ("phase", spec.phases, taken | set(spec.operands)),
        ("vector", spec.vectors, taken),
    ):
        for entry in entries:
            if entry.name in names:
                cause = f"{entry.name} is the name of something else in the generated files"
                yield Finding("unique-names", entry.place.of("name"), cause, f"give the {kind} another name")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", spec.name) or keyword.iskeyword(spec.name):
        cause = f"{spec.name} cannot be the name of a package: lower-case letters, digits and underscores can"
        yield Finding("unique-names", spec.place.of("name"), cause, "operations are named like variance_w_rm")


def _unique(rule: str, key: str, entries: Iterable[Entry], show: Callable[[Any], str] = str) -> Iterator[Finding]:
    seen: dict[object, int] = {}
    for entry in entries:
        value, line = getattr(entry, key), entry.place.of(key)
        if value in seen:
            yield Finding(rule, line, f"{show(value)} is taken (line {seen[value]})", f"give each {key} once")
        seen.setdefault(value, line)


def _requirements(spec: Spec) -> Iterator[Finding]:
    yield from _unique("requirement-text", "property", spec.requirements)
    for row in spec.requirements:
        if not row.error.strip():
            cause = f"the requirement of {row.property} has no error text"
            yield Finding("requirement-text", row.place.line, cause, 'write error = "what a caller is told"')
        elif row.error.count("{}") > (1 if row.property in ("rank", "dtype", "width") else 0):
            cause = f"the error text of {row.property} has too many places for values: {row.error}"
            cure = "rank, dtype and width may have one {}; what was given is added to the others"
            yield Finding("requirement-text", row.place.of("error"), cause, cure)
    missing = [each for each in PROPERTIES if each not in {row.property for row in spec.requirements}]
    if missing:
        cause = f"no [[requirement]] for {', '.join(missing)}"
        cure = "say what the input must be and what a caller is told who gives something else"
        yield Finding("requirement-text", spec.place.line, cause, cure)


def _parameters(spec: Spec) -> Iterator[Finding]:
    for parameter in spec.parameters:
        if parameter.name != "epsilon":
            cause = f"{parameter.name} is a parameter that row-wise operations do not have"
            cure = "epsilon is the one number a kernel gets; make others vectors, or constants of a phase"
            yield Finding("parameter-known", parameter.place.line, cause, cure)
        elif parameter.default <= 0:
            cause = f"epsilon = {parameter.default} is not positive"
            yield Finding("parameter-known", parameter.place.of("default"), cause, "write a default above 0: 1e-5")
        elif not parameter.error.startswith("Epsilon must be positive"):
            cause = "every operation words this refusal alike"
            cure = 'write error = "Epsilon must be positive, got {}"'
            yield Finding("parameter-known", parameter.place.of("error"), cause, cure)


def _pages(spec: Spec) -> Iterator[Finding]:
    for buffer in spec.buffers:
        try:
            page_count(buffer.pages)
        except ExpressionError as error:
            cure = "write a sum of Wt (tiles of a row), B (tiles of a block), partial (0 or 1) and numbers: 2*B"
            yield Finding("page-count", buffer.place.of("pages"), f"pages of {buffer.name}: {error}", cure)


def _work(spec: Spec) -> Iterator[Finding]:
    count = spec.work.count.replace(" ", "")
    if count == WORK_COUNT:
        return
    cause = f"{spec.work.count} is not the number of tile-rows"
    if count == "Ht":
        cause = "Ht counts the tile-rows of one matrix: those of all others would not be computed"
    yield Finding("work-count", spec.work.place.of("count"), cause, f'write count = "{WORK_COUNT}"')


def _tests(spec: Spec) -> Iterator[Finding]:
    for test in spec.tests:
        if not test.why.strip():
            cause = f"test {test.name} does not say where its tolerance comes from"
            yield Finding("tolerance-has-reason", test.place.line, cause, 'write why = "..."')
        if (test.bound is None) == (test.rtol is None and test.atol is None):
            cause = f"test {test.name} has no tolerance" if test.bound is None else f"test {test.name} has two"
            cure = "write bound (of max(1, |y|)), or rtol and atol"
            yield Finding("tolerance-has-reason", test.place.line, cause, cure)
        for key in ("bound", "rtol", "atol"):
            if (getattr(test, key) or 0) < 0:
                yield Finding("tolerance-has-reason", test.place.of(key), f"{key} is negative", "write 0 or more")


def _references(spec: Spec) -> Iterator[Finding]:
    yield from _torch(spec)
    known = {"x", "np", *spec.operands}
    for phase in spec.phases:
        line = phase.place.of("reference")
        try:
            tree = ast.parse(phase.reference, mode="eval")
        except SyntaxError:
            cure = 'write what its output holds: reference = "x - mean"'
            yield Finding("reference-known", line, f"`{phase.reference}` is no NumPy expression", cure)
            continue
        unknown = _unknown_names(tree, known)
        if unknown:
            hint = did_you_mean(unknown[0], known)
            cause = f"the reference of {phase.name} names {unknown[0]}{hint}"
            yield Finding("reference-known", line, cause, f"known here: {', '.join(sorted(known))}")
        known.add(phase.name)


def _torch(spec: Spec) -> Iterator[Finding]:
    """An exported package is tested against this expression."""
    known = {"x", "torch", *spec.operands}
    line = spec.place.of("torch")
    try:
        unknown = _unknown_names(ast.parse(spec.torch, mode="eval"), known)
    except SyntaxError:
        cure = 'write what the operation computes: torch = "x - x.mean(-1, keepdim=True)"'
        yield Finding("reference-known", line, f"`{spec.torch}` is no torch expression", cure)
        return
    if unknown:
        cause = f"the torch expression names {unknown[0]}{did_you_mean(unknown[0], known)}"
        yield Finding("reference-known", line, cause, f"known here: {', '.join(sorted(known))}")


def _unknown_names(tree: ast.AST, known: set[str]) -> list[str]:
    names = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
    bound = {each.id for each in names if isinstance(each.ctx, ast.Store)}
    builtin = {"range", "len", "abs", "min", "max", "sum"}
    return sorted({each.id for each in names} - bound - known - builtin)
