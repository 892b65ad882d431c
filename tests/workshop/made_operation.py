# SPDX-License-Identifier: Apache-2.0
"""A user's operation in a directory of its own, whole or with one fault."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tilewright.workshop.home import Home, find_operation
from tilewright.workshop.scaffold import create_operation, derived_spec
from tilewright.workshop.spec import parse_spec, spec_text

# Two tile-rows on each of some cores, so that what is left behind by one is met by the next; a row that is not whole.
CASES = ("one tile", "batched", "W ends inside a tile")

# The mean without its factor 1/W: the sum.
WRONG_MEAN = ("cb.mean, width_tiles, mean_factor_bits,", "cb.mean, width_tiles, 0x3F800000,")


def make_operation(directory: Path, name: str = "mine", like: str = "variance_w_rm", stubs: bool = False) -> Home:
    """An operation with the library's phases and three small test cases."""
    spec, _ = derived_spec(name, like)
    small = dataclasses.replace(spec, tests=tuple(each for each in spec.tests if each.name in CASES))
    create_operation(parse_spec(spec_text(small)), directory, stubs=stubs)
    return find_operation(str(directory / name))


def change(home: Home, file: str, old: str, new: str) -> None:
    """Puts a fault into a file; the text it replaces must be there."""
    path = home.directory / file
    text = path.read_text()
    assert old in text, f"{file} has no {old!r}"
    path.write_text(text.replace(old, new))
