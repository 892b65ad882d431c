# SPDX-License-Identifier: Apache-2.0
"""Operations that run as several programs, with intermediates in DRAM between them.

``@operation`` makes one of a formula that one program cannot compute (:mod:`tilewright._planner.split`). Its parts are
operations as any other: they have plans, kernels, checks and bounds of their own. The errors that a part leaves in an
intermediate are part of the bound of the parts that read it.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from tilewright._launch.chip_device import ChipDevice
from tilewright._planner.attention.plan import AttentionNotPlannedError
from tilewright._planner.error_bound import Bounds, Rounding
from tilewright._planner.model import Choices
from tilewright._planner.plan import Plan, Variant
from tilewright._planner.row_program import Tensors
from tilewright._planner.semantics import result_dtype
from tilewright._planner.split import Part, Split, has_attention, split
from tilewright._planner.strategy import Strategy
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import DRAM_MEMORY_CONFIG, MemoryConfig
from tilewright._tensor.shape import Shape
from tilewright._tensor.tensor import Tensor
from tilewright.formula._evaluate import Float64
from tilewright.formula._graph import Extent, Value, rebuilt
from tilewright.formula._inputs import Form, Input
from tilewright.formula._tracing import Formula
from tilewright.formula._validation import OperationError, check_input
from tilewright.ops._attention_operation import AttentionOperation
from tilewright.ops._operation import Operation
from tilewright.ops._options import USUAL_OPTIONS, Options
from tilewright.ops._outcome import Outcome


class PartOperation(Operation):
    """An operation that computes a part of a formula.

    Attributes:
        dtypes: of the intermediates that it reads, by name.
    """

    def __init__(
        self,
        name: str,
        graph: Formula,
        inputs: Sequence[Input],
        whole: Operation,
        makes: tuple[str, ...],
        dtypes: Mapping[str, DataType],
        dtype: DataType,
        results: tuple[DataType, ...],
        layouts: tuple[Layout, ...],
    ) -> None:
        parameters = [whole.parameters[each.name] for each in graph.parameters]
        stub = _stub(name, graph, [each.name for each in inputs], whole)
        choices = Choices(sticks=whole.choices.sticks, with_matrix_unit=whole.choices.with_matrix_unit)
        super().__init__(stub, inputs, parameters, choices, whole.wording)
        self._part_graph = graph
        self._whole = whole
        self._makes = makes
        self.dtypes = dict(dtypes)
        self._dtype = dtype
        self._result_dtypes = results
        self._result_layouts = layouts

    def _graph_of(self, inputs: Sequence[Value], parameters: Sequence[Value]) -> Formula:
        given = {each.name: each for each in (*inputs, *parameters)}
        made: dict[int, Value] = {}
        for node in self._part_graph.nodes:
            is_given = node.function in ("input", "parameter")
            operands = [made[id(each)] for each in node.operands]
            made[id(node)] = given[node.name] if is_given else rebuilt(node, operands)
        names = {id(made[key]): name for key, name in self._part_graph.names.items() if key in made}
        outputs = tuple(made[id(each)] for each in self._part_graph.outputs)
        return Formula(tuple(inputs), tuple(parameters), outputs, names)

    def _with_inputs(self, inputs: tuple[Input, ...]) -> Operation:
        return type(self)(
            self.name, self._part_graph, inputs, self._whole, self.makes, self.dtypes, self._dtype,
            self._result_dtypes, self._result_layouts,
        )  # fmt: skip

    @property
    def makes(self) -> tuple[str, ...]:
        return self._makes

    def input_dtypes(self, dtype: DataType) -> dict[str, DataType]:
        given = self._dtype if self.main_input.name in self.dtypes else dtype
        return {each.name: self.dtypes.get(each.name, given) for each in self.inputs}

    def form(self, dtype: DataType | Sequence[DataType], layout: Layout | Sequence[Layout] = Layout.ROW_MAJOR) -> Form:
        """The form of operands that all have one dtype and layout, besides intermediates, or one each."""
        if isinstance(dtype, DataType):
            dtype = list(self.input_dtypes(dtype).values())
        if isinstance(layout, Layout):
            layout = [Layout.ROW_MAJOR if each.name in self.dtypes else layout for each in self.inputs]
        return super().form(dtype, layout)

    def output_dtypes(self, dtype: DataType) -> tuple[DataType, ...]:
        return self._result_dtypes

    def output_layouts(self, layout: Layout) -> tuple[Layout, ...]:
        return self._result_layouts

    def result_places(self, place: MemoryConfig) -> tuple[MemoryConfig, ...]:
        results = self._whole.output_names
        return tuple(place if each in results else DRAM_MEMORY_CONFIG for each in self.makes)


def _stub(name: str, graph: Formula, inputs: Sequence[str], whole: Operation) -> Any:
    """A function with the name and the parameters of a part."""

    def part(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a part is a graph already")

    kinds = inspect.Parameter
    parameters = [kinds(each, kinds.POSITIONAL_OR_KEYWORD) for each in inputs]
    parameters += [
        kinds(each.name, kinds.KEYWORD_ONLY, default=whole.parameters[each.name].default) for each in graph.parameters
    ]
    part.__name__ = part.__qualname__ = name
    part.__module__ = whole.function.__module__
    part.__doc__ = graph.text()
    part.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return part


class AttentionPart(AttentionOperation, PartOperation):
    """A part that is attention."""


class SplitOutcome(Outcome):
    """Outcome of a split operation's run: the results, and the outcome of each part."""

    def __init__(
        self, outputs: tuple[Tensor, ...], operation: Operation, tensors: Tensors, parts: tuple[Outcome, ...]
    ) -> None:
        for name, value in (("outputs", outputs), ("operation", operation), ("tensors", tensors), ("_parts", parts)):
            object.__setattr__(self, name, value)

    @property
    def parts(self) -> tuple[Outcome, ...]:
        return self._parts  # type: ignore[attr-defined, no-any-return]

    def __repr__(self) -> str:
        return f"SplitOutcome(outputs={self.outputs!r}, parts={self.parts!r})"

    @property
    def plan(self) -> Plan:
        raise OperationError(f"there are {len(self.parts)} plans, one for each part: look at `parts`")

    @property
    def run(self) -> Run:
        raise OperationError(f"there are {len(self.parts)} runs, one for each part: look at `parts`")

    @functools.cached_property
    def program(self) -> ProgramDescriptor:
        raise OperationError(f"there are {len(self.parts)} programs, one for each part: look at `parts`")


