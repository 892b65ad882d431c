# SPDX-License-Identifier: Apache-2.0
"""Compiles the native parts for aarch64 with zig's cross compiler, so that they do not rot there.

Nothing is run and nothing optimised. The build tree stays in ``.lint_cache``, where ninja compiles what changed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tilewright._build.compiler import compiler_environment  # noqa: E402
from tilewright._build.native_build import NATIVE, build_tool  # noqa: E402
from tools.build_wheel import zig_command  # noqa: E402

TREE = ROOT / ".lint_cache" / "aarch64"


def main() -> int:
    TREE.mkdir(parents=True, exist_ok=True)
    configure = [build_tool("cmake"), "-S", str(NATIVE), "-B", str(TREE), "-G", "Ninja"]
    configure += [f"-DCMAKE_CXX_COMPILER={';'.join(zig_command('aarch64').split())}", "-DCMAKE_CXX_COMPILER_WORKS=1"]
    configure += ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", "-DTILEWRIGHT_VARIANTS=aarch64"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={build_tool('ninja')}", "-DTILEWRIGHT_LAST_FLAGS=-O0"]
    configure += [f"-DPython3_EXECUTABLE={sys.executable}"]
    for command in (configure, [build_tool("ninja"), "-C", str(TREE), "--quiet"]):
        result = subprocess.run(command, env=compiler_environment(), capture_output=True, text=True, check=False)
        if result.returncode:
            print(result.stdout + result.stderr, file=sys.stderr)
            return 1
    print("aarch64: compiles and links")
    return 0


if __name__ == "__main__":
    sys.exit(main())
