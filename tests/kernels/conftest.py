# SPDX-License-Identifier: Apache-2.0
"""A small device for programs of Python kernels."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Protocol

import pytest

from tilewright import ttnn


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=3, grid=(2, 2))
    yield device
    ttnn.close_device(device)


_HEAD = """from __future__ import annotations
import enum
from tilewright.kernels import *
from tilewright.kernels.api import *
EPSILON = 1e-5
ROWS = 32
IS_FAST = True
LABEL = "text"
class Buffers(CircularBuffers):
    input = 0
    out = 16
"""


class WrittenModule(Protocol):
    """Imports kernels from text; ``first_line`` is the line of the file the text begins at."""

    first_line: int

    def __call__(self, text: str) -> ModuleType: ...


class _Writer:
    first_line = _HEAD.count("\n") + 1

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._count = 0

    def __call__(self, text: str) -> ModuleType:
        self._count += 1
        path = self._directory / f"written_{self._count}.py"
        path.write_text(_HEAD + textwrap.dedent(text), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


@pytest.fixture
def written(tmp_path: Path) -> WrittenModule:
    return _Writer(tmp_path)
