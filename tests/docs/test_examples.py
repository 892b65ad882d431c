# SPDX-License-Identifier: Apache-2.0
"""The examples of the documents run, and give what the documents say they give.

The ``python`` blocks of a document run one after the other in one namespace. A ``text`` block right after one is its
output: what it printed, and the error it ended with. ``...`` in it stands for anything on that line.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright._build.compiler import find_compiler
from tilewright._launch.open_devices import all_open_devices

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[tuple[str, str, int]]:
    """(language, content, line) of every fenced block."""
    return [(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in _FENCE.finditer(text)]


def output_of(code: str, where: str, namespace: dict[str, object]) -> str:
    """Output of a block, and its final error."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, where, "exec"), namespace)
    except Exception as error:
        return f"{printed.getvalue()}{type(error).__name__}: {error}\n"
    return printed.getvalue()


def matches(expected: str, given: str) -> bool:
    if expected.startswith("KernelCompileError") and find_compiler().family != "gcc":
        expected, given = expected.splitlines()[0], given.splitlines()[0]  # the rest is g++'s own words
    pattern = "[^\n]*".join(re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(pattern, given.strip()) is not None


@pytest.mark.parametrize(
    "names",
    [
        ["running-programs.md"],
        ["errors.md", "errors-of-hangs.md"],  # the second uses the helpers of the first
        ["kernel-language.md"],
        ["phases.md"],
        ["operations.md"],
    ],
    ids=lambda names: names[0],
)
def test_examples_give_the_documented_results(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    is_shared = 0 in [device.id() for device in all_open_devices()]  # by another test of this process
    namespace: dict[str, object] = {"__name__": "example"}
    for name in names:
        found = blocks((DOCUMENTS / name).read_text())
        for position, (language, code, line) in enumerate(found):
            if language != "python":
                continue
            given = output_of(code, f"{name}:{line}", namespace)
            follower = found[position + 1] if position + 1 < len(found) else ("", "", 0)
            expected = follower[1] if follower[0] == "text" else ""
            assert matches(expected, given), f"{name}, example in line {line} gave:\n{given}"
    if not is_shared and "device" in namespace:
        ttnn.close_device(namespace["device"])
