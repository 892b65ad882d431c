# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled kernels: shared by processes, survives what happens to files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ttnn_script import ADD_ONE, Run, process_environment
from tilewright._build.compiler import Compiler
from tilewright._build.native_build import NativePart

EXEC = ("-m", "tilewright", "exec")
SUM = f"sum {sum(range(32)) + 32}\n"


@pytest.fixture
def add_one(tmp_path: Path) -> str:
    path = tmp_path / "add_one.py"
    path.write_text(ADD_ONE)
    return str(path)


def start(cache: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=process_environment(cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def leftovers(cache: Path) -> list[Path]:
    """Files that are neither an entry of the cache nor a lock."""
    known = {".json", ".so", ".lock", ".gch", ".pch", ".h", ".hpp", ".cpp", ".o", ".digest"}
    return [path for path in cache.rglob("*") if path.is_file() and path.suffix not in known and path.name != "digest"]


def test_two_processes_that_start_at_once_both_succeed(fresh_cache: Path, add_one: str, python: Run) -> None:
    both = [start(fresh_cache, *EXEC, add_one) for _ in range(2)]
    assert [process.communicate(timeout=60) for process in both] == [(SUM, "")] * 2
    assert len(list((fresh_cache / "kernels").glob("*.so"))) == 1
    assert leftovers(fresh_cache) == []
    assert not any((fresh_cache / "work").iterdir())


def test_a_process_killed_while_it_builds_does_no_harm(fresh_cache: Path, add_one: str, python: Run) -> None:
    process = start(fresh_cache, *EXEC, add_one)
    work = fresh_cache / "work"
    deadline = time.monotonic() + 30
    while not (work.is_dir() and any(path.is_file() for path in work.rglob("*"))):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert any(work.iterdir())
    assert python(*EXEC, add_one, cache=fresh_cache).stdout == SUM
    assert leftovers(fresh_cache) == []
    assert not any(work.iterdir())


def test_damaged_cache_entries_are_rebuilt(fresh_cache: Path, add_one: str, python: Run) -> None:
    assert python(*EXEC, add_one, cache=fresh_cache).stdout == SUM
    (record,) = (fresh_cache / "kernels").glob("*.json")
    (library,) = (fresh_cache / "kernels").glob("*.so")
    (prelude,) = (fresh_cache / "preludes").rglob("*.[gp]ch")
    whole = record.read_bytes()
    damages = [
        (record, whole[: len(whole) // 2]),
        (record, b"[]"),
        (library, library.read_bytes()[:1000]),
        (library, b""),
    ]
    for path, content in damages:
        path.write_bytes(content)
        result = python(*EXEC, add_one, cache=fresh_cache)
        assert (result.stdout, result.stderr) == (SUM, "")
    # A compiled prelude is used only to compile.
    prelude.write_bytes(prelude.read_bytes()[:1000])
    library.unlink()
    assert python(*EXEC, add_one, cache=fresh_cache).stdout == SUM


def test_a_damaged_engine_is_noticed(built_engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright._build import native_build
    from tilewright._build.engine_build import find_engine

    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(native_build, "_build", _build_nothing)
    built = find_engine()
    for file, content in ((built.library, b"engine.so"), (built.runner, b"runner")):
        assert file.read_bytes() == content
        file.write_bytes(content[:-1])
        find_engine()
        assert file.read_bytes() == content


def _build_nothing(part: NativePart, compiler: Compiler, tree: Path) -> None:
    (tree / "out" / part.folder).mkdir(parents=True, exist_ok=True)
    for name in part.files:
        (tree / "out" / part.folder / name).write_text(name)


def test_a_cache_that_cannot_be_written_is_named(add_one: str, python: Run, tmp_path: Path) -> None:
    in_the_way = tmp_path / "in_the_way"
    in_the_way.write_text("")
    result = python(*EXEC, add_one, cache=in_the_way / "cache")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        f"tilewright._errors.CacheError: cannot write to the cache directory {in_the_way / 'cache'} "
        f"(Not a directory: {in_the_way / 'cache'}); set TILEWRIGHT_CACHE to a directory you may write to"
    )


def test_a_cache_with_everything_in_it_may_be_read_only(fresh_cache: Path, add_one: str, python: Run) -> None:
    assert python(*EXEC, add_one, cache=fresh_cache).stdout == SUM
    os.rename(fresh_cache / "locks", fresh_cache / "moved")  # noqa: PTH104
    (fresh_cache / "locks").write_text("a process that needs a lock fails here")
    assert python(*EXEC, add_one, cache=fresh_cache).stdout == SUM


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tilewright._build import cache
    from tilewright._errors import CacheError

    def no_room(*arguments: object) -> None:
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(CacheError, match=f"no space left for the cache directory {tmp_path}"):
        cache.write_atomically(tmp_path / "entry.json", b"{}")
    assert list(tmp_path.iterdir()) == []
