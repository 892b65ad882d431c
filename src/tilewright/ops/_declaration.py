# SPDX-License-Identifier: Apache-2.0
"""``@operation``: a Python function becomes an operation.

    from tilewright import Positive, Row, Rows, operation
    from tilewright.formula import mean, rsqrt, square

    @operation
    def rms_norm_w_rm(x: Rows, gamma: Row, *, epsilon: Positive = 1e-6):
        \"\"\"Rows divided by the root of their mean square.\"\"\"
        return x * rsqrt(mean(square(x)) + epsilon) * gamma

Parameters annotated with :class:`Rows`, :class:`Row`, :class:`Column`, :class:`Scalar`, :class:`BroadcastTensor` or
:class:`Matrix` are tensors; parameters with a number as default are numbers that each call may give. What the function
returns, in terms of these, is the result; several results are a tuple.

Every step that follows can be overruled: ``buffers`` gives circular buffers their indices, and a value of the formula
that has a name a buffer; ``pages="stick"`` counts rows in sticks; ``unit="vector"`` keeps the matrix unit, which
takes 10 mantissa bits of a float32, out of sums, differences and products; ``kernels`` puts kernels of your own in
the place of those that would be made, ``program`` a whole program of your own. Stages, checks, logs and export are the
same for all of these; a program of your own is exported for one shape.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args, overload

from tilewright._planner.emit.compute import COMPILE_TIME
from tilewright._planner.model import Choices, OwnProgram
from tilewright._planner.split import has_attention, needs_split
from tilewright._planner.strategy import Strategy
from tilewright._tensor.argument import require, shown
from tilewright.formula._graph import Extent, FormulaError, Value
from tilewright.formula._inputs import Input
from tilewright.formula._parameters import POSITIVE, Parameter
from tilewright.formula._requirements import Requirement
from tilewright.formula._validation import Wording
from tilewright.kernels import Kernel
from tilewright.ops._case import OwnCase
from tilewright.ops._operation import Operation
from tilewright.ops._options import checked_error
from tilewright.ops._split_operation import SplitOperation, WholeAttention
from tilewright.ops._tolerance import OwnTolerance


class Rows(Value):
    """A tensor of rows: one number for every element. All tensors of rows of an operation have one shape."""


class Row(Value):
    """One row, of the width of the rows: ``[W]`` or ``[1, ..., 1, W]``. It is the same for all of them."""


class Column(Value):
    """One number for every row: the shape of the rows with 1 as the last dimension."""


class BroadcastTensor(Value):
    """A tensor that broadcasts to the first one as NumPy's arrays do: each of its sides is as there, or 1."""


class Matrix(Value):
    """A matrix that rows are multiplied by: ``[K, N]``, in ``matmul(x, weights)``."""


class Scalar(Value):
    """A tensor of one element."""


_EXTENTS: dict[Any, Extent] = {
    Rows: Extent.FULL,
    Row: Extent.ROW,
    Column: Extent.COLUMN,
    BroadcastTensor: Extent.FULL,
    Matrix: Extent.FULL,
    Scalar: Extent.SCALAR,
}


class DeclarationError(TypeError):
    """A function that cannot be an operation; the message says what to write."""


@overload
def operation(function: Callable[..., Any], /) -> Operation: ...


@overload
def operation(
    *,
    buffers: Mapping[str, int] | None = None,
    pages: str = "tile",
    unit: str = "matrix",
    error: float | None = None,
    kernels: Mapping[str, Mapping[str, Kernel]] | None = None,
    program: OwnProgram | None = None,
    wording: Wording | None = None,
    requires: Sequence[Requirement] = (),
    cases: Sequence[OwnCase] = (),
    tolerance: OwnTolerance | None = None,
) -> Callable[[Callable[..., Any]], Operation]: ...


