# SPDX-License-Identifier: Apache-2.0
"""Test cases derived from a declaration: all plans, both dtypes, edge cases of the formula.

Shapes are those where things go wrong: several tile-rows on a core, one element, one tile, rows and columns that end
inside a tile, a row in several blocks, a row that streams. The rows of one tensor are of all kinds: random, random
around 10, all alike, zeros, alternating, one large element, numbers so small and so large that squares leave the
range. What each result may be off is computed from its operands (:mod:`tilewright._planner.error_bound`). A set of
cases in which zeros would pass is refused.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from tilewright._errors import TilewrightError
from tilewright._launch.open_devices import close_device, open_device
from tilewright._tensor.argument import require
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright._workshop.case_shapes import broken_requirements, satisfying_shape
from tilewright.formula._direction import Direction
from tilewright.formula._evaluate import Float64
from tilewright.formula._graph import Extent
from tilewright.ops import Operation, Options, Outcome, OwnCase, Strategy
from tilewright.ops._accuracy import Accuracy, held, judge, zeros_pass

LOGGED_CASE = "all kinds of rows"  # the case whose buffers and kernels the stages record
DTYPES = {"bfloat16": DataType.BFLOAT16, "float32": DataType.FLOAT32}
KINDS = ("normal", "offset", "constant", "zeros", "alternating", "spike", "tiny", "large")


@dataclasses.dataclass(frozen=True)
class OperationCase:
    """An input, the plan to run it with, and what it is for.

    Attributes:
        kinds: of the rows, in turn.
        strategy, block_tiles: of the plan; what would be chosen if None.
        is_broadcast: whether tensors that may broadcast have fewer dimensions.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    why: str
    kinds: tuple[str, ...] = KINDS
    strategy: Strategy | None = None
    block_tiles: int | None = None
    is_broadcast: bool = False

    @property
    def options(self) -> Options:
        return Options(strategy=self.strategy, block_tiles=self.block_tiles)


@dataclasses.dataclass(frozen=True)
class CaseResult:
    """Result of a case.

    Attributes:
        operands: what the tensors held.
        would_zeros_pass: whether a result of zeros would be within the bound too.
    """

    case: OperationCase
    outcome: Outcome
    operands: dict[str, Float64]
    accuracy: Accuracy
    would_zeros_pass: bool

    @property
    def text(self) -> str:
        """One line about the worst element."""
        return f"{self.case.name}: {self.accuracy.text}"


class NoCaseError(TilewrightError):
    """No test case of an operation satisfies its requirements, or none has the name that is asked for."""

    exit_status = 2


def derived_cases(operation: Operation) -> tuple[OperationCase, ...]:
    """The cases of an operation, the smallest first, then those that its declaration gives.

    Each satisfies the operation's requirements: where the usual shape does not, the nearest one that does takes its
    place; a case for which there is none is left out.

    Raises:
        NoCaseError: no case is left.
    """
    shaped = []
    for case in _usual_cases(operation):
        shape = satisfying_shape(operation, case.shape, DTYPES[case.dtype])
        if shape is not None:
            shaped.append(dataclasses.replace(case, shape=shape))
    found = (*shaped, *(_declared(operation, each) for each in operation.cases))
    if not found:
        conditions = " and ".join(f"`{each.condition}`" for each in operation.requirements)
        raise NoCaseError(
            f"{operation.name}: no shape was found that satisfies {conditions}: give one, "
            '@operation(cases=[OwnCase("mine", (64, 96))])'
        )
    return found


def _declared(operation: Operation, case: OwnCase) -> OperationCase:
    """A case of the declaration.

    Raises:
        NoCaseError: it does not satisfy the requirements.
    """
    broken = broken_requirements(operation, case.shape, DTYPES[case.dtype])
    if broken:
        raise NoCaseError(f"{operation.name}: case {case.name!r} breaks its requirement `{broken[0].condition}`")
    return OperationCase(case.name, case.shape, case.dtype, case.why or "given by the declaration")


