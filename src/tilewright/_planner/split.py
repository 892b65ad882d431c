# SPDX-License-Identifier: Apache-2.0
"""Split a formula that one program cannot compute into several programs with tensors between them.

A program multiplies by one matrix and works along lines of one direction. A formula with two matmuls, or with
reductions in two directions, becomes several *parts*: each computes some values of the formula from inputs and from
values that earlier parts left in DRAM, the *intermediates*.

Which values are intermediates is found by search. A state is a set of values; every value of it, and every result, is
the target of a part that reaches down to inputs and other values of the set. While a part cannot be planned, its inner
values are tried as one more intermediate: matmuls and reductions themselves, and what lies between two that one program
cannot have. The search follows the states that move the fewest bytes; a matmul that is computed twice and a launch
count as bytes, too. Parts that do not wait for each other become one where that saves bytes.

An intermediate has the dtype of the results if matmuls alone read it, which take no more of a float32 than its
upper bits; everything else is float32.
"""

from __future__ import annotations

import dataclasses
import functools
import heapq
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from tilewright._planner.attention.pattern import attention_of
from tilewright._planner.matmul import without_matmul
from tilewright._planner.recompute_cost import is_number
from tilewright._planner.split_schedule import check_schedule
from tilewright.formula._dimensions import EqualSides
from tilewright.formula._direction import CannotPlanError, Direction, direction_of, turned
from tilewright.formula._graph import REDUCTIONS, Along, Extent, Value, nodes_of, rebuilt
from tilewright.formula._inputs import Slabs
from tilewright.formula._tracing import Formula

# One row, or one number, for each slab: it serves all rows of its slab.
OF_ITS_SLAB = Slabs(1, 0, single_row=True)
# States that are looked at, and those among them in which every part can be planned.
_MOST_STATES, _MOST_FEASIBLE = 300, 16
# What counts for each thing that one program cannot have, in bytes as below: it leads the search to states without.
_CONFLICT = 32.0
# In bytes for each element of a tensor of rows: a launch, a matmul, another function.
_LAUNCH, _MATMUL, _FUNCTION = 1.0, 16.0, 0.05
_SMALL = 0.1  # a row, a column or one number, of a tensor of rows
_BYTES = {"Float16_b": 2.0, "Float32": 4.0}


# What a part makes.
_Targets: TypeAlias = tuple[Value, ...]
# Ids of a part's targets, and of the intermediates below them.
_Key: TypeAlias = tuple[tuple[int, ...], frozenset[int]]


@dataclasses.dataclass(frozen=True)
class Intermediate:
    """A value between parts.

    Attributes:
        value: of the whole formula.
        is_factor: whether matmuls alone read it, so that it has the dtype of the results.
    """

    name: str
    value: Value
    is_factor: bool

    @property
    def extent(self) -> Extent:
        """Its extent in the parts that read it: what serves all rows of a slab comes row by row."""
        return {Extent.ROW: Extent.FULL, Extent.SCALAR: Extent.COLUMN}.get(self.value.extent, self.value.extent)

    @property
    def slabs(self) -> Slabs | None:
        return None if self.value.extent.per_row else OF_ITS_SLAB

    @property
    def bytes(self) -> float:
        """For each element of a tensor of rows."""
        return _BYTES["Float16_b" if self.is_factor else "Float32"] if self.value.extent is Extent.FULL else _SMALL


@dataclasses.dataclass(frozen=True)
class Part:
    """The computation of one program.

    Attributes:
        targets: the values of the whole formula that it makes.
        formula: the same, with intermediates as inputs.
    """

    targets: tuple[Value, ...]
    formula: Formula


@dataclasses.dataclass(frozen=True)
class Split:
    """Parts in the order they run, and the intermediates by name."""

    parts: tuple[Part, ...]
    intermediates: Mapping[str, Intermediate]

    def name_of(self, value: Value) -> str:
        """The name of an intermediate; empty for another value."""
        return next((name for name, each in self.intermediates.items() if each.value is value), "")


def needs_split(formula: Formula) -> bool:
    """Whether one program cannot compute a formula, by its matmuls and the directions of its reductions."""
    try:
        without_matmul(turned(formula, direction_of(formula)))
    except CannotPlanError:
        return True
    return False


