# SPDX-License-Identifier: Apache-2.0
"""Writes docs/ttnn-operations.md from the catalogue; run it with the Python that has ttnn.

tilewright exec tests/card/catalogue/operations_page.py
"""

from __future__ import annotations

import importlib
import importlib.metadata
from pathlib import Path

import ttnn
from known_failures import KNOWN_FAILURES
from operation_case import Case

GROUPS = {
    "unary": "Element-wise, one tensor",
    "binary": "Element-wise, two or three tensors; complex numbers",
    "backward": "Gradients of element-wise operations",
    "reduction": "Reductions, losses, sorting and searching, quantization",
    "layout": "Data movement, layouts, creation",
    "matmul": "Products of matrices, normalizations, attention",
    "pool": "Convolutions, pools, resampling",
    "moreh": "The moreh family",
    "heads": "Experimental operations",
}
PAGE = Path(__file__).parents[3] / "docs" / "ttnn-operations.md"
_INTRODUCTION = """\
# Operations of ttnn on the simulated card

Written by `tests/card/catalogue/operations_page.py` from the cases that `make catalogue` runs, with ttnn {version} on a
Wormhole card; a test keeps it true. Oracles are the golden functions ttnn attaches to its operations, or torch. Every
element is compared; what it may be off by follows from the formats and the steps of the formula.

{right} of {all} cases are right, for {operations} operations. {registered} are registered, experimental ones
not counted; those not in the tables below have not been tried in this catalogue: those of several chips and of the
prefetcher, which this card does not have, and others, all listed at the end.
"""


def cases_of(group: str) -> list[Case]:
    return list(importlib.import_module(f"{group}_cases").CASES)


def page() -> str:
    cases = {group: cases_of(group) for group in GROUPS}
    every = [case for group in cases.values() for case in group]
    tried = {case.operation for case in every}
    registered = {each.python_fully_qualified_name.removeprefix("ttnn.") for each in ttnn.query_registered_operations()}
    right = sum(case.name not in KNOWN_FAILURES for case in every)
    counts = {"right": right, "all": len(every), "operations": len(tried), "registered": len(registered)}
    parts = [_INTRODUCTION.format(version=importlib.metadata.version("ttnn"), **counts)]
    for group, title in GROUPS.items():
        parts.append(f"## {title}\n\n{_table(cases[group])}")
    missing = ", ".join(f"`{name}`" for name in sorted(registered - tried) if "quasar" not in name)
    parts.append(f"## Not tried\n\n{missing}\n")
    return "\n".join(parts)


def _table(cases: list[Case]) -> str:
    lines = ["| operation | cases | right | not right |", "|---|---|---|---|"]
    for operation in dict.fromkeys(case.operation for case in cases):
        own = [case for case in cases if case.operation == operation]
        wrong = [case for case in own if case.name in KNOWN_FAILURES]
        reasons = "; ".join(f"{case.label or 'plain'}: {KNOWN_FAILURES[case.name]}" for case in wrong)
        lines.append(f"| `{operation}` | {len(own)} | {len(own) - len(wrong)} | {reasons} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
