# SPDX-License-Identifier: Apache-2.0
"""From the file to the model and back; what cannot be read is refused with file, line and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.workshop.spec import SpecError, parse_spec, read_spec, spec_text

OPERATIONS = Path(__file__).parents[2] / "src" / "tilewright" / "ops"
SPECS = sorted(OPERATIONS.glob("*/spec.toml"))
VARIANCE = (OPERATIONS / "variance_w_rm" / "spec.toml").read_text()


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.parent.name)
def test_writing_and_reading_again_gives_the_same(path: Path) -> None:
    spec = read_spec(path)
    assert parse_spec(spec_text(spec)) == spec


def test_entries_know_their_lines() -> None:
    spec = parse_spec(VARIANCE)
    lines = VARIANCE.splitlines()
    assert lines[spec.buffer("mean").place.of("name") - 1] == 'name = "mean"'
    assert lines[spec.phase("centre").place.of("call") - 1].startswith('call = "sub_bcast_cols(')


def test_a_directory_stands_for_its_spec() -> None:
    assert read_spec(OPERATIONS / "variance_w_rm").name == "variance_w_rm"


@pytest.mark.parametrize(
    ("old", "new", "where", "message", "cure"),
    [
        ('formula = "y', 'formule = "y', "formule", "did you mean formula?", "allowed: name, formula"),
        ("[output]", "[outputs]", "[outputs]", "did you mean output?", "allowed: operation"),
        ('shape = "last dimension 1"', 'shape = "first"', 'shape = "first"', "means nothing", "allowed: same, last"),
        ('producer = "compute"', 'producer = "computer"', '"computer"', "did you mean compute?", "allowed: reader"),
        ("index = 3", 'index = "3"', 'index = "3"', "is not a whole number", "write a whole number"),
        ("shape = [40, 100]", "shape = [40, 0]", "[40, 0]", "is no shape", "[2, 3, 64, 96]"),
        ('name = "mean"', 'name = "the mean"', "the mean", "is no name", "letters, digits"),
        ('summary = "population variance of rows"', "", "[operation]", "has no summary", "add `summary = ...`"),
        ('purpose = "the squares of these"', 'purpose = " "', 'purpose = " "', "is empty", "in a few words"),
        ('each = "block"', "each = true", "each = true", "is not a text", "write a text"),
        ("[work]", "[[work]]", "[[work]]", "work is no table", "write [work]"),
    ],
)
def test_what_is_not_a_spec_is_refused(old: str, new: str, where: str, message: str, cure: str) -> None:
    assert old in VARIANCE
    text = VARIANCE.replace(old, new, 1)
    with pytest.raises(SpecError) as caught:
        parse_spec(text, "my/spec.toml")
    assert message in str(caught.value)
    assert cure in str(caught.value)
    assert where in text.splitlines()[caught.value.line - 1]
    assert str(caught.value).startswith(f"my/spec.toml:{caught.value.line}: ")


def test_missing_tables_are_named() -> None:
    with pytest.raises(SpecError, match=r"\[operation\] is missing"):
        parse_spec("")
    with pytest.raises(SpecError, match=r"there is no \[\[phase\]\]"):
        parse_spec(VARIANCE.replace("[[phase]]", "[[test]]"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"spec\.toml:1: cannot be read: No such file"):
        read_spec(tmp_path / "spec.toml")
    (tmp_path / "spec.toml").write_bytes(b'a = 1\nb = "\xff"\n')
    with pytest.raises(SpecError, match=r"spec\.toml:2: is not UTF-8"):
        read_spec(tmp_path)
