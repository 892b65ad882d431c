# SPDX-License-Identifier: Apache-2.0
"""Invalid names, places and files: an error that names them, and no half-written file."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._cli.output_file import OutputFileError, require_writable, write_output
from tilewright._errors import KernelCompileError
from tilewright._logs.audit.auditing import audit_text
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright.ops import OPERATIONS
from tilewright.ops._export import export_operation
from tilewright.ops._export.package import ExportError


@pytest.mark.parametrize(
    "name", ["out.json", 'a "quoted" name', "back\\slash", "line\nbreak", "\u00fcber \U0001f9f1", "a" * 250]
)
def test_output_files_may_have_any_name_the_system_takes(name: str, tmp_path: Path) -> None:
    write_output("--output", tmp_path / name, b"whole")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, b"whole")]


@pytest.mark.parametrize("name", ["a" * 300, "nul\0byte", "absent/out", "directory"])
def test_output_that_cannot_be_written_leaves_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    with pytest.raises(OutputFileError, match=r"--output .* cannot be written \(.+\); nothing was"):
        write_output("--output", tmp_path / name, b"whole")
    assert [path.name for path in tmp_path.rglob("*")] == ["directory"]
    with pytest.raises(SystemExit):
        require_writable(argparse.ArgumentParser(), "--output", tmp_path / name)


def test_full_disk_leaves_the_existing_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:2])
        raise OSError(28, "No space left on device")

    out = tmp_path / "out"
    out.write_bytes(b"before")
    monkeypatch.setattr(Path, "write_bytes", no_room)
    with pytest.raises(OutputFileError, match="No space left on device"):
        write_output("--output", out, b"after")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("out", b"before")]
    with pytest.raises(OutputFileError, match="No space left on device"):
        write_output("--output", Path("/dev/full"), b"after")


def test_output_goes_through_a_link_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"before")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_output("--output", tmp_path / "link", b"after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"after"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OutputFileError):
        write_output("--output", tmp_path / "loop", b"after")


def _export(directory: Path, replace: bool) -> None:
    export_operation(OPERATIONS["centralize_w_rm"], directory, replace=replace)


@pytest.mark.parametrize("what", ["file", "folder", "package"])
def test_an_export_does_not_write_through_links(what: str, tmp_path: Path) -> None:
    package, outside = tmp_path / "package", tmp_path / "outside"
    _export(package, replace=False)
    if what == "file":
        outside.write_text("mine")
        linked = package / "centralize_w_rm" / "program.py"
        linked.unlink()
    else:
        linked = package / "centralize_w_rm" if what == "folder" else package
        linked.rename(outside)
    linked.symlink_to(outside)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ExportError, match=r"is a link"):
        _export(package, replace=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_record_of_an_export_takes_away_nothing_outside(tmp_path: Path) -> None:
    package, mine = tmp_path / "package", tmp_path / "mine.txt"
    _export(package, replace=False)
    mine.write_text("mine")
    (record,) = package.rglob("*.json")
    for hostile in ({str(mine): "", "../mine.txt": ""}, ["x"], "x", None):
        record.write_text(json.dumps(hostile))
        _export(package, replace=True)
        assert mine.read_text() == "mine"


def _kernel(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("void kernel_main() {}\n")
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])
    kernel = ttnn.KernelDescriptor(str(path), core_ranges=cores, config=ttnn.ReaderConfigDescriptor())
    with ttnn.manage_device(0) as device:
        output = ttnn.from_numpy(np.zeros((1, 32), np.float32), device=device)
        ttnn.generic_op([output], ttnn.ProgramDescriptor(kernels=[kernel]))


def test_a_kernel_may_lie_at_a_strange_place(tmp_path: Path) -> None:
    _kernel(tmp_path / "back\\slash \u00fcber $x #1 'quoted'" / "kernel \U0001f9f1.cpp")


@pytest.mark.parametrize("name", ['a"b.cpp', "a\nb.cpp"])
def test_a_kernel_no_include_can_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(KernelCompileError, match="has a quote or a line break in its path"):
        _kernel(tmp_path / name)


HOSTILE_LINES = [
    b"\xff\xfe\x00",
    b"[" * 50_000,
    b'{"event": ["start"]}',
    b'{"event": null, "text": "x"}',
    b'{"id": "H1"}',
    b'{"event": "attempt", "stage": "six", "action": 5}',
    b"9" * 10_000,
    b"NaN",
    b'"' + b"a" * 100_000,
]


def test_invalid_breadcrumbs_are_reported_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"\n".join(HOSTILE_LINES))
    trail = Breadcrumbs(path).read()
    assert trail.entries == ()
    assert {problem.line for problem in trail.problems} == set(range(1, len(HOSTILE_LINES) + 1))
    assert Breadcrumbs(path).append("note", text="goes on").event == "note"


def test_any_text_can_be_audited() -> None:
    """Reading never fails, whatever stands in a log."""
    chance = random.Random(7)
    pieces = [
        "#",
        "|",
        "-",
        "**",
        "`",
        "\n",
        " ",
        "c_1",
        "Stage 4",
        "H1:",
        "PASS",
        "1e999",
        "\0",
        "\U0001f9f1",
        "|---|",
        ":",
        "\\",
    ]
    for _ in range(300):
        audit_text("".join(chance.choices(pieces, k=chance.randrange(200))))
