# SPDX-License-Identifier: Apache-2.0
"""Markdown: escaped text is read back as it was."""

from __future__ import annotations

import random

from tilewright._display.markdown import escape, plain, split_row

_PIECES = [
    *"|`*\\<>&#-_+~.:()[]{}!\"'/=%\n\t ",
    *("**", "```", "<br>", "\\|", "1. ", "- ", "## ", "✅", "2*Wt", "reduce<SUM>", "c_0", "H1", "none", "stage 4", "a"),
]


def test_escaped_text_is_read_back() -> None:
    chance = random.Random(1)
    for _ in range(3000):
        text = "".join(chance.choices(_PIECES, k=chance.randrange(8))).strip()
        assert plain(escape(text)) == text
        assert [plain(cell) for cell in split_row(f"| {escape(text)} | x |")] == [text, "x"]
        assert "\n" not in escape(text)
