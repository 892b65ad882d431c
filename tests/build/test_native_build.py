# SPDX-License-Identifier: Apache-2.0
"""Native parts: what their names in the cache depend on, and what a build says when it cannot go on."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from tilewright._build import native_build
from tilewright._build.compiler import Compiler, find_compiler
from tilewright._build.engine_build import _part, find_engine
from tilewright._build.native_build import COMMON, NativePart
from tilewright._errors import TilewrightError

REPLAY = NativePart("the timing replay", "replay", COMMON, ("replay.so",), ("replay", "abi"))


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A second clone's sources."""
    clone = tmp_path / "native"
    for folder in ("engine", "abi", "runner", "replay", "card"):
        shutil.copytree(native_build.NATIVE / folder, clone / folder)
    shutil.copy(native_build.NATIVE / "CMakeLists.txt", clone)
    monkeypatch.setattr(native_build, "NATIVE", clone)
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    return clone


def names() -> list[str]:
    return [native_build._name(part, find_compiler(), again=True) for part in (_part("native"), REPLAY)]


def test_clones_with_equal_sources_share_builds(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_clone = names()
    monkeypatch.undo()
    assert names() == in_clone


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("engine/sfpu/registers.h", [True, False]),
        ("runner/main.cpp", [True, False]),
        ("replay/steps.cpp", [False, True]),
        ("abi/noc.h", [True, True]),
        ("CMakeLists.txt", [True, True]),
    ],
)
def test_a_changed_source_gives_its_parts_another_name(copied: Path, file: str, changed: list[bool]) -> None:
    before = names()
    with (copied / file).open("a") as text:
        text.write("\n")
    assert [new != old for new, old in zip(names(), before, strict=True)] == changed


def test_ninja_compiles_only_changed_sources(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (first,) = native_build.built_files(REPLAY)
    (tree,) = (copied.parent / "cache" / "builds").iterdir()
    objects = {path: path.stat().st_mtime_ns for path in tree.rglob("*.o")}
    (copied / "engine" / "chip" / "chip.cpp").write_text("#error not part of the replay\n")
    assert native_build.built_files(REPLAY) == (first,)
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*.o")} == objects


def test_an_error_in_a_source_shows_the_compilers_line(copied: Path) -> None:
    (copied / "replay" / "api.cpp").write_text("int broken( {\n")
    with pytest.raises(TilewrightError, match=r"(?s)the timing replay does not build with .*api\.cpp:1:\d+: error"):
        native_build.built_files(REPLAY)


def test_a_source_saved_during_the_build_is_compiled_again(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds = []

    def build(part: NativePart, compiler: Compiler, tree: Path) -> None:
        if not builds:
            (copied / "replay" / "api.h").write_text("// saved meanwhile\n")
        builds.append(part.target)
        target = tree / "out" / part.folder / part.files[0]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(str(len(builds)))

    monkeypatch.setattr(native_build, "_build", build)
    (built,) = native_build.built_files(REPLAY)
    assert built.read_text() == "2"


def test_missing_build_tools_are_named(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(TilewrightError, match=r'no cmake found.*pip install "tilewright\[native\]"'):
        native_build.built_files(REPLAY)


def test_an_unknown_variant_is_refused_with_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "x86-64-v5")
    with pytest.raises(TilewrightError, match="TILEWRIGHT_ENGINE is 'x86-64-v5'; it can be native, "):
        find_engine()
