# SPDX-License-Identifier: Apache-2.0
"""TOML with line numbers: the same values as Python's own reader, and the line of every key."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tilewright.workshop.spec import SpecError
from tilewright.workshop.spec.toml import parse_toml

SHIPPED = sorted((Path(__file__).parents[2] / "src" / "tilewright").rglob("*.toml"))

EVERYTHING = r'''
# a comment
title = "quoted \"text\" \\ \u00e9"   # another
literal = 'C:\path'
long = """
two
lines"""
joined = """one \
   line"""
whole = 1_000
hexadecimal = 0x3F80
negative = -7
real = 1e-5
infinite = inf
yes = true
no = false
list = [1, 2.5, "three",
        [4]]   # over lines
inline = { a = "b", c = { d = 1 } }
dotted.key = 1

[table]
"quoted key" = 1
[table.inner]
x = 1
[[many]]
name = "first"
[[many]]
name = "second"
[many.below]
y = 2
'''


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no reader of its own")
@pytest.mark.parametrize("text", [EVERYTHING, *(path.read_text() for path in SHIPPED)])
def test_values_are_those_of_pythons_reader(text: str) -> None:
    import tomllib

    assert parse_toml(text, "a.toml") == tomllib.loads(text)


def test_every_key_knows_its_line() -> None:
    document = parse_toml(EVERYTHING, "a.toml")
    lines = EVERYTHING.splitlines()
    assert lines[document.line_of("real") - 1] == "real = 1e-5"
    assert lines[document["table"]["inner"].line_of("x") - 1] == "x = 1"
    assert [lines[each.line_of("name") - 1] for each in document["many"]] == ['name = "first"', 'name = "second"']
    assert lines[document["many"][1].line - 1] == "[[many]]"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a = 1\nb = tile", 2, "b = tile is no value"),
        ("a = 1\n\na = 2", 3, "a is there twice (line 1 too)"),
        ('a = "open\nb = 1', 1, "a text without an end"),
        ("a = [1, 2\nb = 1", 2, "`]` is missing after the list a"),
        ("a 1", 1, "`=` is missing after a"),
        ("[a]\nb = 1\n[a]", 3, "[a] is there twice"),
        ("a = 1\n[a]", 2, "a has a value already (line 1)"),
        ("a = 1 b = 2", 1, "`b = 2` after a value"),
        ("[a\nb = 1", 1, "`]` is missing after [a"),
        ("a = 2026-01-21", 1, "is no value"),
        (r'a = "\q"', 1, r"\q means nothing in a text"),
        ("= 1", 1, "`= 1` is no key"),
        ("a = {b = 1 c = 2}", 1, "`,` is missing between the entries of a"),
    ],
)
def test_refusals_name_the_line(text: str, line: int, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_toml(text, "my/spec.toml")
    assert caught.value.line == line
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"my/spec.toml:{line}: ")
    assert "cure: " in str(caught.value)
