# SPDX-License-Identifier: Apache-2.0
"""``kernels.py``: reader and writer as the buffers ask for them, compute kernels as the phases do."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from tilewright.kernels.phases import Contract
from tilewright.workshop.scaffold.layout import call_lines, comment_lines, import_lines, parameter_lines
from tilewright.workshop.spec.calls import SYMBOLS, Call
from tilewright.workshop.spec.expressions import names_in, renamed
from tilewright.workshop.spec.model import BufferSpec, Spec
from tilewright.workshop.spec.schedule import BlockLoop, Release, Schedule, Step
from tilewright.workshop.spec.streaming import Streaming
from tilewright.workshop.stubs import stub_lines

_HEAD = (
    '# SPDX-License-Identifier: Apache-2.0\n"""Kernels of {name}: {summary}."""\n\nfrom __future__ import annotations\n'
)
# Compile-time arguments of compute kernels, in the order they are written.
_COMPUTE_ARGUMENTS = (
    "width_tiles",
    "num_blocks",
    "block_tiles",
    "last_block_tiles",
    "last_tile_columns",
    "mean_factor_bits",
    "inverse_width_bits",
)
_STUB_NOTE = (
    "One line for each phase. A stub moves the pages that its phase would move and computes nothing: take the stubs "
    "away, one after the other, as in `mean = phases.reduce_row_mean`."
)
_PHASE_NOTE = "One line for each phase."


@dataclasses.dataclass(frozen=True)
class Kernels:
    """What is to be written.

    Attributes:
        streaming: how rows too wide for L1 go; None if they do not.
        stubs: whether phases are stubs at first.
    """

    spec: Spec
    resident: Schedule
    streaming: Streaming | None
    stubs: bool

    @property
    def streams_vectors(self) -> bool:
        """Whether streamed rows need a reader of their own, which brings vectors again."""
        return self.streaming is not None and any(self.streaming.vectors)

    def calls(self) -> Iterator[Call]:
        yield from self.resident.calls()
        if self.streaming is not None:
            yield from self.streaming.schedule.calls()


def kernels_text(kernels: Kernels) -> str:
    """The whole file."""
    spec = kernels.spec
    body = [*_buffers(spec), *_aliases(kernels), *_own_phases(kernels)]
    body += [*_reader(spec, None if kernels.streams_vectors else kernels.streaming)]
    if kernels.streams_vectors and kernels.streaming is not None:
        body += [*_vector_reader(spec, kernels.streaming)]
    body += [*_writer(spec), *_compute(spec, kernels.resident, "compute_rows", _resident_text(spec))]
    if kernels.streaming is not None:
        text = f"{spec.formula}; every row comes {kernels.streaming.passes} times, block by block."
        body += [*_compute(spec, kernels.streaming.schedule, "compute_rows_streaming", text)]
    head = _HEAD.format(name=spec.name, summary=spec.summary)
    return "\n".join([head, *_imports("\n".join(body)), *body]) + "\n"


def _resident_text(spec: Spec) -> str:
    return f"{spec.formula}; a tile-row stays in L1 until it is done."


# What every file has --------------------------------------------------------------------------------------------------

_IMPORTS = {
    "tilewright.kernels": (
        "CB",
        "CircularBuffers",
        "CompileTimeArg",
        "RuntimeArg",
        "TensorArg",
        "compute_kernel",
        "phases",
        "reader_kernel",
        "uint32",
        "writer_kernel",
    ),
    "tilewright.kernels.api": ("cb_pop_front", "cb_wait_front", "compute_kernel_hw_startup"),
    "tilewright.kernels.phases": ("Region", "fill_constant_tile", "phase", "read_sticks", "write_sticks"),
    "tilewright.ops.row_kernels": (
        "TILE_ROWS",
        "fill_row_scaler",
        "read_blocks",
        "read_vector",
        "read_vector_row",
        "write_blocks",
    ),
    "tilewright.workshop.stubs": ("pass_through", "stub"),
}


def _imports(body: str) -> Iterator[str]:
    """What the body uses, and nothing else."""
    words = names_in(ast.parse(body))
    for module, names in _IMPORTS.items():
        used = [name for name in names if name in words]
        if used:
            yield from import_lines(module, used)


def _words(text: str) -> Iterator[str]:
    word = ""
    for character in text + " ":
        if character.isalnum() or character == "_":
            word += character
        elif word:
            yield word
            word = ""


def _buffers(spec: Spec) -> Iterator[str]:
    yield from ("", "", "class Buffers(CircularBuffers):")
    yield from (f"    {each.name} = {each.index}" for each in spec.buffers)


def _aliases(kernels: Kernels) -> Iterator[str]:
    lines: dict[str, str] = {}
    for call in kernels.calls():
        if call.library is not None:
            phase = f"phases.{call.function}"
            is_stub = kernels.stubs and not call.is_layout
            lines[call.phase.name] = f"{call.phase.name} = {f'stub({phase})' if is_stub else phase}"
    yield from ("", "")
    yield from comment_lines(_STUB_NOTE if kernels.stubs else _PHASE_NOTE)
    yield from lines.values()


def _own_phases(kernels: Kernels) -> Iterator[str]:
    written = set()
    for call in kernels.calls():
        if call.library is None and call.function not in written:
            written.add(call.function)
            yield from ("", "", *_contract_lines(call.contract), *_own_signature(call))
            yield f'    """{call.phase.summary or call.phase.reference}'
            yield ""
            yield "    To be written: until then it moves its pages and computes nothing."
            yield '    """'
            yield from (f"    {line}" for line in stub_lines(call.contract))


