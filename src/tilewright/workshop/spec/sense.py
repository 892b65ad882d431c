# SPDX-License-Identifier: Apache-2.0
"""Whether a spec makes sense, before anything is made of it. docs/workshop.md lists the rules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tilewright.kernels.phases import Region
from tilewright.ops.plan import Buffer, PageCount, PageKind, Strategy, make_plan
from tilewright.ops.row_split import Rows
from tilewright.ops.validation import OperationError
from tilewright.tensor.arch import ARCHS
from tilewright.tensor.dtype import DataType
from tilewright.tensor.paper_device import paper_device
from tilewright.workshop.spec.calls import Call, readers_of, resolve_calls, writers_of
from tilewright.workshop.spec.expressions import ExpressionError, page_count
from tilewright.workshop.spec.findings import Finding, SpecRefusedError, did_you_mean
from tilewright.workshop.spec.model import PERSISTENT, STREAMING, BufferSpec, Entry, Spec
from tilewright.workshop.spec.page_traffic import traffic_findings
from tilewright.workshop.spec.reading import PROPERTIES, read_spec
from tilewright.workshop.spec.regions import region_findings
from tilewright.workshop.spec.schedule import pops, resident_schedule
from tilewright.workshop.spec.streaming import NotStreamableError, streaming_schedule

WORK_COUNT = "N*C*Ht"
NUM_CIRCULAR_BUFFERS = 32
DTYPES = {"bfloat16": DataType.BFLOAT16, "float32": DataType.FLOAT32}
# Names that the generated files have for other things.
RESERVED = ("cb", "phases", "stub", "x", "np", "epsilon", "block", "compute_rows", "read_rows", "write_rows", "Buffers")
_MOVES = ("tilize", "tilize_sticks", "untilize", "untilize_sticks", "copy")


def checked_spec(path: Path | str) -> Spec:
    """A spec that can be read and makes sense.

    Raises:
        SpecError: it cannot, or does not; the message has every finding with its line and cure.
    """
    spec = read_spec(path)
    findings = check_spec(spec)
    if findings:
        raise SpecRefusedError(str(spec.path), findings, spec.text.splitlines())
    return spec


def check_spec(spec: Spec) -> list[Finding]:
    """Everything about a spec that makes no sense, in the order of the lines; empty if nothing."""
    calls, findings = resolve_calls(spec)
    findings += [*_names(spec), *_requirements(spec), *_parameters(spec), *_pages(spec)]
    findings += [*_lifetimes(spec, calls), *_work(spec), *_tests(spec), *_references(spec)]
    if len(calls) == len(spec.phases):
        findings += [*_ends(spec, calls), *_holds(spec, calls), *_page_kinds(spec, calls), *_formats(spec, calls)]
        findings += [*region_findings(spec, calls)]
    if not findings:
        # These need all the above to be right.
        counts = {each.name: page_count(each.pages) for each in spec.buffers}
        findings += traffic_findings(spec, calls, resident_schedule(spec, calls), counts)
        findings += [*_passes(spec, calls), *_fits_l1(spec, calls)]
    return sorted(findings, key=lambda each: each.line)


def plan_buffers(spec: Spec, calls: Sequence[Call] | None = None) -> tuple[Buffer, ...]:
    """The buffers as an operation's program has them."""
    resolved = resolve_calls(spec)[0] if calls is None else list(calls)
    return tuple(
        Buffer(
            each.index,
            each.name,
            page_count(each.pages),
            each.purpose,
            DTYPES.get(each.format),
            PageKind(each.page),
            is_only_moved(resolved, each.name),
        )
        for each in spec.buffers
    )


def is_only_moved(calls: Sequence[Call], buffer: str) -> bool:
    """Whether compute kernels only copy, tilize or untilize what is in a buffer."""
    readers = [each.function for each in readers_of(list(calls), buffer)]
    return bool(readers) and all(each in _MOVES for each in readers)


# Names and numbers ----------------------------------------------------------------------------------------------------


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
    taken = {*RESERVED, *spec.operands, spec.name}
    for phase in spec.phases:
        if phase.name in taken:
            cause = f"{phase.name} is the name of something else in the generated files"
            yield Finding("unique-names", phase.place.of("name"), cause, "give the phase another name")
    if not spec.name.islower():
        cause = f"{spec.name} is not in lower case"
        yield Finding("unique-names", spec.place.of("name"), cause, "operations are named like variance_w_rm")


def _unique(rule: str, key: str, entries: Iterable[Entry], show: object = str) -> Iterator[Finding]:
    seen: dict[object, int] = {}
    for entry in entries:
        value, line = getattr(entry, key), entry.place.of(key)
        if value in seen:
            shown = show(value) if callable(show) else value
            yield Finding(rule, line, f"{shown} is taken (line {seen[value]})", f"give each {key} once")
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