def _usual_cases(operation: Operation) -> list[OperationCase]:
    """Cases by the formula alone."""
    if len(operation.parts) > 1:
        return _split_cases(operation)
    strategies = list(operation.variants(operation.form(DataType.BFLOAT16)))
    line = operation.direction.line
    # Lines of four tiles, and lines that end inside a tile.
    whole, cut = {
        Direction.ROWS: ((161, 128), (161, 150)),
        Direction.COLUMNS: ((128, 161), (150, 161)),
        Direction.SLABS: ((9, 64, 64), (9, 47, 100)),
    }[operation.direction]
    several = {
        Strategy.RESIDENT: OperationCase(
            "several blocks", whole, "bfloat16", f"a {line} that stays in L1 moves in blocks"
        ),
        Strategy.PARTLY_RESIDENT: OperationCase(
            "partly resident", whole, "bfloat16", f"a {line} stays in L1, shared rows do not"
        ),
        Strategy.STREAMING: OperationCase(
            "streaming", cut, "bfloat16", f"a {line} too large for L1 is read once per pass"
        ),
        Strategy.BLOCKED: OperationCase("several blocks", cut, "bfloat16", f"a {line} goes through L1 in blocks"),
    }
    cases = _cases_of_any_plan(operation)
    for each in strategies:
        cases.append(dataclasses.replace(several[each], strategy=each, block_tiles=2))
    if Strategy.STREAMING in strategies:
        wide = OperationCase(
            "streaming float32", cut, "float32", "both at once", strategy=Strategy.STREAMING, block_tiles=2
        )
        cases.append(wide)
    return cases


def _cases_of_any_plan(operation: Operation) -> list[OperationCase]:
    cases = [
        OperationCase("one element", (1, 1), "bfloat16", "the smallest tensor", ("offset",)),
        OperationCase("one tile", (32, 32), "bfloat16", "nothing but whole tiles", ("normal",)),
        OperationCase(LOGGED_CASE, (6, 47, 100), "bfloat16", "rows and columns end inside a tile"),
        OperationCase("float32", (6, 47, 100), "float32", "the matrix unit reads 10 mantissa bits of these"),
    ]
    if any(each.broadcasts for each in operation.inputs):
        cases.append(
            OperationCase("broadcast", (2, 3, 47, 100), "bfloat16", "a tensor serves several slabs", is_broadcast=True)
        )
    return cases


def _split_cases(operation: Operation) -> list[OperationCase]:
    """Cases of an operation of several programs; each strategy that a part has more than one of is a case."""
    several = [list(each.variants(each.form(DataType.BFLOAT16))) for each in operation.parts]
    strategies = dict.fromkeys(strategy for each in several if len(each) > 1 for strategy in each[1:])
    lines = OperationCase("several lines", (161, 150), "bfloat16", "several lines on a core, of several tiles")
    return [*_cases_of_any_plan(operation), lines] + [
        OperationCase(
            each.value.replace("_", " "), (161, 150), "bfloat16", f"parts with a {each.value} plan", strategy=each
        )
        for each in strategies
    ]


def case_named(operation: Operation, name: str) -> OperationCase:
    """The case of a name.

    Raises:
        NoCaseError: there is none.
    """
    cases = {each.name: each for each in derived_cases(operation)}
    if name not in cases:
        raise NoCaseError(f"{operation.name} has no case {name!r}; it has {', '.join(cases)}")
    return cases[name]


def usual_case(operation: Operation, name: str) -> OperationCase:
    """The case of a name, or the first where requirements leave it out."""
    cases = derived_cases(operation)
    return next((each for each in cases if each.name == name), cases[0])


