# SPDX-License-Identifier: Apache-2.0
"""Calls of a C++ operation for commands that watch launches: twice, with other tensors and other numbers.

The second call finds the first one's program in the cache, and is compared with a program made anew. Tensors come from
the folder's ``test_dev/inputs.py`` (``inputs(shape, dtype, seed)`` gives arguments, arrays in the place of tensors), or
follow from the signature: every tensor that must be given has the shape asked for.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tilewright._cpp_ops.build import build_operation, current_ttnn, register
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.library import CppFunction

DEFAULT_SHAPE = (2, 3, 64, 128)
Inputs = Callable[[tuple[int, ...], str, int], tuple[list[Any], dict[str, Any]]]


def call_operation(
    folder: Path, shape: tuple[int, ...], dtype: str, arch: str | None, grid: tuple[int, int] | None
) -> None:
    """Builds the operation in ``folder`` and calls each of its functions twice on a device of its own."""
    ttnn = current_ttnn()
    library = build_operation(folder).load(ttnn)
    functions = register(library)
    further = {**({} if arch is None else {"arch": arch}), **({} if grid is None else {"grid": grid})}
    device = ttnn.open_device(device_id=0, **further)
    try:
        kept = []  # so that the second call's tensors lie elsewhere
        for seed in (0, 1):
            library.compare_with_fresh(seed > 0)
            for function in functions.values():
                args, kwargs = _inputs(folder, function)(shape, dtype, seed)
                args = [_placed(each, dtype, ttnn, device) for each in args]
                kwargs = {name: _placed(each, dtype, ttnn, device) for name, each in kwargs.items()}
                kept.append((args, kwargs, function(*args, **kwargs)))
        for function, call in zip(functions.values(), kept[-len(functions) :], strict=True):
            print(_line(function, shape, dtype, call[2]), flush=True)
    finally:
        library.compare_with_fresh(False)
        ttnn.close_device(device)


def _line(function: CppFunction, shape: tuple[int, ...], dtype: str, result: Any) -> str:
    """What was called and what came of it."""
    results = result if isinstance(result, (list, tuple)) else [result]
    gave = ", ".join("x".join(map(str, each.shape)) if hasattr(each, "shape") else repr(each) for each in results)
    called = "x".join(map(str, shape))
    return f"ttnn.{function.__name__} on {called} {dtype}: gave {gave}, and again from the program cache"


def _placed(value: Any, dtype: str, ttnn: Any, device: Any) -> Any:
    """An array as a row-major tensor on the device; other values as they are."""
    if not isinstance(value, np.ndarray):
        return value
    if hasattr(ttnn, "from_numpy"):
        return ttnn.from_numpy(value, dtype=getattr(ttnn, dtype), layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    import torch

    tensor = torch.from_numpy(value.astype(np.float32)).to(getattr(torch, dtype))
    return ttnn.from_torch(tensor, dtype=getattr(ttnn, dtype), layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


def _inputs(folder: Path, function: CppFunction) -> Inputs:
    file = Path(folder) / "test_dev" / "inputs.py"
    if not file.is_file():
        return lambda shape, dtype, seed: _from_signature(function, shape, seed)
    spec = importlib.util.spec_from_file_location(f"{Path(folder).name}_inputs", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Inputs = module.inputs
    return found


_NUMBERS: dict[str, Callable[[int], Any]] = {
    "int": lambda seed: 1 + seed,
    "float": lambda seed: 0.5 + seed,
    "bool": lambda seed: False,
}


def _from_signature(function: CppFunction, shape: tuple[int, ...], seed: int) -> tuple[list[Any], dict[str, Any]]:
    """Arguments that must be given, by the types in the first signature; numbers differ from call to call."""
    random = np.random.default_rng(seed)
    inside = function.signatures[0].partition("(")[2].rpartition(")")[0]
    kwargs: dict[str, Any] = {}
    for parameter in re.findall(r"(\w+): ((?:[^,\[\]]|\[[^\]]*\])+)", inside):
        name, kind = parameter[0], parameter[1].strip()
        if " = " in kind:
            continue
        if kind == "ttnn.Tensor":
            kwargs[name] = random.standard_normal(shape).astype(np.float32)
        elif kind in _NUMBERS:
            kwargs[name] = _NUMBERS[kind](seed)
        else:
            raise CppOperationError(
                f"{function.signatures[0]}: no value is known for {name} ({kind}); write test_dev/inputs.py with "
                "inputs(shape, dtype, seed), which gives the arguments"
            )
    return [], kwargs
