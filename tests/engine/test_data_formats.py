# SPDX-License-Identifier: Apache-2.0
"""Data formats have the same numbers for the host, for kernels and for the engine."""

from __future__ import annotations

import re

from tilewright._build.native_build import NATIVE
from tilewright._tensor.dtype import DataFormat
from tilewright.kernels import _api_table as api_table

DEFINITION = re.compile(r"enum\s+(?:class\s+)?DataFormat\b[^;{]*\{(.*?)\}", re.DOTALL)


def test_the_native_table_is_the_hosts() -> None:
    (body,) = DEFINITION.findall((NATIVE / "abi" / "data_format.h").read_text())
    native = {name: int(number, 0) for name, number in re.findall(r"(\w+)\s*=\s*(\w+)", body)}
    assert native == {each.name: each.value for each in DataFormat}


def test_there_is_no_other_native_table() -> None:
    files = [path for kind in ("*.h", "*.hpp", "*.cpp") for path in NATIVE.rglob(kind)]
    assert [path.name for path in files if DEFINITION.search(path.read_text())] == ["data_format.h"]


def test_the_kernel_language_names_formats_there_are() -> None:
    assert {each.name for each in api_table.DataFormat} <= {each.name for each in DataFormat}
