# SPDX-License-Identifier: Apache-2.0
"""Error bounds: an error analysis of the schedule, element by element.

Every value of the formula gets its exact value in float64 and a bound on how far the chip's may be from it. Bounds come
from the formats and from what the units do (docs/numerics.md), and go through functions as errors do:

- *Reading.* The matrix unit, and every read of a buffer that it also reads, cuts a Float32 to 10 mantissa bits: 2^-10
  of the value; of the first operand of a product 9 bits: 2^-9. bfloat16 comes whole.
- *Integers.* An int32 becomes a float32 when it is read, 2^-24 of it. A result that is made of integers alone
  (``_planner/integers.py``) is exact.
- *Computing.* The vector unit rounds to float32, 2^-23 of the result; functions such as exp are good to 2^-21.
  Numbers below 2^-126 become zero; a share that the operand is multiplied by (gelu) may, so 2^-126 of the operand.
- *Reducing.* A sum of n values in float32 adds n * 2^-24 of the sum of their sizes. Tiles added up before they are
  reduced are read by the matrix unit, down columns as a first operand, over two dimensions twice; so is the largest of
  them. A mean that is computed with is made 2^-12 larger on purpose (``mean_factor``).
- *Multiplying by a matrix.* As reducing; of Float32 operands 9 mantissa bits are taken.
- *Writing.* A result is rounded to its format: 2^-8 of itself in bfloat16, 2^-24 in float32.

- *Range.* What may exceed the largest float32, 3.4e38, has no bound.

A function f of an operand that is off by e is off by at most the larger of |f(x + e) - f(x)| and |f(x - e) - f(x)|;
sums add errors, products and quotients multiply them as they should. A comparison that the errors could turn round
may be 1 instead of 0; of what is no number (0 / 0), nothing is known. Where a bound is not finite (a division by
something that may be zero), nothing is claimed and nothing is compared.

- *Softmax.* Where errors of the operand decide, a softmax still is at most 1: powers of a row are divided by their own
  sum. Both come of differences from the largest, whose operands may be read with other cuts.
- *Fidelity.* Below HiFi4 the matrix unit leaves parts of products out (:mod:`tilewright._planner.fidelity`).

The bound is for the plan's own configuration: its fidelity, and 32-bit DST.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tilewright._planner import fidelity as of_fidelity
from tilewright._planner.matmul import Multiplication
from tilewright._planner.model import Compute, Reduce, Role, Schedule
from tilewright._planner.register_program import MatrixStep
from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._evaluate import Float64, apply
from tilewright.formula._graph import REDUCTIONS, Along, Value, nodes_of

READ = 2.0**-10
READ_FACTOR = 2.0**-9
ARITHMETIC = 2.0**-23
FUNCTION = 2.0**-21
SUM = 2.0**-24
_LIFT = 2.0**-12
TINY = 2.0**-126
_INTEGERS = 2.0**31
# Powers of exponents below it are far from the largest float32; and the most that cuts and LoFi take of a sum.
_LARGEST_EXPONENT, _LOST_OF_SUM = 60.0, 0.125
_LARGEST = 2.0**128 * (1 - 2.0**-24)
WRITTEN = {"Float16_b": 2.0**-8, "Float32": 2.0**-24, "Bfp8_b": 2.0**-6, "Int32": 0.0}
# A cast has rounded already what is written in its format.
_ROUNDED_BY = {"to_bfloat16": "Float16_b", "to_float32": "Float32", "to_int32": "Int32"}
# What is chosen or compared; of what is no number, another operand may come out.
_COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")
_CHOOSES = tuple(each.name for each in ELEMENTWISE.values() if each.chooses)
_UNKNOWN_OF_NAN = ("maximum", "minimum", "clamp", "where", "max", "to_int32", *_COMPARED, *_CHOOSES)
_TIMES_SHARE = tuple(each.name for each in ELEMENTWISE.values() if each.times_share)
_EXACT_FUNCTIONS = tuple(each.name for each in ELEMENTWISE.values() if each.is_exact)
_EXACT = ("maximum", "minimum", "where", "clamp", "to_bfloat16", *_COMPARED, *_EXACT_FUNCTIONS)
# What reading the tile that others were added up to loses: along rows it is the second operand of the matrix unit.
_FOLDED = {Along.ROWS: READ, Along.COLUMNS: READ_FACTOR, Along.BOTH: 2 * READ_FACTOR}
_AXES: dict[Along, Any] = {Along.ROWS: -1, Along.COLUMNS: -2, Along.BOTH: (-2, -1)}


@dataclasses.dataclass(frozen=True)
class Rounding:
    """One place where something is rounded: what, by how much of itself, and why."""

    what: str
    unit: float
    why: str


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Exact results and how far off each element may be.

    Attributes:
        roundings: where bounds come from.
    """

    exact: tuple[Float64, ...]
    allowed: tuple[Float64, ...]
    roundings: tuple[Rounding, ...]