def _contract_lines(contract: Contract) -> Iterator[str]:
    yield "@phase("
    for key in ("waits", "pops", "pushes"):
        entries = [f'"{cb}": "{count}"' for cb, count in getattr(contract, key).items()]
        yield from _mapping_lines(key, entries)
    for key in ("needs", "gives"):
        entries = [f'"{cb}": Region.{region.name}' for cb, region in getattr(contract, key).items()]
        yield from _mapping_lines(key, entries)
    yield ")"


def _mapping_lines(key: str, entries: Sequence[str]) -> list[str]:
    line = f"    {key}={{{', '.join(entries)}}},"
    if len(line) <= 120:
        return [line]
    return [f"    {key}={{", *(f"        {each}," for each in entries), "    },"]


def _own_signature(call: Call) -> list[str]:
    parameters = [f"{name}: {'CB' if name in call.buffers else 'uint32'}" for name in (*call.buffers, *call.arguments)]
    return call_lines(0, f"def {call.function}", parameters, " -> None:")


# Reader and writer ----------------------------------------------------------------------------------------------------


def _pages(buffer: BufferSpec) -> str:
    """Pages of a block: tiles, or 32 sticks."""
    return "block_tiles" if buffer.page == "tile" else "TILE_ROWS"


def _held(spec: Spec, holds: str) -> BufferSpec | None:
    return next((each for each in spec.buffers if each.producer == "reader" and each.holds == holds), None)


def _input(spec: Spec) -> BufferSpec:
    return next(each for each in spec.buffers if each.holds == "input")


def _vectors(spec: Spec) -> list[BufferSpec]:
    names = [each.name for each in spec.vectors]
    return [each for each in spec.buffers if each.producer == "reader" and each.holds in names and not each.is_staging]


def _reader_parameters(spec: Spec, has_passes: bool) -> list[str]:
    buffers = [_input(spec), *_vectors(spec)]
    parameters = ["input_tensor: TensorArg", *(f"{each.name}: TensorArg" for each in spec.vectors)]
    parameters += ["first_stick: RuntimeArg", "num_sticks: RuntimeArg"]
    parameters += ["epsilon_bits: RuntimeArg"] if _held(spec, "epsilon") else []
    parameters += ["num_passes: CompileTimeArg"] if has_passes else []
    parameters += ["stick_bytes: CompileTimeArg", "block_bytes: CompileTimeArg"]
    parameters += ["block_tiles: CompileTimeArg"] if any(each.page == "tile" for each in buffers) else []
    parameters += ["last_tile_columns: CompileTimeArg"] if _held(spec, "scaler") else []
    return [*parameters, "cb: Buffers"]


