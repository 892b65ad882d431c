# SPDX-License-Identifier: Apache-2.0
"""The page of the docs with the results of tools/run_wheel_host.py."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cpp-wheel-operations.md"
# Their host code only calls other operations: equal results say nothing about host headers.
CALLS_OTHERS = {
    "moreh_cumsum",
    "moreh_cumsum_backward",
    "repeat_interleave",
    "squeeze",
    "stack",
    "unsqueeze",
    "view",
}
_HEAD = """# ttnn's operations from their own host code

Written by `python -m tools.run_wheel_host --check --write`
([how it compares](cpp-operations.md#host-sources-of-the-published-ttnn)). Every case of the catalogue
([ttnn-operations.md](ttnn-operations.md)) ran on a simulated Wormhole with ttnn's own build and twice with the
folder's: *equal* is every bit of results and inputs, shapes, dtypes and memory configs. The last column has the
checker's findings that only launches of the folder's build have.

"""


def text(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The page, from results by folder.

    >>> case = {"operation": "f", "name": "f", "outcome": "equal"}
    >>> result = {"functions": ["f"], "cases": [case], "findings": {"ttnn": [], "built": []}}
    >>> print(text({"f": result}).splitlines()[-1])
    | `f` | 1 | equal | none | none |
    """
    rows, without, calls = [], [], []
    for folder, result in results.items():
        if result.get("build"):
            without.append(f"| `{folder}` | {_first_error(result['build'])} |")
        elif not result.get("cases"):
            reason = "was not run" if not result else "no case of the catalogue calls it"
            without.append(f"| `{folder}` | {reason} |")
        else:
            names = list(dict.fromkeys(case["operation"] for case in result["cases"]))
            calls += [f"`{name}`" for name in names if name in CALLS_OTHERS]
            rows += [_row(name, result) for name in names if name not in CALLS_OTHERS]
    equal = [row for row in rows if "| equal |" in row]
    clean = sum(row.endswith("| none |") for row in equal)
    parts = [f"{_HEAD}{len(equal)} of {len(rows)} operations are equal; {clean} of them have no finding beyond ttnn's."]
    if calls:
        parts.append(f"Equal too, but without a program of their own: {', '.join(calls)} only call other operations.")
    if without:
        parts.append("\n".join(["| folder | why it has no result |", "|---|---|", *without]))
    titles = "| operation | cases | result | findings of ttnn's | only of the folder's |\n|---|---|---|---|---|"
    parts.append("\n".join([titles, *sorted(rows)]))
    return "\n\n".join(parts) + "\n"


def _row(name: str, result: Mapping[str, Any]) -> str:
    cases = [case for case in result["cases"] if case["operation"] == name]
    wrong = [case for case in cases if case["outcome"] != "equal"]
    outcome = "equal" if not wrong else f"{wrong[0]['name']}: {_plain(wrong[0]['outcome'])}"
    found = result.get("findings")
    sides = [_findings(found[side]) if found else "not checked" for side in ("ttnn", "built")]
    return f"| `{name}` | {len(cases)} | {outcome} | {' | '.join(sides)} |"


def _findings(found: list[str]) -> str:
    """Rules with their lines: ``divide-by-zero`` reader.cpp:3, 5."""
    lines: dict[tuple[str, str], list[str]] = {}
    for each in found:
        rule, _, place = each.partition(" ")
        file, _, line = place.rpartition(":")
        lines.setdefault((rule, file), []).append(line)
    listed = (f"`{rule}` {file}:{', '.join(sorted(set(where), key=int))}" for (rule, file), where in lines.items())
    return "; ".join(listed) or "none"


def _first_error(said: str) -> str:
    found = re.search(r"([\w.+-]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)", said)
    if found:
        return _plain(f"{found[1]}:{found[2]}: {found[3]}")
    return _plain(" ".join(said.splitlines()[:2]))


def _plain(words: str) -> str:
    return re.sub(r"\s+", " ", words).replace("|", "\\|")[:160]
