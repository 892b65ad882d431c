# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels are named by content: clones and virtual environments share them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tilewright._build.compiler import find_compiler
from tilewright._build.kernel_build import _entry, compile_kernels
from tilewright._build.kernel_library import kernel_library
from tilewright._build.kernel_sources import kernel_source
from tilewright._build.translation_unit import KernelSource
from tilewright._launch.chip import Chip

HELPER = "inline void help() { *(volatile int*)nullptr = %d; }\n"
KERNEL = '#include "helper.h"\nvoid kernel_main() {\n  help();\n}\n'


@pytest.fixture
def source(chip: Chip, make_program) -> KernelSource:
    program = make_program(reader="void kernel_main() {}")
    return kernel_source(program, program.kernels[0], chip.arch, chip.grid)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def clone(source: KernelSource, directory: Path, value: int = 1, kernel: str = KERNEL) -> KernelSource:
    """The kernel in a directory of its own, with a header beside it."""
    directory.mkdir()
    (directory / "helper.h").write_text(HELPER % value)
    (directory / "kernel.cpp").write_text(kernel)
    return dataclasses.replace(source, path=str(directory / "kernel.cpp"))


def test_clones_share_a_kernel_and_keep_their_own_paths(source: KernelSource, cache: Path, tmp_path: Path) -> None:
    clones = [clone(source, tmp_path / name) for name in ("first", "second")]
    first, second = (compile_kernels([each])[0] for each in clones)
    assert first == second
    for each in clones:
        files = kernel_library(first[0], each).lines.own_files(lambda path: "helper" in path)
        assert files == {str(Path(each.path).with_name("helper.h"))}


def test_a_clone_with_another_header_has_another_kernel(source: KernelSource, cache: Path, tmp_path: Path) -> None:
    first, second = (clone(source, tmp_path / name, value) for name, value in (("first", 1), ("second", 2)))
    assert compile_kernels([first]) != compile_kernels([second])


def test_kernels_of_one_name_and_other_text_have_entries_of_their_own(source: KernelSource, tmp_path: Path) -> None:
    first = clone(source, tmp_path / "first")
    second = clone(source, tmp_path / "second", kernel=KERNEL + "// changed\n")
    assert _entry(first, find_compiler()) != _entry(second, find_compiler())


def test_lines_of_python_files_do_not_part_clones(source: KernelSource, tmp_path: Path) -> None:
    entries = set()
    for name in ("first", "second"):
        text = f'#line 7 "{tmp_path / name}/operation.py"\nvoid kernel_main() {{}}\n'
        entries.add(_entry(clone(source, tmp_path / name, kernel=text), find_compiler()))
    assert len(entries) == 1


def test_a_seed_is_used_and_not_changed(
    source: KernelSource, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = clone(source, tmp_path / "kernels")
    (built,) = compile_kernels([kernel])
    before = {path: path.stat().st_mtime_ns for path in cache.rglob("*")}
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "empty"))
    monkeypatch.setenv("TILEWRIGHT_CACHE_SEED", str(cache))
    assert compile_kernels([kernel]) == [built]
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*")} == before


def test_precompiled_headers_serve_every_chip_processor_and_noc(source: KernelSource, cache: Path) -> None:
    variants = [
        dataclasses.replace(source, arch=arch, processor=processor, noc_index=processor, num_l1_banks=banks)
        for arch, processor, banks in (("wormhole_b0", 0, 64), ("wormhole_b0", 1, 56), ("blackhole", 1, 130))
    ]
    compile_kernels(variants)
    assert len(list((cache / "preludes").iterdir())) == 1
