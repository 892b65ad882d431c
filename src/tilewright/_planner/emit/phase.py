# SPDX-License-Identifier: Apache-2.0
"""Emit phases of an operation's own: a register program with its waits, packs and pushes.

A phase waits for what it reads, computes as many tiles at a time as DST has room for, and pushes its result. It pops
nothing: the kernel does, after the last phase that reads a buffer. Calls that set a unit up stand before the loop where
one set-up serves all tiles, and before each use where units change.
"""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Callable, Mapping, Sequence

from tilewright._planner.register_program import DST_TILES, Load, Register, RegisterProgram, Step, TileSource, Vector
from tilewright.formula._graph import Extent

INDENT = "    "
_MATRIX_SUFFIX = {"NONE": "", "ROW": "_bcast_rows", "COL": "_bcast_cols", "SCALAR": "_bcast_scalar"}
REGIONS = {Extent.FULL: "TILE", Extent.ROW: "ROW_0", Extent.COLUMN: "COLUMN_0", Extent.SCALAR: "ELEMENT"}
LIMIT = 118
SCALER = "scaler"  # what a phase calls the buffer with the ones of a row, whichever it is


def call_lines(name: str, arguments: Sequence[str], indent: str) -> list[str]:
    """A call, on one line if it fits."""
    line = f"{indent}{name}({', '.join(arguments)})"
    if len(line) <= LIMIT:
        return [line]
    inside = f"{indent}{INDENT}{', '.join(arguments)}"
    if len(inside) <= LIMIT:
        return [f"{indent}{name}(", inside, f"{indent})"]
    return [f"{indent}{name}(", *(f"{indent}{INDENT}{each}," for each in arguments), f"{indent})"]


def docstring(text: str) -> list[str]:
    """A docstring on one line if it fits, else wrapped."""
    line = f'{INDENT}"""{text}"""'
    if len(line) <= LIMIT:
        return [line]
    rows = textwrap.wrap(text, LIMIT - 8)
    return [f'{INDENT}"""{rows[0]}', *(INDENT + each for each in rows[1:]), f'{INDENT}"""']


@dataclasses.dataclass(frozen=True)
class PhaseText:
    """A phase's name, text and parameters behind its buffers."""

    name: str
    text: str
    buffers: tuple[str, ...]
    arguments: tuple[str, ...]


def _cb(name: str) -> str:
    return f"cb_{name}"


def _is_wide(source: TileSource) -> bool:
    return source.extent in (Extent.FULL, Extent.ROW)


def symbols(program: RegisterProgram) -> list[str]:
    """Runtime arguments among the arguments of calls."""
    found = [text for step in program.steps if isinstance(step, Vector) for text in step.arguments]
    return list(dict.fromkeys(text for text in found if not text.startswith("0x")))


