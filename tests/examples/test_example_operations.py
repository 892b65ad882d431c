# SPDX-License-Identifier: Apache-2.0
"""The worked examples: every one is right in every plan, clean under the checker, and exports."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright._workshop.cases import case_named, case_tensors, check_operation
from tilewright.check._check_program import check_program
from tilewright.ops import Operation
from tilewright.ops._export import export_operation

EXAMPLES = Path(__file__).parents[2] / "examples" / "operations"


def declared() -> dict[str, Operation]:
    found = {}
    for path in sorted(EXAMPLES.glob("*_rm.py")):
        module = importlib.import_module(f"examples.operations.{path.stem}")
        found |= {each.name: each for each in vars(module).values() if isinstance(each, Operation)}
    return found


OPERATIONS = declared()


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=32, grid=(2, 2))
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize("name", OPERATIONS)
def test_example_operation_is_right(device: ttnn.Device, name: str) -> None:
    results = check_operation(OPERATIONS[name], device)
    assert len(results) >= 5


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_checker_finds_nothing(device: ttnn.Device, name: str) -> None:
    operation = OPERATIONS[name]
    case = case_named(operation, "all kinds of rows")
    for each in operation.launch(case_tensors(operation, case, device)).parts:
        assert check_program([*each.tensors.values()], each.program).findings == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_example_operation_is_a_few_lines(name: str) -> None:
    import inspect

    assert len(inspect.getsource(OPERATIONS[name].function).splitlines()) <= 20


def test_example_operations_export(tmp_path: Path) -> None:
    for name, operation in OPERATIONS.items():
        files = export_operation(operation, tmp_path / name, shape=(64, 128))
        for path in files:
            if path.suffix == ".py":
                compile(path.read_text(), str(path), "exec")
