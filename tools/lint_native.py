# SPDX-License-Identifier: Apache-2.0
"""clang-format and clang-tidy over the C++: ``python tools/lint_native.py [--fix]``.

Every header and source must be in the form of ``.clang-format``.
clang-tidy takes seconds for a source, so it looks at those whose text, headers or rules changed since it last found
nothing in them; what was clean is remembered in ``.lint_cache``.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from tilewright._build.cache import digest  # noqa: E402
from tilewright._build.native_build import NATIVE  # noqa: E402
from tilewright._wire.cpp_headers import write_headers  # noqa: E402

CLEAN = ROOT / ".lint_cache"
INCLUDE = (NATIVE, NATIVE / "engine", CLEAN / "include")
# Only the engine's: kernel headers are compiled with a kernel's own generated part, which clang-tidy does not have.
SOURCES = sorted((NATIVE / "engine").rglob("*.cpp"))


def tool(name: str) -> str:
    """A tool of the environment this runs in."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def format_all(fix: bool) -> bool:
    files = sorted(str(path) for kind in ("*.h", "*.hpp", "*.cpp") for path in NATIVE.rglob(kind))
    how = ["-i"] if fix else ["--dry-run", "-Werror"]
    return subprocess.run([tool("clang-format"), *how, *files], cwd=ROOT, check=False).returncode == 0


def key(source: Path) -> str:
    """A name for all that decides what clang-tidy says about a source."""
    texts: dict[Path, str] = {}
    read_headers(source, texts)
    return digest(*(texts[path] for path in sorted(texts)), (ROOT / ".clang-tidy").read_bytes())


def read_headers(file: Path, found: dict[Path, str]) -> None:
    """Adds the text of a file and of every header of ours that it includes, directly or not, to ``found``."""
    found[file] = file.read_text()
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', found[file], re.MULTILINE):
        candidates = (root / name for root in (file.parent, *INCLUDE))
        header = next((each.resolve() for each in candidates if each.is_file()), None)
        if header is not None and header not in found:
            read_headers(header, found)


def tidy(source: Path) -> str:
    """Output of clang-tidy; empty if it finds nothing."""
    flags = ["-std=c++20", *(f"-I{each}" for each in INCLUDE)]
    command = [tool("clang-tidy"), "--quiet", str(source), "--", *flags]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        CLEAN.mkdir(exist_ok=True)
        (CLEAN / key(source)).touch()
        return ""
    return result.stdout + result.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fix", action="store_true", help="apply the form, and leave clang-tidy out")
    options = parser.parse_args()
    if not format_all(options.fix):
        return 1
    if options.fix:
        return 0
    write_headers(CLEAN / "include")
    changed = [source for source in SOURCES if not (CLEAN / key(source)).exists()]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        said = [text for text in pool.map(tidy, changed) if text]
    print("\n".join(said) if said else f"clang-tidy: nothing in {len(changed)} changed of {len(SOURCES)} sources")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
