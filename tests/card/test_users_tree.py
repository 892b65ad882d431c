# SPDX-License-Identifier: Apache-2.0
"""Models of a tt-metal checkout find their files under the root that the card gives tt-metal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.card.card_process import OnCard
from tilewright._card.users_tree import further_entries, hidden_kernels, users_tree

NAME = "card.json"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    tree = tmp_path / "checkout"
    for folder in ("models/demos", "tt_metal", "tests"):
        (tree / folder).mkdir(parents=True)
    (tree / "models" / "demos" / "params.json").write_text("{}")
    return tree


def test_checkout_is_named_by_a_variable_or_lies_above_the_working_directory(checkout: Path, tmp_path: Path) -> None:
    assert users_tree({}, checkout / "models" / "demos", NAME) == checkout
    assert users_tree({}, tmp_path, NAME) is None
    for variable in ("TT_METAL_RUNTIME_ROOT", "TT_METAL_HOME"):
        assert users_tree({variable: str(checkout)}, tmp_path, NAME) == checkout
        assert users_tree({variable: str(tmp_path)}, tmp_path, NAME) is None


def test_root_of_a_card_stands_for_the_checkout_it_was_made_with(checkout: Path, tmp_path: Path) -> None:
    card = tmp_path / "card"
    (card / "root" / "models").mkdir(parents=True)
    for tree in (None, checkout):
        (card / NAME).write_text(json.dumps({"users_tree": tree and str(tree)}))
        assert users_tree({"TT_METAL_RUNTIME_ROOT": str(card / "root")}, tmp_path, NAME) == tree


def test_checkout_gives_only_files_that_the_package_lacks(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "package" / "tt_metal").mkdir(parents=True)
    assert further_entries(checkout, tmp_path / "package") == [checkout / "models", checkout / "tests"]
    assert further_entries(None, tmp_path / "package") == []


def test_script_finds_models_under_the_runtime_root(on_card: OnCard, checkout: Path) -> None:
    script = checkout / "find.py"
    script.write_text(
        "import os, pathlib, ttnn\n"
        "root = pathlib.Path(os.environ['TT_METAL_RUNTIME_ROOT'])\n"
        "print((root / 'models/demos/params.json').read_text(), (root / 'tt_metal' / 'hw').is_dir())\n"
    )
    result = on_card(str(script), TT_METAL_HOME=str(checkout))
    assert result.stdout == "{} True\n", result.stderr


def test_kernels_of_the_working_directory_that_differ_from_the_packages_are_named(tmp_path: Path) -> None:
    kernels = Path("ttnn/cpp/ttnn/operations/eltwise/unary/device/kernels")
    for place in ("package", "checkout"):
        (tmp_path / place / kernels).mkdir(parents=True)
        (tmp_path / place / kernels / "same.cpp").write_text("void kernel_main() {}\n")
        (tmp_path / place / kernels / "other.cpp").write_text(f"// {place}\n")
    (tmp_path / "package" / kernels / "new.cpp").touch()
    assert hidden_kernels(tmp_path / "checkout", tmp_path / "package") == [kernels / "other.cpp"]
    assert hidden_kernels(tmp_path, tmp_path / "package") == []
    assert hidden_kernels(tmp_path / "package", tmp_path / "package") == []