class SplitOperation(Operation):
    """An operation of several programs; call it as any other.

    Example::

        @operation
        def mlp(x: Rows, up: Matrix, down: Matrix) -> Value:
            hidden = relu(x @ up)
            return hidden @ down

        [each.name for each in mlp.parts]  # mlp_hidden, mlp_output
    """

    @functools.cached_property
    def split(self) -> Split:
        """The parts of its formula."""
        return split(self.graph, [each.name for each in self.inputs if each.broadcasts], self._fuses)

    @property
    def _fuses(self) -> bool:
        """Whether attention may be one part."""
        return self.choices.fuses_attention

    @functools.cached_property
    def unfused(self) -> SplitOperation:
        """The same without attention in one program."""
        return without_fusion(self)

    def parts_that_fit(
        self, shape: tuple[int, ...], dtype: DataType, device: Device
    ) -> tuple[tuple[Operation, ...], str]:
        parts = self.parts_for(dtype)
        for part in parts:
            if isinstance(part, AttentionPart):
                try:
                    part.plan(shape, dtype, device)
                except AttentionNotPlannedError as error:
                    return self.unfused.parts_for(dtype), str(error)
        return parts, ""

    def outcome_bounds(
        self, outcome: Outcome, operands: Mapping[str, Any], parameters: Mapping[str, float] | None = None
    ) -> Bounds:
        if outcome.operation is not self and isinstance(outcome.operation, SplitOperation):
            return outcome.operation.outcome_bounds(outcome, operands, parameters)
        return super().outcome_bounds(outcome, operands, parameters)

    @functools.cached_property
    def full_inputs(self) -> list[Input]:
        return [each for each in self.inputs if each.extent is Extent.FULL and not each.is_matrix]

    @functools.cached_property
    def main_input(self) -> Input:
        return next((each for each in self.full_inputs if not each.broadcasts), self.full_inputs[0])

    @functools.cached_property
    def _made_parts(self) -> dict[tuple[DataType, Layout], tuple[PartOperation, ...]]:
        return {}

    def parts_for(self, dtype: DataType, layout: Layout = Layout.ROW_MAJOR) -> tuple[PartOperation, ...]:
        key = (dtype, layout)
        if key not in self._made_parts:
            self._made_parts[key] = tuple(self._made(each, dtype, layout) for each in self.split.parts)
        return self._made_parts[key]

    def _made(self, part: Part, dtype: DataType, layout: Layout) -> PartOperation:
        known, own = self.split.intermediates, {each.name: each for each in self.inputs}
        dtypes, inputs = {}, []
        for each in part.formula.inputs:
            if each.name in own:
                inputs.append(own[each.name])
            else:
                between = known[each.name]
                inputs.append(Input(each.name, between.extent, slabs=between.slabs))
                dtypes[each.name] = self._dtype_between(each.name, dtype)
        targets = [(self._target_name(each), each) for each in part.targets]
        graph = part.formula
        if layout is Layout.TILE:  # a result that parts read row by row comes twice: as tiles, and as rows
            again = [index for index, each in enumerate(part.targets) if self._is_read_by_rows(each)]
            targets += [(self.split.name_of(part.targets[each]), part.targets[each]) for each in again]
            graph = dataclasses.replace(graph, outputs=(*graph.outputs, *(graph.outputs[each] for each in again)))
        names = [each for each, _ in targets]
        results = tuple(self._target_dtype(each, dtype) for _, each in targets)
        layouts = tuple(layout if each in self.output_names else Layout.ROW_MAJOR for each in names)
        is_between = all(each not in self.output_names for each in names)
        name = f"{self.name}_{names[0] if is_between else self._result_label(names)}"
        kind = PartOperation
        if self._fuses and has_attention(part.formula, [each.name for each in inputs if each.broadcasts]):
            kind = AttentionPart
        return kind(name, graph, inputs, self, tuple(names), dtypes, dtype, results, layouts)

    def _is_read_by_rows(self, target: Value) -> bool:
        """Whether it is a result, and for other parts a row or a number that serves the rows of a slab."""
        is_result = any(each is target for each in self.graph.outputs)
        return is_result and not target.extent.per_row and bool(self.split.name_of(target))

    def _result_label(self, names: Sequence[str]) -> str:
        return next(each for each in names if each in self.output_names)

    def _target_name(self, target: Value) -> str:
        """The result that a target is, or else the intermediate."""
        for name, output in zip(self.output_names, self.graph.outputs, strict=True):
            if output is target:
                return name
        return self.split.name_of(target)

    def _target_dtype(self, target: Value, dtype: DataType) -> DataType:
        for each, output in zip(self.output_dtypes(dtype), self.graph.outputs, strict=True):
            if output is target:
                return each
        return self._dtype_between(self.split.name_of(target), dtype)

    def _dtype_between(self, name: str, dtype: DataType) -> DataType:
        """The dtype of an intermediate."""
        between = self.split.intermediates[name]
        for each, output in zip(self.output_dtypes(dtype), self.graph.outputs, strict=True):
            if output is between.value:
                return each
        return dtype if between.is_factor else DataType.FLOAT32

    # How it runs.

    def _launch(self, tensors: Tensors, chosen: Options, parameters: Mapping[str, Any]) -> Outcome:
        try:
            return self._launch_parts(tensors, chosen, parameters)
        except AttentionNotPlannedError:
            return self.unfused._launch_parts(tensors, chosen, parameters)

    def _launch_parts(self, tensors: Tensors, chosen: Options, parameters: Mapping[str, Any]) -> Outcome:
        self._check_options(chosen)
        values = self.checked_parameters(parameters)
        main = tensors[self.main_input.name]
        check_input(self.main_input.name, main, self.wording)
        self.check_requirements(tensors, values)
        known = dict(tensors)
        outcomes: list[Outcome] = []
        for part in self.parts_for(result_dtype(main.dtype), main.layout):
            given = {each.name: known[each.name] for each in part.inputs}
            numbers = {name: parameters[name] for name in part.parameters if name in parameters}
            if chosen.memory_config is None and main.memory_config().is_sharded():
                self._check_place(part, given, main)
            options = self._part_options(part, chosen, main, given[part.main_input.name])
            outcome = part.launch(given, options, parameters=numbers)
            outcomes.append(outcome)
            for name, output in zip(self._reading_names(part), outcome.outputs, strict=True):
                known |= dict.fromkeys(name, output)
        outputs = tuple(known[name] for name in self.output_names)
        everything = {**tensors, **dict(zip(self.output_names, outputs, strict=True))}
        return SplitOutcome(outputs, self, everything, tuple(outcomes))

    def _check_place(self, part: PartOperation, given: Tensors, main: Tensor) -> None:
        """Refuses results of a part that do not lie as the first tensor does."""
        device = main.device()
        assert isinstance(device, ChipDevice)
        shapes = part.output_shapes(part.rows_shape({name: tuple(each.shape) for name, each in given.items()}))
        kinds = zip(part.makes, shapes, part.output_dtypes(main.dtype), part.output_layouts(main.layout), strict=True)
        for name, shape, dtype, layout in kinds:
            if name in self.output_names:
                self._kind_of_result(Shape(shape), dtype, layout, device, main.memory_config(), is_chosen=False)

    def _reading_names(self, part: Operation) -> list[tuple[str, ...]]:
        """Of each thing a part makes: the names that callers and later parts have for it."""
        values = dict(zip(self.output_names, self.graph.outputs, strict=True))
        names = []
        for made in part.makes:
            value = values.get(made)
            between = "" if value is None else self.split.name_of(value)
            same = [each for each, output in values.items() if output is value]
            names.append(tuple(dict.fromkeys(each for each in (made, between, *same) if each)))
        return names

    def _check_options(self, chosen: Options) -> None:
        if chosen.block_tiles is not None or chosen.deeper:
            raise OperationError(
                f"block_tiles and deeper are of one plan, and {self.name} runs as {len(self.parts)} programs: give "
                "them to one of its parts"
            )

    def _part_options(self, part: PartOperation, chosen: Options, main: Tensor, first: Tensor) -> Options:
        """Options of a part: a strategy only where it has that one, results where they are asked for.

        Args:
            main: the tensor beside which the results lie if nothing is asked for.
            first: the tensor that they would lie beside if the part were an operation of its own.
        """
        is_between = all(each not in self.output_names for each in part.makes)
        place = DRAM_MEMORY_CONFIG if is_between else chosen.memory_config or main.memory_config()
        strategies = part.variants(part.form(DataType.BFLOAT16)) if chosen.strategy is not None else ()
        strategy = chosen.strategy if chosen.strategy in strategies else None
        if place == first.memory_config() and strategy is chosen.strategy and chosen is USUAL_OPTIONS:
            return USUAL_OPTIONS
        return Options(
            place, chosen.compute_kernel_config, chosen.core_grid, chosen.error, strategy, threads=chosen.threads
        )  # fmt: skip

    # What it means.

    def rows_shape(self, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        """The shape of the rows of the last part."""
        known = dict(shapes)
        rows: tuple[int, ...] = ()
        for part in self.parts_for(DataType.BFLOAT16):
            rows = part.rows_shape(known)
            for names, shape in zip(self._reading_names(part), part.output_shapes(rows), strict=True):
                known |= dict.fromkeys(names, shape)
        return rows

    def reference(
        self, operands: Mapping[str, Any], parameters: Mapping[str, float] | None = None
    ) -> tuple[Float64, ...]:
        """The exact results, in float64, of arrays by name."""
        known: dict[str, Any] = dict(operands)
        for part in self.parts_for(DataType.BFLOAT16):
            given = {each.name: known[each.name] for each in part.inputs}
            results = part.reference(given, self._numbers_of(part, parameters))
            for names, result in zip(self._reading_names(part), results, strict=True):
                known |= dict.fromkeys(names, result)
        return tuple(known[name] for name in self.output_names)

    def bounds_of_parts(
        self,
        parts: Sequence[tuple[Operation, Plan]],
        operands: Mapping[str, Any],
        parameters: Mapping[str, float] | None = None,
    ) -> Bounds:
        known: dict[str, Any] = dict(operands)
        errors: dict[str, Float64] = {}
        roundings: list[Rounding] = []
        for part, plan in parts:
            given = {one.name: known[one.name] for one in part.inputs}
            off = {name: error for name, error in errors.items() if name in given}
            found = part.bounds(plan, given, self._numbers_of(part, parameters), off)
            roundings += found.roundings
            for names, value, error in zip(self._reading_names(part), found.exact, found.allowed, strict=True):
                known |= dict.fromkeys(names, value)
                errors |= dict.fromkeys(names, error)
        exact = tuple(known[name] for name in self.output_names)
        allowed = tuple(errors[name] for name in self.output_names)
        if self.tolerance is not None:
            allowed = tuple(self.tolerance.allowed(each) for each in exact)
        return Bounds(exact, allowed, tuple(roundings))

    def _numbers_of(self, part: Operation, parameters: Mapping[str, float] | None) -> dict[str, float]:
        return {name: value for name, value in (parameters or {}).items() if name in part.parameters}

    # What only one program has.

    def _several(self) -> OperationError:
        names = ", ".join(each.name for each in self.parts)
        return OperationError(
            f"{self.name} runs as {len(self.parts)} programs, {names}: name one of these, an operation of its own; "
            f"{self.name}.parts has them"
        )

    def variants(self, form: Form) -> dict[Strategy, Variant]:
        raise self._several()

    def plan(self, *_: Any, **__: Any) -> Plan:
        raise self._several()

    def program(self, *_: Any, **__: Any) -> ProgramDescriptor:
        raise self._several()

    def bounds(self, *_: Any, **__: Any) -> Bounds:
        raise self._several()


__all__ = ["PartOperation", "SplitOperation", "SplitOutcome"]


class _Unfused(SplitOperation):
    """An operation whose attention is several programs."""

    @property
    def _fuses(self) -> bool:
        return False


def without_fusion(operation: Operation) -> SplitOperation:
    """An operation with attention in several programs."""
    return _Unfused(
        operation.function, operation.inputs, list(operation.parameters.values()), operation.choices,
        operation.wording, operation.requirements, operation.cases, operation.tolerance,
    )  # fmt: skip


class WholeAttention(AttentionOperation):
    """An operation that is attention as a whole: one program where that fits L1, else several."""

    @functools.cached_property
    def unfused(self) -> SplitOperation:
        return without_fusion(self)

    def parts_that_fit(
        self, shape: tuple[int, ...], dtype: DataType, device: Device
    ) -> tuple[tuple[Operation, ...], str]:
        try:
            self.plan(shape, dtype, device)
        except AttentionNotPlannedError as error:
            return self.unfused.parts_for(dtype), str(error)
        return (self,), ""

    def _launch(self, tensors: Tensors, chosen: Options, parameters: Mapping[str, Any]) -> Outcome:
        try:
            return super()._launch(tensors, chosen, parameters)
        except AttentionNotPlannedError:
            return self.unfused.launch(tensors, chosen, parameters=parameters)

    def outcome_bounds(
        self, outcome: Outcome, operands: Mapping[str, Any], parameters: Mapping[str, float] | None = None
    ) -> Bounds:
        if isinstance(outcome.operation, SplitOperation):
            return outcome.operation.outcome_bounds(outcome, operands, parameters)
        return super().outcome_bounds(outcome, operands, parameters)
