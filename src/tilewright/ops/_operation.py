# SPDX-License-Identifier: Apache-2.0
"""Operations: a formula and everything derived from it.

A declaration (:mod:`tilewright.ops._declaration`) makes one of a Python function. What runs is derived when it is first
needed, and kept: the graph, the strategies with their circular buffers and kernels for the formats of the operands,
the plan for shapes and cores, the program for tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tilewright._launch.chip_device import ChipDevice
from tilewright._launch.run_program import run_program
from tilewright._planner.error_bound import Bounds, bounds
from tilewright._planner.fidelity import allowed_error
from tilewright._planner.model import Choices, Schedule
from tilewright._planner.plan import Plan, Variant, make_plan, other_plans
from tilewright._planner.row_program import Tensors, build_program
from tilewright._planner.row_split import CoreSelection, TensorRows, checked_selection
from tilewright._planner.semantics import Meaning
from tilewright._planner.strategy import Strategy
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.kind import TensorKind
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import MemoryConfig
from tilewright._tensor.shape import Shape
from tilewright._tensor.tensor import Tensor, allocate_tensor_on_device, checked_kind
from tilewright.formula._direction import Direction
from tilewright.formula._evaluate import Float64
from tilewright.formula._inputs import Form, Input
from tilewright.formula._parameters import Parameter, number_bits
from tilewright.formula._requirements import Requirement
from tilewright.formula._validation import OperationError, Wording, check_input, check_pages, require_tensor
from tilewright.kernels import Kernel
from tilewright.ops._arrays import Operands
from tilewright.ops._call_checks import check_call
from tilewright.ops._case import OwnCase
from tilewright.ops._derived_kernels import DerivedKernels
from tilewright.ops._kept_calls import KeptCall, kept_call
from tilewright.ops._options import OPTION_NAMES, USUAL_OPTIONS, Options, checked_config, with_options
from tilewright.ops._outcome import Outcome
from tilewright.ops._plan_by_clock import Chip, Decision, chip_of, decide
from tilewright.ops._tolerance import OwnTolerance


class Operation(Meaning):
    """An operation of tensors, made by ``@operation``; call it like the function it was made of.

    Attributes:
        name: of the function.
        inputs: the tensors it takes.
        parameters: the numbers it takes, by name.
        choices: what the declaration decides about its plan.
        wording: how it words refusals of its first input.
        requirements: what else it asks of a call.
        cases: test cases that the declaration gives.
        tolerance: what results may be off, where the declaration says it.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: Sequence[Input],
        parameters: Sequence[Parameter],
        choices: Choices,
        wording: Wording,
        requirements: Sequence[Requirement] = (),
        cases: tuple[OwnCase, ...] = (),
        tolerance: OwnTolerance | None = None,
    ) -> None:
        super().__init__(function, inputs, parameters)
        self.choices = choices
        self.wording = wording
        self.requirements = tuple(requirements)
        self.cases = cases
        self.tolerance = tolerance
        self.__name__ = self.name
        self.__module__ = function.__module__
        self._own_signature = inspect.signature(function)
        self.__signature__ = with_options(self._own_signature)
        taken = list(self._own_signature.parameters.values())
        first, rest = taken[: len(self.inputs)], taken[len(self.inputs) :]
        self._begins_with_inputs = (
            [each.name for each in first] == [each.name for each in self.inputs]
            and all(each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for each in first)
            and all(each.default is not inspect.Parameter.empty for each in rest)
        )
        self._fitted: dict[tuple[Input, ...], Operation] = {}
        self._derived = DerivedKernels(self, choices)
        self._decision = functools.lru_cache(maxsize=256)(self._make_decision)
        self._form = functools.lru_cache(maxsize=64)(self._make_form)
        self._results = functools.lru_cache(maxsize=256)(self._make_results)

    @property
    def parts(self) -> tuple[Operation, ...]:
        """The operations that run one after the other, each as one program: itself, unless it is split."""
        return self.parts_for(DataType.BFLOAT16)

    def parts_for(self, dtype: DataType, layout: Layout = Layout.ROW_MAJOR) -> tuple[Operation, ...]:
        """The same for results of a dtype and a layout."""
        return (self,)

    def parts_that_fit(
        self, shape: tuple[int, ...], dtype: DataType, device: Device
    ) -> tuple[tuple[Operation, ...], str]:
        """The operations that run for tensors of a shape, and why they are more than they would be; empty if not."""
        return self.parts_for(dtype), ""

    @property
    def has_whole_program(self) -> bool:
        """Whether its program is judged as a whole, because it does not go step by step through the formula."""
        return self.choices.program is not None

    @property
    def makes(self) -> tuple[str, ...]:
        """Names of what it makes: its results; of a part of a split operation also intermediates."""
        return self.output_names

    def outcome_bounds(
        self, outcome: Outcome, operands: Mapping[str, Any], parameters: Mapping[str, float] | None = None
    ) -> Bounds:
        """The exact results of a call, and how far off each element may be."""
        return self.bounds_of_parts([(each.operation, each.plan) for each in outcome.parts], operands, parameters)

    def bounds_of_parts(
        self,
        parts: Sequence[tuple[Operation, Plan]],
        operands: Mapping[str, Any],
        parameters: Mapping[str, float] | None = None,
    ) -> Bounds:
        """The same for its parts, each with a plan."""
        return self.bounds(parts[0][1], operands, parameters)

    def bounds(
        self,
        plan: Plan,
        operands: Mapping[str, Any],
        parameters: Mapping[str, float] | None = None,
        errors: Mapping[str, Float64] | None = None,
    ) -> Bounds:
        """The exact results of a plan, and how far off each element may be.

        Args:
            errors: how far off operands may be, by name; the others are exact.
        """
        fitted = self.specialised_for({name: np.shape(each) for name, each in operands.items()})
        if fitted is not self:
            return fitted.bounds(plan, operands, parameters, errors)
        found = bounds(plan.schedule, self.planned_graph.outputs, self.named(operands, parameters), errors)
        shapes = self.output_shapes(self.rows_shape({name: np.shape(each) for name, each in operands.items()}))
        exact, allowed = (
            tuple(np.broadcast_to(value, shape) for value, shape in zip(each, shapes, strict=True))
            for each in (found.exact, found.allowed)
        )
        if self.tolerance is not None:
            allowed = tuple(self.tolerance.allowed(each) for each in exact)
        return Bounds(exact, allowed, found.roundings)

    def specialised_for(self, shapes: Mapping[str, tuple[int, ...]]) -> Operation:
        """The operation for shapes of the inputs by name: itself, unless tensors broadcast.

        Raises:
            OperationError: one does not broadcast to the first.
        """
        if not any(each.broadcasts for each in self.inputs):
            return self
        main = self.main_input
        # What is multiplied by a matrix has another width than the results.
        whole = {True: tuple(shapes[main.name]), False: self.rows_shape(shapes)}
        made = tuple(
            each.specialised_for(tuple(shapes[each.name]), whole[each.name in self.multiplied])
            if each.broadcasts and each is not main and each.name != self.right
            else each
            for each in self.inputs
        )
        if made == self.inputs:
            return self
        if made not in self._fitted:
            self._fitted[made] = self._with_inputs(made)
        return self._fitted[made]

    def _with_inputs(self, inputs: tuple[Input, ...]) -> Operation:
        """The same operation of other inputs."""
        numbers = list(self.parameters.values())
        return Operation(
            self.function,
            inputs,
            numbers,
            self.choices,
            self.wording,
            self.requirements,
            self.cases,
            self.tolerance,
        )

    # How it runs.

    def form(self, dtype: DataType | Sequence[DataType], layout: Layout | Sequence[Layout] = Layout.ROW_MAJOR) -> Form:
        """The form of operands that all have one dtype and layout, or one each."""
        count = len(self.inputs)
        dtypes = (dtype,) * count if isinstance(dtype, DataType) else tuple(dtype)
        layouts = (layout,) * count if isinstance(layout, Layout) else tuple(layout)
        return self._form(dtypes, layouts)

    def _make_form(self, dtypes: tuple[DataType, ...], layouts: tuple[Layout, ...]) -> Form:
        tiled = tuple(each is Layout.TILE for each in layouts)
        main = self.inputs.index(self.main_input)
        outputs_tiled = tuple(each is Layout.TILE for each in self.output_layouts(layouts[main]))
        # A matrix has no slabs; what broadcasts to slabs has to know them.
        made = self.multiplication
        is_batched = made is not None and made.is_batched
        in_slabs = (
            is_batched
            or any(outputs_tiled)
            or any(
                each.slabs is not None or (is_tiled and not each.is_matrix)
                for each, is_tiled in zip(self.inputs, tiled, strict=True)
            )
        )
        return Form(dtypes, tiled, outputs_tiled, self.output_dtypes(dtypes[main]), in_slabs)

    def variants(self, form: Form) -> dict[Strategy, Variant]:
        """Circular buffers and kernels of each strategy, the quickest first by rule."""
        return self._derived.variants(form)

    def schedule(self, form: Form, strategy: Strategy) -> Schedule:
        """The steps of a core, in order."""
        return self._derived.schedule(form, strategy)

    def kernel_text(self, form: Form, strategy: Strategy) -> str:
        """The Python module with the kernels of a strategy."""
        return self._derived.kernel_text(form, strategy)

    def plan(
        self,
        shape: tuple[int, ...],
        dtype: DataType | Sequence[DataType],
        device: Device,
        *,
        layout: Layout | Sequence[Layout] = Layout.ROW_MAJOR,
        core_grid: CoreSelection | None = None,
        strategy: Strategy | None = None,
        block_tiles: int | None = None,
        deeper: frozenset[int] = frozenset(),
        error: float | None = None,
        columns: int | None = None,
    ) -> Plan:
        """How a call on tensors like these would use the device; ``shape`` is that of the main input.

        ``columns`` are those of the matrix in a matmul; it is square without.
        """
        options = Options(core_grid=core_grid, error=error, strategy=strategy, block_tiles=block_tiles, deeper=deeper)
        return self.decision(shape, dtype, device, options, layout=layout, columns=columns).chosen

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
        """The plan of such a call, with the plans that it was compared with."""
        form = self.form(dtype, layout)
        selection = checked_selection(options.core_grid, device.compute_with_storage_grid_size())
        budget = device.circular_buffer_bytes()
        asked = (options.strategy, options.block_tiles, options.deeper, allowed_error(self.choices, options.error))
        return self._decision(form, tuple(shape), selection, budget, *asked, columns, chip_of(device))

    def _make_decision(
        self,
        form: Form,
        shape: tuple[int, ...],
        selection: CoreSelection,
        budget: int,
        strategy: Strategy | None,
        block_tiles: int | None,
        deeper: frozenset[int],
        error: float,
        columns: int | None,
        chip: Chip,
    ) -> Decision:
        in_slabs = form.in_slabs or self.direction is not Direction.ROWS
        inner_width = 0
        if self.multiplication is not None:
            inner_width, shape = shape[-1], (*shape[:-1], columns or shape[-1])
        main = form.dtypes[self.inputs.index(self.main_input)]
        rows = TensorRows(shape, main, in_slabs, self.direction, inner_width)
        plan = make_plan(self.name, self.variants(form), rows, selection, budget, strategy, block_tiles, error)
        if strategy is not None or block_tiles is not None or deeper:
            return Decision(plan, (), plan.with_deeper(deeper) if deeper else plan, "the options decide the plan")
        if self.choices.decides_plan:
            return Decision(plan, (), plan, "the declaration decides about buffers, pages or kernels")
        if self.multiplication is not None:
            return Decision(plan, (), plan, "products are cut over the cores by rule")
        names = (*(each.name for each in self.inputs), *self.output_names)
        dtypes = dict(zip(names, (*form.dtypes, *form.output_dtypes), strict=True))
        others = other_plans(plan, self._derived.all_variants(form), selection)
        return decide(plan, others, dtypes, *chip)

    def allocate(self, plan: Plan, device: Device, memory_config: MemoryConfig | None = None) -> dict[str, Tensor]:
        """Row-major tensors a plan could run on, the outputs among them, not written yet."""
        shape = plan.rows.shape
        shapes = self.planned_shapes(shape, plan.rows.inner_width)
        shapes |= dict(zip(self.output_names, self.output_shapes(shape), strict=True))
        dtypes = dict(zip(self.output_names, self.output_dtypes(plan.rows.dtype), strict=True))
        dtypes |= self.input_dtypes(plan.rows.dtype)
        return {
            name: allocate_tensor_on_device(each, dtypes[name], Layout.ROW_MAJOR, device, memory_config)
            for name, each in shapes.items()
        }

    def _make_results(self, shape: tuple[int, ...], dtype: DataType) -> tuple[tuple[Shape, DataType], ...]:
        """Shape and dtype of each result, for rows of a shape."""
        return tuple(zip(map(Shape, self.output_shapes(shape)), self.output_dtypes(dtype), strict=True))

    def numbers(self, plan: Plan, parameters: Mapping[str, float] | None = None) -> dict[str, int]:
        """Bits of the runtime arguments that parameters make, by name."""
        values = self.checked_parameters(parameters or {})
        return {name: number_bits(value, values) for name, value in plan.schedule.numbers.items()}

    def program(
        self,
        plan: Plan,
        tensors: Tensors,
        *,
        parameters: Mapping[str, float] | None = None,
        config: ComputeConfigDescriptor | None = None,
    ) -> ProgramDescriptor:
        """The program of a plan; ``tensors`` has inputs and outputs by name."""
        if self.choices.program is not None:
            return self._own_program(tensors, self.checked_parameters(parameters or {}))
        return build_program(plan, plan.kernels, tensors, self.numbers(plan, parameters), checked_config(config))

    def own_kernels(self, plan: Plan) -> dict[str, Kernel]:
        """The declaration's own kernels among those of a plan, by role."""
        return dict(self.choices.kernels.get(plan.strategy.value, {}))

    def _own_program(self, tensors: Tensors, numbers: Mapping[str, float]) -> ProgramDescriptor:
        """The program that the declaration brings."""
        assert self.choices.program is not None
        program = self.choices.program(tensors, numbers)
        if not isinstance(program, ProgramDescriptor):
            raise OperationError(f"{self.name}: `program` must return a ttnn.ProgramDescriptor, not {program!r}")
        return program

    def checked_parameters(self, given: Mapping[str, Any]) -> dict[str, float]:
        """Every parameter, given or default.

        Raises:
            OperationError: one is no number it can compute with.
            TypeError: it has no such parameter.
        """
        for name in given:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise TypeError(f"{self.name} has no parameter {name}; it has {known}")
        return {name: each.checked(given.get(name, each.default)) for name, each in self.parameters.items()}

    def launch(
        self, tensors: Tensors, options: Options | None = None, *, parameters: Mapping[str, float] | None = None
    ) -> Outcome:
        """Runs the operation on device tensors and keeps the plan, the program and the record of the run."""
        return self._launch(tensors, options or USUAL_OPTIONS, parameters or {})

    def _launch(self, tensors: Tensors, chosen: Options, parameters: Mapping[str, Any]) -> Outcome:
        device, call = kept_call(self, tensors, chosen, parameters)
        results = call.allocate_outputs(device)
        outputs = tuple(results.values())
        # In one order, whatever that of the caller: arguments are compared by it.
        everything = {**{each.name: tensors[each.name] for each in self.inputs}, **results}
        ordered = list(everything.values())
        if self.choices.program is not None:
            own = self._own_program(everything, self.checked_parameters(parameters))
            done = run_program(ordered, own, chosen.run_options)
            return Outcome(outputs, self, everything, call.plan, done, lambda: own)
        executable, arguments = call.compiled(device, everything, parameters)
        run = executable.run(ordered, arguments, chosen.run_options)
        make_program = functools.partial(executable.program_with, arguments)
        return Outcome(outputs, self, everything, call.plan, run, make_program)

    def check_and_plan(
        self, tensors: Tensors, chosen: Options, parameters: Mapping[str, Any]
    ) -> tuple[ChipDevice, KeptCall]:
        """Where a call runs, and how.

        Raises:
            OperationError, TypeError: the call is refused.
        """
        if any(each.broadcasts for each in self.inputs):
            # Shapes are compared with the first tensor's, so that must have one.
            check_input(self.main_input.name, tensors[self.main_input.name], self.wording)
            for each in self.inputs:
                require_tensor(each.name, tensors[each.name])
            fitted = self.specialised_for({name: tuple(each.shape) for name, each in tensors.items()})
            if fitted is not self:
                return fitted.check_and_plan(tensors, chosen, parameters)
        values = self.checked_parameters(parameters)
        check_call(self, tensors, values)
        main = tensors[self.main_input.name]
        device = main.device()
        assert isinstance(device, ChipDevice)
        ordered = [tensors[each.name] for each in self.inputs]
        plan = self.plan(
            tuple(main.shape),
            [each.dtype for each in ordered],
            device,
            layout=[each.layout for each in ordered],
            core_grid=chosen.core_grid,
            strategy=chosen.strategy,
            block_tiles=chosen.block_tiles,
            deeper=chosen.deeper,
            error=chosen.error,
            columns=self.rows_shape({name: tuple(each.shape) for name, each in tensors.items()})[-1],
        )
        place = chosen.memory_config or main.memory_config()
        is_chosen = chosen.memory_config is not None
        results = self._results(plan.rows.shape, main.dtype)
        kinds = [
            self._kind_of_result(shape, dtype, layout, device, each, is_chosen=is_chosen)
            for (shape, dtype), layout, each in zip(
                results, self.output_layouts(main.layout), self.result_places(place), strict=True
            )
        ]
        config = checked_config(chosen.compute_kernel_config)
        return device, KeptCall(self, plan, config, dict(zip(self.output_names, kinds, strict=True)))

    def result_places(self, place: MemoryConfig) -> tuple[MemoryConfig, ...]:
        """Where each result lies if the caller wants them in one place."""
        return (place,) * len(self.output_names)

    def _kind_of_result(
        self,
        shape: Shape,
        dtype: DataType,
        layout: Layout,
        device: ChipDevice,
        place: MemoryConfig,
        *,
        is_chosen: bool,
    ) -> TensorKind:
        """The kind of a result; it lies where the caller says, or as the first tensor does."""
        check_pages("The result", layout, place)
        try:
            return checked_kind(shape, dtype, layout, device, place)
        except ValueError as error:
            if is_chosen or not place.is_sharded():
                raise
            raise OperationError(
                f"The result of shape {list(shape)} does not fit the shards of {self.main_input.name}, so "
                f"memory_config must be given: {error}"
            ) from None

    def check_requirements(self, tensors: Tensors, parameters: Mapping[str, float]) -> None:
        """Refuse what the declaration's requirements do not allow."""
        for requirement in self.requirements:
            requirement.check({**tensors, **parameters})

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Runs the operation on tensors or arrays; the result is of the same kind.

        Besides its own tensors and numbers it takes ``memory_config``, ``compute_kernel_config``, ``core_grid``,
        ``error``, and for arrays ``device`` and ``dtype``.
        """
        given = {name: named.pop(name) for name in OPTION_NAMES if name in named} if named else {}
        options = {name: value for name, value in given.items() if value is not None}
        if not named and len(arguments) == len(self.inputs) and self._begins_with_inputs:
            values = {each.name: value for each, value in zip(self.inputs, arguments, strict=True)}
            numbers: dict[str, Any] = {}
        else:
            values, numbers = self._bound(arguments, named)
        operands = Operands(values, options.pop("device", None), options.pop("dtype", None))
        chosen = Options(**options) if options else USUAL_OPTIONS
        outputs = self._launch(operands.tensors, chosen, numbers).outputs
        results = [operands.give_back(each) for each in outputs]
        return results[0] if len(results) == 1 else tuple(results)

    def _bound(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Which of the arguments are tensors, and which numbers, by name."""
        try:
            bound = self._own_signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise TypeError(f"{self.name}{self._own_signature}: {error}") from None
        values = {each.name: bound[each.name] for each in self.inputs}
        return values, {name: value for name, value in bound.items() if name in self.parameters}

    def __repr__(self) -> str:
        return f"<operation {self.name}: {self.formula}>"
