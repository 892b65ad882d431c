# SPDX-License-Identifier: Apache-2.0
"""The call of each phase, resolved: which phase it is, which buffers and numbers it is given."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping

from tilewright.kernels import phases
from tilewright.kernels.parameters import Kind
from tilewright.kernels.phases import Contract, Phase, Region, Traffic
from tilewright.kernels.types import BOOL
from tilewright.workshop.spec.expressions import ExpressionError, evaluate, names_in, parse_expression
from tilewright.workshop.spec.findings import Finding, did_you_mean
from tilewright.workshop.spec.model import PhaseSpec, Spec

LIBRARY: dict[str, Phase] = {
    name: getattr(phases, name) for name in phases.__all__ if isinstance(getattr(phases, name), Phase)
}
# Data movement is the reader's and the writer's; their kernels follow from the buffers.
COMPUTE_LIBRARY = {name: each for name, each in LIBRARY.items() if each.contract.waits and each.contract.pushes}

# What a call may name besides buffers, and what the kernels call it.
SYMBOLS = {
    "Wt": "width_tiles",
    "B": "block_tiles",
    "block": "block",
    "num_blocks": "num_blocks",
    "last_block_tiles": "last_block_tiles",
    "partial": "last_tile_columns != 32",
    "last_tile_columns": "last_tile_columns",
    "inverse_width_bits": "inverse_width_bits",
    "mean_factor_bits": "mean_factor_bits",
}


@dataclasses.dataclass(frozen=True)
class Call:
    """A phase with what it is given.

    Attributes:
        function: name of what is called.
        contract: of the phase, by parameter.
        library: the phase of the library; None for one that is to be written.
        arguments: trees of the numbers, by parameter.
        buffers: names of the circular buffers, by parameter.
    """

    phase: PhaseSpec
    function: str
    contract: Contract
    library: Phase | None
    arguments: Mapping[str, ast.expr]
    buffers: Mapping[str, str]

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of the buffers it waits for."""
        return tuple(self.buffers[each] for each in self.contract.waits)

    @property
    def writes(self) -> tuple[str, ...]:
        """Names of the buffers it pushes into."""
        return tuple(self.buffers[each] for each in self.contract.pushes)

    @property
    def is_layout(self) -> bool:
        """Whether it takes or makes row-major rows: it moves data, and computes nothing."""
        return Region.ROWS in (*self.contract.needs.values(), *self.contract.gives.values())

    def traffic(self, values: Mapping[str, int]) -> Traffic:
        """Pages by parameter, where ``Wt``, ``B`` and so on have these values."""
        numbers = {name: evaluate(tree, values) for name, tree in self.arguments.items()}
        return self.contract.evaluate(**numbers)

    def parameters_of(self, buffer: str) -> list[str]:
        return [parameter for parameter, name in self.buffers.items() if name == buffer]


def resolve_calls(spec: Spec) -> tuple[list[Call], list[Finding]]:
    """The calls of all phases that can be resolved, and what is wrong with the others."""
    calls: list[Call] = []
    findings: list[Finding] = []
    for phase in spec.phases:
        try:
            calls.append(_resolve(spec, phase))
        except _RefusedError as error:
            findings.append(Finding(error.rule, phase.place.of(error.key), error.cause, error.cure))
    return calls, findings


class _RefusedError(Exception):
    def __init__(self, rule: str, cause: str, cure: str, key: str = "call") -> None:
        super().__init__(cause)
        self.rule, self.cause, self.cure, self.key = rule, cause, cure, key


@dataclasses.dataclass(frozen=True)
class _Slot:
    """A parameter of what is called."""

    name: str
    is_buffer: bool
    is_compile_time: bool = False
    has_default: bool = False
    is_flag: bool = False


