# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that gives the tests of the stages their operation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright._launch.open_devices import close_device, open_device
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._workshop.cases import derived_cases
from tilewright.ops import Operation, Strategy
from tilewright.ops._specification_text import requirement_rows

GRID = (2, 2)


class OperationPlugin:
    """Fixtures ``operation`` and ``device``; parameters ``case``, ``strategy``, ``requirement``, ``condition``,
    ``parameter``, ``operand``.
    """

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    @pytest.fixture
    def operation(self) -> Operation:
        return self._operation

    @pytest.fixture(scope="session")
    def device(self) -> Iterator[Device]:
        device = open_device(0, grid=GRID)
        yield device
        close_device(device)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        operation = self._operation
        if "case" in metafunc.fixturenames:
            metafunc.parametrize("case", derived_cases(operation), ids=lambda each: each.name)
        if "strategy" in metafunc.fixturenames:
            strategies: list[Strategy] = list(operation.variants(operation.form(DataType.BFLOAT16)))
            metafunc.parametrize("strategy", strategies, ids=lambda each: each.value)
        if "requirement" in metafunc.fixturenames:
            rows = [each for each in requirement_rows(operation) if each[0] not in operation.parameters]
            metafunc.parametrize("requirement", rows, ids=lambda each: each[0])
        if "condition" in metafunc.fixturenames:
            metafunc.parametrize("condition", operation.requirements, ids=lambda each: each.condition)
        if "parameter" in metafunc.fixturenames:
            metafunc.parametrize("parameter", list(operation.parameters))
        if "operand" in metafunc.fixturenames:
            others = [each for each in operation.inputs if each is not operation.main_input]
            metafunc.parametrize("operand", others, ids=lambda each: each.name)