class TileBody:
    """The statements of a program for the tiles in DST, with their set-up calls."""

    def __init__(
        self,
        program: RegisterProgram,
        tile_of: Callable[[TileSource, str], str],
        base: int,
        group: int,
        disturbed: Sequence[bool] = (),
    ) -> None:
        self._program = program
        self._tile_of = tile_of
        self._base = base
        self._group = group
        # Units that something else uses between tiles: False the unpackers, True the vector unit.
        self._disturbed = disturbed

    def _key(self, step: Step) -> str:
        if isinstance(step, Vector):
            return step.init
        if isinstance(step, Load):
            return f"load {step.broadcast} {step.source.format}"
        return f"{step.function} {step.broadcast} {step.a.format} {step.b.format}"

    def set_up(self, step: Step) -> list[str]:
        if isinstance(step, Vector):
            return [f"{step.init}()"]
        if isinstance(step, Load):
            cb = _cb(step.source.name)
            if step.broadcast == "NONE":
                return [f"reconfig_data_format_srca({cb})", f"copy_init({cb})"]
            return [f"reconfig_data_format({cb}, {cb})", f"unary_bcast_init[BroadcastType.{step.broadcast}]({cb})"]
        a, b = _cb(step.a.name), _cb(step.b.name)
        init = f"{step.function}{_MATRIX_SUFFIX[step.broadcast]}_init({a}, {b})"
        return [f"reconfig_data_format({a}, {b})", init]

    def _is_hoisted(self, is_vector: bool) -> bool:
        keys = {self._key(each) for each in self._program.steps if isinstance(each, Vector) is is_vector}
        return len(keys) == 1 and (is_vector not in self._disturbed)

    def hoisted(self) -> list[str]:
        """Set-ups that serve all tiles."""
        lines: list[str] = []
        for is_vector in (False, True):
            if self._is_hoisted(is_vector):
                lines += self.set_up(
                    next(each for each in self._program.steps if isinstance(each, Vector) is is_vector)
                )
        return lines

    def calls(self) -> list[str]:
        """One tile, where the units are set up."""
        return [self._call(each, "0") for each in self._program.steps]

    def lines(self, loop: str) -> list[str]:
        """One group of tiles; ``loop`` is the head of the loop over its slots, empty for one tile alone."""
        lines: list[str] = []
        for bundle in self._program.bundles:
            # What is the same for all tiles lies in its temporary once for the group.
            once = [each for each in bundle if loop and _is_same_for_all(each)]
            lines += self._statements(once, "")
            lines += self._statements([each for each in bundle if each not in once], loop)
        return lines

    def _statements(self, bundle: Sequence[Step], loop: str) -> list[str]:
        lines: list[str] = []
        changing: dict[bool, bool] = {}
        for is_vector in (False, True):
            steps = [each for each in bundle if isinstance(each, Vector) is is_vector]
            changing[is_vector] = len({self._key(each) for each in steps}) > 1 and not self._is_hoisted(is_vector)
            if steps and not changing[is_vector] and not self._is_hoisted(is_vector):
                lines += self.set_up(steps[0])
        body = []
        for step in bundle:
            body += self.set_up(step) if changing[isinstance(step, Vector)] else []
            body.append(self._call(step, "slot" if loop else "0"))
        return lines + ([loop, *(INDENT + each for each in body)] if loop and body else body)

    def slot(self, place: Register, slot: str) -> str:
        if place.is_temporary:
            return str(DST_TILES - 1 - place.number)
        first = self._base + place.number * self._group
        if slot == "0":
            return str(first)
        return slot if first == 0 else f"{first} + {slot}"

    def _call(self, step: Step, slot: str) -> str:
        if isinstance(step, Vector):
            arguments = [*(self.slot(each, slot) for each in step.places), *step.arguments]
            return f"{step.call}({', '.join(arguments)})"
        if isinstance(step, Load):
            call = "copy_tile" if step.broadcast == "NONE" else f"unary_bcast[BroadcastType.{step.broadcast}]"
            return f"{call}({_cb(step.source.name)}, {self._tile_of(step.source, slot)}, {self.slot(step.to, slot)})"
        call = f"{step.function}_tiles{_MATRIX_SUFFIX[step.broadcast]}"
        tiles = f"{self._tile_of(step.a, slot)}, {self._tile_of(step.b, slot)}"
        return f"{call}({_cb(step.a.name)}, {_cb(step.b.name)}, {tiles}, {self.slot(step.to, slot)})"


def _is_same_for_all(step: Step) -> bool:
    """Whether a step puts into a temporary what every tile of a group takes."""
    if isinstance(step, Load):
        return step.to.is_temporary and not _is_wide(step.source)
    return isinstance(step, Vector) and step.call.startswith("fill_tile") and step.places[0].is_temporary


def contract_lines(
    program: RegisterProgram,
    pages: Mapping[str, str],
    pushed: str,
    gives: str,
    extra: Mapping[str, tuple[str, str]] | None = None,
) -> list[str]:
    """The decorator of a phase that waits for ``pages`` of its buffers; ``extra`` ones with pages and region."""
    waits = {_cb(each.name): pages[each.name] for each in program.sources}
    needs = {_cb(each.name): REGIONS[each.held] for each in program.sources}
    for name, (count, region) in (extra or {}).items():
        waits[name], needs[name] = count, region

    pops = dict.fromkeys(waits, "0")
    regions = {name: f"Region.{region}" for name, region in needs.items()}
    return [
        "@phase(",
        *_entry_lines("waits", {name: f'"{text}"' for name, text in waits.items()}),
        *_entry_lines("pops", {name: f'"{text}"' for name, text in pops.items()}),
        f'{INDENT}pushes={{"cb_out": "{pushed}"}},',
        *_entry_lines("needs", regions),
        f'{INDENT}gives={{"cb_out": Region.{gives}}},',
        ")",
    ]


