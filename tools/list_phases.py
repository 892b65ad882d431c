# SPDX-License-Identifier: Apache-2.0
"""Prints the table of docs/phases.md, from the phases' contracts.

python -m tools.list_phases
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from tilewright.kernels import phases
from tilewright.kernels.phases import Phase, Region


def every_phase() -> list[Phase]:
    """The library's phases, by the file they are in."""
    found = [each for name in phases.__all__ if isinstance(each := getattr(phases, name), Phase)]
    return sorted(found, key=lambda each: (each.path, each.function.__code__.co_firstlineno))


def table() -> str:
    """One row for each phase."""
    rows = ["| phase | result | waits for | pops | pushes |", "|---|---|---|---|---|"]
    for each in every_phase():
        contract = each.contract
        cells = [
            f"`{each.name}`",
            _result(each),
            _pages(contract.waits, contract.needs),
            _pages(contract.pops),
            _pages(contract.pushes, contract.gives),
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _result(phase: Phase) -> str:
    text = inspect.getdoc(phase.function) or ""
    return " ".join(text.split("\n\n")[0].split()).rstrip(".")


def _pages(counts: Mapping[str, str], regions: Mapping[str, Region] | None = None) -> str:
    shown = []
    for cb, count in counts.items():
        text = f"`{cb}` {count}"
        if regions is not None and regions[cb] is not Region.ANY:
            text += f" ({regions[cb].value})"
        shown.append(text)
    return "<br>".join(shown) or "-"


if __name__ == "__main__":
    print(table(), end="")
