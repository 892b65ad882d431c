# SPDX-License-Identifier: Apache-2.0
"""``@cpp_kernel``: C++ kernels with arguments declared in Python.

    @cpp_kernel("scale.cpp", "compute")
    def scale(num_tile_rows: RuntimeArg, width_tiles: CompileTimeArg) -> None:
        \"\"\"Rows of tiles, each times two.\"\"\"

The parameters say which arguments the kernel takes and in which order, as those of a Python kernel do; the file is the
kernel, untouched. It takes the place of a Python kernel wherever one is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright.kernels._language import Kernel, KernelRole


class CppKernel(Kernel):
    """A kernel in a C++ file."""

    def __init__(self, function: Callable[..., Any], role: KernelRole, file: Path) -> None:
        super().__init__(function, role)
        self.file = file
        self._text = file.read_text(encoding="utf-8")

    def cpp_source(self, lines: bool = False) -> str:
        """The file's text; with ``lines``, messages point into the file."""
        return f'#line 1 "{self.file}"\n{self._text}' if lines else self._text


def cpp_kernel(file: str | Path, role: KernelRole | str) -> Callable[[Callable[..., Any]], CppKernel]:
    """Makes a kernel of a C++ file; a relative one lies beside the file of the function, whose body is not looked at.

    Args:
        role: ``reader``, ``compute`` or ``writer``.
    """
    allowed = [each.value for each in KernelRole]
    if not isinstance(role, KernelRole) and role not in allowed:
        raise ValueError(f"role is {role!r}; allowed: {', '.join(allowed)}")
    chosen = KernelRole(role)

    def declare(function: Callable[..., Any]) -> CppKernel:
        path = Path(function.__code__.co_filename).resolve().parent / file
        if not path.is_file():
            raise FileNotFoundError(f"file {str(file)!r} of kernel {function.__name__} does not exist: {path}")
        return CppKernel(function, chosen, path)

    return declare
