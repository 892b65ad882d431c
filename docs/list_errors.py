# SPDX-License-Identifier: Apache-2.0
"""Prints docs/error-index.md: every message that docs/errors.md shows, by its words.

python docs/list_errors.py > docs/error-index.md
"""

from __future__ import annotations

import re

from tilewright._cli.explanations import every_explanation

_HEAD = """# Error texts

What a message says, by its words, and where its cause and cure are. `tilewright explain` followed by words of a
message prints the same. Rules of the checker have [pages of their own](checks.md#the-rules); what a function refuses
says which argument, what is allowed and what was given. `python docs/list_errors.py` prints this page.

| message | error |
|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = []
    for each in every_explanation():
        error, _, title = each.name.partition(": ")
        for message in each.messages:
            row = f"| {_cell(message)} | [{each.name}](errors.md#{_anchor(title or error)}) |"
            rows.append((message.lower(), row))
    return _HEAD + "\n".join(row for _, row in sorted(rows)) + "\n"


def _cell(message: str) -> str:
    short = message if len(message) <= 120 else f"{message[:117]}..."
    return "`" + short.replace("|", "\\|") + "`"


def _anchor(title: str) -> str:
    """The name GitHub gives to a heading."""
    return re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")


if __name__ == "__main__":
    print(page(), end="")