def roundings_of(schedule: Schedule) -> tuple[Rounding, ...]:
    """Where a schedule rounds."""
    found = []
    for store in schedule.stores.values():
        if store.role in (Role.INPUT, Role.VALUE) and store.format == "Float32" and store.read_by_matrix_unit:
            found.append(Rounding(store.name, READ, "the matrix unit reads 10 mantissa bits of a Float32"))
        if store.role is Role.PARTS:
            assert store.value is not None
            assert store.value.along is not None
            unit = READ if store.value.function == "max" else _FOLDED[store.value.along]
            found.append(Rounding(store.name, unit, "tiles added up in float32, read by the matrix unit"))
        is_mean = store.role is Role.VALUE and store.value is not None and store.value.function == "mean"
        if is_mean and store.read_by_matrix_unit:
            found.append(Rounding(store.name, _LIFT, "a mean that is cut is made this much larger before"))
        if store.role is Role.OUTPUT:
            found.append(Rounding(store.name, WRITTEN[store.format], f"the result is rounded to {store.format}"))
    left_out = of_fidelity.missed(schedule, schedule.fidelity)
    if left_out:
        found.append(Rounding("products", left_out, f"{schedule.fidelity.name} leaves out parts of both factors"))
    found.append(Rounding("DST", ARITHMETIC, f"float32 arithmetic; {FUNCTION:.2g} for functions such as exp"))
    return tuple(found)


def bounds(
    schedule: Schedule,
    outputs: Sequence[Value],
    names: Mapping[str, Any],
    errors: Mapping[str, Float64] | None = None,
) -> Bounds:
    """Bounds of a formula's results for given operands and parameters.

    Args:
        errors: how far off inputs may be, by name; the others are exact.
    """
    analysis = _Analysis(schedule, input_errors=errors)
    with np.errstate(all="ignore"):
        for node in nodes_of(outputs):
            analysis.take(node, names)
        exact = tuple(analysis.values[id(each)] for each in outputs)
        allowed = tuple(analysis.written(each, index) for index, each in enumerate(outputs))
    return Bounds(exact, allowed, roundings_of(schedule))


def step_bound(
    schedule: Schedule, node: Value, known: Mapping[int, Float64], names: Mapping[str, Any], format_: str
) -> Float64:
    """How far a buffer that holds a value may be off, given what was read: ``known`` values by id are exact."""
    analysis = _Analysis(schedule, known)
    with np.errstate(all="ignore"):
        for each in _needed(node, known):
            analysis.take(each, names)
        error, value = analysis.errors[id(node)], analysis.values[id(node)]
        return _in_range(value, np.asarray(error + WRITTEN[format_] * (np.abs(value) + error) + TINY))


def analysed(
    schedule: Schedule, node: Value, names: Mapping[str, Any], errors: Mapping[str, Float64]
) -> tuple[Float64, Float64]:
    """The exact value of one node and its bound, before it is written; ``errors`` are those of inputs by name."""
    analysis = _Analysis(schedule, input_errors=errors)
    for each in nodes_of([node]):
        analysis.take(each, names)
    return analysis.values[id(node)], analysis.errors[id(node)]


def _needed(node: Value, known: Mapping[int, Float64]) -> list[Value]:
    """Nodes a value is computed from, up to those that are known."""
    found: dict[int, Value] = {}

    def visit(each: Value) -> None:
        if id(each) in found:
            return
        if id(each) not in known or each is node:
            for operand in each.operands:
                visit(operand)
        found[id(each)] = each

    visit(node)
    return list(found.values())


