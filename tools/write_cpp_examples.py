# SPDX-License-Identifier: Apache-2.0
"""Write the examples of C++ operations from their declarations: ``python tools/write_cpp_examples.py``."""

from __future__ import annotations

import shutil
from pathlib import Path

from tilewright.ops import OPERATIONS
from tilewright.ops._export.tree_code import tree_files

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "cpp_operations"
NAMES = ("centralize_w_rm", "variance_w_rm", "layernorm_fused_rm")


def example_files(name: str) -> dict[str, str]:
    """Text of each file of an example by its path below ``examples/cpp_operations``."""
    return {path.partition("/")[2]: text for path, text in tree_files(OPERATIONS[name]).items()}


def main() -> None:
    for name in NAMES:
        shutil.rmtree(EXAMPLES / name, ignore_errors=True)
        for path, text in example_files(name).items():
            file = EXAMPLES / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
