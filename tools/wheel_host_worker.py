# SPDX-License-Identifier: Apache-2.0
"""Run by tools/run_wheel_host.py in a process with the real ttnn: builds folders, calls operations, compares bits.

    tilewright exec tools/wheel_host_worker.py FOLDER=RESULT ...
    tilewright check tools/wheel_host_worker.py -- FOLDER=RESULT ...

The result of a folder is written as JSON as soon as there is one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case
from tests.card.catalogue.operations_page import GROUPS, cases_of
from tilewright._build.cache import write_atomically
from tilewright._card.host import tensors_in
from tilewright._cpp_ops.build import build_operation
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.library import CppFunction, OperationLibrary


def described(tensor: Any) -> tuple[str, bytes]:
    """Kind and place of a tensor, and the bits of its elements without padding."""
    if not tensor.is_allocated():
        return "deallocated", b""
    kind = f"{list(tensor.shape)} {tensor.dtype} {tensor.layout} {tensor.memory_config()}"
    values = ttnn.to_torch(tensor).contiguous()
    return kind, values.view(torch.uint8).numpy().tobytes() if values.numel() else b""


class Recorded:
    """Stands for an operation: calls it, and keeps what it was given and what it gave."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.tensors: list[tuple[str, bytes]] = []
        self.kept: list[Any] = []  # so that the tensors of the next call lie elsewhere
        self.calls = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._function(*args, **kwargs)
        self.kept.append((args, kwargs, result))
        self.calls += 1
        self.tensors += [described(each) for each in tensors_in([result, args, kwargs])]
        return result


def recorded(case: Case, function: Callable[..., Any], device: Any) -> Recorded:
    """One run of a case with ``function`` as the operation."""
    original, record = getattr(ttnn, case.operation), Recorded(function)
    setattr(ttnn, case.operation, record)
    try:
        case.run(Bench(device))
    finally:
        setattr(ttnn, case.operation, original)
    return record


def difference(wanted: Recorded, found: Recorded) -> str:
    """The first difference between two runs of a case, or nothing."""
    if wanted.calls == 0:
        return "the case does not call the operation by its name"
    if len(wanted.tensors) != len(found.tensors):
        return f"{len(found.tensors)} tensors, ttnn has {len(wanted.tensors)}"
    for number, ((kind, bits), (kind_here, bits_here)) in enumerate(zip(wanted.tensors, found.tensors, strict=True)):
        if kind != kind_here:
            return f"tensor {number} is {kind_here}, ttnn's is {kind}"
        if bits != bits_here:
            wrong = sum(a != b for a, b in zip(bits, bits_here, strict=True))
            return f"tensor {number} ({kind}): {wrong} of {len(bits)} bytes differ"
    return ""


def compared(case: Case, function: CppFunction, library: OperationLibrary, device: Any) -> str:
    """``equal``, or how the operation built here differs from ttnn's."""
    wanted = recorded(case, getattr(ttnn, case.operation), device)
    try:
        for again in (False, True):
            library.compare_with_fresh(again)
            found = recorded(case, function, device)
            text = difference(wanted, found)
            if text:
                return f"{'with a program from the cache: ' if again else ''}{text}"
    except Exception as error:  # whatever the operation raises is its result here
        return f"{type(error).__name__}: {error}"
    finally:
        library.compare_with_fresh(False)
    return "equal"


def cases_with(names: Collection[str]) -> list[Case]:
    """The catalogue's cases of these operations."""
    return [case for group in GROUPS for case in cases_of(group) if case.operation in names]


def folder_result(folder: Path, device: Any) -> dict[str, Any]:
    """Result of one folder."""
    try:
        library = build_operation(folder, together=True).load(ttnn)
    except CppOperationError as error:
        return {"build": str(error)}
    cases = []
    for case in cases_with(library.functions):
        try:
            outcome = compared(case, library.functions[case.operation], library, device)
        except Exception as error:  # ttnn's own operation failed
            outcome = f"ttnn's own fails: {error}"
        cases.append({"name": case.name, "operation": case.operation, "outcome": outcome})
    return {"functions": list(library.functions), "cases": cases}


def main(given: list[str]) -> None:
    device = ttnn.open_device(device_id=0)
    try:
        for word in given:
            folder, _, result = word.partition("=")
            if result:
                write_atomically(Path(result), json.dumps(folder_result(Path(folder), device)).encode())
    finally:
        ttnn.close_device(device)


if __name__ == "__main__":
    main(sys.argv[1:])