def rows(kinds: Sequence[str], shape: tuple[int, ...], seed: int = 0) -> Float64:
    """Rows of several kinds in turn.

    ``normal`` N(0,1), ``offset`` N(10,1), ``constant`` 5, ``zeros``, ``alternating`` +-3, ``spike`` one 50 among zeros,
    ``tiny`` N(0,1) * 1e-30, ``large`` N(0,1) * 1e30.
    """
    generator = np.random.default_rng(seed)
    result = generator.standard_normal(shape).reshape(-1, shape[-1])
    columns = np.arange(shape[-1])
    for index in range(len(result)):
        kind = kinds[index % len(kinds)]
        row = result[index]
        made = {
            "offset": row + 10,
            "constant": np.full_like(row, 5.0),
            "zeros": np.zeros_like(row),
            "alternating": np.where(columns % 2, -3.0, 3.0),
            "spike": np.where(columns == shape[-1] // 3, 50.0, 0.0),
            "tiny": row * 1e-30,
            "large": row * 1e30,
        }
        result[index] = made.get(kind, row)
    return result.reshape(shape)


def lines(kinds: Sequence[str], shape: tuple[int, ...], direction: Direction, seed: int = 0) -> Float64:
    """Lines of several kinds in turn, whichever way an operation's lines go."""
    if direction is Direction.COLUMNS:
        return np.swapaxes(rows(kinds, (*shape[:-2], shape[-1], shape[-2]), seed), -1, -2)
    if direction is Direction.SLABS:
        return rows(kinds, (*shape[:-2], shape[-2] * shape[-1]), seed).reshape(shape)
    return rows(kinds, shape, seed)


def _direction(operation: Operation) -> Direction:
    return operation.direction if len(operation.parts) == 1 else Direction.ROWS


def case_tensors(operation: Operation, case: OperationCase, device: Device) -> dict[str, Tensor]:
    """The operands of a case on a device; rows that serve all are N(1, 0.5) so that none of their elements hides an
    error.
    """
    seed = zlib.crc32(case.name.encode())
    generator = np.random.default_rng(seed + 1)
    arrays: dict[str, Float64] = {}
    for number, each in enumerate(operation.inputs):
        shape = operation.input_shapes(case.shape)[each.name]
        if case.is_broadcast and each.broadcasts and each is not operation.main_input:
            shape = shape[1:]
        if each.is_matrix:
            arrays[each.name] = generator.standard_normal(shape) / shape[0] ** 0.5
        elif each.extent is Extent.FULL:
            arrays[each.name] = lines(case.kinds, shape, _direction(operation), seed + number)
        else:
            arrays[each.name] = 1 + generator.standard_normal(shape) / 2
    dtypes = operation.input_dtypes(DTYPES[case.dtype])
    return {name: Tensor(array, dtypes[name], device, Layout.ROW_MAJOR) for name, array in arrays.items()}


def run_case(operation: Operation, case: OperationCase, device: Device) -> CaseResult:
    """Runs a case and judges it, element by element."""
    tensors = case_tensors(operation, case, device)
    outcome = operation.launch(tensors, case.options)
    operands = held(tensors)
    wanted = operation.outcome_bounds(outcome, operands)
    accuracy = judge([each.to_numpy() for each in outcome.outputs], wanted)
    return CaseResult(case, outcome, operands, accuracy, zeros_pass(wanted))


def check_operation(operation: Operation, device: Device | None = None) -> Mapping[str, CaseResult]:
    """Runs every derived case and raises AssertionError for the first that is wrong.

    Example::

        def test_my_operation() -> None:
            check_operation(my_operation)
    """
    require("operation", operation, Operation, "an operation made with @operation")
    if device is not None:
        require("device", device, Device, "a ttnn.Device")
    chip = open_device(0, grid=(2, 2)) if device is None else device
    try:
        results = {}
        for case in derived_cases(operation):
            results[case.name] = result = run_case(operation, case, chip)
            assert result.accuracy.is_within_bound, f"{operation.name}: {result.text}"
    finally:
        if device is None:
            close_device(chip)
    assert not all(each.would_zeros_pass for each in results.values()), (
        f"{operation.name}: zeros would pass every case: its results are not larger than their own rounding"
    )
    return results
