# SPDX-License-Identifier: Apache-2.0
"""Arguments for calls of an operation: arrays from ``test_dev/inputs.py`` or from the signature, placed on a device."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.library import CppFunction
from tilewright._cpp_ops.linked import LinkedFunction
from tilewright._cpp_ops.signature import parameters

Inputs = Callable[[tuple[int, ...], str, int], tuple[list[Any], dict[str, Any]]]

_NUMBERS: dict[str, Callable[[int], Any]] = {
    "int": lambda seed: 1 + seed,
    "float": lambda seed: 0.5 + seed,
    "bool": lambda seed: False,
}

_MEMBERS = {
    "dtype": ("bfloat16", "float32", "bfloat8_b", "bfloat4_b", "int32", "uint32", "uint16"),
    "layout": ("TILE_LAYOUT", "ROW_MAJOR_LAYOUT"),
}


def python_file(file: Path, name: str) -> ModuleType:
    """A Python file as a module."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs_file(folder: Path) -> ModuleType | None:
    """``test_dev/inputs.py`` of a folder, if it has one."""
    file = folder / "test_dev" / "inputs.py"
    return python_file(file, f"{folder.name}_inputs") if file.is_file() else None


def operation_inputs(folder: Path, function: CppFunction | LinkedFunction) -> Inputs:
    """Gives arguments by shape, dtype and seed, arrays in the place of tensors."""
    module = inputs_file(folder)
    if module is None:
        return lambda shape, dtype, seed: _from_signature(function, shape, seed)
    found: Inputs = module.inputs
    return found


def _from_signature(
    function: CppFunction | LinkedFunction, shape: tuple[int, ...], seed: int
) -> tuple[list[Any], dict[str, Any]]:
    """Arguments that must be given, by the types in the first signature; numbers differ from call to call."""
    random = np.random.default_rng(seed)
    kwargs: dict[str, Any] = {}
    for each in parameters(function.signatures[0]):
        if not each.is_required:
            continue
        if each.is_tensor:
            kwargs[each.name] = random.standard_normal(shape).astype(np.float32)
        elif each.kind in _NUMBERS:
            kwargs[each.name] = _NUMBERS[each.kind](seed)
        else:
            raise CppOperationError(
                f"{function.signatures[0]}: no value is known for {each.name} ({each.kind}); write test_dev/inputs.py "
                "with inputs(shape, dtype, seed), which gives the arguments"
            )
    return [], kwargs


def call_arguments(
    folder: Path,
    function: CppFunction | LinkedFunction,
    case: tuple[tuple[int, ...], str, int],
    ttnn: Any,
    device: Any,
    layout: str | None = None,
) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of a call, their tensors on the device.

    Args:
        case: shape, dtype and seed.
        layout: of the tensors, ``TILE`` or ``ROW_MAJOR``; else ``LAYOUT`` of ``test_dev/inputs.py``, else row-major.
    """
    shape, dtype, seed = case
    args, kwargs = operation_inputs(folder, function)(shape, dtype, seed)
    kind, lies = _member(ttnn, "dtype", dtype.lower()), folder_layout(folder, ttnn, layout)
    named = {name: placed(each, kind, ttnn, device, lies) for name, each in kwargs.items()}
    return [placed(each, kind, ttnn, device, lies) for each in args], named


def folder_layout(folder: Path, ttnn: Any, layout: str | None = None) -> Any:
    """The layout of an operation's tensors, where no argument says otherwise."""
    module = inputs_file(folder)
    name = layout or getattr(module, "LAYOUT", "ROW_MAJOR")
    return _member(ttnn, "layout", f"{str(name).upper().removesuffix('_LAYOUT')}_LAYOUT")


def _member(ttnn: Any, what: str, name: str) -> Any:
    """A dtype or layout of ttnn by its name."""
    if name not in _MEMBERS[what]:
        listed = ", ".join(each.removesuffix("_LAYOUT") for each in _MEMBERS[what])
        raise CppOperationError(f"{what} {name.removesuffix('_LAYOUT')}: must be one of {listed}")
    return getattr(ttnn, name)


def placed(value: Any, dtype: Any, ttnn: Any, device: Any, layout: Any) -> Any:
    """An array as a tensor on the device, a function as what it gives for ttnn and the device, others as they are."""
    if callable(value):
        return value(ttnn, device)
    if not isinstance(value, np.ndarray):
        return value
    if hasattr(ttnn, "from_numpy"):
        return ttnn.from_numpy(value, dtype=dtype, layout=layout, device=device)
    tensor = ttnn.Tensor(np.ascontiguousarray(value, np.float32), dtype)
    return (tensor if layout == ttnn.ROW_MAJOR_LAYOUT else tensor.to(layout)).to(device)


def values(tensor: Any) -> Any:
    """The values of a tensor as float64."""
    return np.array(tensor.cpu().to_list(), np.float64)