class _Analysis:
    """Values and bounds by id of the node."""

    def __init__(
        self,
        schedule: Schedule,
        known: Mapping[int, Float64] | None = None,
        input_errors: Mapping[str, Float64] | None = None,
    ) -> None:
        self._schedule = schedule
        self._input_errors = input_errors or {}
        self._known = known or {}
        self._cut: dict[int, bool] = {}
        self._short: set[int] = set()  # inputs that the matrix unit reads whole, whatever they go through
        self._integers: set[int] = set()  # inputs that are made float32
        self._buffers = {  # of values that are read
            id(s.value): s.name for s in schedule.stores.values() if s.role in (Role.INPUT, Role.VALUE, Role.NUMBER)
        }
        # Of what is computed to be multiplied; empty where a tensor is multiplied.
        before = schedule.left
        self._left_format = "" if before is None else before.stores[before.outputs[0]].format
        self._left_out = _left_out(schedule)
        self._folded = {id(s.value) for s in schedule.steps() if isinstance(s, Reduce) and s.program is not None}
        self._whole = {  # results that are computed with integers
            s.target for s in schedule.steps() if isinstance(s, Compute) and s.program.is_integer
        }
        for store in schedule.stores.values():
            if store.value is not None and store.role in (Role.INPUT, Role.VALUE, Role.NUMBER):
                self._cut[id(store.value)] = store.format == "Float32" and store.read_by_matrix_unit
                if store.role is Role.INPUT and store.format not in ("Float32", "Int32"):
                    self._short.add(id(store.value))
                if store.role is Role.INPUT and store.format == "Int32":
                    self._integers.add(id(store.value))
        self.values: dict[int, Float64] = {}
        self.errors: dict[int, Float64] = {}

    def take(self, node: Value, names: Mapping[str, Any]) -> None:
        if id(node) in self._known:
            self.values[id(node)] = self._known[id(node)]
            self.errors[id(node)] = np.zeros(1)
            return
        if node.is_leaf:
            made = self._schedule.multiplication
            if made is not None and node is made.product:
                self.values[id(node)], self.errors[id(node)] = self._multiplied(made, names)
                return
            value = node.numbers[0] if node.is_constant else names[node.name]
            self.values[id(node)] = np.asarray(value, dtype=np.float64)
            # A number reaches kernels as a float32, and an integer the vector unit.
            is_exact = node.function == "input" and id(node) not in self._integers
            self.errors[id(node)] = np.abs(self.values[id(node)]) * (0 if is_exact else SUM)
            if node.function == "input" and node.name in self._input_errors:
                self.errors[id(node)] = self.errors[id(node)] + self._input_errors[node.name]
            return
        operands = [self.values[id(each)] for each in node.operands]
        errors = [self._read(node, index) for index in range(len(operands))]
        value = apply(node, operands)
        self.values[id(node)] = value
        if node.function in REDUCTIONS:
            self.errors[id(node)] = _in_range(value, self._reduced(node, operands[0], errors[0], value))
            self._forget(node, np.isnan(value))
            return
        unit = 0.0 if node.function in _EXACT else ARITHMETIC
        if node.function not in ("add", "sub", "mul", "div", "square", "to_float32", "to_int32", *_EXACT):
            unit = FUNCTION
        if node.own is not None:
            unit = node.own.error
        propagated = _propagated(node, operands, errors, value) + self._left_out_of(node, operands, errors)
        if node.function in _TIMES_SHARE:  # a share below 2^-126 is zero before the operand is multiplied by it
            propagated = propagated + TINY * np.abs(operands[0])
        self.errors[id(node)] = _in_range(
            value, propagated + unit * (np.abs(value) + propagated) + (TINY if unit else 0.0)
        )
        powered = softmax_operand(node)
        if powered is not None and id(powered) in self.values:  # a single step knows its own operands only
            self.errors[id(node)] = np.minimum(self.errors[id(node)], self._largest_softmax(powered))
        deciding = operands[:1] if node.function == "where" else operands  # what is not chosen does not matter
        self._forget(node, functools.reduce(np.logical_or, [np.isnan(each) for each in deciding]))

    def _largest_softmax(self, powered: Value) -> Float64:
        """What an element of a softmax is at most, whatever its operand is."""
        value, error = self.values[id(powered)], self.errors[id(powered)]
        size = np.max(np.where(np.isfinite(value), np.abs(value) + error, 0.0))  # what a mask hides stays hidden
        exponent = 4 * READ * size
        return np.asarray(np.where(exponent < _LARGEST_EXPONENT, (1 + _LOST_OF_SUM) * np.exp(exponent), np.inf))

    def _forget(self, node: Value, is_unknown: Any) -> None:
        """Claims nothing of elements whose operands are no numbers, where units differ about what follows."""
        if node.function in _UNKNOWN_OF_NAN and np.any(is_unknown):
            value, error = self.values[id(node)], self.errors[id(node)]
            self.values[id(node)] = np.where(is_unknown, 0.0, value)
            self.errors[id(node)] = np.where(is_unknown, np.inf, error)

    def _multiplied(self, made: Multiplication, names: Mapping[str, Any]) -> tuple[Float64, Float64]:
        """A product of rows and a matrix: a float32 operand is cut, and float32 sums round."""
        for node in nodes_of([made.left]):
            self.take(node, names)
        left, error = self.values[id(made.left)], self.errors[id(made.left)]
        if self._left_format == "Float16_b":
            error = np.asarray(error + WRITTEN["Float16_b"] * (np.abs(left) + error))
        right = np.asarray(names[made.right.name], dtype=np.float64)
        cuts = [
            READ_FACTOR if store.format == "Float32" else 0.0
            for store in self._schedule.stores.values()
            if store.role in (Role.LEFT, Role.RIGHT)
        ]
        off = np.broadcast_to(self._input_errors.get(made.right.name, np.zeros(1)), right.shape)
        if made.is_transposed:
            right, off = np.swapaxes(right, -1, -2), np.swapaxes(off, -1, -2)
        sizes = np.matmul(np.abs(left) + error, np.abs(right) + off)
        left_out = of_fidelity.matmul_product(self._schedule).missed(self._schedule.fidelity)
        rounded = np.asarray(sizes * (left_out + sum(cuts) + 2.0**-18 * any(cuts) + left.shape[-1] * SUM))
        propagated = np.matmul(np.broadcast_to(error, left.shape), np.abs(right) + off) + np.matmul(np.abs(left), off)
        return np.matmul(left, right), rounded + propagated

    def _left_out_of(self, node: Value, operands: Sequence[Float64], errors: Sequence[Float64]) -> Any:
        """What a product loses that the matrix unit makes."""
        if node.function not in ("mul", "square"):
            return 0.0
        names = [self._buffers.get(id(each), "") for each in node.operands]
        share = self._left_out.get((names[0], names[-1]), 0.0)
        sizes = [np.abs(value) + error for value, error in zip(operands, errors, strict=True)]
        return share * sizes[0] * sizes[-1]

    def written(self, node: Value, index: int) -> Float64:
        """The bound of a result in its format."""
        name = self._schedule.outputs[index]
        if name in self._whole:  # integers, which wrap round beyond their range
            inside = [np.abs(self.values[id(each)]) < _INTEGERS for each in nodes_of([node])]
            return np.where(functools.reduce(np.logical_and, inside), 0.0, np.inf)
        format_ = self._schedule.stores[name].format
        unit = 0.0 if _ROUNDED_BY.get(node.function) == format_ else WRITTEN[format_]
        value, error = self.values[id(node)], self.errors[id(node)]
        if self._cut.get(id(node)):  # it comes from a buffer that the matrix unit reads too
            error = np.asarray(error + READ * (np.abs(value) + error))
        return np.asarray(error + unit * (np.abs(value) + error) + TINY)

    def _read(self, node: Value, index: int) -> Float64:
        operand = node.operands[index]
        error, value = self.errors[id(operand)], self.values[id(operand)]
        if not self._cut.get(id(operand)):
            return error
        unit = READ_FACTOR if node.function in ("mul", "square") else READ
        return np.asarray(error + unit * (np.abs(value) + error))

    def _reduced(self, node: Value, operand: Float64, error: Float64, value: Float64) -> Float64:
        assert node.along is not None
        axis = _AXES[node.along]
        read = np.broadcast_to(error, operand.shape)
        sizes = np.abs(operand) + read
        if id(node) in self._folded and node.function != "max":
            read = read + _FOLDED[node.along] * sizes
        if node.function == "max":
            is_cut = id(node.operands[0]) not in self._short
            above = (operand + read).max(axis=axis, keepdims=True) - value
            below = value - (operand - read).max(axis=axis, keepdims=True)
            return np.asarray(np.maximum(above, below) + (READ * np.abs(value) if is_cut else 0.0))
        count = np.prod([operand.shape[each] for each in np.atleast_1d(axis)])
        size = sizes.sum(axis=axis, keepdims=True)
        left_out = self._left_out.get(id(node), 0.0)
        total = read.sum(axis=axis, keepdims=True) + (count * SUM + left_out) * size
        total = np.where(size <= _LARGEST, total, np.inf)  # a part of the sum may leave the range
        if node.function == "mean":
            lift = _LIFT if self._cut.get(id(node)) else 0.0
            total = total / count + (lift + ARITHMETIC) * np.abs(value)
        return np.asarray(total + TINY)


