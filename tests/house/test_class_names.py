# SPDX-License-Identifier: Apache-2.0
"""A class name of the package has one meaning, with or without a leading underscore."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "tilewright"


def test_class_name_is_defined_in_one_module() -> None:
    places: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name.lstrip("_"), set()).add(name)
    assert {name: sorted(found) for name, found in places.items() if len(found) > 1} == {}
