# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings say what the code does."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import tilewright

# Tests that a stage runs in a process of its own, and what ends the process that imports it.
_NO_LIBRARY = (".stages.tests", ".__main__")


def modules_with_examples() -> list[str]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [each.name for each in pkgutil.walk_packages(tilewright.__path__, "tilewright.")]
    modules = [importlib.import_module(name) for name in names if not any(part in name for part in _NO_LIBRARY)]
    return [each.__name__ for each in modules if any(found.examples for found in finder.find(each))]


@pytest.mark.parametrize("module", modules_with_examples())
def test_examples_of(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0
