# SPDX-License-Identifier: Apache-2.0
"""``python -m bench``: measures everything and prints one table."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

from bench.timing import print_table
from tilewright._build.compiler import find_compiler
from tilewright._launch.run_options import THREADS_VARIABLE

# Modules of this package; each is imported when it is measured, for what it needs may not be installed.
_PARTS = {
    "torch": "versus_torch",
    "instructions": "instruction_sets",
    "matmul": "matrix_products",
    "ttlang": "versus_ttlang",
    "check": "checked_runs",
    "warnings": "plain_warnings",
    "time": "recorded_runs",
    "start": "start_up",
    "first": "first_results",
    "variants": "engine_variants",
    "cpp": "cpp_operations",
    "grade": "graded_candidates",
    "card": "real_ttnn",
    "chips": "several_chips",
}


def machine() -> str:
    """One line about the machine, for reading the figures later."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, {find_compiler().version}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Speed as ratios, measured side by side.")
    parser.add_argument("--only", choices=_PARTS, action="append", help="measure only this part (may be repeated)")
    parser.add_argument("--turns", type=int, default=30, help="how often each candidate runs; the best counts")
    options = parser.parse_args()
    os.environ.setdefault(THREADS_VARIABLE, "1")  # rows with several threads say so
    rows = []
    for name in options.only or _PARTS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"bench.{_PARTS[name]}").measure(options.turns)
    print(machine())
    print()
    print_table(rows)
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
