# SPDX-License-Identifier: Apache-2.0
"""Whether a spec makes sense, before anything is made of it. docs/workshop.md lists the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright.ops.plan import Buffer, PageCount, PageKind, Strategy, make_plan
from tilewright.ops.row_split import Rows
from tilewright.ops.validation import OperationError
from tilewright.tensor.arch import ARCHS
from tilewright.tensor.dtype import DataType
from tilewright.tensor.paper_device import paper_device
from tilewright.workshop.spec.buffer_rules import buffer_findings, lifetime_findings
from tilewright.workshop.spec.calls import Call, readers_of, resolve_calls
from tilewright.workshop.spec.entry_rules import entry_findings
from tilewright.workshop.spec.expressions import page_count
from tilewright.workshop.spec.findings import Finding, SpecRefusedError
from tilewright.workshop.spec.model import Spec
from tilewright.workshop.spec.page_traffic import traffic_findings
from tilewright.workshop.spec.reading import read_spec
from tilewright.workshop.spec.regions import region_findings
from tilewright.workshop.spec.schedule import resident_schedule
from tilewright.workshop.spec.streaming import NotStreamableError, streaming_schedule

DTYPES = {"bfloat16": DataType.BFLOAT16, "float32": DataType.FLOAT32}
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
    findings += [*entry_findings(spec), *lifetime_findings(spec, calls)]
    if len(calls) == len(spec.phases):
        findings += [*buffer_findings(spec, calls), *region_findings(spec, calls)]
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


# L1 -------------------------------------------------------------------------------------------------------------------


def _passes(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    if spec.work.passes == 0 or any(each.library is None for each in calls):
        return  # rows are never streamed, or by a kernel that has still to be written
    try:
        streaming = streaming_schedule(spec, calls)
    except NotStreamableError as error:
        cause, cure = f"a streamed row cannot follow from these phases: {error}", error.cure
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
