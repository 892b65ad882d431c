# SPDX-License-Identifier: Apache-2.0
"""Attention as one program, or as several where that does not fit L1.

``@operation`` makes one of a formula that is attention as a whole (:mod:`tilewright._planner.attention.pattern`). Where
attention is a part of a formula, the part is one.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tilewright._launch.chip_device import ChipDevice
from tilewright._planner.attention.bound import attention_bounds
from tilewright._planner.attention.pattern import Attention, attention_of
from tilewright._planner.attention.plan import (
    AttentionNotPlannedError,
    AttentionPlan,
    AttentionVariant,
    attention_plans,
    attention_rows,
)
from tilewright._planner.error_bound import Bounds
from tilewright._planner.kernels import assembled_module, kernels_of_module
from tilewright._planner.model import Operand, Schedule
from tilewright._planner.plan import Plan, Variant
from tilewright._planner.row_program import Tensors
from tilewright._planner.row_split import checked_selection
from tilewright._planner.strategy import Strategy
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import MemoryConfig
from tilewright._tensor.tensor import Tensor, allocate_tensor_on_device
from tilewright.formula._direction import Direction
from tilewright.formula._evaluate import Float64
from tilewright.formula._graph import Extent
from tilewright.formula._inputs import Form, Input
from tilewright.formula._validation import OperationError, check_input, check_operand, require_tensor
from tilewright.ops._kept_calls import KeptCall
from tilewright.ops._operation import Operation
from tilewright.ops._options import USUAL_OPTIONS, Options, checked_config
from tilewright.ops._plan_by_clock import Decision, chip_of, decide

_FLOATS = (DataType.BFLOAT16, DataType.FLOAT32, DataType.BFLOAT8_B)


class AttentionOperation(Operation):
    """``softmax(scores(q @ transpose(k))) @ v`` in one program; call it as any operation."""

    @property
    def has_whole_program(self) -> bool:
        return True

    @functools.cached_property
    def attention(self) -> Attention:
        found = attention_of(self.graph)
        assert found is not None
        return found

    # What it means.

    @property
    def direction(self) -> Direction:
        return Direction.ROWS

    @functools.cached_property
    def full_inputs(self) -> list[Input]:
        return list(self.inputs)

    @functools.cached_property
    def main_input(self) -> Input:
        return next(each for each in self.inputs if each.name == self.attention.queries.name)

    @property
    def needed_twice(self) -> tuple[str, ...]:
        return ()

    @property
    def multiplication(self) -> None:
        return None

    def rows_shape(self, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        found = self.attention
        return (*shapes[found.queries.name][:-1], shapes[found.values.name][-1])

    def _scores_shape(self, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        found = self.attention
        return (*shapes[found.queries.name][:-1], shapes[found.keys.name][-2])

    def _with_inputs(self, inputs: tuple[Input, ...]) -> Operation:
        numbers = list(self.parameters.values())
        return type(self)(
            self.function, inputs, numbers, self.choices, self.wording, self.requirements, self.cases, self.tolerance
        )

    def specialised_for(self, shapes: Mapping[str, tuple[int, ...]]) -> Operation:
        if not any(each.broadcasts for each in self.inputs):
            return self
        whole = self._scores_shape(shapes)
        made = tuple(
            each.specialised_for(tuple(shapes[each.name]), whole) if each.broadcasts else each for each in self.inputs
        )
        if made == self.inputs:
            return self
        for each in made:
            if each.extent is not Extent.FULL or (each.slabs is not None and each.slabs.single_row):
                raise AttentionNotPlannedError(
                    f"{self.name} is no single program: {each.name} has one row, or one column, for all of a slab"
                )
        if made not in self._fitted:
            self._fitted[made] = self._with_inputs(made)
        return self._fitted[made]

    def bounds(
        self,
        plan: Plan,
        operands: Mapping[str, Any],
        parameters: Mapping[str, float] | None = None,
        errors: Mapping[str, Float64] | None = None,
    ) -> Bounds:
        named = self.named(operands, parameters)
        found = attention_bounds(plan.schedule, self.attention, named, plan.num_blocks, errors)
        allowed = found.allowed
        if self.tolerance is not None:
            allowed = tuple(self.tolerance.allowed(each) for each in found.exact)
        return Bounds(found.exact, allowed, found.roundings)

    # How it runs.

    def variants(self, form: Form) -> dict[Strategy, Variant]:
        return {Strategy.STREAMING: self._made(form)[1]}

    def schedule(self, form: Form, strategy: Strategy) -> Schedule:
        return self._made(form)[1].schedule

    def kernel_text(self, form: Form, strategy: Strategy) -> str:
        return self._module(self._made(form)[0])

    @functools.cached_property
    def _forms(self) -> dict[Form, tuple[AttentionVariant, Variant]]:
        return {}

    def _made(self, form: Form) -> tuple[AttentionVariant, Variant]:
        if form not in self._forms:
            names = [each.name for each in self.inputs]
            dtypes = dict(zip(names, form.dtypes, strict=True))
            operands = {
                each.name: Operand(each.name, each.extent, dtypes[each.name].data_format.name, tiled, each.slabs)
                for each, tiled in zip(self.inputs, form.tiled, strict=True)
            }
            output = (self.output_names[0], form.output_dtypes[0], form.outputs_tiled[0])
            made = AttentionVariant(self.name, self.attention, operands, output, dtypes, self.graph.text())
            kernels = kernels_of_module(f"{self.name}_attention", self._module(made), {})
            self._forms[form] = made, Variant(made.buffers(), kernels, made.schedule())
        return self._forms[form]

    def _module(self, made: AttentionVariant) -> str:
        lines = [f"    {name} = {index}" for name, index in made.indices.items()]
        buffers = "\n".join(["class Buffers(CircularBuffers):", *lines])
        return assembled_module(self.name, "streaming attention", [buffers, *made.parts], ())

    def decision(
        self,
        shape: tuple[int, ...],
        dtype: DataType | Sequence[DataType],
        device: Device,
        options: Options = USUAL_OPTIONS,
        *,
        layout: Layout | Sequence[Layout] = Layout.ROW_MAJOR,
        columns: int | None = None,
    ) -> Decision:
        shapes = self.input_shapes(tuple(shape))
        if columns is not None:
            name = self.attention.values.name
            shapes[name] = (*shapes[name][:-1], columns)
        return self.decision_for(shapes, self.form(dtype, layout), device, options)

    def decision_for(
        self, shapes: Mapping[str, tuple[int, ...]], form: Form, device: Device, options: Options
    ) -> Decision:
        """The plan of a call on tensors of shapes by name, with the plans that it was compared with.

        Raises:
            AttentionNotPlannedError: no plan fits L1.
        """
        selection = checked_selection(options.core_grid, device.compute_with_storage_grid_size())
        budget = device.circular_buffer_bytes()
        key = (tuple(shapes.items()), form, selection, budget, options.block_tiles, options.deeper, chip_of(device))
        if key not in self._decisions:
            made, variant = self._made(form)
            dtype = form.dtypes[self.inputs.index(self.main_input)]
            rows = attention_rows(shapes, self.attention, dtype, self.output_names[0])
            plans = list(attention_plans(self.name, made, variant, rows, selection, budget, options.block_tiles))
            self._decisions[key] = self._decided(plans, form, device, options)
        return self._decisions[key]

    @functools.cached_property
    def _decisions(self) -> dict[object, Decision]:
        return {}

    def _decided(self, plans: list[AttentionPlan], form: Form, device: Device, options: Options) -> Decision:
        rule = plans[0]
        if options.deeper or options.block_tiles is not None:
            chosen = rule.with_deeper(options.deeper) if options.deeper else rule
            return Decision(rule, (), chosen, "the options decide the plan")
        names = (*(each.name for each in self.inputs), *self.output_names)
        dtypes = dict(zip(names, (*form.dtypes, *form.output_dtypes), strict=True))
        return decide(rule, plans[1:], dtypes, *chip_of(device))

    def allocate(self, plan: Plan, device: Device, memory_config: MemoryConfig | None = None) -> dict[str, Tensor]:
        found, rows = self.attention, plan.rows
        queries = (*rows.shape[:-1], rows.inner_width)
        shapes = self.input_shapes(queries)
        shapes[found.values.name] = (*shapes[found.values.name][:-1], rows.shape[-1])
        shapes[self.output_names[0]] = rows.shape
        dtypes = dict(zip(self.output_names, self.output_dtypes(rows.dtype), strict=True))
        dtypes |= self.input_dtypes(rows.dtype)
        return {
            name: allocate_tensor_on_device(each, dtypes[name], Layout.ROW_MAJOR, device, memory_config)
            for name, each in shapes.items()
        }

    # Calls.

    def check_and_plan(
        self, tensors: Tensors, chosen: Options, parameters: Mapping[str, Any]
    ) -> tuple[ChipDevice, KeptCall]:
        main = tensors[self.main_input.name]
        check_input(self.main_input.name, main, self.wording)
        for each in self.inputs:
            require_tensor(each.name, tensors[each.name])
        shapes = {each.name: tuple(tensors[each.name].shape) for each in self.inputs}
        self._check_shapes(shapes)
        fitted = self.specialised_for(shapes)
        if fitted is not self:
            return fitted.check_and_plan(tensors, chosen, parameters)
        self._check_tensors(tensors)
        self.check_requirements(tensors, self.checked_parameters(parameters))
        device = main.device()
        assert isinstance(device, ChipDevice)
        ordered = [tensors[each.name] for each in self.inputs]
        form = self.form([each.dtype for each in ordered], [each.layout for each in ordered])
        if chosen.strategy not in (None, Strategy.STREAMING):
            raise OperationError(f"{self.name} has no {chosen.strategy.value} plan; it has streaming")
        plan = self.decision_for(shapes, form, device, chosen).chosen
        place = chosen.memory_config or main.memory_config()
        (layout,), is_chosen = self.output_layouts(main.layout), chosen.memory_config is not None
        kinds = {
            name: self._kind_of_result(shape, dtype, layout, device, place, is_chosen=is_chosen)
            for name, (shape, dtype) in zip(self.output_names, self._results(plan.rows.shape, main.dtype), strict=True)
        }
        return device, KeptCall(self, plan, checked_config(chosen.compute_kernel_config), kinds)

    def _check_shapes(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Refuses tensors that do not go together.

        Raises:
            OperationError: it says which, and what shape it must have.
        """
        found = self.attention
        q, k, v = (each.name for each in (found.queries, found.keys, found.values))
        queries = shapes[q]
        _check_heads(k, shapes[k], queries, ("S", str(queries[-1])), shapes[k][-1:] == queries[-1:])
        wanted = (*shapes[k][:-2], str(shapes[k][-2]), "N")
        if len(shapes[v]) != len(queries) or shapes[v][:-1] != shapes[k][:-1]:
            text = ", ".join(map(str, wanted))
            raise OperationError(
                f"{v.capitalize()} must have shape [{text}], a row for each row of {k.capitalize()}, got "
                f"{list(shapes[v])}"
            )
        if found.is_causal and queries[-2] > shapes[k][-2]:
            raise OperationError(
                f"{k.capitalize()} must have at least as many rows as {q}, {queries[-2]}, as the scores are causal and "
                f"the last row sees every column; got {shapes[k][-2]}"
            )
        for each in self.inputs:
            if each.name not in (q, k, v) and not each.broadcasts and shapes[each.name] != self._scores_shape(shapes):
                raise OperationError(
                    f"{each.name.capitalize()} must have the shape of the scores, {list(self._scores_shape(shapes))}, "
                    f"got {list(shapes[each.name])}"
                )

    def _check_tensors(self, tensors: Tensors) -> None:
        """Refuses dtypes and layouts that the kernels do not take."""
        found, main = self.attention, tensors[self.main_input.name]
        deep, keys = main.shape[-1], tensors[found.keys.name].shape[-2]
        for each in self.inputs:
            tensor, title = tensors[each.name], each.name.capitalize()
            if each is not self.main_input:
                check_operand(each.name, tensor, main, self.wording, is_rows=True, is_matrix=False)
            if tensor.dtype not in _FLOATS:
                raise OperationError(f"{title} must be BFLOAT16, FLOAT32 or BFLOAT8_B, got {tensor.dtype.name}")
            if tensor.layout is Layout.TILE and deep % 32 and each.name in (found.queries.name, found.keys.name):
                raise OperationError(
                    f"{title} must be in ROW_MAJOR layout: {deep} products are added up, and tiles have padding among "
                    "them; or give a multiple of 32"
                )
        values = tensors[found.values.name]
        if values.dtype is DataType.BFLOAT8_B and keys % 32:
            raise OperationError(
                f"{found.values.name.capitalize()} must be BFLOAT16 or FLOAT32: {keys} rows end inside a tile, and "
                "elements of a BFLOAT8_B tile share exponents with its padding; or give a multiple of 32"
            )


def _check_heads(
    name: str, shape: tuple[int, ...], queries: tuple[int, ...], sides: tuple[str, str], is_wide: bool
) -> None:
    """Refuses keys that have no slab for each slab of queries, or for several heads."""
    same = len(shape) == len(queries) and is_wide
    if same and len(shape) > 2:
        same = shape[:-3] == queries[:-3] and shape[-3] > 0 and queries[-3] % shape[-3] == 0
    if not same:
        heads = [f"a divisor of {queries[-3]}"] if len(queries) > 2 else []
        wanted = ", ".join([*map(str, queries[:-3]), *heads, *sides])
        raise OperationError(f"{name.capitalize()} must have shape [{wanted}], got {list(shape)}")
