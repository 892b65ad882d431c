# SPDX-License-Identifier: Apache-2.0
"""Writes docs/ttnn-operations.md from the catalogue; run it with the Python that has ttnn.

tilewright exec tests/card/catalogue/operations_page.py
"""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from collections.abc import Iterable
from pathlib import Path

import ttnn
from known_failures import KNOWN_FAILURES
from operation_case import Case

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
}
PAGE = Path(__file__).parents[3] / "docs" / "ttnn-operations.md"
CHIPS = {"wormhole_b0": "Wormhole", "blackhole": "Blackhole"}
# Those that one chip under slow dispatch does not have.
_ELSEWHERE = re.compile(
    r"quasar|all_(gather|reduce|to_all|broadcast)|reduce_scatter|reduce_to_root|point_to_point|mesh_partition|prefetcher|"
    r"^broadcast$|ring_|fused_rms_minimal|(send|recv)_|neighbor_pad|halo_scatter|_rs_|slice_reshard|distributed|fabric2d|"
    r"socket|compressor_state_exchange|deepseek_prefill\.(dispatch|combine)$|selective_reduce_combine|_core_shard_maps|"
    r"moe_combine_cores|global_circular_buffer"
)
_INTRODUCTION = """\
# Operations of ttnn on the simulated card

Written by `tests/card/catalogue/operations_page.py` from the cases that `make catalogue` runs, with ttnn {version}, on
both chips; a test keeps it true. Oracles are the golden functions ttnn attaches to its operations, or torch. Every
element is compared; what it may be off by follows from the formats and the steps of the formula.

{all} cases of {operations} operations: {right}. {registered} are registered, experimental
ones and those of Quasar counted. Those not in the tables are listed at the end: not tried in this catalogue, or of
several chips or the prefetcher, which this card does not have.
"""


def cases_of(group: str) -> list[Case]:
    return list(importlib.import_module(f"{group}_cases").CASES)


def page() -> str:
    cases = {group: cases_of(group) for group in GROUPS}
    every = [case for group in cases.values() for case in group]
    tried = {case.operation for case in every}
    operations = ttnn.query_registered_operations(include_experimental=True)
    registered = {each.python_fully_qualified_name.removeprefix("ttnn.") for each in operations}
    counts = {"all": len(every), "operations": len(tried), "registered": len(registered)}
    right = ", ".join(f"{_right(every, chip)} right on {name}" for chip, name in CHIPS.items())
    parts = [_INTRODUCTION.format(version=importlib.metadata.version("ttnn"), right=right, **counts)]
    for group, title in GROUPS.items():
        parts.append(f"## {title}\n\n{_table(cases[group])}")
    missing = sorted(registered - tried)
    elsewhere = [name for name in missing if _ELSEWHERE.search(name)]
    parts.append(f"## Not tried\n\n{_listed(name for name in missing if name not in elsewhere)}")
    parts.append(f"## For several chips, the prefetcher or Quasar\n\n{_listed(elsewhere)}")
    return "\n".join(parts)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) + "\n"


def _right(cases: list[Case], chip: str) -> int:
    return sum(case.name not in KNOWN_FAILURES[chip] for case in cases)


def _table(cases: list[Case]) -> str:
    lines = [f"| operation | cases | {' | '.join(CHIPS.values())} | not right |", "|---|---|---|---|---|"]
    for operation in dict.fromkeys(case.operation for case in cases):
        own = [case for case in cases if case.operation == operation]
        right = " | ".join(str(_right(own, chip)) for chip in CHIPS)
        reasons = dict.fromkeys(
            f"{case.label or 'plain'}: {wrong[case.name]}"
            for wrong in KNOWN_FAILURES.values()
            for case in own
            if case.name in wrong
        )
        lines.append(f"| `{operation}` | {len(own)} | {right} | {'; '.join(reasons)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
