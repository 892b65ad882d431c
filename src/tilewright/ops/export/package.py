# SPDX-License-Identifier: Apache-2.0
"""Writes the package: all of it, or nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tilewright.device.errors import TilewrightError
from tilewright.ops.export.host_code import HostCode
from tilewright.ops.operation import Operation, checked_config
from tilewright.ops.plan import Plan
from tilewright.program.kernel import ComputeConfigDescriptor


class ExportError(TilewrightError):
    """A package cannot be written where it was asked for."""


def export_operation(
    operation: Operation,
    plan: Plan,
    directory: Path | str,
    *,
    arch: str,
    config: ComputeConfigDescriptor | None = None,
    command: str = "",
    replace: bool = False,
) -> list[Path]:
    """Writes an operation as a package that needs ttnn and nothing of ours, and returns its files.

    Args:
        plan: how the operation uses the chip; it fixes shape, dtype and cores.
        directory: made if need be; it must be empty unless ``replace``.
        arch: the chip the plan is for, as the texts call it.
        config: fidelity and DST; as in a call of the operation, if None.
        command: what the README tells to type for another shape.
        replace: overwrite the files of an earlier export.

    Example::

        plan = operation.plan((2, 3, 64, 128), ttnn.bfloat16, device)
        export_operation(operation, plan, "layernorm", arch="wormhole_b0")

    Raises:
        ExportError: the directory is a file, or not empty.
    """
    target = Path(directory)
    if target.exists() and not target.is_dir():
        raise ExportError(f"{target} is a file; export writes a directory")
    if target.is_dir() and any(target.iterdir()) and not replace:
        raise ExportError(f"{target} is not empty; name another directory, or replace what is there (--replace)")
    files = HostCode(operation, plan, checked_config(config), arch).files(command)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as work:
        for name, text in files.items():
            path = Path(work) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        shutil.copytree(work, target, dirs_exist_ok=True)
    return [target / name for name in files]
