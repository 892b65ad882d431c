# SPDX-License-Identifier: Apache-2.0
"""Which part of each page holds data, phase by phase: whether a broadcast finds its row, column or element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilewright.kernels.phases import Region
from tilewright.workshop.spec.calls import Call
from tilewright.workshop.spec.findings import Finding
from tilewright.workshop.spec.model import BufferSpec, Spec

_BROADCASTS = {
    Region.COLUMN_0: "a _bcast_cols phase spreads column 0, which is where row sums and means are",
    Region.ROW_0: "a _bcast_rows phase spreads row 0",
    Region.ELEMENT: "a _bcast_scalar phase spreads element [0,0]",
}


def region_findings(spec: Spec, calls: Sequence[Call]) -> Iterator[Finding]:
    """Phases that read a part of a page where there is nothing, and buffers that mix tiles and rows."""
    held = {each.name: region_of_reader(spec, each) for each in spec.buffers if each.producer == "reader"}
    pushed: dict[str, tuple[Region, str]] = {}
    for call in calls:
        operands = {each: held.get(call.buffers[each], Region.TILE) for each in call.contract.needs}
        finding = _operand_finding(call, operands)
        if finding is not None:
            yield finding
            operands = {each: Region.TILE if need is Region.ANY else need for each, need in call.contract.needs.items()}
        for parameter, region in call.contract.regions(**operands).items():
            name = call.buffers[parameter]
            before = pushed.setdefault(name, (region, call.phase.name))
            if (before[0] is Region.ROWS) != (region is Region.ROWS):
                yield _mixed(call, name, before[1])
            held[name] = region
    for buffer in spec.buffers:
        if buffer.consumer == "writer" and buffer.name in pushed and pushed[buffer.name][0] is not Region.ROWS:
            by = pushed[buffer.name][1]
            yield Finding(
                "rows-or-tiles",
                buffer.place.of("consumer"),
                f"{buffer.name} is filled with tiles by phase {by}, and the writer takes its pages as rows",
                f"untilize what {by} gives into {buffer.name}, from a buffer of its own",
            )


def region_of_reader(spec: Spec, buffer: BufferSpec) -> Region:
    """Where the pages hold data that the reader fills."""
    if buffer.holds == "scaler":
        return Region.SCALER
    if any(each.name == buffer.holds for each in spec.parameters):
        return Region.TILE
    return Region.ROWS if spec.staging_of(buffer) is None else Region.ROW_0


def _operand_finding(call: Call, operands: dict[str, Region]) -> Finding | None:
    line = call.phase.place.of("call")
    for parameter, needed in call.contract.needs.items():
        given, name = operands[parameter], call.buffers[parameter]
        if given is Region.SCALER and needed not in (Region.SCALER, Region.ELEMENT):
            return Finding(
                "scaler-is-no-operand",
                line,
                f"phase {call.phase.name} takes {name} as an operand, and a scaler tile holds its value in row 0 of "
                "each face only: rows 0 and 16 would see it",
                "let the reader fill a tile of its own (holds = a parameter) and spread it with a _bcast_scalar phase",
            )
        if (given is Region.ROWS) != (needed is Region.ROWS):
            has, wants = ("rows", "tiles") if given is Region.ROWS else ("tiles", "rows")
            cure = f"tilize {name} into another buffer first" if has == "rows" else "untilize takes tiles, tilize rows"
            cause = f"phase {call.phase.name} takes {name} as {wants}, and it holds {has}"
            return Finding("rows-or-tiles", line, cause, cure)
        if not given.holds(needed) or (needed is Region.ELEMENT and given in (Region.COLUMN_0, Region.ROW_0)):
            return Finding(
                "broadcast-fits-region",
                line,
                f"phase {call.phase.name} takes {needed.value} of {name}, which has its data in {given.value}",
                _BROADCASTS.get(given, f"give it a buffer with data in {needed.value}"),
            )
    return None


def _mixed(call: Call, name: str, other: str) -> Finding:
    return Finding(
        "rows-or-tiles",
        call.phase.place.of("call"),
        f"{name} gets tiles from one phase and rows from another: {other} and {call.phase.name}",
        "give each its own buffer: whoever reads the pages cannot tell them apart",
    )
