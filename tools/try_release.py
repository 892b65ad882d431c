# SPDX-License-Identifier: Apache-2.0
"""Try a release of ttnn: what differs from the release that tests run with, and which operations of a sample are right.

    python -m tools.try_release 0.80.0
    python -m tools.try_release 0.80.0 --arch blackhole --dispatch slow

pip gets the release, once. Files of the kernel API and kernels are compared by path and content; launch messages and
commands of the command queues by the numbers that a program compiled with the release's headers prints. The sample
(tests/card/sample_operations.py) compares every element with float64.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.real_ttnn import python_with_ttnn
from tilewright._build.cache import cache_directory, locked
from tilewright._card.launches.layout import read_layout
from tilewright._card.package import CardError, TtMetal
from tilewright._card.products import DISPATCHES
from tilewright._tensor.ttnn_names import TTNN_VERSION

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "tests" / "card" / "sample_operations.py"
_SHOWN = 8  # names of a list
_FILES = {"headers of the kernel API": ("tt_metal/hw/inc/api", "*.h"), "kernels": ("ttnn/cpp", "**/kernels/**/*.cpp")}


def installed_release(version: str) -> Path:
    """A directory for PYTHONPATH that has this release of ttnn and nothing else."""
    directory = cache_directory() / "ttnn-releases" / version
    with locked(f"ttnn-release-{version}"):
        if not (directory / "ttnn").is_dir():
            print(f"getting ttnn {version} ...", file=sys.stderr, flush=True)
            options = ["--quiet", "--no-deps", "--no-compile", "--target", str(directory)]
            subprocess.run([python_with_ttnn(), "-m", "pip", "install", *options, f"ttnn=={version}"], check=True)
    return directory


def compared_files(release: Path, base: Path, folder: str, pattern: str) -> str:
    """How many files a release has, with those that only one of the two has.

    Args:
        release, base: roots of the packages.
    """
    here, there = (
        {path.relative_to(each): path for path in (each / folder).rglob(pattern)} for each in (release, base)
    )
    others = sum(here[name].read_bytes() != there[name].read_bytes() for name in here.keys() & there.keys())
    parts = [f"{len(here)}, {others} with other contents"]
    parts += [_listed("only here", here.keys() - there.keys()), _listed("missing", there.keys() - here.keys())]
    return "; ".join(filter(None, parts))


def _files(root: Path, folder: str, pattern: str) -> dict[Path, Path]:
    return {path.relative_to(root): path for path in (root / folder).rglob(pattern)}


def compared_numbers(release: dict[str, int], base: dict[str, int]) -> str:
    """Numbers of messages that differ or that only one of the two has.

    >>> compared_numbers({"a": 1, "b": 2}, {"a": 4, "c": 3})
    '1 moved (a); only here: b; missing: c'
    """
    moved = sorted(name for name in release.keys() & base.keys() if release[name] != base[name])
    parts = [f"{len(moved)} moved" + (f" ({', '.join(moved[:_SHOWN])})" if moved else "")]
    parts += [_listed("only here", release.keys() - base.keys()), _listed("missing", base.keys() - release.keys())]
    return "; ".join(filter(None, parts))


def _listed(title: str, names: set[Path] | set[str]) -> str:
    shown = sorted(map(str, names))
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"{title}: {', '.join(shown[:_SHOWN])}{more}" if shown else ""


def sampled(release: Path, arch: str, dispatch: str) -> dict[str, str]:
    """Error of each operation of the sample; empty if it is right."""
    everything = _run(release, arch, dispatch)
    if isinstance(everything, dict):
        return {name: _judged(share) for name, share in everything.items()}
    found: dict[str, str] = {}
    for name in _names():
        alone = _run(release, arch, dispatch, name)
        found[name] = _judged(alone[name]) if isinstance(alone, dict) else alone
    return found


def _judged(share: float) -> str:
    return "" if share <= 1 else f"wrong: {share:.3g} times what is allowed"


def _names() -> list[str]:
    """The operations, read from the script's table: its lines begin with their names."""
    lines = SAMPLE.read_text().partition("OPERATIONS = {")[2].partition("\n}")[0].splitlines()
    return [line.split('"')[1] for line in lines if line.startswith('    "')]


def _run(release: Path, arch: str, dispatch: str, *names: str) -> dict[str, float] | str:
    """The results of the sample by operation, or the error that ended it."""
    python = python_with_ttnn()
    command = [python, "-m", "tilewright", "exec", "--quiet", "--arch", arch, "--dispatch", dispatch, str(SAMPLE)]
    places = os.pathsep.join(map(str, (release, ROOT / "src", ROOT)))
    environment = {**os.environ, "PYTHONPATH": places, "LOGURU_LEVEL": "ERROR"}
    result = subprocess.run([*command, *names], capture_output=True, text=True, env=environment, check=False)
    if result.returncode == 0:
        results: dict[str, float] = json.loads(result.stdout.splitlines()[-1])["results"]
        return results
    lines = [line for line in result.stderr.splitlines() if "Error" in line or "error:" in line]
    return " ".join(lines[:2]) or f"ended with status {result.returncode}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("version", help="a release on PyPI, such as 0.80.0")
    parser.add_argument("--arch", default="wormhole_b0", help="chip (default: wormhole_b0)")
    parser.add_argument("--dispatch", choices=DISPATCHES, help="one way to launch instead of both")
    options = parser.parse_args()
    release = installed_release(options.version)
    package = TtMetal(release / "ttnn", options.version)
    base = TtMetal(next(Path(python_with_ttnn()).parents[1].glob("lib/python3*/site-packages/ttnn")), TTNN_VERSION)
    print(f"ttnn {package.version} beside {base.version}, {options.arch}")
    for title, (folder, pattern) in _FILES.items():
        print(f"{title}: {compared_files(package.root, base.root, folder, pattern)}")
    try:
        layouts = [read_layout(each, options.arch).tensix for each in (package, base)]
    except CardError as error:
        print(f"messages: {error}")
        return 1
    print(f"messages and commands: {compared_numbers(*layouts)}")
    failures = 0
    for dispatch in (options.dispatch,) if options.dispatch else DISPATCHES:
        found = sampled(release, options.arch, dispatch)
        wrong = {name: words for name, words in found.items() if words}
        print(f"{dispatch} dispatch: {len(found) - len(wrong)} of {len(found)} operations right")
        print("".join(f"  {name}: {words}\n" for name, words in wrong.items()), end="")
        failures += len(wrong)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