def softmax_operand(node: Value) -> Value | None:
    """What a value is the softmax of; None if it is none."""
    if node.function not in ("mul", "div"):
        return None
    powers, divisor = node.operands
    if node.function == "mul" and divisor.function == "reciprocal":
        divisor = divisor.operands[0]
    elif node.function == "mul":
        return None
    if powers.function != "exp" or divisor.function != "sum" or divisor.operands[0] is not powers:
        return None
    difference = powers.operands[0]
    if difference.function != "sub" or difference.operands[1].function != "max":
        return None
    largest = difference.operands[1]
    is_same = largest.operands[0] is difference.operands[0] and largest.along is divisor.along
    return difference.operands[0] if is_same else None


def _left_out(schedule: Schedule) -> dict[object, float]:
    """What the fidelity leaves out of products: by the names of both buffers, and of sums by the id of the value."""
    found: dict[object, float] = {}
    for step in schedule.steps():
        if isinstance(step, (Compute, Reduce)) and step.program is not None:
            for each in step.program.steps:
                if isinstance(each, MatrixStep) and each.function == "mul":
                    share = of_fidelity.of_factors(each.b.format).missed(schedule.fidelity)
                    for pair in ((each.a.name, each.b.name), (each.b.name, each.a.name)):
                        found[pair] = max(share, found.get(pair, 0.0))
        if isinstance(step, Reduce) and step.value.function != "max":
            found[id(step.value)] = of_fidelity.sum_product(step, schedule).missed(schedule.fidelity)
    return found