def _unknown_names(tree: ast.AST, known: set[str]) -> list[str]:
    names = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
    bound = {each.id for each in names if isinstance(each.ctx, ast.Store)}
    builtin = {"range", "len", "abs", "min", "max", "sum"}
    return sorted({each.id for each in names} - bound - known - builtin)


# Buffers and who uses them --------------------------------------------------------------------------------------------


def _ends(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    """One kernel fills a buffer, one empties it, as the phases' calls say."""
    for buffer in spec.buffers:
        writers = [each.phase for each in writers_of(calls, buffer.name)]
        readers = [each.phase for each in readers_of(calls, buffer.name)]
        for key, rule, kernel, used, verb, outside in (
            ("producer", "one-producer", buffer.producer, writers, "pushes", "reader"),
            ("consumer", "one-consumer", buffer.consumer, readers, "reads", "writer"),
        ):
            line = buffer.place.of(key)
            if kernel == "compute" and not used:
                cause = f"{buffer.name} has no {key}: no phase {verb} it"
                yield Finding(rule, line, cause, f"add a phase that {verb} it, or remove the buffer")
            elif kernel not in ("compute", outside):
                cause = f"the {kernel} cannot be the {key} of {buffer.name}"
                yield Finding(rule, line, cause, f'write {key} = "compute" or "{outside}"')
            elif kernel != "compute" and used:
                cause = f"{buffer.name} has two {key}s: the {kernel}, and phase {used[0].name} of the compute kernel"
                cure = f'write {key} = "compute", or give phase {used[0].name} a buffer of its own'
                yield Finding(rule, line, cause, cure)


def _holds(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    known = ["input", "scaler", *spec.operands]
    held: dict[str, BufferSpec] = {}
    for buffer in spec.buffers:
        line = buffer.place.of("holds")
        if buffer.producer != "reader":
            if buffer.holds:
                cause = f"{buffer.name} is filled by the {buffer.producer}, so the reader puts nothing in"
                yield Finding("reader-fills", line, cause, "leave `holds` out")
        elif buffer.holds not in known:
            cause = f"{buffer.name} comes from the reader and does not say what it holds"
            if buffer.holds:
                cause = f"{buffer.name} holds {buffer.holds}, which is nothing{did_you_mean(buffer.holds, known)}"
            yield Finding("reader-fills", line, cause, f"write holds = one of {', '.join(known)}")
        elif buffer.holds in held:
            cause = f"{buffer.holds} is in {held[buffer.holds].name} already"
            yield Finding("reader-fills", line, cause, "hold it in one buffer, and keep it there")
        held.setdefault(buffer.holds, buffer)
    for name in known:
        if name not in held and name != "scaler":
            cause = f"no buffer holds {name}, so that no kernel ever sees it"
            cure = f'add a [[buffer]] with producer = "reader" and holds = "{name}"'
            yield Finding("reader-fills", spec.operands.get(name, spec.buffers[0]).place.line, cause, cure)
    results = [each for each in spec.buffers if each.consumer == "writer"]
    if len(results) != 1:
        cause = f"the writer empties {', '.join(each.name for each in results) or 'no buffer'}"
        line = results[1].place.of("consumer") if results else spec.output.place.line
        yield Finding("one-consumer", line, cause, 'write consumer = "writer" for one buffer, the result\'s rows')


def _lifetimes(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    by_name = {each.name: each for each in spec.phases}
    for buffer in spec.buffers:
        line = buffer.place.of("lifetime")
        readers = [each.phase for each in readers_of(calls, buffer.name)]
        if buffer.kept_until and buffer.kept_until not in by_name:
            cause = f"{buffer.name} is kept until {buffer.kept_until}, which is no phase"
            cure = f"phases there are: {', '.join(by_name)}{did_you_mean(buffer.kept_until, by_name)}"
            yield Finding("lifetime", line, cause, cure)
        elif not buffer.kept_until and buffer.lifetime not in (PERSISTENT, STREAMING):
            hint = did_you_mean(buffer.lifetime, (PERSISTENT, STREAMING))
            cause = f"lifetime = {buffer.lifetime} of {buffer.name} means nothing{hint}"
            yield Finding("lifetime", line, cause, "write streaming, persistent, or kept until <phase>")
        elif buffer.lifetime == STREAMING and len(readers) > 1:
            names = " and ".join(each.name for each in readers)
            cause = f"{buffer.name} is read by {names}, so its pages stay after the first"
            yield Finding("lifetime", line, cause, f'write lifetime = "kept until {readers[-1].name}"')
        elif buffer.kept_until and readers and readers[-1].name != buffer.kept_until:
            cause = f"{buffer.name} is kept until {buffer.kept_until}, and phase {readers[-1].name} reads it last"
            yield Finding("lifetime", line, cause, f'write lifetime = "kept until {readers[-1].name}"')
        elif buffer.lifetime == PERSISTENT:
            yield from _persistent(buffer, calls)


def _persistent(buffer: BufferSpec, calls: list[Call]) -> Iterator[Finding]:
    line = buffer.place.of("lifetime")
    for call in readers_of(calls, buffer.name):
        if pops(call, buffer.name):
            cause = f"{buffer.name} is persistent, and phase {call.phase.name} pops it"
            yield Finding("lifetime", line, cause, f"keep it in line {call.phase.place.of('call')}")
    for call in writers_of(calls, buffer.name):
        if not call.phase.once:
            cause = f"{buffer.name} is persistent, and phase {call.phase.name} fills it for every tile-row"
            yield Finding("lifetime", line, cause, f"write once = true for {call.phase.name}, or let it be streaming")


def _page_kinds(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    for buffer in spec.buffers:
        for call in calls:
            for cb in call.parameters_of(buffer.name):
                if cb in (*call.contract.needs, *call.contract.gives):
                    wanted = "stick" if _takes_sticks(call, cb) else "tile"
                    if wanted != buffer.page:
                        cause = (
                            f"phase {call.phase.name} counts pages of {buffer.name} as {wanted}s, not {buffer.page}s"
                        )
                        cure = f'write page = "{wanted}", or call the phase {_twin(call.function)}'
                        yield Finding("page-kind", buffer.place.of("page"), cause, cure)


def _takes_sticks(call: Call, cb: str) -> bool:
    region = call.contract.needs.get(cb) or call.contract.gives[cb]
    count = call.contract.waits.get(cb) or call.contract.pushes[cb]
    return region is Region.ROWS and count == "32"


def _twin(function: str) -> str:
    return function.removesuffix("_sticks") if function.endswith("_sticks") else f"{function}_sticks"


def _formats(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    for call in calls:
        if call.function == "accumulate_row_mean":
            buffer = spec.buffer(call.buffers["cb_out"])
            if buffer.format != "float32":
                cause = f"the packer adds blocks in the format of {buffer.name}, {buffer.format}"
                yield Finding("sum-is-float32", buffer.place.of("format"), cause, 'write format = "float32"')


# L1 -------------------------------------------------------------------------------------------------------------------


def _passes(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    if spec.work.passes == 0 or any(each.library is None for each in calls):
        return  # rows are never streamed, or by a kernel that has still to be written
    try:
        streaming = streaming_schedule(spec, calls)
    except NotStreamableError as error:
        cause, cure = f"a streamed row cannot follow from these phases: {error}", "leave `passes` out"
    else:
        if streaming.passes == spec.work.passes:
            counts = {each.name: page_count(each.pages) for each in spec.buffers}
            yield from traffic_findings(spec, calls, streaming.schedule, counts, is_streaming=True)
            return
        cause = f"a streamed row is read {streaming.passes} times by these phases, not {spec.work.passes}"
        cure = f"write passes = {streaming.passes}"
    yield Finding("passes", spec.work.place.of("passes"), cause, cure)


def _fits_l1(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    buffers = plan_buffers(spec, calls)
    strategy = None if spec.work.passes else Strategy.RESIDENT
    for test in spec.tests:
        for arch in ARCHS:
            device = paper_device(arch)
            budget = device.l1_end - device.description.l1_unreserved_base
            rows = Rows(test.shape, DTYPES[test.dtype])
            try:
                make_plan(spec.name, buffers, rows, device.compute_with_storage_grid_size(), budget, strategy)
            except OperationError as error:
                needs = str(error).partition(":\n")[0].partition(": ")[2]
                cause = f"test {test.name} does not fit L1 of {arch}: {needs}; buffers take {formula(buffers)}"
                cure = "test a narrower row, give buffers fewer pages, or let wide rows stream ([work] passes)"
                yield Finding("fits-l1", test.place.of("shape"), cause, cure)
                break


def formula(buffers: Sequence[Buffer]) -> str:
    """What the buffers take, in pages: ``5*Wt + 4*B + 7 pages``."""
    total = PageCount(
        per_row=sum(each.count.per_row for each in buffers),
        per_block=sum(each.count.per_block for each in buffers),
        fixed=sum(each.count.fixed for each in buffers),
    )
    return f"{total.formula('Wt', 'B', False)} pages"
