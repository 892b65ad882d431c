# SPDX-License-Identifier: Apache-2.0
"""Writes docs/ttnn-operations.md from the catalogue; run it with the Python that has ttnn.

tilewright exec -- python -m tests.card.catalogue.operations_page

With --check it writes nothing and says which registered operations are neither called nor listed in uncalled.py.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

import ttnn

from tests.card.catalogue.families import FAMILIES
from tests.card.catalogue.known_failures import KNOWN_FAILURES
from tests.card.catalogue.operation_case import Case
from tests.card.catalogue.uncalled import QUASAR, UNCALLED, unexplained

GROUPS = {
    "formats": "The most used, over dtypes, layouts and places",
    "unary": "Element-wise, one tensor",
    "binary": "Element-wise, two or three tensors; complex numbers",
    "more_elementwise": "Element-wise with arguments of their own, random numbers",
    "backward": "Gradients of element-wise operations",
    "more_gradient": "Gradients with arguments of their own",
    "reduction": "Reductions, losses, sorting and searching, quantization",
    "layout": "Data movement, layouts, creation",
    "transfer": "Between host and card; filling, indexing, scattering",
    "matmul": "Products of matrices, normalizations",
    "attention": "Attention, masked softmax, norms in two halves, choosing",
    "pool": "Convolutions, pools, resampling",
    "moreh": "The moreh family",
    "training": "The moreh family, gradients and losses",
    "heads": "Experimental operations",
    "decoder": "Decoders: heads, rotary embeddings, paged caches, products of few rows",
    "experts": "Mixtures of experts",
    "recurrence": "Recurrent states, norms in two halves, sparse attention",
    "image": "Images: other convolutions and pools, sampling, channel order",
    "fourier": "Fourier transforms",
    "packed": "Packed formats and weights, user-defined operations",
}
PAGE = Path(__file__).parents[3] / "docs" / "ttnn-operations.md"
CHIPS = {"wormhole_b0": "Wormhole", "blackhole": "Blackhole"}
_INTRODUCTION = """\
# Operations of ttnn on the simulated card

Written by `tests/card/catalogue/operations_page.py` from the cases that `make catalogue` runs, with ttnn {version}, on
both chips; a test compares it with the cases. References are ttnn's golden functions, or torch. Every element is
compared, with a tolerance derived from the formats and the steps of the formula.

{all} cases of {operations} operations: {right}. ttnn registers {registered}, including
experimental operations and {quasar} copies for Quasar. Every operation that runs on a single chip is called at least
once; the list at the end gives the reason for each that is not called.

{families} cases, each for a family of kernels that models use often (`tests/card/catalogue/families.py`), also run on
cards with one core, on both chips, and are right there.

Each section lists the operations that are right in every case on both chips, with the number of cases if it is not one,
and has a table of the others.
"""


def cases_of(group: str) -> list[Case]:
    return list(importlib.import_module(f"tests.card.catalogue.{group}_cases").CASES)


def registered_operations() -> set[str]:
    operations = ttnn.query_registered_operations(include_experimental=True)
    return {each.python_fully_qualified_name.removeprefix("ttnn.") for each in operations}


def called_operations() -> set[str]:
    return {case.operation for group in GROUPS for case in cases_of(group)}


def page() -> str:
    cases = {group: cases_of(group) for group in GROUPS}
    every = [case for group in cases.values() for case in group]
    registered = registered_operations()
    quasar = [name for name in registered if name.startswith(QUASAR)]
    counts = {"all": len(every), "operations": len(called_operations()), "registered": len(registered)}
    counts["families"] = len(FAMILIES)
    right = ", ".join(f"{_right(every, chip)} right on {name}" for chip, name in CHIPS.items())
    version = importlib.metadata.version("ttnn")
    parts = [_INTRODUCTION.format(version=version, right=right, quasar=len(quasar), **counts)]
    for group, title in GROUPS.items():
        parts.append(f"## {title}\n\n{_section(cases[group])}")
    parts.append("## Not called\n")
    parts.extend(f"{reason}: {_listed(sorted(names))}" for reason, names in UNCALLED.items())
    return "\n".join(parts)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) + ".\n"


def _right(cases: list[Case], chip: str) -> int:
    return sum(case.name not in KNOWN_FAILURES[chip] for case in cases)


def _section(cases: list[Case]) -> str:
    """The operations that are right in every case as a list, the others as a table."""
    operations = {case.operation: [each for each in cases if each.operation == case.operation] for case in cases}
    right = {name: own for name, own in operations.items() if all(_right(own, chip) == len(own) for chip in CHIPS)}
    names = [f"`{name}` ({len(own)})" if len(own) > 1 else f"`{name}`" for name, own in right.items()]
    listed = textwrap.fill(f"{', '.join(names)}.", 120, break_long_words=False, break_on_hyphens=False) if names else ""
    table = _table({name: own for name, own in operations.items() if name not in right})
    return "\n\n".join(filter(None, [listed, table])) + "\n"


def _table(operations: dict[str, list[Case]]) -> str:
    if not operations:
        return ""
    lines = [f"| operation | cases | {' | '.join(CHIPS.values())} | not right |", "|---|---|---|---|---|"]
    for operation, own in operations.items():
        right = " | ".join(str(_right(own, chip)) for chip in CHIPS)
        reasons = dict.fromkeys(
            f"{case.label or 'plain'}: {wrong[case.name]}"
            for wrong in KNOWN_FAILURES.values()
            for case in own
            if case.name in wrong
        )
        lines.append(f"| `{operation}` | {len(own)} | {right} | {'; '.join(reasons)} |")
    return "\n".join(lines)


def _check() -> int:
    """Says which operations are neither called nor listed, or listed wrongly."""
    neither, wrongly = unexplained(registered_operations(), called_operations())
    for name in neither:
        print(f"{name}: registered, but no case calls it and uncalled.py does not list it")
    for name in wrongly:
        print(f"{name}: in uncalled.py, but a case calls it or it is not registered")
    return 1 if neither or wrongly else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(_check())
    PAGE.write_text(page())