def _resolve(spec: Spec, phase: PhaseSpec) -> Call:
    node = _call_node(phase)
    function = ast.unparse(node.func)
    if phase.is_own:
        library, contract, slots = None, _own_contract(phase, node, function), _own_slots(phase, node)
    else:
        library = _library_phase(phase, function)
        contract = library.contract
        slots = [
            _Slot(each.name, each.kind is Kind.CB, each.kind is Kind.COMPILE_TIME, each.has_default, each.type == BOOL)
            for each in library.parameters
        ]
    given = _bind(phase, function, node, slots)
    buffers, arguments = {}, {}
    for slot in slots:
        if slot.name not in given:
            continue
        if slot.is_buffer:
            buffers[slot.name] = _buffer_name(spec, phase, slot, given[slot.name])
        else:
            arguments[slot.name] = _number(spec, phase, slot, given[slot.name])
    return Call(phase, function, contract, library, arguments, buffers)


def _call_node(phase: PhaseSpec) -> ast.Call:
    try:
        node = ast.parse(phase.call.strip(), mode="eval").body
    except SyntaxError:
        node = None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        cure = 'write it as in Python: call = "tilize(in_rm, in_tiled, B)"'
        raise _RefusedError("phase-call", f"`{phase.call}` of phase {phase.name} is no call of a phase", cure)
    return node


def _library_phase(phase: PhaseSpec, function: str) -> Phase:
    if function in COMPUTE_LIBRARY:
        return COMPUTE_LIBRARY[function]
    if function in LIBRARY:
        cure = "give the buffer producer or consumer `reader` or `writer` and say what it holds; the kernels follow"
        raise _RefusedError("phase-exists", f"{function} is for readers and writers, not for compute kernels", cure)
    hint = did_you_mean(function, COMPUTE_LIBRARY)
    cure = (
        f"phases there are: {', '.join(sorted(COMPUTE_LIBRARY))}; one that you will write yourself needs its contract: "
        "waits, pops, pushes, needs and gives"
    )
    raise _RefusedError("phase-exists", f"there is no phase {function}{hint}", cure)


def _own_contract(phase: PhaseSpec, node: ast.Call, function: str) -> Contract:
    if function in LIBRARY:
        cure = "leave waits, pops, pushes, needs and gives out, or give your phase another name"
        raise _RefusedError("phase-exists", f"{function} is a phase of the library and has its own contract", cure)
    if node.args or any(each.arg is None for each in node.keywords):
        cure = f"write {function}(cb_in=..., cb_out=..., num_tiles=Wt): the names become its parameters"
        raise _RefusedError("phase-arguments", f"{function} is to be written, so its arguments need names", cure)
    texts = {key: dict(getattr(phase, key) or {}) for key in ("waits", "pops", "pushes", "needs", "gives")}
    names = {str(each.arg) for each in node.keywords}
    for key, entries in texts.items():
        for parameter in entries:
            if parameter not in names:
                cure = f"its arguments are {', '.join(sorted(names))}{did_you_mean(parameter, names)}"
                cause = f"{key} names {parameter}, which the call of {function} does not give"
                raise _RefusedError("phase-contract", cause, cure, key)
    if not texts["waits"] or not texts["pushes"]:
        cure = 'say how many pages of which buffer it waits for and pushes: waits = { cb_in = "num_tiles" }'
        raise _RefusedError("phase-contract", f"{function} reads nothing or gives nothing", cure, "name")
    for key, same in (("pops", "waits"), ("needs", "waits"), ("gives", "pushes")):
        if texts[key].keys() != texts[same].keys():
            cause = f"{key} of {function} is about {', '.join(texts[key]) or 'nothing'}, {same} about others"
            raise _RefusedError("phase-contract", cause, f"{key} must have {', '.join(texts[same])}", key)
    for key in ("waits", "pops", "pushes"):
        for text in texts[key].values():
            unknown = names_in(_expression(text, function, key)) - names
            if unknown:
                cause = f"{key} of {function} depends on {', '.join(sorted(unknown))}, which the call does not give"
                raise _RefusedError("phase-contract", cause, f"its arguments are {', '.join(sorted(names))}", key)
    return Contract(
        function,
        texts["waits"],
        texts["pops"],
        texts["pushes"],
        {cb: _region(text, "needs") for cb, text in texts["needs"].items()},
        {cb: _region(text, "gives") for cb, text in texts["gives"].items()},
        {},
    )


