# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from tilewright._errors import TilewrightError
from tilewright._program.specs.source import without_comments
from tools.survey.inventory import find_kernels, package_root
from tools.survey.source_text import SourceTree


def test_every_kernel_is_found_and_classified(package: Path) -> None:
    found = {kernel.path.name + " " + kernel.family: (kernel.scope, kernel.kind) for kernel in find_kernels(package)}
    assert found == {
        "reader_copy.cpp copy": ("core", "reader"),
        "reader_broken.cpp copy": ("core", "reader"),
        "reader_api_constant.cpp copy": ("core", "reader"),
        "writer_named.cpp copy": ("core", "writer"),
        "add.cpp eltwise": ("core", "compute"),
        "reader_copy.cpp experimental/quasar": ("quasar", "reader"),
        "writer_ccl.cpp ccl": ("multi-chip", "writer"),
        "writer_remote.cpp move": ("multi-chip", "writer"),
    }


def test_package_root_takes_the_directory_above_too(package: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert package_root(package) == package.resolve()
    above = tmp_path_factory.mktemp("site-packages")
    (above / "ttnn").symlink_to(package)
    assert package_root(above) == package.resolve()
    with pytest.raises(TilewrightError, match="is not a ttnn package"):
        package_root(package / "tt_metal")


def test_closure_has_helpers_but_not_api_headers(package: Path) -> None:
    texts = SourceTree(package).closure(package / "ttnn/cpp/ttnn/operations/eltwise/device/kernels/compute/add.cpp")
    assert len(texts) == 2
    assert "helper(uint32_t n)" in texts[1]


def test_api_names_are_macros_and_enumerators(package: Path) -> None:
    assert {"API_CONSTANT_OF_THE_PACKAGE", "KIND_FIRST", "KIND_LAST"} <= SourceTree(package).api_names


def test_comments_go_but_strings_stay() -> None:
    assert without_comments('a /* b\n */ "// c" // d').split() == ["a", '"//', 'c"']
