# SPDX-License-Identifier: Apache-2.0
"""Only the user's own programs are loaded from the cache."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tilewright._build import cache, compiler
from tilewright._build.kernel_build import source_file
from tilewright._errors import CacheError


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _stored(directory: Path) -> Path:
    """An entry with its library."""
    with cache.building("test") as work:
        (work / "made.so").write_bytes(b"a library")
        cache.store_library(directory / "kernels" / "key.json", work / "made.so")
    return directory / "kernels" / "key.json"


def _give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives a file another owner, as far as permissions allow."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)


def test_cache_files_are_readable_by_the_user_alone(directory: Path) -> None:
    before = os.umask(0)
    try:
        entry = _stored(directory)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(each.stat().st_mode) for each in (directory, entry.parent)} == {0o700}
    library, _ = cache.stored_library(entry) or (None, None)
    assert library is not None
    assert not library.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def test_cache_owned_by_another_user_is_refused(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = _stored(directory)
    _give_away(directory, monkeypatch)
    with pytest.raises(CacheError, match=r"belongs to user \d+, who could put programs into it; set TILEWRIGHT_CACHE"):
        cache.stored_library(entry)
    with pytest.raises(CacheError, match="belongs to user"):
        cache.write_atomically(entry, b"{}")


def test_an_open_directory_is_closed_before_it_is_used(directory: Path) -> None:
    entry = _stored(directory)
    for each in (directory, entry.parent):
        each.chmod(0o777)
    assert cache.stored_library(entry) is not None
    assert [stat.S_IMODE(each.stat().st_mode) for each in (directory, entry.parent)] == [0o755, 0o755]


@pytest.mark.parametrize("which", ["record", "library"])
def test_files_writable_by_others_count_as_missing(directory: Path, which: str) -> None:
    entry = _stored(directory)
    library, _ = cache.stored_library(entry) or (entry, None)
    path = entry if which == "record" else library
    path.chmod(0o666)
    assert cache.stored_library(entry) is None
    path.chmod(0o644)
    assert cache.stored_library(entry) is not None
    moved = path.with_suffix(".moved")
    path.rename(moved)
    path.symlink_to(moved)
    assert cache.stored_library(entry) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_file_owned_by_another_user_counts_as_missing(directory: Path) -> None:
    entry = _stored(directory)
    os.chown(entry, 12345, -1)
    assert cache.stored_library(entry) is None


def test_a_record_names_a_library_beside_it_and_nothing_else(directory: Path, tmp_path: Path) -> None:
    entry = _stored(directory)
    elsewhere = tmp_path / f"{cache.digest(b'not ours')}.so"
    elsewhere.write_bytes(b"not ours")
    for name in (str(elsewhere), f"../../{elsewhere.name}", None, 7, ["x"]):
        entry.write_text(json.dumps({"library": name}))
        assert cache.stored_library(entry) is None
    entry.write_text("[" * 100_000)
    assert cache.stored_library(entry) is None


def test_tampered_source_is_rewritten() -> None:
    path = source_file("sum", "void kernel_main() {}\n")
    path.write_text("something else\n")
    assert source_file("sum", "void kernel_main() {}\n").read_text() == "void kernel_main() {}\n"


@pytest.mark.parametrize(
    ("variable", "value"), [("CPATH", "/opt/include"), ("CPLUS_INCLUDE_PATH", "/x"), ("TILEWRIGHT_CXX", "g++ -DX=1")]
)
def test_flags_and_search_paths_belong_to_the_key(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*compiler._SEARCH_VARIABLES, "TILEWRIGHT_CXX"):
        monkeypatch.delenv(name, raising=False)
    command = ("g++", "-DX=1") if variable == "TILEWRIGHT_CXX" else ("g++",)
    plain = compiler.Compiler(command, "gcc", "12", compiler._search_path(command)).identity
    monkeypatch.setenv(variable, value)
    assert compiler.Compiler(command, "gcc", "12", compiler._search_path(command)).identity != plain


def test_missing_home_error_names_the_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TILEWRIGHT_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(CacheError, match="set TILEWRIGHT_CACHE"):
        cache.cache_directory()
