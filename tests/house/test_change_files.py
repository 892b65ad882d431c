# SPDX-License-Identifier: Apache-2.0
"""The lists of CONTRIBUTING.md, "Files of a change", are exact: an existing example is named in these files alone.

A list that misses a file fails here as soon as the example is named in another one. A list with a file too many fails
because that file does not name the example.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright._tensor.ttnn_names import TTNN_RELEASE, TTNN_VERSION

ROOT = Path(__file__).parents[2]
_SUFFIXES = {".py", ".h", ".hpp", ".cpp", ".inl", ".md", ".toml"}
_MAJOR, _MINOR = map(int, TTNN_RELEASE.split("."))


@dataclasses.dataclass(frozen=True)
class Example:
    """Something that went in by such a change.

    Attributes:
        words: a pattern of its names.
        within: files and folders that are searched.
        uses: files that use it, as a new one need not be, and pages that record what was measured with it.
        name: what stands for NAME in the list.
    """

    words: str
    within: tuple[str, ...] = ("src", "tests", "docs", "tools", "pyproject.toml")
    uses: tuple[str, ...] = ()
    name: str = ""


EXAMPLES = {
    "A function of the vector unit": Example(r"cbrt_tile|\bCbrt\b"),
    "A rule of the checker": Example(r"noc[-_]oversized|NocOversized|NOC_OVERSIZED"),
    "A call of circular buffers": Example(
        r"\bcb_pages_available_at_front\b|\btw_cb_pages_at_front\b",
        uses=(
            "src/tilewright/native/include/api/dataflow/circular_buffer.h",
            "src/tilewright/native/include/api/dataflow/dataflow_buffer.h",
            "tests/bugs",
        ),
    ),
    "A release of ttnn": Example(
        rf"{re.escape(TTNN_VERSION)}|ttnn[^\n]*<{_MAJOR}\.{_MINOR + 1}\b",
        uses=("docs/findings-in-ttnn.md", "docs/ttnn-upstream-tests.md", "docs/performance.md"),
    ),
    "An operation": Example(
        r"\bstandardize_w_rm\b",
        within=("src", "docs", "tests/ops"),
        uses=("docs/performance.md", "docs/timing.md"),
        name="standardize_w_rm",
    ),
    "A function of formulas": Example(
        r"\bsilu\b",
        within=("src/tilewright/formula", "src/tilewright/_planner", "src/tilewright/ops", "docs", "tests/ops"),
        uses=("tests/ops", "docs/beside-ttnn.md", "docs/numerics.md", "docs/ttnn-operations.md"),
    ),
    "A field of a runner message": Example(r"\bnum_forgotten\b"),
    "A figure of the timing report": Example(r"\bunknown_nodes\b"),
}


def listed(change: str, name: str) -> list[list[str]]:
    """The files of a change, row by row; a row may have alternatives."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition(f"\n### {change}\n")[2].partition("\n### ")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [[path.replace("NAME", name) for path in re.findall(r"`([^`]+)`", cell)] for cell in cells]


def files(places: tuple[str, ...]) -> Iterator[Path]:
    for place in places:
        path = ROOT / place
        yield from [path] if path.is_file() else (each for each in path.rglob("*") if each.suffix in _SUFFIXES)


def is_in(path: str, places: list[str]) -> bool:
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in places)


@pytest.mark.parametrize("change", EXAMPLES)
def test_files_that_name_the_example_are_those_of_the_list(change: str) -> None:
    example = EXAMPLES[change]
    rows = listed(change, example.name)
    assert rows, f"CONTRIBUTING.md has no list of {change}"
    places = [path for row in rows for path in row]
    assert [path for path in places if not (ROOT / path).exists()] == []
    naming = [
        path.relative_to(ROOT).as_posix()
        for path in files(example.within)
        if path != Path(__file__) and re.search(example.words, path.read_text(encoding="utf-8"))
    ]
    assert [path for path in naming if not is_in(path, [*places, *example.uses])] == []
    assert [row for row in rows if not any(is_in(path, row) for path in naming)] == []


def test_every_list_has_an_example() -> None:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Files of a change\n")[2]
    assert re.findall(r"^### (.*)$", section, re.MULTILINE) == list(EXAMPLES)
