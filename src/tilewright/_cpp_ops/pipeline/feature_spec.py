# SPDX-License-Identifier: Apache-2.0
"""Cases of a ``feature_spec.py``: each cell of ``TARGET`` with each entry of ``INPUTS``, without those in ``INVALID``.

``TARGET`` has values by axis. An axis is applied if it says something a call can be given: ``dtype`` and ``layout`` of
all tensors, ``NAME_dtype`` and ``NAME_layout`` of the tensor NAME (``"none"``: without it), or an argument by its name.
Others, such as an alignment that follows from the shape, are not iterated. An entry of ``INPUTS`` is a shape, or shapes
and numbers in the order of the operation's arguments. ``LOOSE_CASES`` are single cases with their axes.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright._cpp_ops.arguments import python_file
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.operation_folder import OperationFolder
from tilewright._cpp_ops.signature import BoundParameter

_NONE = "none"


@dataclass(frozen=True)
class FeatureCase:
    """One call: an entry of ``INPUTS``, and the value of each applied axis."""

    inputs: tuple[Any, ...]
    axes: Mapping[str, Any]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        return [tuple(each) for each in self.inputs if _is_shape(each)]

    @property
    def numbers(self) -> list[Any]:
        return [each for each in self.inputs if not _is_shape(each)]

    @property
    def elements(self) -> int:
        return sum(math.prod(shape) for shape in self.shapes)

    def __str__(self) -> str:
        parts = ["x".join(map(str, each)) if _is_shape(each) else str(each) for each in self.inputs]
        return " ".join([*parts, *(_named(value) for value in self.axes.values())])


@dataclass(frozen=True)
class FeatureSpec:
    """The cases of a file, small tensors first.

    Attributes:
        not_applied: axes that no argument stands for.
    """

    path: Path
    cases: tuple[FeatureCase, ...]
    not_applied: tuple[str, ...]


def _is_shape(value: object) -> bool:
    return isinstance(value, (tuple, list)) and bool(value) and all(isinstance(each, int) for each in value)


def _named(value: object) -> str:
    return str(getattr(value, "name", value)).rpartition(".")[2]


def find_feature_spec(folder: OperationFolder) -> Path | None:
    """The file of an operation: beside it, in its tests, or among the golden tests of its checkout."""
    places = [folder.root / part for part in ("", "test_dev", "tests", "tests/golden")]
    if folder.tree is not None:
        places.append(folder.tree / "eval" / "golden_tests" / folder.name)
    return next((each / "feature_spec.py" for each in places if (each / "feature_spec.py").is_file()), None)


def read_feature_spec(path: Path, given: Sequence[BoundParameter], tree: Path | None = None) -> FeatureSpec:
    """The cases of a file for an operation with these parameters.

    Raises:
        CppOperationError: the file cannot be read or lacks a list.
    """
    if tree is not None and str(tree) not in sys.path:
        sys.path.append(str(tree))  # for its imports from eval
    try:
        module = python_file(path, f"{path.parent.name}_feature_spec")
    except Exception as error:
        raise CppOperationError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    for name, kind in (("TARGET", dict), ("INPUTS", list), ("INVALID", list)):
        if not isinstance(getattr(module, name, None), kind):
            raise CppOperationError(f"{path} has no {name}, which is a {kind.__name__}")
    names = [axis for axis in module.TARGET if _is_applied(axis, given)]
    cells = itertools.product(module.INPUTS, *(module.TARGET[axis] for axis in names))
    cases = [FeatureCase(_entry(inputs), dict(zip(names, values, strict=True))) for inputs, *values in cells]
    cases += _loose(getattr(module, "LOOSE_CASES", []), names)
    valid = [case for case in cases if not _is_invalid(case.axes, module.INVALID)]
    ordered = sorted(valid, key=lambda case: case.elements)
    return FeatureSpec(path, tuple(ordered), tuple(axis for axis in module.TARGET if axis not in names))


def _entry(inputs: Any) -> tuple[Any, ...]:
    return (tuple(inputs),) if _is_shape(inputs) else tuple(inputs)


def _loose(listed: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Iterator[FeatureCase]:
    for each in listed:
        yield FeatureCase(_entry(each["inputs"]), {name: each[name] for name in names if name in each})


def _is_applied(axis: str, given: Sequence[BoundParameter]) -> bool:
    about = axis.removesuffix("_dtype").removesuffix("_layout")
    is_of_tensor = about != axis and any(each.name == about and each.is_tensor for each in given)
    return axis in ("dtype", "layout") or is_of_tensor or any(each.name == axis for each in given)


def _is_invalid(axes: Mapping[str, Any], invalid: Iterable[Mapping[str, Any]]) -> bool:
    return any(all(name in axes and axes[name] == value for name, value in cell.items()) for cell in invalid)


@dataclass(frozen=True)
class TensorArgument:
    """A tensor that a call gets: its shape, dtype and layout; None where the case leaves it open."""

    shape: tuple[int, ...]
    dtype: Any
    layout: Any


def case_arguments(case: FeatureCase, given: Sequence[BoundParameter]) -> dict[str, Any]:
    """Arguments of a case by name, :class:`TensorArgument` in the place of tensors.

    Raises:
        CppOperationError: the entry has fewer shapes or numbers than the operation needs.
    """
    found: dict[str, Any] = {}
    shapes, numbers = iter(case.shapes), iter(case.numbers)
    for each in given:
        if case.axes.get(f"{each.name}_dtype") == _NONE or case.axes.get(f"{each.name}_layout") == _NONE:
            continue
        if each.name in case.axes:
            found[each.name] = case.axes[each.name]
        elif each.is_tensor:
            shape = next(shapes, None)
            if shape is not None:
                found[each.name] = TensorArgument(shape, *tensor_axes(case, each.name))
        else:
            number = next(numbers, None)
            if number is not None:
                found[each.name] = number
        if each.is_required and each.name not in found:
            raise CppOperationError(
                f"INPUTS entry {case.inputs} gives nothing for {each.name}; write test_dev/inputs.py with "
                "inputs(shape, dtype, seed), which gives the arguments for the first shape of an entry"
            )
    return found


def tensor_axes(case: FeatureCase, name: str) -> tuple[Any, Any]:
    """Dtype and layout of a tensor in a case; None where no axis says one."""
    dtype, layout = (case.axes.get(f"{name}_{each}", case.axes.get(each)) for each in ("dtype", "layout"))
    return dtype, layout