def split(formula: Formula, broadcasting: Collection[str] = (), fuses: bool = True) -> Split:
    """The cheapest parts of a formula.

    Args:
        broadcasting: inputs whose shape may be smaller than that of the results.
        fuses: whether attention may be one part.

    Raises:
        CannotPlanError: no set of intermediates was found that makes every part a program.
    """
    for each in formula.outputs:
        if not each.extent.per_row and not any(node.extent is Extent.FULL for node in nodes_of([each])):
            raise CannotPlanError(
                f"the result `{each}` is the same for all rows, and computed from no tensor of rows: compute it on the "
                "host, or with another operation"
            )
    return _Splitter(formula, broadcasting, fuses).split()


class _Splitter:
    def __init__(self, formula: Formula, broadcasting: Collection[str], fuses: bool) -> None:
        self._formula = formula
        self._fuses = fuses
        self._broadcasting = frozenset(broadcasting)
        self._by_id = {id(each): each for each in formula.nodes}
        self._order = {key: index for index, key in enumerate(self._by_id)}
        whole = [
            each
            for each in formula.inputs
            if each.extent is Extent.FULL and not each.is_matrix and each.name not in broadcasting
        ]
        full = [each for each in formula.inputs if each.extent is Extent.FULL and not each.is_matrix]
        self._whole_inputs = [id(each) for each in whole or full[:1]]
        self._sides = EqualSides(formula)
        self._sides.follow((whole or full)[0], formula.inputs)
        self._below = {key: frozenset(id(each) for each in nodes_of([node])) for key, node in self._by_id.items()}
        self._known: dict[_Key, bool] = {}
        self._computed: dict[_Key, list[Value]] = {}
        self._costs: dict[_Key, float] = {}
        self._reason = ""

    # Values.

    @functools.cached_property
    def _intermediates(self) -> dict[int, Intermediate]:
        """Every value as an intermediate, by id."""
        readers: dict[int, list[tuple[Value, int]]] = {}
        for node in self._by_id.values():
            for index, operand in enumerate(node.operands):
                readers.setdefault(id(operand), []).append((node, index))
        taken = {each.name for each in (*self._formula.inputs, *self._formula.parameters)}
        found = {}
        for key, node in self._by_id.items():
            if node.is_leaf or is_number(node) or node.function == "transpose":
                continue
            plain = self._formula.name_of(node) or node.function
            name, number = plain, 1
            while name in taken:
                number += 1
                name = f"{plain}_{number}"
            taken.add(name)
            taken_by = {each.function for each, _ in readers.get(key, [])}
            is_factor = bool(taken_by) and taken_by <= {"matmul", "transpose"}
            found[key] = Intermediate(name, node, is_factor)
        return found

    def _is_whole(self, node: Value) -> bool:
        """Whether a value depends on a tensor of the shape that the rows have."""
        return not self._below[id(node)].isdisjoint(self._whole_inputs)

    def _key(self, targets: Sequence[Value], cuts: frozenset[int]) -> _Key:
        """Values that a part depends on: its targets, and those of the intermediates that lie below them."""
        below = frozenset().union(*(self._below[id(each)] for each in targets))
        return tuple(id(each) for each in targets), cuts & below

    def _nodes(self, targets: Sequence[Value], cuts: frozenset[int]) -> list[Value]:
        """The values that a part computes, operands first; inputs and intermediates are not among them."""
        key = self._key(targets, cuts)
        if key not in self._computed:
            self._computed[key] = self._make_nodes(targets, cuts)
        return self._computed[key]

    def _make_nodes(self, targets: Sequence[Value], cuts: frozenset[int]) -> list[Value]:
        ordered: dict[int, Value] = {}
        wanted = {id(each) for each in targets}

        def visit(node: Value) -> None:
            if id(node) in ordered or node.is_leaf or (id(node) in cuts and id(node) not in wanted):
                return
            for each in node.operands:
                visit(each)
            ordered[id(node)] = node

        for each in targets:
            visit(each)
        return list(ordered.values())

    def _read(self, targets: Sequence[Value], cuts: frozenset[int]) -> dict[int, Value]:
        """Inputs and intermediates that a part takes, by id."""
        nodes = self._nodes(targets, cuts)
        inside = {id(each) for each in nodes}
        leaves = {id(each): each for each in targets if each.is_leaf}  # a result may be an input
        leaves |= {id(each): each for node in nodes for each in node.operands if id(each) not in inside}
        return leaves if any(map(self._is_rows, leaves)) else leaves | self._frame(targets[0], cuts)

    def _frame(self, target: Value, cuts: frozenset[int]) -> dict[int, Value]:
        """A tensor that a part needs for its shape alone: of a row and a column, or of columns, which say less."""
        if not target.extent.per_row:
            return {}
        below = sorted(cuts & self._below[id(target)] - {id(target)}, key=self._order.__getitem__)
        known = [self._by_id[key] for key in (*self._whole_inputs, *below) if self._is_rows(key)]
        count = 2 if target.extent is Extent.FULL else 1
        same = (each for each in known if self._sides.of(each)[:count] == self._sides.of(target)[:count])
        return {id(each): each for each in itertools.islice(same, 1)}

    # Parts.

    def _part(self, targets: Sequence[Value], cuts: frozenset[int]) -> Part:
        made: dict[int, Value] = {}
        for key, node in self._read(targets, cuts).items():
            known = self._intermediates.get(key)
            made[key] = node if known is None else Value("input", extent=known.extent, name=known.name)
        read = list(made.values())
        names = {}
        for node in self._nodes(targets, cuts):
            made[id(node)] = rebuilt(node, [made[id(each)] for each in node.operands])
            if id(node) in self._formula.names:
                names[id(made[id(node)])] = self._formula.names[id(node)]
        own = {id(each) for each in self._formula.inputs}
        given = [each for each in self._formula.inputs if any(each is other for other in read)]
        given += [each for each in read if each.function == "input" and id(each) not in own]
        parameters = [each for each in self._formula.parameters if any(each is other for other in read)]
        outputs = tuple(made[id(each)] for each in targets)
        return Part(tuple(targets), Formula(tuple(given), tuple(parameters), outputs, names))

    def _can_be_planned(self, targets: _Targets, cuts: frozenset[int]) -> bool:
        """Whether one program can compute targets: by matmuls, directions and shapes, not by what fits a core."""
        key = self._key(targets, cuts)
        if key not in self._known:
            try:
                self._check_structure(self._part(targets, cuts), cuts)
                self._known[key] = True
            except CannotPlanError as error:
                self._reason = self._reason or str(error)
                self._known[key] = False
        return self._known[key]

    def _check_structure(self, part: Part, cuts: frozenset[int]) -> None:
        """Refuses a part that is no program.

        Raises:
            CannotPlanError: it says why.
        """
        formula = part.formula
        if self._is_attention(formula):
            return
        direction = direction_of(formula)
        _, multiplication = without_matmul(turned(formula, direction))
        read = self._read(part.targets, cuts)
        if direction is not Direction.ROWS and any(
            known.value.extent is not Extent.FULL for key in read if (known := self._intermediates.get(key))
        ):
            raise CannotPlanError(f"an intermediate has no place beside reductions over {direction.value}")
        for made, target in zip(formula.outputs, part.targets, strict=True):
            if made.extent is not target.extent:
                raise CannotPlanError(f"`{target}` is computed from what is known for a whole slab")
        whole = [each for each in part.targets if each.extent is Extent.FULL]
        if len({self._sides.of(each) for each in whole}) > 1:
            raise CannotPlanError(f"`{whole[0]}` and `{whole[-1]}` have different shapes")
        names = {each.name for each in multiplication.left_inputs} if multiplication is not None else None
        shaped = [node for key, node in read.items() if self._is_rows(key)]
        if not any(names is None or self._name_in_part(each) in names for each in shaped):
            raise CannotPlanError(f"`{part.targets[0]}` is computed from no tensor of rows")

    def _is_attention(self, formula: Formula) -> bool:
        return self._fuses and has_attention(formula, self._broadcasting)

    def _name_in_part(self, node: Value) -> str:
        known = self._intermediates.get(id(node))
        return node.name if known is None else known.name

    def _is_rows(self, key: int) -> bool:
        """Whether a part that takes a value knows the shape of its results from it."""
        known = self._intermediates.get(key)
        return key in self._whole_inputs or (known is not None and known.value.extent is Extent.FULL)

    def _cost(self, targets: Sequence[Value], cuts: frozenset[int]) -> float:
        """Bytes that a part moves for each element of a tensor of rows, and what its work is worth."""
        key = self._key(targets, cuts)
        if key not in self._costs:
            self._costs[key] = self._make_cost(targets, cuts)
        return self._costs[key]

    def _make_cost(self, targets: Sequence[Value], cuts: frozenset[int]) -> float:
        total = _LAUNCH
        for key, node in self._read(targets, cuts).items():
            known = self._intermediates.get(key)
            if known is not None:
                total += known.bytes
            elif node.function == "input":
                total += _BYTES["Float16_b"] if node.extent is Extent.FULL else _SMALL
        for each in targets:
            is_result = any(each is other for other in self._formula.outputs)
            result = _BYTES["Float16_b"] if each.extent is Extent.FULL else _SMALL
            total += result if is_result else self._intermediates[id(each)].bytes
        for node in self._nodes(targets, cuts):
            total += _MATMUL if node.function == "matmul" else _FUNCTION
        return total

    # States.

    def _targets(self, cuts: Collection[int]) -> list[Value]:
        """Targets of the parts, in the order of the formula."""
        wanted = {id(each) for each in self._formula.outputs} | set(cuts)
        return sorted((self._by_id[key] for key in wanted), key=lambda each: self._order[id(each)])

    def _state_cost(self, cuts: frozenset[int]) -> float:
        return sum(self._cost([each], cuts) for each in self._targets(cuts))

    def _candidates(self, target: Value, cuts: frozenset[int]) -> list[int]:
        """Values of a part that could be intermediates: matmuls, reductions, and what parts a conflict.

        Where there is no conflict, an input has no place beside the reductions of the part: any value.
        """
        conflicts = self._conflicts([target], cuts)
        found = []
        for node in self._nodes([target], cuts):
            key = id(node)
            if node is target or key not in self._intermediates or not self._is_whole(node):
                continue
            more = cuts | {key}
            if (
                not conflicts
                or _is_heavy(node)
                or self._conflicts([target], more) + self._conflicts([node], more) < conflicts
            ):
                found.append(key)
        return found

    def _conflicts(self, targets: Sequence[Value], cuts: frozenset[int]) -> int:
        """How many matmuls and directions of a part are more than one program can have."""
        nodes = self._nodes(targets, cuts)
        matmuls = sum(each.function == "matmul" for each in nodes)
        ways = {each.along for each in nodes if each.along is not None} | ({Along.ROWS} if matmuls else set())
        return max(0, matmuls - 1) + max(0, len(ways) - 1)

    def split(self) -> Split:
        """Searches the cheapest state in which every part can be planned."""
        found = self._feasible_states()
        for cuts in sorted(found, key=found.__getitem__):
            better = self._improved(cuts)
            groups = self._merged(better)
            try:
                parts = [self._part(each, better) for each in groups]
                for each in parts:
                    if not self._is_attention(each.formula):
                        check_schedule(each.formula, self._slabs_by_name)
            except CannotPlanError as error:
                self._reason = self._reason or str(error)
                continue
            names = {each.name for part in parts for each in part.formula.inputs}
            made = [each for part in parts for each in part.targets if not each.is_leaf]
            between = [self._intermediates[id(each)] for each in made]
            return Split(tuple(parts), {each.name: each for each in between if each.name in names})
        raise CannotPlanError(f"no split into programs was found: {self._reason}")

    @property
    def _slabs_by_name(self) -> dict[str, Slabs | None]:
        return {each.name: each.slabs for each in self._intermediates.values()}

    def _feasible_states(self) -> dict[frozenset[int], float]:
        """States in which every part can be planned, with their costs."""
        found: dict[frozenset[int], float] = {}
        first: frozenset[int] = frozenset()
        seen, waiting = {first}, [(0.0, 0, first)]
        for _ in range(_MOST_STATES):
            if not waiting or len(found) == _MOST_FEASIBLE:
                break
            _, _, cuts = heapq.heappop(waiting)
            unplanned = [each for each in self._targets(cuts) if not self._can_be_planned((each,), cuts)]
            if not unplanned:
                found[cuts] = self._state_cost(cuts)
                continue
            for key in self._candidates(unplanned[0], cuts):
                more = cuts | {key}
                if more not in seen:
                    seen.add(more)
                    heapq.heappush(waiting, (self._prospect(more), len(seen), more))
        return found

    def _prospect(self, cuts: frozenset[int]) -> float:
        """The cost of a state, and what is likely to come."""
        targets = self._targets(cuts)
        conflicts = sum(self._conflicts([each], cuts) for each in targets)
        unplanned = sum(not self._can_be_planned((each,), cuts) for each in targets)
        return self._state_cost(cuts) + _CONFLICT * (conflicts + unplanned)

    def _improved(self, cuts: frozenset[int]) -> frozenset[int]:
        """A state with one more intermediate, or one fewer, as long as that is cheaper."""
        best, cost = cuts, self._state_cost(cuts)
        for _ in range(len(self._by_id)):
            others = [best - {key} for key in best]
            others += [best | {key} for each in self._targets(best) for key in self._candidates(each, best)]
            for other in others:
                if self._state_cost(other) < cost and all(
                    self._can_be_planned((each,), other) for each in self._targets(other)
                ):
                    best, cost = other, self._state_cost(other)
                    break
            else:
                return best
        return best

    def _merged(self, cuts: frozenset[int]) -> list[_Targets]:
        """Targets of parts; those that do not wait for each other are together where that is cheaper."""
        groups: list[_Targets] = [(each,) for each in self._targets(cuts)]
        for _ in range(len(groups)):
            pair = self._cheaper_pair(groups, cuts)
            if pair is None:
                break
            groups = _joined(groups, *pair)
        return self._in_order(groups, cuts)

    def _cheaper_pair(self, groups: list[_Targets], cuts: frozenset[int]) -> tuple[_Targets, _Targets] | None:
        for index, first in enumerate(groups):
            for second in groups[index + 1 :]:
                both = first + second
                apart = self._cost(first, cuts) + self._cost(second, cuts)
                if (
                    not self._waits(first, second)
                    and not self._waits(second, first)
                    and self._cost(both, cuts) < apart
                    and self._can_be_planned(both, cuts)
                    and self._in_order(_joined(groups, first, second), cuts)
                    and self._has_schedule(both, cuts)
                ):
                    return first, second
        return None

    def _has_schedule(self, targets: _Targets, cuts: frozenset[int]) -> bool:
        try:
            check_schedule(self._part(targets, cuts).formula, self._slabs_by_name)
        except CannotPlanError:
            return False
        return True

    def _waits(self, later: Sequence[Value], earlier: Sequence[Value]) -> bool:
        """Whether a part depends on a value of another, directly or through others."""
        below = {id(each) for each in nodes_of(later)} - {id(each) for each in later}
        return any(id(each) in below for each in earlier)

    def _in_order(self, groups: Sequence[_Targets], cuts: frozenset[int]) -> list[_Targets]:
        """Parts in the order they run; none if they wait for each other."""
        ordered: list[_Targets] = []
        done: set[int] = set()
        while len(ordered) < len(groups):
            left = [each for each in groups if not any(each is other for other in ordered)]
            ready = [each for each in left if all(key in done for key in self._read(each, cuts) if key in cuts)]
            if not ready:
                return []
            ordered.append(ready[0])
            done |= {id(each) for each in ready[0]}
        return ordered


def has_attention(formula: Formula, broadcasting: Collection[str]) -> bool:
    """Whether a formula is attention as a whole, of tensors that have slabs of their own."""
    found = attention_of(formula)
    return found is not None and all(
        each.name not in broadcasting for each in (found.queries, found.keys, found.values)
    )


def _is_heavy(node: Value) -> bool:
    return node.function == "matmul" or node.function in REDUCTIONS


def _joined(groups: Sequence[_Targets], first: _Targets, second: _Targets) -> list[_Targets]:
    """Groups of targets, two of them in one."""
    return [each for each in groups if each is not first and each is not second] + [first + second]