def _constants(spec: Spec) -> Iterator[str]:
    """What the reader makes itself, once."""
    scaler, epsilon = _held(spec, "scaler"), _held(spec, "epsilon")
    if scaler is not None:
        yield f"    fill_row_scaler(cb.{scaler.name}, last_tile_columns)"
    if epsilon is not None:
        yield f"    fill_constant_tile(cb.{epsilon.name}, epsilon_bits)"


def _vector_lines(indent: int, spec: Spec, buffers: Sequence[BufferSpec]) -> Iterator[str]:
    for buffer in buffers:
        staging = spec.staging_of(buffer)
        if staging is not None:
            arguments = [buffer.holds, f"cb.{staging.name}", f"cb.{buffer.name}", "offset", "num_bytes"]
            yield from call_lines(indent, "read_vector_row", [*arguments, "block_bytes", "block_tiles"])
            continue
        arguments = [buffer.holds, f"cb.{buffer.name}", "offset", "num_bytes", "block_bytes", _pages(buffer)]
        yield from call_lines(indent, "read_vector", arguments)


def _reader(spec: Spec, streaming: Streaming | None) -> Iterator[str]:
    has_passes = streaming is not None
    often = ", each as often as compute passes over it" if has_passes else ""
    once = dict.fromkeys(each.holds for each in spec.buffers if each.producer == "reader" and each.holds != "input")
    text = f"{', '.join(once).capitalize()} once, then tile-row" if once else "Tile-row"
    yield from ("", "", "@reader_kernel", *parameter_lines("def read_rows", _reader_parameters(spec, has_passes)))
    yield f'    """{text} after tile-row{often}."""'
    yield from _constants(spec)
    if spec.vectors:
        yield "    for offset in range(0, stick_bytes, block_bytes):"
        yield "        num_bytes = min(block_bytes, stick_bytes - offset)"
        yield from _vector_lines(8, spec, _vectors(spec))
    yield "    end = first_stick + num_sticks"
    yield "    for stick in range(first_stick, end, TILE_ROWS):"
    if has_passes:
        yield "        for _ in range(num_passes):"
    arguments = ["input_tensor", f"cb.{_input(spec).name}", "stick", "min(TILE_ROWS, end - stick)"]
    arguments += ["stick_bytes", "block_bytes", _pages(_input(spec))]
    yield from call_lines(12 if has_passes else 8, "read_blocks", arguments)


def _vector_reader(spec: Spec, streaming: Streaming) -> Iterator[str]:
    parameters = _reader_parameters(spec, has_passes=False)
    source = _input(spec)
    yield from ("", "", "@reader_kernel", *parameter_lines("def read_rows_streaming", parameters))
    yield f'    """Every tile-row {streaming.passes} times; the blocks of vectors come beside those they meet."""'
    yield from _constants(spec)
    yield "    end = first_stick + num_sticks"
    yield "    for stick in range(first_stick, end, TILE_ROWS):"
    yield "        rows = min(TILE_ROWS, end - stick)"
    for vectors in streaming.vectors:
        if not vectors:
            arguments = ["input_tensor", f"cb.{source.name}", "stick", "rows", "stick_bytes", "block_bytes"]
            yield from call_lines(8, "read_blocks", [*arguments, _pages(source)])
            continue
        yield "        for offset in range(0, stick_bytes, block_bytes):"
        yield "            num_bytes = min(block_bytes, stick_bytes - offset)"
        yield from _vector_lines(12, spec, [each for each in _vectors(spec) if each.holds in vectors])
        arguments = ["input_tensor", f"cb.{source.name}", "stick", "rows", "offset", "num_bytes", "block_bytes"]
        yield from call_lines(12, "read_sticks", [*arguments, _pages(source)])