def _in_range(value: Float64, error: Float64) -> Float64:
    """The error, infinite where float32 may not hold the value."""
    return np.asarray(np.where(np.abs(value) + error <= _LARGEST, error, np.inf))


def _propagated(node: Value, operands: Sequence[Float64], errors: Sequence[Float64], value: Float64) -> Float64:
    """Effect of the operands' errors on a result."""
    function = node.function
    if function in ("add", "sub", "maximum", "minimum"):
        return np.asarray(errors[0] + errors[1])
    if function == "mul":
        (a, b), (e, f) = operands, errors
        return np.asarray(np.abs(a) * f + np.abs(b) * e + e * f)
    if function == "div":
        (a, b), (e, f) = operands, errors
        room = np.abs(b) - f
        return np.asarray(np.where(room > 0, (e + np.abs(value) * f) / room, np.inf))
    if function in _COMPARED:
        error = errors[0] + errors[1]
        return np.where((np.abs(operands[0] - operands[1]) <= error) & (error > 0), 1.0, 0.0)
    if function == "where":
        condition, a, b = operands
        doubtful = errors[0] > 0
        chosen = np.where(condition != 0, errors[1], errors[2])
        return np.asarray(np.where(doubtful, np.abs(a - b) + errors[1] + errors[2], chosen))
    if node.own is not None:
        return _at_corners(node, operands, errors, value)
    return _of_one(node, operands[0], errors[0], value)


def _at_corners(node: Value, operands: Sequence[Float64], errors: Sequence[Float64], value: Float64) -> Float64:
    """A phase of one's own, where each operand is as far off as it may be; it is taken to be monotone that near."""
    worst = np.zeros(np.shape(value))
    for signs in itertools.product((-1.0, 1.0), repeat=len(operands)):
        moved = [each + sign * error for each, error, sign in zip(operands, errors, signs, strict=True)]
        worst = np.maximum(worst, np.abs(apply(node, moved) - value))
    return np.asarray(np.where(np.isnan(worst), np.inf, worst))


def _of_one(node: Value, operand: Float64, error: Float64, value: Float64) -> Float64:
    """A function of one operand, at both ends of what it may be."""
    if _is_steep_at_zero(node.function) and np.any(operand - error <= 0):
        reaches = operand - error <= 0
    else:
        reaches = np.zeros(np.shape(operand), dtype=bool)
    ends = [np.abs(apply(node, [operand + sign * error]) - value) for sign in (-1.0, 1.0)]
    worst = np.maximum(*ends)
    if node.function in ("sin", "cos"):
        worst = np.minimum(error, 2.0)
    if node.function == "reciprocal":
        reaches = np.abs(operand) <= error
    if node.function == "abs":
        worst = error
    return np.asarray(np.where(np.isnan(worst) | reaches, np.inf, worst))


def _is_steep_at_zero(function: str) -> bool:
    """Whether a function has no value, or no bounded slope, at zero and below."""
    return function == "power" or (function in ELEMENTWISE and ELEMENTWISE[function].is_steep_at_zero)
