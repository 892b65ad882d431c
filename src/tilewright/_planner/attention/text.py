# SPDX-License-Identifier: Apache-2.0
"""Emit the kernels of an attention as Python.

The unit of work is a chunk of tile-rows of queries of one slab. The reader brings queries, keys and masks, the writer,
which has nothing to write before the last block, constants and values. For each block of keys, and for each tile-row
of the chunk: scores, their largest so far, powers, and what the powers add to the sum and to the product with the
values. After the last block the product is divided by the sum.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tilewright._planner.attention.pattern import Attention
from tilewright._planner.emit.dataflow import broadcast_slab
from tilewright._planner.emit.phase import (
    INDENT,
    TileBody,
    call_lines,
    compute_phase,
    docstring,
    signature_lines,
    symbols,
)
from tilewright._planner.kernel_names import in_kernels
from tilewright._planner.matmul import PRODUCT
from tilewright._planner.model import Operand
from tilewright._planner.recompute_cost import is_number
from tilewright._planner.register_program import DST_TILES, Load, Register, RegisterProgram, Step, TileSource
from tilewright._planner.registers import Surroundings, TooManyRegistersError, compile_program, number_argument
from tilewright.formula._direction import CannotPlanError
from tilewright.formula._graph import Extent, Value

COMPILE_TIME = (
    "deep_tiles", "value_tiles", "key_tiles", "query_tiles", "query_rows", "key_rows", "chunk_rows", "num_chunks",
    "slab_group", "block_tiles", "num_blocks", "last_key_columns", "hidden_columns",
)  # fmt: skip
_RUNTIME = ("first_tile_row", "num_tile_rows")


class _ScoreBody(TileBody):
    """Statements of scores, in which a tile of the product is made where others are loaded."""

    def _key(self, step: Step) -> str:
        return PRODUCT if _is_product(step) else super()._key(step)

    def set_up(self, step: Step) -> list[str]:
        if _is_product(step):
            return ["reconfig_data_format(cb_keys, cb_queries)", "matmul_init(cb_queries, cb_keys, 1)"]
        return super().set_up(step)

    def _call(self, step: Step, slot: str) -> str:
        if not _is_product(step):
            return super()._call(step, slot)
        assert isinstance(step, Load)
        tile = self._tile_of(step.source, slot)
        place = self.slot(step.to, slot)
        return f"multiply_tile(cb_queries, cb_keys, first, ({tile}) * inner_tiles, inner_tiles, {place})"


def _is_product(step: Step) -> bool:
    return isinstance(step, Load) and step.source.name == PRODUCT


class AttentionText:
    """The module of kernels of one attention.

    Args:
        operands: the tensors by name.
        output: name and format of the result, and whether it is in tiles.
    """

    def __init__(
        self, name: str, found: Attention, operands: Mapping[str, Operand], output: tuple[str, str, bool], formula: str
    ) -> None:
        self._name = name
        self._found = found
        self._operands = operands
        self._output, self._output_format, self._output_tiled = output
        self._formula = formula
        self.numbers: dict[str, Value] = {}
        self._program = self._scores_program()

    # Buffers.

    def tiles_of(self, value: Value) -> str:
        """The buffer with the tiles of a tensor."""
        return f"{value.name}_tiled"

    def rows_of(self, value: Value) -> str:
        """The buffer with its rows, if it is row-major."""
        return "" if self._operands[value.name].is_tiled else f"{value.name}_rm"

    @property
    def output(self) -> str:
        """The buffer of the result."""
        return "out_tiled" if self._output_tiled else "out_rm"

    # Scores.

    def _scores_program(self) -> RegisterProgram:
        """The program of a tile of scores.

        Raises:
            CannotPlanError: the product is needed twice, or in a register that held something before.
        """
        found = self._found
        sources = {id(found.product): TileSource(PRODUCT, Extent.FULL, "Float32", Extent.FULL)}
        for each in found.masks:
            operand = self._operands[each.name]
            sources[id(each)] = TileSource(self.tiles_of(each), Extent.FULL, operand.format, Extent.FULL)
        if found.scores is found.product:
            return RegisterProgram(((Load(sources[id(found.product)], "NONE", Register(0)),),), 1, 0)
        around = Surroundings(sources, self._bits, is_number, with_matrix_unit=False, with_products=False)
        try:
            made = compile_program(found.scores, Extent.FULL, around)
        except TooManyRegistersError:
            raise CannotPlanError(f"`{found.scores}` does not fit the four tiles of DST") from None
        steps = made.steps
        places = [index for index, each in enumerate(steps) if _is_product(each)]
        if len(places) != 1 or any(_writes(each, steps[places[0]]) for each in steps[: places[0]]):
            raise CannotPlanError(f"`{found.scores}` needs the product in a tile of DST that is in use")
        return made

    def _bits(self, node: Value, prefix: str) -> str:
        return number_argument(node, prefix, self.numbers)

    def _scores_text(self) -> str:
        program = self._program
        masks = [self.tiles_of(each) for each in self._found.masks]
        buffers = ["cb_queries", "cb_keys", *(f"cb_{each}" for each in masks), "cb_hidden", "cb_out"]
        numbers = ["first", "inner_tiles", "num_tiles", "num_whole", "block_tiles"]
        parameters = [*(f"{each}: CB" for each in buffers), *(f"{each}: uint32" for each in numbers)]
        parameters += [f"{each}: uint32" for each in (*self._edge_arguments, *symbols(program))]
        lines = ["cb_wait_front(cb_queries, first + inner_tiles)"]
        lines += [f"cb_wait_front(cb_{each}, num_tiles)" for each in masks]
        lines += ["cb_reserve_back(cb_out, block_tiles)", "pack_reconfig_data_format(cb_out)"]
        group = max(1, (DST_TILES - program.num_temporaries) // program.num_registers)
        whole = _ScoreBody(program, lambda _, slot: "begin" if slot == "0" else f"begin + {slot}", 0, group)
        lines += [*whole.hoisted(), f"for begin in range(0, num_whole, {group}):"]
        inside = [f"count = min(uint32({group}), num_whole - begin)"]
        inside += ["cb_wait_front(cb_keys, (begin + count) * inner_tiles)", "tile_regs_acquire()"]
        inside += [*whole.lines("for slot in range(count):"), "tile_regs_commit()", "tile_regs_wait()"]
        inside += ["for slot in range(count):", f"{INDENT}pack_tile(slot, cb_out)", "tile_regs_release()"]
        lines += [INDENT + each for each in inside]
        # Tiles of which some scores are hidden.
        single = _ScoreBody(program, lambda *_: "begin", 0, 1, (False, True))
        inside = ["cb_wait_front(cb_keys, (begin + 1) * inner_tiles)", "tile_regs_acquire()", *single.lines("")]
        inside += [
            "reconfig_data_format_srca(cb_hidden)", "copy_init(cb_hidden)", f"copy_tile(cb_hidden, {self._edge}, 2)",
            "fill_tile_init()", "fill_tile_bitcast(3, HIDDEN_SCORE)",
            "where_tile_init()", "where_tile[DataFormat.Float32](2, 0, 3, 0)",
            "tile_regs_commit()", "tile_regs_wait()", "pack_tile(0, cb_out)", "tile_regs_release()",
        ]  # fmt: skip
        lines += ["for begin in range(num_whole, num_tiles):", *(INDENT + each for each in inside)]
        lines.append("cb_push_back(cb_out, block_tiles)")
        head = ["@kernel_function", *signature_lines("make_scores", parameters)]
        purpose = f"out = {self._found.scores} of a block; what rows do not see of tiles from num_whole on is hidden."
        return "\n".join([*head, *docstring(purpose), *(INDENT + each for each in lines)])

    @property
    def _edge_arguments(self) -> list[str]:
        return ["last_column", "first_column"] if self._found.is_causal else []

    @property
    def _edge(self) -> str:
        """The mask of tile ``begin``, which is not seen as a whole."""
        return "0 if last_column >= first_column + begin * 32 else 1" if self._found.is_causal else "0"

    # Compute.

    def _compute_text(self) -> str:
        found = self._found
        q, k, v = (self.tiles_of(each) for each in (found.queries, found.keys, found.values))
        out = self._out_text()
        row = [
            *(line for each in found.masks for line in self._tilized(each, "1", "block_tiles")),
            *self._scores_call(q, k),
            *(f"cb_pop_front(cb.{self.tiles_of(each)}, block_tiles)" for each in found.masks),
            "find_largest(cb.scores, cb.scaler, cb.before, cb.largest, num_tiles, block == 0)",
            "make_powers(cb.scores, cb.largest, cb.powers, num_tiles, block_tiles, query_rows)",
            "if block != 0:",
            f"{INDENT}make_share(cb.before, cb.largest, cb.share)",
            "if block + 1 < num_seen:",
            f"{INDENT}copy(cb.largest, cb.before, 1)",
            "else:",
            f"{INDENT}cb_pop_front(cb.largest, 1)",
            "add_total(cb.powers, cb.scaler, cb.share, cb.total, num_tiles, block == 0)",
            "if block == 0:",
            f"{INDENT}multiply_rows(cb.powers, cb.{v}, cb.sum, 0, num_tiles, value_tiles)",
            "else:",
            f"{INDENT}add_values(cb.powers, cb.{v}, cb.share, cb.sum, num_tiles, value_tiles)",
            f"{INDENT}cb_pop_front(cb.share, 1)",
            "cb_pop_front(cb.powers, block_tiles)",
        ]
        block = [
            *self._tilized(found.keys, "block_tiles", "deep_tiles"),
            *self._tilized(found.values, "block_tiles", "value_tiles"),
            "for row in range(chunk_rows):",
            *(INDENT + each for each in row),
            f"cb_pop_front(cb.{k}, block_tiles * deep_tiles)",
            f"cb_pop_front(cb.{v}, block_tiles * value_tiles)",
        ]
        end = ["invert(cb.total, cb.inverse)", *self._out_call(), "cb_pop_front(cb.inverse, 1)"]
        end.append("cb_pop_front(cb.sum, value_tiles)")
        item = [
            *self._tilized(found.queries, "chunk_rows", "deep_tiles"),
            *self._seen_lines(),
            "for block in range(num_seen):",
            *(INDENT + each for each in block),
            "for _ in range(chunk_rows):",
            *(INDENT + each for each in end),
            f"cb_pop_front(cb.{q}, chunk_rows * deep_tiles)",
        ]
        start = self.rows_of(found.queries) or q
        body = [f"compute_kernel_hw_startup(cb.{start}, cb.scaler, cb.{self.output})"]
        wait = "cb_wait_front(cb.hidden, 2)" if found.is_causal else "cb_wait_front(cb.hidden, 1)"
        body += [wait] if found.is_causal else ["if last_key_columns != 32:", f"{INDENT}{wait}"]
        body += ["for item in range(first_tile_row, first_tile_row + num_tile_rows):", *(INDENT + e for e in item)]
        kernel = self._function("compute_kernel", f"compute_{self._name}", [], body, self._formula)
        return "\n\n\n".join([self._scores_text(), out, kernel])

    def _tilized(self, value: Value, times: str, tiles: str) -> list[str]:
        rows = self.rows_of(value)
        if not rows:
            return []
        call = f"tilize(cb.{rows}, cb.{self.tiles_of(value)}, {tiles})"
        return [call] if times == "1" else [f"for _ in range({times}):", f"{INDENT}{call}"]

    def _seen_lines(self) -> list[str]:
        """How many blocks the chunk sees, and up to where."""
        if not self._found.is_causal:
            return ["num_seen = num_blocks"]
        return [
            "last_column = causal_row(item % num_chunks, num_chunks) * 32 + key_rows - query_rows",
            "num_seen = min(key_tiles - 1, (last_column + 31) // 32) // block_tiles + 1",
        ]

    @property
    def _first_row(self) -> str:
        """The first tile-row of a chunk in its slab."""
        if self._found.is_causal:
            return "causal_row(item % num_chunks, num_chunks)"
        return "item % num_chunks * chunk_rows"

    def _scores_call(self, queries: str, keys: str) -> list[str]:
        masks = [f"cb.{self.tiles_of(each)}" for each in self._found.masks]
        buffers = [f"cb.{queries}", f"cb.{keys}", *masks, "cb.hidden", "cb.scores"]
        sizes = ["row * deep_tiles", "deep_tiles", "num_tiles", "num_whole", "block_tiles"]
        more = symbols(self._program)
        if self._found.is_causal:
            lines = [
                "first_column = block * block_tiles * 32",
                "num_tiles = min(block_tiles, min(key_tiles, (last_column + 31) // 32 + 1) - block * block_tiles)",
                "num_whole = min(num_tiles, (last_column + 1 - first_column) // 32) "
                "if last_column >= first_column else 0",
            ]
            more = ["last_column", "first_column", *more]
        else:
            lines = [
                "num_tiles = block_tiles",
                "num_whole = block_tiles - 1 if last_key_columns != 32 and block + 1 == num_blocks else block_tiles",
            ]
        return [*lines, *call_lines("make_scores", [*buffers, *sizes, *more], "")]

    def _out_program(self) -> RegisterProgram:
        total = Value("input", extent=Extent.FULL, name="sum")
        inverse = Value("input", extent=Extent.COLUMN, name="inverse")
        sources = {
            id(total): TileSource("sum", Extent.FULL, "Float32", Extent.FULL),
            id(inverse): TileSource("inverse", Extent.COLUMN, "Float32", Extent.COLUMN),
        }
        around = Surroundings(sources, self._bits, is_number, with_matrix_unit=False, with_products=False)
        return compile_program(Value("mul", (total, inverse), Extent.FULL), Extent.FULL, around)

    def _out_text(self) -> str:
        made = compute_phase(
            "make_result", "out = sum * inverse.", self._out_program(), {}, not self._output_tiled, False
        )
        return made.text

    def _out_call(self) -> list[str]:
        names = [f"cb.{each.name}" for each in self._out_program().sources]
        return call_lines("make_result", [*names, f"cb.{self.output}", "value_tiles"], "")

    # Reader and writer.

    def _reader_text(self) -> str:
        found = self._found
        block = self._matrix_lines(found.keys, "deep_tiles")
        masks = [line for each in found.masks for line in self._mask_lines(each)]
        if masks:
            block += ["for row in range(chunk_rows):", *(INDENT + each for each in masks)]
        item = [
            "slab = item // num_chunks",
            f"tile_row = {self._first_row}",
            *self._queries_lines(),
            *self._seen_lines(),
            "for block in range(num_seen):",
            *(INDENT + each for each in block),
        ]
        body = ["for item in range(first_tile_row, first_tile_row + num_tile_rows):", *(INDENT + e for e in item)]
        tensors = [each.name for each in found.inputs if each is not found.values]
        return self._function(
            "reader_kernel", "read", tensors, body, "Queries, keys and masks, in the order of compute."
        )

    def _queries_lines(self) -> list[str]:
        value = self._found.queries
        tensor, rows = in_kernels(value.name), self.rows_of(value)
        if not rows:
            page, count = "(slab * query_tiles + tile_row) * deep_tiles", "chunk_rows * deep_tiles"
            return call_lines("read_tiles", [tensor, f"cb.{self.tiles_of(value)}", page, count, count], "")
        sizes = ["0", f"{value.name}_stick_bytes", f"{value.name}_row_bytes", "deep_tiles"]
        lines = ["for row in range(tile_row, tile_row + chunk_rows):"]
        sticks = ["slab * query_rows + row * TILE_ROWS", "min(TILE_ROWS, query_rows - row * TILE_ROWS)"]
        return lines + call_lines("read_filled_sticks", [tensor, f"cb.{rows}", *sticks, *sizes], INDENT)

    def _matrix_lines(self, value: Value, tiles: str) -> list[str]:
        """A block of keys, or of values: block_tiles tile-rows."""
        tensor, rows = in_kernels(value.name), self.rows_of(value)
        if rows:
            sizes = ["0", f"{value.name}_stick_bytes", f"{value.name}_row_bytes", tiles]
            sticks = ["slab // slab_group * key_rows + row * TILE_ROWS", "min(TILE_ROWS, key_rows - row * TILE_ROWS)"]
            lines = ["for row in range(block * block_tiles, (block + 1) * block_tiles):"]
            return lines + call_lines("read_filled_sticks", [tensor, f"cb.{rows}", *sticks, *sizes], INDENT)
        buffer = f"cb.{self.tiles_of(value)}"
        page = f"(slab // slab_group * key_tiles + block * block_tiles) * {tiles}"
        if value is self._found.keys or self._operands[value.name].format == "Bfp8_b":
            return call_lines("read_tile_rows", [tensor, buffer, page, "block_tiles", tiles], "")
        # What hidden powers, which are zero, are multiplied by must be a number.
        edge = [page, f"block_tiles * {tiles}", tiles, "last_key_columns", f"{value.name}_element_bytes"]
        return [
            "if last_key_columns != 32 and block + 1 == num_blocks:",
            *call_lines("read_filled_tiles", [tensor, buffer, *edge], INDENT),
            "else:",
            *call_lines("read_tile_rows", [tensor, buffer, page, "block_tiles", tiles], INDENT),
        ]

    def _mask_lines(self, value: Value) -> list[str]:
        """A block of a tile-row of a tensor that is as large as the scores."""
        operand = self._operands[value.name]
        slab = "slab" if operand.slabs is None else broadcast_slab("slab", operand.slabs)
        tensor, rows = in_kernels(value.name), self.rows_of(value)
        if not rows:
            page = f"(({slab}) * query_tiles + tile_row + row) * key_tiles + block * block_tiles"
            arguments = [tensor, f"cb.{self.tiles_of(value)}", page, "block_tiles", "block_tiles"]
            return call_lines("read_tiles", arguments, "")
        width = f"{value.name}_block_bytes"
        first = f"({slab}) * query_rows + (tile_row + row) * TILE_ROWS"
        sticks = [first, "min(TILE_ROWS, query_rows - (tile_row + row) * TILE_ROWS)"]
        part = [f"block * {width}", f"min({width}, {value.name}_stick_bytes - block * {width})", width, "block_tiles"]
        return call_lines("read_filled_sticks", [tensor, f"cb.{rows}", *sticks, *part], "")

    def _writer_text(self) -> str:
        tensor, buffer = in_kernels(self._output), f"cb.{self.output}"
        if self._output_tiled:
            arguments = [tensor, buffer, "(slab * query_tiles + row) * value_tiles", "value_tiles", "value_tiles"]
            write = call_lines("write_tiles", arguments, INDENT)
        else:
            sticks = ["slab * query_rows + row * TILE_ROWS", "min(TILE_ROWS, query_rows - row * TILE_ROWS)"]
            sizes = ["0", f"{self._output}_stick_bytes", f"{self._output}_row_bytes", "value_tiles"]
            write = call_lines("write_sticks", [tensor, buffer, *sticks, *sizes], INDENT)
        values = self._found.values
        item = [
            "slab = item // num_chunks",
            f"tile_row = {self._first_row}",
            *self._seen_lines(),
            "for block in range(num_seen):",
            *(INDENT + each for each in self._matrix_lines(values, "value_tiles")),
            "for row in range(tile_row, tile_row + chunk_rows):",
            *write,
        ]
        body = ["fill_row_scaler(cb.scaler, 32)"]
        if self._found.is_causal:
            body.append("fill_causal_masks(cb.hidden, hidden_columns)")
        else:
            body += ["if last_key_columns != 32:", f"{INDENT}fill_column_mask(cb.hidden, last_key_columns)"]
        body += ["for item in range(first_tile_row, first_tile_row + num_tile_rows):", *(INDENT + e for e in item)]
        purpose = "Constants, and values while the reader brings keys; then the result, only what the tensor has."
        return self._function("writer_kernel", "write", [values.name, self._output], body, purpose)

    # The module.

    def _function(self, kind: str, name: str, tensors: Sequence[str], body: list[str], purpose: str) -> str:
        words = set(re.findall(r"\w+", "\n".join(body)))
        parameters = [f"{in_kernels(each)}: TensorArg" for each in tensors]
        parameters += [f"{each}: RuntimeArg" for each in (*_RUNTIME, *self.numbers) if each in words]
        sizes = [
            f"{tensor}_{what}_bytes"
            for tensor in (*self._operands, self._output)
            for what in ("stick", "row", "block", "element")
        ]
        parameters += [f"{each}: CompileTimeArg" for each in (*COMPILE_TIME, *sizes) if each in words]
        head = [f"@{kind}", *signature_lines(name, [*parameters, "cb: Buffers"])]
        return "\n".join([*head, *docstring(purpose), *(INDENT + each for each in body)])

    def parts(self) -> list[str]:
        """Texts of the functions: reader, compute, writer."""
        compute = self._compute_text()  # numbers are known after it
        return [self._reader_text(), compute, self._writer_text()]


def _writes(step: Step, load: Step) -> bool:
    """Whether a step puts something into the register that a tile is loaded into."""
    assert isinstance(load, Load)
    places = (step.to,) if not hasattr(step, "places") else step.places
    return load.to in places
