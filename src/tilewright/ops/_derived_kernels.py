# SPDX-License-Identifier: Apache-2.0
"""Schedules, circular buffers and kernels of an operation, for each form of its operands and each strategy."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tilewright._planner.kernels import kernels_of_module, module_text, own_phases
from tilewright._planner.model import Choices, Factors, Operand, Schedule
from tilewright._planner.plan import Variant
from tilewright._planner.recompute_cost import values_to_keep
from tilewright._planner.schedule import make_schedule, strategies_of
from tilewright._planner.semantics import Meaning
from tilewright._planner.storage import buffer_indices, buffers_of, check_names
from tilewright._planner.strategy import Strategy
from tilewright.formula._graph import REDUCTIONS
from tilewright.formula._inputs import Form


class DerivedKernels:
    """What is derived from a formula before shapes are known; made when it is asked for, and kept."""

    def __init__(self, meaning: Meaning, choices: Choices) -> None:
        self._meaning = meaning
        self.choices = choices
        self._variants: dict[Form, dict[Strategy, Variant]] = {}
        self._texts: dict[tuple[Form, Strategy], str] = {}
        self._schedules: dict[tuple[Form, Strategy], Schedule] = {}
        self._others: dict[tuple[bool, bool, bool, bool], DerivedKernels] = {}
        self._made: dict[tuple[Form, Strategy], Variant] = {}

    def all_variants(self, form: Form) -> Iterator[tuple[Strategy, Variant]]:
        """Those of ``variants``, and what else the clock may prefer.

        What is reduced may go through buffers; and where blocks of a tile-row do not need each other, cores can share
        one.
        """
        usual = self.variants(form)
        reduced = [each.operands[0] for each in self._meaning.planned_graph.nodes if each.function in REDUCTIONS]
        forms = [self]
        if self.choices.with_matrix_unit and any(values_to_keep(each) for each in reduced):
            forms.append(self._other(dataclasses.replace(self.choices, values_in_buffers=True)))
        # Cores that share rows have less to do each: their plans take the fewest steps to predict.
        for each in forms:
            yield from each._exchanged_variants(form)
        for each in forms:
            yield from each.variants(form).items()
        for strategy, variant in usual.items():
            if variant.schedule.has_independent_blocks:
                yield strategy, self._other(dataclasses.replace(self.choices, segmented=True)).variant(form, strategy)

    def _exchanged_variants(self, form: Form) -> Iterator[tuple[Strategy, Variant]]:
        """Those in which cores have a part of a tile-row each and exchange what they reduce."""
        others = self._other(dataclasses.replace(self.choices, exchanged=True))
        for strategy, variant in self.variants(form).items():
            if variant.schedule.may_exchange:
                yield strategy, others.variant(form, strategy)

    def _other(self, choices: Choices) -> DerivedKernels:
        """The same with other choices."""
        key = (choices.values_in_buffers, choices.segmented, choices.exchanged, choices.parts_left)
        if key not in self._others:
            self._others[key] = DerivedKernels(self._meaning, choices)
        return self._others[key]

    def variants(self, form: Form) -> dict[Strategy, Variant]:
        """Circular buffers and kernels of each strategy, the quickest first by rule."""
        if form not in self._variants:
            operands = self._operands(form)
            strategies = strategies_of(self._meaning.planned_graph, operands, self.choices, self._meaning.direction)
            made = {each: self.variant(form, each) for each in strategies}
            check_names(self.choices, {buffer.name for each in made.values() for buffer in each.buffers})
            self._variants[form] = made
        return self._variants[form]

    def schedule(self, form: Form, strategy: Strategy) -> Schedule:
        """What a core does, in which order."""
        key = (form, strategy)
        if key not in self._schedules:
            self._schedules[key] = make_schedule(
                self._meaning.planned_graph,
                self._operands(form),
                self.choices,
                strategy,
                [each.data_format.name for each in form.output_dtypes],
                form.outputs_tiled,
                self._meaning.direction,
                self._factors(form),
            )
        return self._schedules[key]

    def kernel_text(self, form: Form, strategy: Strategy) -> str:
        """The Python module with the kernels of a strategy."""
        key = (form, strategy)
        if key not in self._texts:
            schedule = self.schedule(form, strategy)
            main = form.dtypes[self._meaning.inputs.index(self._meaning.main_input)]
            names = (*(each.name for each in self._meaning.inputs), *self._meaning.output_names)
            dtypes = (*form.dtypes, *form.output_dtypes)
            own = frozenset(name for name, dtype in zip(names, dtypes, strict=True) if dtype is not main)
            self._texts[key] = module_text(
                self._meaning.name,
                self._meaning.planned_graph,
                schedule,
                buffer_indices(schedule, self.choices),
                self._meaning.output_names,
                own,
                self.choices.sticks,
                form.outputs_tiled,
            )
        return self._texts[key]

    def variant(self, form: Form, strategy: Strategy) -> Variant:
        """Circular buffers and kernels of one strategy."""
        key = (form, strategy)
        if key not in self._made:
            schedule = self.schedule(form, strategy)
            indices = buffer_indices(schedule, self.choices)
            own = own_phases(self._meaning.planned_graph)
            name = f"{self._meaning.name}_{strategy.value}"
            made = kernels_of_module(name, self.kernel_text(form, strategy), own)
            given = self.choices.kernels.get(strategy.value, {})
            kernels = dataclasses.replace(made, **given)
            buffers = buffers_of(schedule, indices, self.choices)
            parted = None
            if schedule.may_part_left and not (given or self.choices.parts_left or self.choices.sticks):
                parted = self._other(dataclasses.replace(self.choices, parts_left=True)).variant(form, strategy)
            self._made[key] = Variant(buffers, kernels, schedule, bool(given), parted)
        return self._made[key]

    def _operands(self, form: Form) -> list[Operand]:
        """What the planned formula takes; a product is made in tiles of float32."""
        given = {each.name: each for each in self._given(form)}
        return [
            dataclasses.replace(given[each.name], extent=each.extent)
            if each.name in given
            else Operand(each.name, each.extent, "Float32", is_tiled=True)
            for each in self._meaning.planned_graph.inputs
        ]

    def _given(self, form: Form) -> list[Operand]:
        return [
            Operand(each.name, each.extent, dtype.data_format.name, tiled, each.slabs)
            for each, dtype, tiled in zip(self._meaning.inputs, form.dtypes, form.tiled, strict=True)
        ]

    def _factors(self, form: Form) -> Factors | None:
        made = self._meaning.multiplication
        if made is None:
            return None
        given = {each.name: each for each in self._given(form)}
        return Factors(made, [given[each.name] for each in made.left_inputs], given[made.right.name])