def _entry_lines(name: str, entries: Mapping[str, str]) -> list[str]:
    """An argument that is a dictionary, on one line if it fits."""
    joined = ", ".join(f'"{key}": {text}' for key, text in entries.items())
    line = f"{INDENT}{name}={{{joined}}},"
    if len(line) <= LIMIT:
        return [line]
    return [f"{INDENT}{name}={{", *(f'{INDENT * 2}"{key}": {text},' for key, text in entries.items()), f"{INDENT}}},"]


def signature_lines(name: str, parameters: Sequence[str]) -> list[str]:
    line = f"def {name}({', '.join(parameters)}) -> None:"
    if len(line) <= LIMIT:
        return [line]
    return [f"def {name}(", *(f"{INDENT}{each}," for each in parameters), ") -> None:"]


def _pages(source: TileSource, offset: Mapping[str, bool]) -> str:
    if not _is_wide(source):
        return "1"
    return "first + num_tiles" if offset.get(source.name) else "num_tiles"


def compute_phase(
    name: str, purpose: str, program: RegisterProgram, offset: Mapping[str, bool], as_rows: bool, sticks: bool
) -> PhaseText:
    """A value over the tiles of a row or block: to tiles of a buffer, or straight to rows."""
    largest = max(1, (DST_TILES - program.num_temporaries) // program.num_registers)
    body, has_offset = _values(program, offset, largest)
    pages = "32" if as_rows and sticks else "num_tiles"
    lines = [f"cb_wait_front({_cb(each.name)}, {_pages(each, offset)})" for each in program.sources]
    lines += [f"cb_reserve_back(cb_out, {pages})", "pack_reconfig_data_format(cb_out)"]
    if as_rows:
        choices = [f"{each} if num_tiles % {each} == 0 else " for each in range(largest, 1, -1)]
        lines.insert(0, f"group = {''.join(choices)}1")
        lines.append("pack_untilize_dest_init[group, num_tiles](cb_out)")
    lines += body.hoisted()
    loop = "for slot in range(group):" if as_rows else "for slot in range(count):"
    if largest == 1:
        loop = ""
    if as_rows:
        lines.append("for index in range(num_tiles // group):")
        inside = ["begin = index * group"]
    else:
        lines.append(
            f"for begin in range(0, num_tiles, {largest}):" if largest > 1 else "for begin in range(num_tiles):"
        )
        inside = [f"count = min({largest}, num_tiles - begin)"] if largest > 1 else []
    inside += ["tile_regs_acquire()", *body.lines(loop), "tile_regs_commit()", "tile_regs_wait()"]
    if as_rows:
        inside.append("pack_untilize_dest[group, num_tiles](cb_out, 1, index)")
    elif largest > 1:
        inside += ["for slot in range(count):", f"{INDENT}pack_tile(slot, cb_out)"]
    else:
        inside.append("pack_tile(0, cb_out)")
    inside.append("tile_regs_release()")
    lines += [INDENT + each for each in inside]
    if as_rows:
        lines.append("pack_untilize_uninit(cb_out)")
    lines.append(f"cb_push_back(cb_out, {pages})")
    tiles = "num_tiles: CompileTimeArg" if as_rows else "num_tiles: uint32"
    arguments = [*(["first: uint32"] if has_offset else []), tiles, *(f"{each}: uint32" for each in symbols(program))]
    waits = {each.name: _pages(each, offset) for each in program.sources}
    decorator = contract_lines(program, waits, pages, "ROWS" if as_rows else "TILE")
    return made_phase(name, purpose, program, decorator, lines, arguments)


def _values(program: RegisterProgram, offset: Mapping[str, bool], group: int) -> tuple[TileBody, bool]:
    """The statements of a program from tile ``begin`` on, and whether buffers have their block at ``first``."""

    def tile_of(source: TileSource, slot: str) -> str:
        if not _is_wide(source):
            return "0"
        begin = "begin" if slot == "0" else f"begin + {slot}"
        return f"first + {begin}" if offset.get(source.name) else begin

    has_offset = any(offset.get(each.name) for each in program.sources if _is_wide(each))
    return TileBody(program, tile_of, 0, group), has_offset


def rows_of_each_phase(name: str, purpose: str, program: RegisterProgram, offset: Mapping[str, bool]) -> PhaseText:
    """A value over the tiles of a line that does not go across: each tile becomes 32 rows in a page of its own."""
    body, has_offset = _values(program, offset, 1)
    lines = [f"cb_wait_front({_cb(each.name)}, {_pages(each, offset)})" for each in program.sources]
    lines += ["pack_reconfig_data_format(cb_out)", "pack_untilize_dest_init[1, 1](cb_out)", *body.hoisted()]
    inside = ["cb_reserve_back(cb_out, 1)", "tile_regs_acquire()", *body.lines(""), "tile_regs_commit()"]
    inside += ["tile_regs_wait()", "pack_untilize_dest[1, 1](cb_out, 1, 0)", "tile_regs_release()"]
    inside.append("cb_push_back(cb_out, 1)")
    lines += ["for begin in range(num_tiles):", *(INDENT + each for each in inside), "pack_untilize_uninit(cb_out)"]
    arguments = [*(["first: uint32"] if has_offset else []), "num_tiles: uint32"]
    arguments += [f"{each}: uint32" for each in symbols(program)]
    waits = {each.name: _pages(each, offset) for each in program.sources}
    return made_phase(name, purpose, program, contract_lines(program, waits, "num_tiles", "ROWS"), lines, arguments)


def _mask_lines(slot: str) -> list[str]:
    """Ones for the columns of a row's last tile, zeros beyond them, in a slot of DST."""
    return [
        "reconfig_data_format(cb_scaler, cb_scaler)",
        "unary_bcast_init[BroadcastType.ROW](cb_scaler)",
        f"unary_bcast[BroadcastType.ROW](cb_scaler, 1, {slot})",
    ]


def masked_phase(name: str, purpose: str, program: RegisterProgram) -> PhaseText:
    """A value over the tiles of a row, with zeros beyond the row: to tiles of a buffer."""
    largest = max(1, (DST_TILES - program.num_temporaries) // program.num_registers)
    # The mask disturbs both units after the last tile, where no other follows.
    body, _ = _values(program, {}, largest)
    lines = [f"cb_wait_front({_cb(each.name)}, {_pages(each, {})})" for each in program.sources]
    lines += ["cb_wait_front(cb_scaler, 2 if partial else 1)", "cb_reserve_back(cb_out, num_tiles)"]
    lines += ["pack_reconfig_data_format(cb_out)", *body.hoisted()]
    lines.append(f"for begin in range(0, num_tiles, {largest}):" if largest > 1 else "for begin in range(num_tiles):")
    inside = [f"count = min({largest}, num_tiles - begin)"] if largest > 1 else []
    count = "count" if largest > 1 else "1"
    mask = str(DST_TILES - 1)
    last = f"{count} - 1" if largest > 1 else "0"
    chosen = [
        *_mask_lines(mask),
        "where_tile_init()",
        f"where_tile[DataFormat.Float32]({mask}, {last}, {mask}, {last})",
    ]
    inside += ["tile_regs_acquire()", *body.lines("for slot in range(count):" if largest > 1 else "")]
    inside += ["if partial:", f"{INDENT}if begin + {count} == num_tiles:", *(INDENT * 2 + each for each in chosen)]
    inside += ["tile_regs_commit()", "tile_regs_wait()"]
    if largest > 1:
        inside += ["for slot in range(count):", f"{INDENT}pack_tile(slot, cb_out)"]
    else:
        inside.append("pack_tile(0, cb_out)")
    lines += [INDENT + each for each in (*inside, "tile_regs_release()")]
    lines.append("cb_push_back(cb_out, num_tiles)")
    arguments = [
        "num_tiles: uint32",
        *(f"{each}: uint32" for each in symbols(program)),
        "partial: CompileTimeArg[bool]",
    ]
    waits = {each.name: _pages(each, {}) for each in program.sources}
    decorator = contract_lines(
        program, waits, "num_tiles", "TILE", {"cb_scaler": ("2 if partial else 1", "SCALER")}
    )  # fmt: skip
    return made_phase(name, purpose, program, decorator, lines, arguments, ["cb_scaler"])


def column_phase(name: str, purpose: str, program: RegisterProgram, as_rows: bool, held: Extent) -> PhaseText:
    """One number for each line: one tile, which holds them in a column, a row or an element."""
    body = TileBody(program, lambda source, slot: "0", 0, 1)
    lines = [f"cb_wait_front({_cb(each.name)}, 1)" for each in program.sources]
    lines += ["cb_reserve_back(cb_out, 1)", "pack_reconfig_data_format(cb_out)", *body.hoisted()]
    if as_rows:
        lines.append("pack_untilize_dest_init[1, 1](cb_out)")
    lines += ["tile_regs_acquire()", *body.lines(""), "tile_regs_commit()", "tile_regs_wait()"]
    lines.append("pack_untilize_dest[1, 1](cb_out, 1, 0)" if as_rows else "pack_tile(0, cb_out)")
    lines += ["tile_regs_release()", *(["pack_untilize_uninit(cb_out)"] if as_rows else [])]
    lines.append("cb_push_back(cb_out, 1)")
    waits = {each.name: "1" for each in program.sources}
    decorator = contract_lines(program, waits, "1", "ROWS" if as_rows else REGIONS[held])
    return made_phase(name, purpose, program, decorator, lines, [f"{each}: uint32" for each in symbols(program)])


def sum_phase(name: str, purpose: str, program: RegisterProgram, offset: Mapping[str, bool]) -> PhaseText:
    """Tiles of a value from ``first`` on, added up element by element in slot 0 of DST: one tile.

    Buffers in ``offset`` hold a whole row, of which the tiles begin at ``start``.
    """
    squared = _squared(program)
    folded = program if squared is None else dataclasses.replace(program, bundles=program.bundles[:-1])
    if squared is not None:
        call, init = f"addcmul_tile[DataFormat.Float32](0, {squared}, {squared}, 0, 0x3F800000)", "addcmul_tile_init()"
    else:
        call, init = "add_binary_tile(0, 1, 0)", "add_binary_tile_init()"
    has_vectors = any(isinstance(each, Vector) for each in folded.steps)
    body = fold_body(folded, offset, (True,))
    lines = [*fold_waits(program, offset), "cb_reserve_back(cb_out, 1)", "pack_reconfig_data_format(cb_out)"]
    lines.append("tile_regs_acquire()")
    if len(folded.steps) == 1:
        # One call makes a tile: the first is made where the others are added to it.
        lines += [*body.hoisted(), *TileBody(folded, _tile_in_sum(offset, "first"), 0, 1).calls()]
        lines += [] if squared is None else ["square_tile_init()", "square_tile(0)"]
        lines += [init, "for i in range(1, num_tiles):"]
    else:
        lines += ["fill_tile_init()", "fill_tile(0, 0.0)", *body.hoisted(), *([] if has_vectors else [init])]
        lines.append("for i in range(num_tiles):")
    lines += [INDENT + each for each in (*body.lines(""), *([init] if has_vectors else []), call)]
    lines += fold_tail()
    arguments = [*fold_start(program, offset), "first: uint32", "num_tiles: uint32"]
    arguments += [f"{each}: uint32" for each in symbols(program)]
    return made_phase(name, purpose, program, fold_contract(program, offset), lines, arguments)


def max_phase(name: str, purpose: str, program: RegisterProgram, offset: Mapping[str, bool]) -> PhaseText:
    """The largest of tiles of a value, element by element, and of what the buffer holds already: one tile.

    Of a last tile that is not full, columns beyond the row count as minus infinity.
    """
    body = fold_body(program, offset, (False, True))
    lines = [
        *fold_waits(program, offset),
        "cb_wait_front(cb_scaler, 2 if partial else 1)",
        "pack_reconfig_data_format(cb_out)",
    ]
    lines += [
        "tile_regs_acquire()",
        "if is_first:",
        f"{INDENT}fill_tile_init()",
        f"{INDENT}fill_tile_bitcast(0, MINUS_INFINITY)",
        "else:",
        f"{INDENT}cb_wait_front(cb_out, 1)",
        f"{INDENT}reconfig_data_format_srca(cb_out)",
        f"{INDENT}copy_init(cb_out)",
        f"{INDENT}copy_tile(cb_out, 0, 0)",
        f"{INDENT}cb_pop_front(cb_out, 1)",
        "for i in range(num_tiles):",
    ]
    chosen = ["fill_tile_init()", "fill_tile_bitcast(3, MINUS_INFINITY)", "where_tile_init()"]
    chosen.append("where_tile[DataFormat.Float32](2, 1, 3, 1)")
    is_at_end = f"{INDENT}if is_last and i == num_tiles - 1:"
    mask = ["if partial:", is_at_end, *(INDENT * 2 + each for each in (*_mask_lines("2"), *chosen))]
    lines += [INDENT + each for each in (*body.lines(""), *mask, "binary_max_tile_init()", "binary_max_tile(0, 1, 0)")]
    lines += ["cb_reserve_back(cb_out, 1)", *fold_tail()]
    arguments = [*fold_start(program, offset), "first: uint32", "num_tiles: uint32", "is_first: bool", "is_last: bool"]
    arguments += [*(f"{each}: uint32" for each in symbols(program)), "partial: CompileTimeArg[bool]"]
    decorator = fold_contract(program, offset, {"cb_scaler": ("2 if partial else 1", "SCALER")})
    return made_phase(name, purpose, program, decorator, lines, arguments, ["cb_scaler"])


def _squared(program: RegisterProgram) -> str | None:
    """The slot that is squared last, if the value is a square of something in DST: addcmul squares it as it adds."""
    last = program.bundles[-1]
    if len(program.bundles) < 2 or len(last) != 1 or not isinstance(last[0], Vector) or last[0].call != "square_tile":
        return None
    return str(1 + last[0].places[0].number)


def fold_body(program: RegisterProgram, offset: Mapping[str, bool], disturbed: Sequence[bool]) -> TileBody:
    """The statements of a program whose value lies in slot 1, tile by tile."""
    return TileBody(program, _tile_in_sum(offset, "first + i"), 1, 1, disturbed)


def _tile_in_sum(offset: Mapping[str, bool], tile: str) -> Callable[[TileSource, str], str]:
    def tile_of(source: TileSource, _: str) -> str:
        if not _is_wide(source):
            return "0"
        return f"start + {tile}" if offset.get(source.name) else tile

    return tile_of


def fold_start(program: RegisterProgram, offset: Mapping[str, bool]) -> list[str]:
    has_start = any(offset.get(each.name) for each in program.sources if _is_wide(each))
    return ["start: uint32"] if has_start else []


def _fold_pages(source: TileSource, offset: Mapping[str, bool]) -> str:
    if not _is_wide(source):
        return "1"
    return "start + first + num_tiles" if offset.get(source.name) else "first + num_tiles"


def fold_waits(program: RegisterProgram, offset: Mapping[str, bool]) -> list[str]:
    return [f"cb_wait_front({_cb(each.name)}, {_fold_pages(each, offset)})" for each in program.sources]


def fold_contract(
    program: RegisterProgram, offset: Mapping[str, bool], extra: Mapping[str, tuple[str, str]] | None = None
) -> list[str]:
    pages = {each.name: _fold_pages(each, offset) for each in program.sources}
    return contract_lines(program, pages, "1", "TILE", extra)


def fold_tail() -> list[str]:
    return [
        "tile_regs_commit()",
        "tile_regs_wait()",
        "pack_tile(0, cb_out)",
        "tile_regs_release()",
        "cb_push_back(cb_out, 1)",
    ]


def made_phase(
    name: str,
    purpose: str,
    program: RegisterProgram,
    decorator: Sequence[str],
    lines: Sequence[str],
    arguments: Sequence[str],
    more_buffers: Sequence[str] = (),
) -> PhaseText:
    buffers = [_cb(each.name) for each in program.sources] + list(more_buffers)
    head = signature_lines(name, [*(f"{each}: CB" for each in (*buffers, "cb_out")), *arguments])
    text = "\n".join([*decorator, *head, f'{INDENT}"""{purpose}"""', *(INDENT + each for each in lines)])
    names = tuple(each.partition(":")[0] for each in arguments)
    return PhaseText(name, text, tuple(each.removeprefix("cb_") for each in buffers), names)