def _own_slots(phase: PhaseSpec, node: ast.Call) -> list[_Slot]:
    buffers = {*(phase.waits or {}), *(phase.pushes or {})}
    return [_Slot(str(each.arg), each.arg in buffers) for each in node.keywords]


def _region(text: str, key: str) -> Region:
    allowed = {each.value: each for each in Region}
    if text not in allowed:
        hint = did_you_mean(text, allowed)
        cure = f"allowed: {', '.join(allowed)}"
        raise _RefusedError("phase-contract", f"`{text}` is no part of a page{hint}", cure, key)
    return allowed[text]


def _bind(phase: PhaseSpec, function: str, node: ast.Call, slots: list[_Slot]) -> dict[str, ast.expr]:
    names = [each.name for each in slots]
    form = f"{function}({', '.join(each.name + ('=...' if each.has_default else '') for each in slots)})"
    if len(node.args) > len(names):
        cause = f"{function} takes {len(names)} arguments, given {len(node.args)}"
        raise _RefusedError("phase-arguments", cause, f"it is {form}")
    given = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        name = str(keyword.arg)
        if name not in names:
            cause = f"{function} has no argument {name}{did_you_mean(name, names)}"
            raise _RefusedError("phase-arguments", cause, f"it is {form}")
        if name in given:
            raise _RefusedError("phase-arguments", f"{function} is given {name} twice", f"it is {form}")
        given[name] = keyword.value
    missing = [each.name for each in slots if each.name not in given and not each.has_default]
    if missing:
        raise _RefusedError("phase-arguments", f"{function} is not given {', '.join(missing)}", f"it is {form}")
    return given


def _buffer_name(spec: Spec, phase: PhaseSpec, slot: _Slot, node: ast.expr) -> str:
    names = [each.name for each in spec.buffers]
    text = ast.unparse(node)
    if text not in names:
        cause = f"{slot.name} of phase {phase.name} is {text}, which is no buffer{did_you_mean(text, names)}"
        raise _RefusedError("phase-arguments", cause, f"buffers there are: {', '.join(names)}")
    return text


def _number(spec: Spec, phase: PhaseSpec, slot: _Slot, node: ast.expr) -> ast.expr:
    text = ast.unparse(node)
    tree = _expression(text, phase.name, "call")
    for name in sorted(names_in(tree)):
        if name not in SYMBOLS:
            cause = f"{slot.name} of phase {phase.name} is {text}, and {name} means nothing here"
            cure = f"numbers a call may name: {', '.join(SYMBOLS)}{did_you_mean(name, SYMBOLS)}"
            if any(each.name == name for each in spec.buffers):
                cure = f"{slot.name} is a number, {name} a buffer; {cure}"
            raise _RefusedError("phase-arguments", cause, cure)
    if isinstance(tree, ast.Constant) and isinstance(tree.value, bool) != slot.is_flag:
        wanted = "True or False" if slot.is_flag else "a number"
        raise _RefusedError("phase-arguments", f"{slot.name} of phase {phase.name} is {text}", f"write {wanted}")
    if "block" in names_in(tree) and (slot.is_compile_time or phase.each != "block"):
        what = f"{slot.name} must be known when the kernel is compiled" if slot.is_compile_time else "there is no loop"
        cause = f"`block` in phase {phase.name}: {what}"
        cure = "leave `block` out" if slot.is_compile_time else 'write each = "block", or leave `block` out'
        raise _RefusedError("phase-arguments", cause, cure)
    return tree


def _expression(text: str, where: str, key: str) -> ast.expr:
    try:
        return parse_expression(text)
    except ExpressionError as error:
        cure = "write numbers, names, + - * // %, comparisons and `a if b else c`"
        raise _RefusedError("phase-arguments", f"{key} of {where}: {error}", cure, key) from None


def readers_of(calls: list[Call], buffer: str) -> Iterator[Call]:
    """Calls that wait for a buffer, in order."""
    return (each for each in calls if buffer in each.reads)


def writers_of(calls: list[Call], buffer: str) -> Iterator[Call]:
    """Calls that push into a buffer, in order."""
    return (each for each in calls if buffer in each.writes)
