# SPDX-License-Identifier: Apache-2.0
"""Run operations from the C++ host code that the ttnn wheel ships, and compare them with the same operations of ttnn.

    python -m tools.run_wheel_host                     # every folder; goes on where it was interrupted
    python -m tools.run_wheel_host --only moreh_sum    # folders whose path has this text
    python -m tools.run_wheel_host --check             # the same under the checker's rules
    python -m tools.run_wheel_host --show              # kept results, without running anything
    python -m tools.run_wheel_host --check --write     # and docs/cpp-wheel-operations.md from all results

A folder is built against tilewright's host headers. The catalogue's cases of its operations (tests/card/catalogue) then
run three times on a simulated card: with ttnn's operation, with the one built here, and with the latter again, whose
program comes from the cache. Results and inputs afterwards must be equal to the bit.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.real_ttnn import python_with_torch
from tilewright._build.cache import cache_directory, write_atomically
from tools.wheel_host_page import PAGE, text

ROOT = Path(__file__).resolve().parents[1]
WORKER = ROOT / "tools" / "wheel_host_worker.py"
_FAMILIES = ("moreh", "data_movement")
_IN_ONE_PROCESS = 4


def operation_folders(python: str) -> list[Path]:
    """Folders with a binding and host code of their own, in the ttnn that ``python`` has."""
    command = [python, "-c", "import importlib.util; print(importlib.util.find_spec('ttnn').origin)"]
    origin = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    operations = Path(origin).parent / "ttnn" / "cpp" / "ttnn" / "operations"
    bindings = (path for family in _FAMILIES for path in sorted((operations / family).rglob("*_nanobind.cpp")))
    return list(dict.fromkeys(path.parent for path in bindings if path.parent.parent != operations))


def result_file(folder: Path, results: Path) -> Path:
    """Where the result of a folder is kept."""
    parts = folder.parts
    return results / f"{'.'.join(parts[parts.index('operations') + 1 :])}.json"


def kept(folder: Path, results: Path) -> dict[str, Any]:
    """The kept result of a folder, nothing where there is none."""
    file = result_file(folder, results)
    return dict(json.loads(file.read_text())) if file.is_file() else {}


def _run(python: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of tilewright, with the real ttnn."""
    paths = os.pathsep.join(map(str, (ROOT / "src", ROOT)))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TT_")}
    environment |= {"PYTHONPATH": paths, "LOGURU_LEVEL": "ERROR"}
    command = [python, "-m", "tilewright", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace", check=False
    )


def run_folders(python: str, folders: list[Path], results: Path, check: bool = False) -> None:
    """Runs some folders in one process on one card and keeps their results.

    A folder that ends the process has the end as its result; the others go on in a new process.
    """
    words = [f"{folder}={result_file(folder, results)}" for folder in folders]
    command = ["check", "--json", str(WORKER), "--"] if check else ["exec", str(WORKER)]
    done = _run(python, *command, *words)
    missing = [folder for folder in folders if not kept(folder, results)]
    if check:
        report = json.loads(done.stdout[done.stdout.index("{") :])
        for folder in folders if "findings" in report else ():  # none are told where the script itself failed
            _keep_findings(folder, results, report["findings"])
    if missing and done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-3:]
        text = f"the process ended with status {done.returncode}: {' '.join(last)}"
        write_atomically(result_file(missing[0], results), json.dumps({"build": text}).encode())
        if missing[1:]:
            run_folders(python, missing[1:], results, check)


def _keep_findings(folder: Path, results: Path, findings: list[dict[str, Any]]) -> None:
    """Adds to a folder's result what the checker found in its operations: in ttnn's, and only in those built here.

    ttnn's run first, and a finding is said once. A program built here is launched by ``generic_op``.
    """
    result = kept(folder, results)
    names = {f"ttnn.{name}" for name in result.get("functions", [])}
    result["findings"] = {"ttnn": [], "built": []}
    for each in findings:
        calls = each["operation"].split(" > ")
        if names & set(calls):
            side = "built" if "ttnn.generic_op" in calls else "ttnn"
            result["findings"][side].append(f"{each['rule']} {Path(each['path']).name}:{each['line']}")
    write_atomically(result_file(folder, results), json.dumps(result).encode())


def agreeing(result: dict[str, Any]) -> list[str]:
    """Operations all of whose cases are equal."""
    names: dict[str, bool] = {}
    for case in result.get("cases", []):
        names[case["operation"]] = names.get(case["operation"], True) and case["outcome"] == "equal"
    return [name for name, good in names.items() if good]


def line(folder: Path, result: dict[str, Any], details: bool = False) -> str:
    """One folder's result, as it is printed."""
    if not result:
        return f"{folder.name}: not run"
    if result.get("build"):
        text = f"does not build: {result['build']}"
    elif not result["cases"]:
        text = f"the catalogue has no case of {', '.join(result['functions'])}"
    else:
        text = "; ".join(f"{case['name']}: {case['outcome']}" for case in result["cases"])
    found = result.get("findings")
    if found:
        text += f"; findings: {', '.join(found['ttnn']) or 'none'}; only when built here: {found['built'] or 'none'}"
    return f"{folder.name}: {text if details else ' '.join(text.split())[:300]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="folders whose path has this text")
    parser.add_argument("--again", action="store_true", help="run again what has a result")
    parser.add_argument("--failed", action="store_true", help="run again what did not agree")
    parser.add_argument("--check", action="store_true", help="run under the checker what has no findings kept")
    parser.add_argument("--show", action="store_true", help="print kept results only")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name} from all kept results")
    parser.add_argument("--details", action="store_true", help="print whole error texts")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default 1)")
    options = parser.parse_args()
    python, results = python_with_torch(), cache_directory() / "wheel_host"
    folders = [path for path in operation_folders(python) if options.only in str(path)]
    wanted = [] if options.show else [path for path in folders if _wanted(kept(path, results), options)]
    for path in wanted:
        result_file(path, results).unlink(missing_ok=True)
    parts = [wanted[start : start + _IN_ONE_PROCESS] for start in range(0, len(wanted), _IN_ONE_PROCESS)]

    def run(some: list[Path]) -> None:
        run_folders(python, some, results, options.check)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for part, _ in zip(parts, pool.map(run, parts), strict=True):
            for path in part:
                print(line(path, kept(path, results), options.details), flush=True)
    if options.show:
        print("\n".join(line(path, kept(path, results), options.details) for path in folders))
    count = sum(len(agreeing(kept(path, results))) for path in folders)
    print(f"{count} operations agree with ttnn's to the bit")
    if options.write:
        every = {path.name: kept(path, results) for path in operation_folders(python)}
        PAGE.write_text(text(every), encoding="utf-8")
    return 0


def _wanted(result: dict[str, Any], options: argparse.Namespace) -> bool:
    unchecked = options.check and "build" not in result and "findings" not in result
    return options.again or not result or unchecked or (options.failed and not agreeing(result))


if __name__ == "__main__":
    sys.exit(main())
