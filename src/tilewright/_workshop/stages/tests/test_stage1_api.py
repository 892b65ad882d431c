# SPDX-License-Identifier: Apache-2.0
"""Stage 1: the operation can be imported, called and read about."""

from __future__ import annotations

import inspect

from tilewright.ops import Operation


def test_it_is_an_operation(operation: Operation) -> None:
    assert isinstance(operation, Operation)
    assert callable(operation)


def test_it_takes_what_it_declares(operation: Operation) -> None:
    parameters = inspect.signature(operation).parameters
    names = [*(each.name for each in operation.inputs), *operation.parameters]
    assert [name for name in parameters if name in names] == [*inspect.signature(operation.function).parameters]
    for name, each in operation.parameters.items():
        assert parameters[name].default == each.default


def test_it_is_documented(operation: Operation) -> None:
    assert operation.__doc__, f"{operation.name} has no docstring: say in one line what it computes"


def test_its_formula_has_results(operation: Operation) -> None:
    shapes = operation.output_shapes((64, 128))
    assert len(shapes) == len(operation.graph.outputs)
