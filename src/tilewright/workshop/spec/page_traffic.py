# SPDX-License-Identifier: Apache-2.0
"""Pages on paper: the compute kernel's steps over rows of several widths, and where they would get stuck.

Within one kernel the order is fixed, so a wait for more pages than are there never ends. Buffers from the reader are
taken to be full and buffers for the writer to be empty; whether both move what compute moves is looked at apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from tilewright.ops.plan import PageCount
from tilewright.workshop.spec.calls import Call, readers_of
from tilewright.workshop.spec.findings import Finding
from tilewright.workshop.spec.model import BufferSpec, Spec
from tilewright.workshop.spec.schedule import BlockLoop, Release, Schedule, Step

# Tiles of a row, blocks, and whether W ends inside a tile.
_ROWS = ((1, 1, 0), (3, 1, 1), (4, 2, 0), (6, 3, 1))


def traffic_findings(
    spec: Spec, calls: Sequence[Call], schedule: Schedule, counts: Mapping[str, PageCount], is_streaming: bool = False
) -> list[Finding]:
    """What goes wrong with the pages of a tile-row; each thing once, with the first width that shows it.

    Args:
        is_streaming: the row's tiles are never in L1 at once, so that pages for a row are pages for a block.
    """
    found: dict[tuple[str, int, str], Finding] = {}
    for width_tiles, num_blocks, partial in _ROWS:
        row = {
            "Wt": width_tiles,
            "B": width_tiles // num_blocks,
            "num_blocks": num_blocks,
            "last_block_tiles": width_tiles // num_blocks,
            "partial": partial,
            "last_tile_columns": 20 if partial else 32,
            "inverse_width_bits": 0,
            "mean_factor_bits": 0,
        }
        row_tiles = row["B"] if is_streaming else row["Wt"]
        sizes = {name: count.pages(row_tiles, row["B"], bool(partial)) for name, count in counts.items()}
        for key, finding in _Pages(spec, list(calls), sizes, row, is_streaming).run(schedule):
            found.setdefault((finding.rule, finding.line, key), finding)
    return list(found.values())


@dataclasses.dataclass
class _State:
    """One buffer: its size, what is in it, and who took pages last."""

    buffer: BufferSpec
    capacity: int
    pages: int = 0
    popped_by: Call | None = None
    pages_pushed: int = 0
    pages_popped: int = 0


class _Pages:
    def __init__(
        self, spec: Spec, calls: list[Call], sizes: Mapping[str, int], row: Mapping[str, int], is_streaming: bool
    ) -> None:
        self._spec = spec
        self._is_streaming = is_streaming
        self._calls = calls
        self._row = row
        self._states = {each.name: _State(each, sizes[each.name]) for each in spec.buffers}
        self._found: list[tuple[str, Finding]] = []

    def run(self, schedule: Schedule) -> Iterator[tuple[str, Finding]]:
        self._sizes(schedule)
        if self._found or not self._steps(schedule.once):
            return iter(self._found)
        self._deliveries("once")
        before = {name: state.pages for name, state in self._states.items()}
        if self._steps(schedule.row):
            self._deliveries("row")
            self._balance(before)
        return iter(self._found)

    def _deliveries(self, section: str) -> None:
        """Whether compute takes what the reader brings and gives what the writer takes, before the rows and per row."""
        if self._is_streaming:
            return  # the reader of a streamed row follows from the passes
        for state in self._states.values():
            buffer = state.buffer
            if buffer.producer == "reader":
                when = {"input": "row", **{each.name: "once" for each in self._spec.vectors}}.get(buffer.holds)
                stays = buffer.is_staging or self._spec.staging_of(buffer) is not None
                brought = self._row_pages(buffer) if when == section and not stays else 0
                self._compare(state, state.pages_popped, brought, section)
            if buffer.consumer == "writer":
                taken = 1 if self._spec.output.is_column else self._row_pages(buffer)
                self._compare(state, state.pages_pushed, taken if section == "row" else 0, section)
            state.pages_popped = state.pages_pushed = 0

    def _row_pages(self, buffer: BufferSpec) -> int:
        return self._row["Wt"] if buffer.page == "tile" else 32 * self._row["num_blocks"]

    def _compare(self, state: _State, moved: int, expected: int, section: str) -> None:
        if moved == expected:
            return
        name, is_reader = state.buffer.name, state.buffer.producer == "reader"
        when = "for every tile-row" if section == "row" else "before the first tile-row"
        who, verb = ("the reader", "brings") if is_reader else ("the writer", "takes")
        cause = f"{who} {verb} {expected} pages of {name} {when}, and phases move {moved} {self._where}"
        cure = "tilize the input once for every tile-row, vectors once before (once = true), and pop neither again"
        if is_reader and state.buffer.holds not in ("input", *(each.name for each in self._spec.vectors)):
            cure = f"keep {name} in the phases that read it"
        if not is_reader:
            cure = f"let one phase push {name}, block by block"
        self._note(name, "reader-and-writer", state.buffer.place.line, cause, cure)

    def _sizes(self, schedule: Schedule) -> None:
        """Whether every buffer has room for the largest wait."""
        for call in schedule.calls():
            for block in range(self._row["num_blocks"]) if call.phase.each == "block" else (0,):
                for parameter, pages in call.traffic({**self._row, "block": block}).waits.items():
                    state = self._states[call.buffers[parameter]]
                    if pages > state.capacity:
                        self._too_small(call, state, pages)

    def _too_small(self, call: Call, state: _State, pages: int) -> None:
        name = state.buffer.name
        cause = (
            f"phase {call.phase.name} waits for {pages} pages of {name} {self._where}, which has room for "
            f"{state.capacity} (pages = {state.buffer.pages})"
        )
        cure = f"give {name} more pages (line {state.buffer.place.of('pages')}), or let the phase take fewer tiles"
        self._note(name, "pages-cover-wait", call.phase.place.of("call"), cause, cure)

    @property
    def _where(self) -> str:
        blocks = "" if self._row["num_blocks"] == 1 else f", B = {self._row['B']}"
        return f"at Wt = {self._row['Wt']}{blocks}"

    def _note(self, key: str, rule: str, line: int, cause: str, cure: str) -> bool:
        self._found.append((key, Finding(rule, line, cause, cure)))
        return False

    def _steps(self, steps: Sequence[Step]) -> bool:
        """Runs steps; False where one would never end, so that those after it mean nothing."""
        for step in steps:
            if isinstance(step, BlockLoop):
                for block in range(self._row["num_blocks"]):
                    if not all(self._step(each, block) for each in step.body):
                        return False
            elif not self._step(step, 0):
                return False
        return True

    def _step(self, step: Call | Release, block: int) -> bool:
        values = {**self._row, "block": block}
        if isinstance(step, Release):
            self._states[step.buffer].pages -= values[step.pages] if step.pages in values else int(step.pages)
            return True
        traffic = step.traffic(values)
        is_fine = all(self._wait(step, step.buffers[each], pages) for each, pages in traffic.waits.items())
        is_fine = is_fine and all(self._push(step, step.buffers[each], n) for each, n in traffic.pushes.items())
        for parameter, pages in traffic.pops.items():
            state = self._states[step.buffers[parameter]]
            if pages:
                self._whole(step, state, pages, "pops")
                state.popped_by = step
                state.pages_popped += pages
                if state.buffer.producer == "compute":
                    state.pages -= pages
        return is_fine

    def _wait(self, call: Call, name: str, pages: int) -> bool:
        state, line = self._states[name], call.phase.place.of("call")
        if state.buffer.producer != "compute" or pages <= state.pages:
            return True
        cause = f"phase {call.phase.name} waits for {pages} pages of {name} {self._where}, and {state.pages} are there"
        if not state.pages_pushed:
            cure = f"put a phase that pushes {name} before {call.phase.name}"
            return self._note(name, "written-before-read", line, f"{cause}: nobody has pushed any", cure)
        popper = state.popped_by
        if popper is not None:
            flag = _keep_flag(popper, name)
            cure = f"write {flag} in the call of {popper.phase.name}" if flag else f"keep {name} in {popper.phase.name}"
            where = f"phase {popper.phase.name} (line {popper.phase.place.of('call')}) popped them"
            if popper is call:
                where = "its call for the block before popped them"
            return self._note(name, "read-twice-is-kept", line, f"{cause}: {where}", cure)
        cure = f"let the phases that push {name} and {call.phase.name} agree on the number of tiles"
        return self._note(name, "pages-match", line, cause, cure)

    def _push(self, call: Call, name: str, pages: int) -> bool:
        state, line = self._states[name], call.phase.place.of("call")
        if not pages:
            return True
        if state.pages + pages > state.capacity:
            held = f", of which {state.pages} are still full" if state.pages else ""
            cause = (
                f"phase {call.phase.name} pushes {pages} pages of {name} {self._where}, which has room for "
                f"{state.capacity}{held}"
            )
            cure = f"give {name} more pages (line {state.buffer.place.of('pages')})"
            if state.pages:
                cure += f", or pop them before: {_last_reader(self._calls, name)}"
            return self._note(name, "pages-cover-push", line, cause, cure)
        self._whole(call, state, pages, "pushes")
        state.pages_pushed += pages
        if state.buffer.consumer == "compute":
            state.pages += pages
        return True

    def _whole(self, call: Call, state: _State, pages: int, verb: str) -> None:
        """A block must not run over the end of its buffer."""
        if pages <= state.capacity and state.capacity % pages:
            cause = (
                f"phase {call.phase.name} {verb} {pages} pages of {state.buffer.name} at a time {self._where}, whose "
                f"{state.capacity} pages are no whole number of these: a block would run over the end"
            )
            cure = f"make the pages of {state.buffer.name} a multiple (line {state.buffer.place.of('pages')})"
            self._note(state.buffer.name, "whole-blocks", call.phase.place.of("call"), cause, cure)

    def _balance(self, before: Mapping[str, int]) -> None:
        for name, state in self._states.items():
            left = state.pages - before[name]
            if left == 0 or state.buffer.producer != "compute" or state.buffer.consumer != "compute":
                continue
            last = _last_reader(self._calls, name)
            cause = f"{left} pages of {name} are left after every tile-row {self._where}, so that a later one is stuck"
            cure = f'let its last reader pop them: {last}; or write lifetime = "kept until <that phase>"'
            if left < 0:
                cause = f"every tile-row takes {-left} pages of {name} {self._where} that it did not push"
                cure = f"let only one of its readers pop them: {last}"
            self._note(name, "pages-balance", state.buffer.place.of("lifetime"), cause, cure)


def _last_reader(calls: list[Call], name: str) -> str:
    readers = [each.phase for each in readers_of(calls, name)]
    return f"phase {readers[-1].name}, line {readers[-1].place.of('call')}" if readers else "no phase reads it"


def _keep_flag(call: Call, name: str) -> str:
    """The argument that makes a call keep a buffer: ``keep=True``."""
    for parameter in call.parameters_of(name):
        words = call.contract.pops.get(parameter, "").split()
        if words[:2] == ["0", "if"]:
            return f"{words[2]}=True"
    return ""
