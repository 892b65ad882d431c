# SPDX-License-Identifier: Apache-2.0
"""Rules about buffers and the phases that use them: who fills and empties them, how long pages stay, what pages are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tilewright.kernels.phases import Region
from tilewright.workshop.spec.calls import Call, readers_of, writers_of
from tilewright.workshop.spec.expressions import evaluate
from tilewright.workshop.spec.findings import Finding, did_you_mean
from tilewright.workshop.spec.model import PERSISTENT, STREAMING, BufferSpec, Spec
from tilewright.workshop.spec.schedule import SAMPLE, pops


def buffer_findings(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    """What makes no sense about buffers, where every call could be resolved."""
    yield from _ends(spec, calls)
    yield from _holds(spec)
    yield from _page_kinds(spec, calls)
    yield from _blocks(spec, calls)
    yield from _once(calls)
    yield from _formats(spec, calls)
    yield from _padding(spec, calls)
    yield from _functions(calls)


def _ends(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    """One kernel fills a buffer, one empties it, as the phases' calls say."""
    for buffer in spec.buffers:
        writers = [each.phase for each in writers_of(calls, buffer.name)]
        readers = [each.phase for each in readers_of(calls, buffer.name)]
        if buffer.is_staging and not writers and not readers:
            continue
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


def _holds(spec: Spec) -> Iterator[Finding]:
    known = ["input", "scaler", *spec.operands]
    held: dict[str, BufferSpec] = {}
    for buffer in spec.buffers:
        line = buffer.place.of("holds")
        if buffer.is_staging:
            continue
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
    yield from _staging(spec, held)
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


def _staging(spec: Spec, held: Mapping[str, BufferSpec]) -> Iterator[Finding]:
    """A stick of the reader's own is there to make tiles of a vector, which then stay."""
    vectors = {each.name for each in spec.vectors}
    for buffer in spec.buffers:
        if not buffer.is_staging:
            continue
        home = held.get(buffer.holds)
        if buffer.holds not in vectors or home is None:
            cause = f"{buffer.name} is the reader's own, and no other buffer gets what it holds"
            cure = 'write holds = a vector that another buffer holds as tiles, or consumer = "compute"'
            yield Finding("reader-fills", buffer.place.of("holds"), cause, cure)
        elif (home.page, home.lifetime) != ("tile", PERSISTENT):
            cause = f"the reader puts {buffer.holds} into row 0 of the tiles of {home.name} once, and they do not stay"
            cure = 'write page = "tile" and lifetime = "persistent"'
            yield Finding("lifetime", home.place.of("lifetime"), cause, cure)
        elif (buffer.page, buffer.pages) != ("stick", "1"):
            cause = f"{buffer.name} is the reader's own, where it keeps one stick"
            yield Finding("page-kind", buffer.place.of("page"), cause, 'write page = "stick" and pages = 1')


def lifetime_findings(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    """Lifetimes that mean nothing, or that the phases' calls contradict."""
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
        elif buffer.lifetime != PERSISTENT and (buffer.holds == "scaler" or buffer.holds in _numbers(spec)):
            cause = f"the reader fills {buffer.name} once, so its page must stay for every tile-row"
            yield Finding("lifetime", line, cause, 'write lifetime = "persistent"')
        elif buffer.lifetime == STREAMING and len(readers) > 1:
            names = " and ".join(each.name for each in readers)
            cause = f"{buffer.name} is read by {names}, so its pages stay after the first"
            yield Finding("lifetime", line, cause, f'write lifetime = "kept until {readers[-1].name}"')
        elif buffer.kept_until and readers and readers[-1].name != buffer.kept_until:
            cause = f"{buffer.name} is kept until {buffer.kept_until}, and phase {readers[-1].name} reads it last"
            yield Finding("lifetime", line, cause, f'write lifetime = "kept until {readers[-1].name}"')
        elif buffer.lifetime == PERSISTENT:
            yield from _persistent(buffer, calls)


def _numbers(spec: Spec) -> set[str]:
    return {each.name for each in spec.parameters}


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


def _padding(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    """A largest value has no scaler that leaves columns out: the zeros beside a row are values to it."""
    largest = [call.phase.name for call in calls if call.function == "reduce_row_max"]
    for test in spec.tests if largest else ():
        if test.shape[-1] % 32:
            cause = (
                f"rows of {test.shape[-1]} end inside a tile, and {largest[0]} takes the zeros beside them for values: "
                "the largest value of a negative row would be 0"
            )
            cure = "test widths of whole tiles, and say so in the requirement of width; or write a phase of your own"
            yield Finding("max-sees-padding", test.place.of("shape"), cause, cure)


def _blocks(spec: Spec, calls: list[Call]) -> Iterator[Finding]:
    """Rows come and go in blocks: whoever tilizes or untilizes them must take just these."""
    for call in calls:
        for parameter, region in (*call.contract.needs.items(), *call.contract.gives.items()):
            buffer = spec.buffer(call.buffers[parameter])
            if region is not Region.ROWS or "num_tiles" not in call.arguments:
                continue
            if buffer.producer != "reader" and buffer.consumer != "writer":
                continue
            is_column = buffer.consumer == "writer" and spec.output.is_column
            tiles = evaluate(call.arguments["num_tiles"], {**SAMPLE, "block": 0})
            line = call.phase.place.of("call")
            if is_column and (tiles != 1 or call.phase.each == "block"):
                cause = f"the output's rows have one element, and phase {call.phase.name} makes more than a tile"
                yield Finding("rows-in-blocks", line, cause, "untilize one tile for each tile-row: num_tiles 1")
            elif call.phase.once and buffer.holds == "input":
                cause = f"phase {call.phase.name} runs once, and the input comes for every tile-row"
                yield Finding("rows-in-blocks", line, cause, "leave `once` out")
            elif not is_column and (tiles != SAMPLE["B"] or call.phase.each != "block"):
                cause = f"rows of {buffer.name} are in blocks of B tiles, and phase {call.phase.name} takes others"
                yield Finding("rows-in-blocks", line, cause, 'write B for its tiles, and each = "block"')


def _once(calls: list[Call]) -> Iterator[Finding]:
    """The reader brings vectors block by block, beside each other: they must be taken in one loop."""
    once = [each for each in calls if each.phase.once]
    loops = [index for index, each in enumerate(once) if each.phase.each == "block"]
    for index, call in enumerate(once):
        if call.phase.each != "block" and loops and loops[0] < index < loops[-1]:
            cause = f"phase {call.phase.name} stands between phases that take blocks of vectors, one beside the other"
            yield Finding("rows-in-blocks", call.phase.place.line, cause, "put it before or after them")


def _functions(calls: list[Call]) -> Iterator[Finding]:
    names = {each.phase.name for each in calls if each.library is not None}
    for call in calls:
        if call.library is None and call.function in names:
            cause = f"{call.function} is to be written, and another phase has its name"
            yield Finding("unique-names", call.phase.place.of("call"), cause, "rename one of them")