def _writer(spec: Spec) -> Iterator[str]:
    result = next(each for each in spec.buffers if each.consumer == "writer")
    parameters = ["output: TensorArg", "first_stick: RuntimeArg", "num_sticks: RuntimeArg"]
    if spec.output.is_column:
        parameters += ["element_bytes: CompileTimeArg"]
        text = "The first element of every row: the output's sticks have only one."
        arguments = ["output", f"cb.{result.name}", "stick", "min(TILE_ROWS, end - stick)", "0", "element_bytes"]
        lines = call_lines(8, "write_sticks", [*arguments, "TILE_ROWS * element_bytes", "1"])
    else:
        parameters += ["stick_bytes: CompileTimeArg", "block_bytes: CompileTimeArg"]
        parameters += ["block_tiles: CompileTimeArg"] if result.page == "tile" else []
        text = "Tile-row after tile-row, only sticks and columns that the tensor has."
        arguments = ["output", f"cb.{result.name}", "stick", "min(TILE_ROWS, end - stick)"]
        lines = call_lines(8, "write_blocks", [*arguments, "stick_bytes", "block_bytes", _pages(result)])
    yield from ("", "", "@writer_kernel", *parameter_lines("def write_rows", [*parameters, "cb: Buffers"]))
    yield f'    """{text}"""'
    yield "    end = first_stick + num_sticks"
    yield "    for stick in range(first_stick, end, TILE_ROWS):"
    yield from lines


# Compute --------------------------------------------------------------------------------------------------------------


def _compute(spec: Spec, schedule: Schedule, name: str, text: str) -> Iterator[str]:
    body = [*_startup(spec), *_steps(schedule.once, 4)]
    body += ["    for _ in range(num_tile_rows):", *_steps(schedule.row, 8)]
    words = set(_words("\n".join(body)))
    parameters = ["num_tile_rows: RuntimeArg"]
    parameters += [f"{each}: CompileTimeArg" for each in _COMPUTE_ARGUMENTS if each in words]
    yield from ("", "", "@compute_kernel", *parameter_lines(f"def {name}", [*parameters, "cb: Buffers"]))
    yield f'    """{text}"""'
    yield from body


def _startup(spec: Spec) -> Iterator[str]:
    scaler = _held(spec, "scaler")
    result = next(each for each in spec.buffers if each.consumer == "writer")
    buffers = [_input(spec), *([scaler] if scaler else []), result]
    yield from call_lines(4, "compute_kernel_hw_startup", [f"cb.{each.name}" for each in buffers])


def _steps(steps: Sequence[Step], indent: int) -> Iterator[str]:
    for step in steps:
        if isinstance(step, BlockLoop):
            inside = [line for each in step.body for line in _step(each, indent + 4)]
            variable = "block" if "block" in set(_words("\n".join(inside))) else "_"
            yield f"{' ' * indent}for {variable} in range(num_blocks):"
            yield from inside
        else:
            yield from _step(step, indent)


def _step(step: Call | Release, indent: int) -> list[str]:
    if isinstance(step, Release):
        pages = SYMBOLS.get(step.pages, step.pages)
        return call_lines(indent, "cb_pop_front", [f"cb.{step.buffer}", pages])
    head = step.phase.name if step.library is not None else step.function
    return call_lines(indent, head, _arguments(step))


def _arguments(call: Call) -> list[str]:
    """Arguments in the order of the parameters; flags and own phases' with their names."""
    if call.library is None:
        return [f"{name}={_argument(call, name)}" for name in (*call.buffers, *call.arguments)]
    arguments = []
    for parameter in call.library.parameters:
        if parameter.name not in call.buffers and parameter.name not in call.arguments:
            continue
        text = _argument(call, parameter.name)
        is_named = parameter.has_default or parameter.name in ("is_first", "is_last")
        arguments.append(f"{parameter.name}={text}" if is_named else text)
    return arguments


def _argument(call: Call, name: str) -> str:
    if name in call.buffers:
        return f"cb.{call.buffers[name]}"
    tree = call.arguments[name]
    if names_in(tree) == {"partial"} or not names_in(tree) & {"partial"}:
        return renamed(tree, SYMBOLS)
    return renamed(tree, {**SYMBOLS, "partial": "(last_tile_columns != 32)"})
