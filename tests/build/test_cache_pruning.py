# SPDX-License-Identifier: Apache-2.0
"""The cache stays as large as it may be: what was not used for longest goes first."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tilewright._build import cache_pruning
from tilewright._build.cache import note_use, stored_library
from tilewright._build.cache_pruning import bound_preludes, cache_items, parse_size, prune_cache, prune_when_large
from tilewright._build.kernel_build import source_file
from tilewright._cli.main import main
from tilewright._errors import CacheError

HOUR = 3600.0
SIZE = 64 * 1024


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TILEWRIGHT_CACHE_LIMIT", raising=False)
    return tmp_path / "cache"


def _file(path: Path, hours_ago: float, data: bytes = b"x" * SIZE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    when = time.time() - hours_ago * HOUR
    os.utime(path, (when, when))
    return path


def _kernel(cache: Path, name: str, hours_ago: float, source: Path | None = None, library: str = "") -> Path:
    library = library or f"{name}.so"
    _file(cache / "kernels" / library, 1000)
    dependencies = {str(source): ""} if source else {}
    record = json.dumps({"library": library, "dependencies": dependencies}).encode()
    return _file(cache / "kernels" / f"{name}.json", hours_ago, record)


def _names(cache: Path) -> set[str]:
    return {path.name for path in cache.rglob("*") if path.is_file() and path.parent.name != "locks"}


def test_the_least_recently_used_go_first(cache: Path) -> None:
    for name, hours in (("a", 50), ("b", 5), ("c", 20)):
        _kernel(cache, name, hours)
    size = sum(item.size for item in cache_items())
    assert [item.paths[0].stem for item in prune_cache(size - 1)] == ["a"]
    assert _names(cache) == {"b.json", "b.so", "c.json", "c.so"}
    assert prune_cache(size) == []


def test_entry_used_within_the_hour_stays(cache: Path) -> None:
    _kernel(cache, "a", 0.5)
    _kernel(cache, "b", 2)
    prune_cache(0)
    assert _names(cache) == {"a.json", "a.so"}


def test_a_library_two_records_name_stays_while_one_of_them_is_used(cache: Path) -> None:
    _kernel(cache, "a", 50, library="same.so")
    _kernel(cache, "b", 0.1, library="same.so")
    prune_cache(0)
    assert "same.so" in _names(cache)


def test_a_kernel_given_as_text_stays_while_programs_name_it(cache: Path) -> None:
    paths = [source_file("compute", f"void kernel_main() {{ /* {number} */ }}") for number in range(2)]
    for path in paths:
        os.utime(path, (0, 0))
        os.utime(path.parent, (0, 0))
    again = source_file("compute", "void kernel_main() { /* 0 */ }")
    prune_cache(0)
    assert again == paths[0]
    assert [path.exists() for path in paths] == [True, False]


def test_builds_of_cpp_operations_go_with_their_records(cache: Path) -> None:
    used = [_file(cache / "cpp" / name, 0.1) for name in ("a1.json", "b2.so")]
    for name in ("a1-77.o", "b2.loads", "c3.json", "c3-88.o", "d4.so", "together-e5.cpp"):
        _file(cache / "cpp" / name, 5000)
    kernel = _file(cache / "cpp" / "kernels" / "f6" / "reader.cpp", 5000)
    os.utime(kernel.parent, (0, 0))
    prune_cache(0)
    assert _names(cache) == {"a1-77.o", "b2.loads", *(path.name for path in used)}


def test_files_that_pruning_keeps_do_not_count(cache: Path) -> None:
    _file(cache / "workshop" / "mine" / "breadcrumbs.jsonl", 5000, b"x" * 10 * SIZE)
    _kernel(cache, "a", 50)
    assert prune_cache(5 * SIZE) == []


def test_records_of_operations_and_unknown_files_are_never_taken(cache: Path) -> None:
    _file(cache / "workshop" / "mine" / "breadcrumbs.jsonl", 5000)
    _file(cache / "card" / "state", 5000)
    _file(cache / "preludes" / "1" / "digest", 5000)
    prune_cache(0)
    assert _names(cache) == {"breadcrumbs.jsonl", "state"}


def test_use_is_noted(cache: Path) -> None:
    record = _kernel(cache, "a", 50)
    note_use(record)
    assert time.time() - record.stat().st_mtime < 60
    prune_cache(0)
    assert "a.json" in _names(cache)
    assert stored_library(record) is None  # its library is not what its name says


def test_cache_prunes_itself_once_an_hour_when_over_the_limit(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(10):
        _kernel(cache, f"k{number}", 50 + number)
    size = sum(item.size for item in cache_items())
    prune_when_large()
    assert len(list((cache / "kernels").glob("*.json"))) == 10  # far below the default
    monkeypatch.setenv("TILEWRIGHT_CACHE_LIMIT", str(size - 1))
    prune_when_large()
    assert len(list((cache / "kernels").glob("*.json"))) == 10  # looked at a moment ago
    stamp = cache / "locks" / "prune.lock"
    os.utime(stamp, (0, 0))
    prune_when_large()
    left = len(list((cache / "kernels").glob("*.json")))
    assert 6 <= left <= 8  # four fifths of the limit
    os.utime(stamp, (0, 0))
    monkeypatch.setenv("TILEWRIGHT_CACHE_LIMIT", "a lot")
    prune_when_large()  # no error without a request


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("1000", 1000), ("2k", 2048), ("1.5G", 3 * 2**29), ("500MiB", 500 * 2**20), (" 1 TB ", 2**40)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "-1", "many", "1e9", "1 G G", "nan", "9" * 300, "1P"])
def test_invalid_size_is_refused(text: str) -> None:
    with pytest.raises(CacheError, match="is no size"):
        parse_size(text)


def test_the_command_shows_and_prunes(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    assert "nothing yet" in capsys.readouterr().out
    _kernel(cache, "a", 50)
    assert main(["cache", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["limit"] == cache_pruning.DEFAULT_LIMIT
    assert shown["bytes"]["kernels"] >= SIZE
    assert main(["cache", "--prune", "--limit", "1K"]) == 0
    assert "1 entries taken away" in capsys.readouterr().out
    assert _names(cache) == set()


@pytest.mark.parametrize("arguments", [["--limit", "1G"], ["--prune", "--limit", "much"], ["--prune", "--limit", "-1"]])
def test_the_command_refuses(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["cache", *arguments])
    assert ended.value.code == 2
    assert "--limit" in capsys.readouterr().err


def test_precompiled_headers_stay_below_their_limit(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, hours in (("old", 3), ("older", 5), ("recent", 0.5), ("in use", 0.1)):
        _file(cache / "preludes" / name / "headers.gch", 1000)
        _file(cache / "preludes" / name / "digest", hours, b"")
    size = sum(item.size for item in cache_items() if item.kind == "preludes")
    monkeypatch.setattr(cache_pruning, "PRELUDES_LIMIT", size)
    bound_preludes()
    assert len(list((cache / "preludes").iterdir())) == 4
    monkeypatch.setattr(cache_pruning, "PRELUDES_LIMIT", size // 2)
    bound_preludes()
    assert {path.name for path in (cache / "preludes").iterdir()} == {"recent", "in use"}
    monkeypatch.setattr(cache_pruning, "PRELUDES_LIMIT", 0)
    bound_preludes()
    assert {path.name for path in (cache / "preludes").iterdir()} == {"in use"}
