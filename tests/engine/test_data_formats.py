# SPDX-License-Identifier: Apache-2.0
"""Data formats have the same numbers for the host, for kernels and for the engine."""

from __future__ import annotations

import re
from pathlib import Path

from tilewright._build.native_build import NATIVE
from tilewright._tensor.dtype import DataFormat

DEFINITION = re.compile(r"enum\s+(?:class\s+)?DataFormat\b[^;{]*\{(.*?)\}", re.DOTALL)


# tt-metal's host code has a name of its own for the table, and one format that no kernel has.
HOST_TABLE = NATIVE / "host" / "include" / "tw_host" / "types.hpp"
ONLY_ON_THE_HOST = {"Int16": 13}


def table(path: Path) -> dict[str, int]:
    (body,) = DEFINITION.findall(path.read_text())
    return {name: int(number, 0) for name, number in re.findall(r"(\w+)\s*=\s*(\w+)", body)}


def test_native_tables_are_those_of_python() -> None:
    numbers = {each.name: each.value for each in DataFormat}
    assert table(NATIVE / "abi" / "data_format.h") == numbers
    assert table(HOST_TABLE) == numbers | ONLY_ON_THE_HOST


def test_there_is_no_other_native_table() -> None:
    files = [path for kind in ("*.h", "*.hpp", "*.cpp") for path in NATIVE.rglob(kind)]
    found = {path for path in files if DEFINITION.search(path.read_text())}
    assert found == {NATIVE / "abi" / "data_format.h", HOST_TABLE}
