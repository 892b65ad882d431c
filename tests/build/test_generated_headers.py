# SPDX-License-Identifier: Apache-2.0
"""The kernel API's generated headers: no file beside them has their name, and kernels find every one of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilewright._build.compiler import find_compiler
from tilewright._build.forwarding_headers import FABRIC, FABRIC_TYPES, forwarding_headers
from tilewright._build.generated_headers import generated_directory, generated_headers, write_generated_headers
from tilewright._build.kernel_build import check_kernel
from tilewright._build.kernel_sources import kernel_source
from tilewright._build.native_build import NATIVE
from tilewright._build.sfpu_headers import generated_sfpu_headers
from tilewright._launch.chip import Chip
from tilewright._sfpu_functions import sfpu_headers

INCLUDE = NATIVE / "include"
FILES = {str(path.relative_to(INCLUDE)): path.read_text() for path in INCLUDE.rglob("*.h*")}
HEADERS = {**FILES, **generated_sfpu_headers()}


def _code(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip() and not line.startswith(("//", "#pragma once"))]


def test_no_file_only_forwards() -> None:
    assert [name for name, text in HEADERS.items() if re.fullmatch(r'#include "[^"]+"', "\n".join(_code(text)))] == []


def test_the_table_leads_to_headers_that_are_there_and_hides_none() -> None:
    table = forwarding_headers()
    assert {header for header in table.values() if header not in HEADERS and header not in table} == set()
    assert table.keys() & HEADERS.keys() == set()
    assert generated_headers().keys() & FILES.keys() == set()


def test_headers_by_hand_are_files() -> None:
    assert [each.path for each in sfpu_headers() if "by_hand" in each.options and each.path not in FILES] == []


def test_own_headers_include_the_intended_headers() -> None:
    named = {(name, header) for name, text in HEADERS.items() for header in re.findall(r'#include "([^"]+)"', text)}
    fabric = {FABRIC, FABRIC_TYPES}  # where a system has one, these names are headers of the installed ttnn
    forwarding = {name for name, header in forwarding_headers().items() if header not in fabric}
    assert {(name, header) for name, header in named if header in forwarding} == set()


@pytest.mark.parametrize("kind", ["compute", "reader"])
def test_kernels_find_every_one(chip: Chip, make_program, kind: str) -> None:
    compute = re.compile(r"compute|ckernel|llk|lltt|sfpi|cmath|c(un)?pack")
    names = [name for name in generated_headers() if bool(compute.search(name)) is (kind == "compute")]
    text = "".join(f'#include "{name}"\n' for name in names) + "void kernel_main() {}\n"
    program = make_program(**{kind: text})
    check_kernel(kernel_source(program, program.kernels[0], chip.arch, chip.grid), find_compiler())


def test_tampered_header_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    write_generated_headers()
    header = generated_directory() / "dataflow_api.h"
    assert header.read_text() == '#pragma once\n#include "api/dataflow/dataflow_api.h"\n'
    header.write_text("#error not ours\n")
    monkeypatch.setattr("tilewright._build.generated_headers._written", set())  # as another process meets it
    write_generated_headers()
    assert "not ours" not in header.read_text()
