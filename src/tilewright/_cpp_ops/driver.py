# SPDX-License-Identifier: Apache-2.0
"""Calls of a C++ operation for commands that watch launches: twice, with other tensors and other numbers.

The second call finds the first one's program in the cache, and is compared with a program made anew. Arguments come
from the folder's ``test_dev/inputs.py``: ``inputs(shape, dtype, seed)`` gives them, arrays in the place of tensors, and
``LAYOUT`` says how these lie. Else they follow from the signature: every tensor that must be given has the shape asked
for. Where the folder has a design document, its circular buffers are compared with those of the program.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilewright._cpp_ops.arguments import call_arguments
from tilewright._cpp_ops.build import built_folder, current_ttnn, register
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.library import CppFunction, OperationLibrary
from tilewright._cpp_ops.linked import LinkedFunction
from tilewright._cpp_ops.operation_folder import OperationFolder
from tilewright._cpp_ops.pipeline.design import find_design, read_design
from tilewright._cpp_ops.pipeline.design_comparison import DesignCase, DesignComparison, compare_design
from tilewright.check._failure_observer import failed_call_written

DEFAULT_SHAPE = (2, 3, 64, 128)


class DesignError(CppOperationError):
    """Circular buffers of a program that are not those of the design document."""


def call_operation(
    folder: Path,
    shape: tuple[int, ...],
    dtype: str,
    arch: str | None = None,
    grid: tuple[int, int] | None = None,
    link: bool = False,
    layout: str | None = None,
) -> None:
    """Builds the operation in ``folder`` and calls each of its functions twice on a device of its own.

    Args:
        link: link it against the installed ttnn. Its programs are not seen then, and not compared.
        layout: of the tensors, ``TILE`` or ``ROW_MAJOR``; None for what ``test_dev/inputs.py`` says.
    """
    with failed_call_written(f"ttnn.{folder.name}"):
        _call_operation(folder, shape, dtype, arch, grid, link, layout)


def _call_operation(
    folder: Path,
    shape: tuple[int, ...],
    dtype: str,
    arch: str | None,
    grid: tuple[int, int] | None,
    link: bool,
    layout: str | None,
) -> None:
    ttnn = current_ttnn()
    built = built_folder(folder, link)
    library = built.load(ttnn)
    functions = register(library)
    further = {**({} if arch is None else {"arch": arch}), **({} if grid is None else {"grid": grid})}
    device = ttnn.open_device(device_id=0, **further)
    programs: list[Any] = []
    recording = library if isinstance(library, OperationLibrary) else None
    if recording is not None:
        recording.bridge.on_program = programs.append
    try:
        kept = []  # so that the second call's tensors lie elsewhere
        for seed in (0, 1):
            if recording is not None:
                recording.compare_with_fresh(seed > 0)
            for function in functions.values():
                args, kwargs = call_arguments(folder, function, (shape, dtype, seed), ttnn, device, layout)
                kept.append((args, kwargs, function(*args, **kwargs)))
        for function, call in zip(functions.values(), kept[-len(functions) :], strict=True):
            print(_line(function, shape, dtype, call[2]), flush=True)
        _compare(built.folder, programs, case_of(shape, dtype, kept[-1][2]))
    finally:
        if recording is not None:
            recording.bridge.on_program = None
            recording.compare_with_fresh(False)
        ttnn.close_device(device)


def case_of(shape: tuple[int, ...], dtype: str, result: Any) -> DesignCase:
    """The case that a call was, for the comparison with a design."""
    output = result[0] if isinstance(result, (list, tuple)) else result
    return DesignCase(shape, dtype, str(output.dtype).rpartition(".")[2].lower(), int(output.shape[-1]))


def nearest_comparison(folder: OperationFolder, programs: list[Any], case: DesignCase) -> DesignComparison | None:
    """The folder's design against the program of a call that is nearest to it; None without a design or a program."""
    path = find_design(folder)
    if path is None or not programs:
        return None
    design = read_design(path)
    if not design.buffers:
        raise DesignError(
            f"{path} has no table of circular buffers: one with a column of pages (Pages, Num Pages, Capacity) and "
            "one of their indices (Index, CB ID, CB)"
        )
    return min((compare_design(design, each, case) for each in programs), key=lambda each: len(each.differences))


def _compare(folder: OperationFolder, programs: list[Any], case: DesignCase) -> None:
    comparison = nearest_comparison(folder, programs, case)
    if comparison is None:
        return
    if comparison.not_judged:
        print(f"{find_design(folder)}: cells that were not judged: {len(comparison.not_judged)}", flush=True)
        print("".join(f"  {line}\n" for line in comparison.not_judged), end="", flush=True)
    if comparison.differences:
        listed = "".join(f"\n  {line}" for line in comparison.differences)
        raise DesignError(f"{folder.name} on {case}: the program is not the design's:{listed}")


def _line(function: CppFunction | LinkedFunction, shape: tuple[int, ...], dtype: str, result: Any) -> str:
    """A call and its result."""
    results = result if isinstance(result, (list, tuple)) else [result]
    gave = ", ".join("x".join(map(str, each.shape)) if hasattr(each, "shape") else repr(each) for each in results)
    called = "x".join(map(str, shape))
    return f"ttnn.{function.__name__} on {called} {dtype}: gave {gave}, and again from the program cache"
