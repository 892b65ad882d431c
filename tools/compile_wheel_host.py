# SPDX-License-Identifier: Apache-2.0
"""Compile the host sources of the ttnn wheel against our host headers: how many do, and why the others do not.

    python tools/compile_wheel_host.py             # goes on where it was interrupted
    python tools/compile_wheel_host.py --only moreh --errors

Results are kept in a JSON file by source, with a name for our headers: what did not change is not compiled again.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import re
from pathlib import Path
from typing import Any

from tilewright._build.cache import cache_directory
from tilewright._build.compiler import find_compiler
from tilewright._build.native_build import tree_digest
from tilewright._cpp_ops.headers import INCLUDE, headers_directory, host_headers
from tools.ttnn_wheel import fetch_wheel

_FLAGS = ["-std=c++20", "-fsyntax-only", "-w", "-fmax-errors=3"]


def host_sources(wheel: Path) -> list[Path]:
    """Host sources of operations: no kernels, nothing that is generated or included."""
    root = wheel / "ttnn" / "cpp" / "ttnn" / "operations"
    return [
        path
        for path in sorted(root.rglob("*.cpp"))
        if not any("kernel" in part for part in path.relative_to(root).parts) and _is_host(path)
    ]


def _is_host(path: Path) -> bool:
    """Kernels lie in folders of other names too; they include the kernel API."""
    text = path.read_text(errors="replace")
    return not re.search(r'#include\s+["<](api/|dataflow_api|compute_kernel_api|experimental/)', text)


def is_factory(path: Path) -> bool:
    return re.search(r"program_factory|_factory|_program|_device_operation|_op\.cpp", path.name) is not None and any(
        word in path.read_text(errors="replace")
        for word in ("create_program_artifacts", "create_descriptor", "CreateProgram", "create_at(", "::create(")
    )


def compile_one(source: Path, include: list[Path]) -> str:
    """Nothing, or the first error."""
    operations = next(each for each in source.parents if each.name == "operations")
    category = operations / source.relative_to(operations).parts[0]  # an include directory of tt-metal's build
    result = find_compiler().run([*_FLAGS, *(f"-I{place}" for place in (*include, category)), str(source)])
    if result.returncode == 0:
        return ""
    found = re.search(r"^(.*?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", result.stderr, re.MULTILINE)
    return f"{Path(found[1]).name}:{found[2]}: {found[3]}" if found else result.stderr.strip()[-300:]


def reason(error: str) -> str:
    """The kind of an error: what is missing."""
    header = re.search(r"([\w./+-]+\.(?:hpp|h)): No such file", error)
    if header:
        return f"header {header[1]}"
    name = re.search(r"'([\w:]+)' (?:is not a member of|has not been declared|was not declared)", error)
    if name:
        return f"name {name[1]}"
    member = re.search(r"'(?:class |struct )?([\w:<>, ]+)' has no member named '(\w+)'", error)
    return f"member {member[1]}::{member[2]}" if member else error.partition(": ")[2][:80]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="sources whose path has this text")
    parser.add_argument("--factories", action="store_true", help="program factories only")
    parser.add_argument("--results", type=Path, default=cache_directory() / "wheel_host.json")
    parser.add_argument("--errors", action="store_true", help="print every first error")
    options = parser.parse_args()
    wheel = fetch_wheel()
    root = wheel
    include = [headers_directory(), INCLUDE, root / "ttnn" / "cpp", root / "ttnn", root]
    key = tree_digest("host") + "".join(sorted(host_headers()))
    known: dict[str, Any] = {}
    if options.results.is_file():
        kept = json.loads(options.results.read_text())
        known = kept["results"] if kept["headers"] == key else {}
    sources = [path for path in host_sources(wheel) if options.only in str(path)]
    sources = [path for path in sources if is_factory(path)] if options.factories else sources
    missing = [path for path in sources if str(path.relative_to(root)) not in known]
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for path, error in zip(missing, pool.map(lambda each: compile_one(each, include), missing), strict=True):
            known[str(path.relative_to(root))] = error
            options.results.write_text(json.dumps({"headers": key, "results": known}))
    _report(sources, known, root, options.errors)
    return 0


def _report(sources: list[Path], known: dict[str, Any], root: Path, with_errors: bool) -> None:
    factories = [path for path in sources if is_factory(path)]
    for name, paths in (("host sources", sources), ("program factories", factories)):
        good = sum(known[str(path.relative_to(root))] == "" for path in paths)
        print(f"{name}: {good} of {len(paths)} compile unchanged")
    reasons = collections.Counter(
        reason(known[str(path.relative_to(root))]) for path in sources if known[str(path.relative_to(root))]
    )
    for text, count in reasons.most_common(60):
        print(f"{count:5}  {text}")
    if with_errors:
        for path in sources:
            error = known[str(path.relative_to(root))]
            if error:
                print(f"{path.name}: {error}")


if __name__ == "__main__":
    raise SystemExit(main())
