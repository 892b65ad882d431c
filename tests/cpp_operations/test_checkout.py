# SPDX-License-Identifier: Apache-2.0
"""A folder where it will lie: in a checkout of tt-metal, beside headers that are made for tt-metal's own build."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright._cpp_ops.build import build_operation
from tilewright._cpp_ops.operation_folder import read_folder

HERE = Path(__file__).parent
INCLUDE = '#include "ttnn/operations/core/core.hpp"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """``copy_pages`` in a checkout, whose header is there for each path that tilewright has too."""
    tree = tmp_path / "tt-metal"
    folder = tree / "ttnn" / "cpp" / "ttnn" / "operations" / "copy_pages"
    shutil.copytree(HERE / "copy_pages", folder)
    for path in ("ttnn-nanobind/bind_function.hpp", "ttnn/operations/core/core.hpp"):
        header = tree / "ttnn" / "cpp" / path
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text("#error made for tt-metal's own build\n")
    source = folder / "copy_pages_nanobind.cpp"
    source.write_text(INCLUDE + '#include "ttnn/operations/other/helpers.hpp"\n' + source.read_text())
    helpers = folder.parent / "other" / "helpers.hpp"
    helpers.parent.mkdir()
    helpers.write_text("namespace ttnn { inline int only_in_the_checkout() { return 3; } }\n")
    return folder


@pytest.mark.parametrize("together", [False, True], ids=["by source", "together"])
def test_host_headers_stand_for_those_of_the_checkout(folder: Path, together: bool) -> None:
    assert read_folder(folder).tree == folder.parents[4]
    library = build_operation(folder, together=together).load(ttnn)
    assert list(library.functions) == ["copy_pages"]