def operation(
    function: Callable[..., Any] | None = None,
    /,
    *,
    buffers: Mapping[str, int] | None = None,
    pages: str = "tile",
    unit: str = "matrix",
    error: float | None = None,
    kernels: Mapping[str, Mapping[str, Kernel]] | None = None,
    program: OwnProgram | None = None,
    wording: Wording | None = None,
    requires: Sequence[Requirement] = (),
    cases: Sequence[OwnCase] = (),
    tolerance: OwnTolerance | None = None,
) -> Any:
    """Makes an operation of a function: ``@operation``, or ``@operation(buffers={"mean": 3})``.

    Args:
        buffers: indices of circular buffers by name. A value of the formula called so gets a buffer of its own.
        pages: how rows are counted in circular buffers, ``tile`` or ``stick``.
        unit: what computes sums, differences and products of two buffers, ``matrix`` or ``vector``.
        error: what the matrix unit may leave out of a product, as a share of it (:mod:`tilewright._planner.fidelity`):
            0 is HiFi4, 2**-7 HiFi2 for bfloat16. Unless given, 2**-10.
        kernels: kernels of your own instead of those that would be made, by strategy and role:
            ``{"resident": {"compute": my_kernel}}``. They take arguments by name
            (:mod:`tilewright._planner.row_program`). In Python, or in C++ (:mod:`tilewright.kernels._cpp_kernel`).
        program: a program of your own instead of all of that: a function of tensors (the result is ``output``) and
            numbers by name that returns a ``ProgramDescriptor``.
        wording: how refusals of the first tensor are worded.
        requires: what else a call must have (:mod:`tilewright.formula._requirements`).
        cases: test cases besides those that are derived.
        tolerance: what results may be off, with its reason, in place of the bound of the error analysis.

    Raises:
        DeclarationError: the function's parameters do not say what they are.
        FormulaError: its formula has no meaning.
    """
    for name, given, allowed in (("pages", pages, ("tile", "stick")), ("unit", unit, ("matrix", "vector"))):
        if not isinstance(given, str) or given not in allowed:
            raise DeclarationError(f"{name} must be {' or '.join(map(repr, allowed))}, not {given!r}")
    for name, mapping in (("buffers", buffers), ("kernels", kernels)):
        if mapping is not None and not isinstance(mapping, Mapping):
            raise DeclarationError(f"{name} must be a dict, not {shown(mapping)}")
    if not isinstance(cases, (list, tuple)):
        raise DeclarationError(f"cases must be a list of tilewright.OwnCase, not {shown(cases)}")
    for each in cases:
        require("cases", each, OwnCase, "a list of tilewright.OwnCase")
    if tolerance is not None:
        require("tolerance", tolerance, OwnTolerance, "a tilewright.OwnTolerance")
    made = _checked_kernels(kernels or {})
    own_error = None if error is None else checked_error(error)
    choices = Choices(dict(buffers or {}), pages == "stick", unit == "matrix", made, program, error=own_error)
    for name, index in choices.buffers.items():
        if not isinstance(index, int) or not 0 <= index < 32:
            raise DeclarationError(f"buffers: {name} must have an index from 0 to 31, not {index!r}")
    if len(set(choices.buffers.values())) != len(choices.buffers):
        raise DeclarationError("buffers: two buffers have one index; every buffer needs its own")

    def declare(declared: Callable[..., Any]) -> Operation:
        given = (*_parameters(declared), choices, wording or Wording(), requires, tuple(cases), tolerance)
        made = Operation(declared, *given)
        try:
            assert made.graph.outputs
        except FormulaError as error:
            raise FormulaError(f"{made.name}: {error}") from None
        if choices.program is not None or not needs_split(made.graph):
            return made
        for name, overrides in (("buffers", choices.buffers), ("kernels", choices.kernels)):
            if overrides:
                raise DeclarationError(
                    f"{made.name}: {name} are of one program, and this formula needs several: declare an operation "
                    "for the part that they belong to"
                )
        broadcasting = [each.name for each in made.inputs if each.broadcasts]
        is_attention = choices.fuses_attention and has_attention(made.graph, broadcasting)
        kind = WholeAttention if is_attention else SplitOperation
        return kind(declared, *given)

    return declare if function is None else declare(function)


def _checked_kernels(kernels: Mapping[str, Mapping[str, Kernel]]) -> Mapping[str, Mapping[str, Kernel]]:
    strategies = [each.value for each in Strategy]
    for strategy, of_roles in kernels.items():
        if strategy not in strategies:
            raise DeclarationError(f"kernels: there is no strategy {strategy!r}; there are {', '.join(strategies)}")
        if not isinstance(of_roles, Mapping):
            raise DeclarationError(f"kernels: {strategy} must have a dict of kernels by role, not {shown(of_roles)}")
        for role, kernel in of_roles.items():
            if role not in ("reader", "compute", "writer") or not isinstance(kernel, Kernel):
                raise DeclarationError(f"kernels: {role!r} must be reader, compute or writer, and {kernel!r} a kernel")
    return kernels


def _parameters(function: Callable[..., Any]) -> tuple[list[Input], list[Parameter]]:
    """Tensors and numbers among a function's parameters."""
    if not inspect.isfunction(function):
        raise DeclarationError(f"@operation decorates a function, not {function!r}")
    annotations = inspect.get_annotations(function, eval_str=True)
    inputs, numbers = [], []
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = annotations.get(name)
        if annotation in _EXTENTS:
            if name == "output" or name.startswith("output_"):
                raise DeclarationError(f"{function.__name__}: results are called {name}: give the tensor another name")
            inputs.append(Input(name, _EXTENTS[annotation], annotation is Matrix, annotation is BroadcastTensor))
        elif isinstance(parameter.default, (int, float)) and not isinstance(parameter.default, bool):
            made = Parameter(name, float(parameter.default), POSITIVE in get_args(annotation))
            made.checked(parameter.default)
            if f"{name}_bits" in COMPILE_TIME or name.startswith("number_"):
                raise DeclarationError(
                    f"{function.__name__}: kernels use {name} themselves: give the number another name"
                )
            numbers.append(made)
        else:
            kinds = ", ".join(each.__name__ for each in _EXTENTS)
            raise DeclarationError(
                f"{function.__name__}: parameter {name} is neither a tensor nor a number: annotate it with one of "
                f"{kinds}, or give it a number as default"
            )
    if not any(each.extent is Extent.FULL and not each.is_matrix for each in inputs):
        raise DeclarationError(f"{function.__name__} takes no Rows: annotate the tensor it works on, such as `x: Rows`")
    return inputs, numbers
