# SPDX-License-Identifier: Apache-2.0
"""Write a package atomically."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tilewright._errors import TilewrightError
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright.ops._export.host_code import HostCode
from tilewright.ops._export.own_program import OwnProgramCode
from tilewright.ops._export.split_code import SplitCode
from tilewright.ops._operation import Operation
from tilewright.ops._options import EXPORTED_CONFIG, checked_config
from tilewright.ops._split_operation import SplitOperation, WholeAttention

# Beside the exported package: what was written, so that a later export knows what is its own.
_RECORD = ".exported.json"


class ExportError(TilewrightError):
    """A package cannot be written where it was asked for."""

    exit_status = 2


def export_operation(
    operation: Operation,
    directory: Path | str,
    *,
    shape: tuple[int, ...] = (2, 3, 64, 128),
    config: ComputeConfigDescriptor | None = None,
    command: str = "",
    replace: bool = False,
) -> list[Path]:
    """Writes an operation as a package that needs ttnn and nothing of ours, and returns its files.

    Args:
        directory: made if need be; it must be empty unless ``replace``.
        shape: a shape that the package's test is to run; the package itself takes any, unless the operation has a
            program of its own: then it takes this one.
        config: fidelity and DST; HiFi4 with 32-bit DST if None.
        command: what the README tells to type to have it written again.
        replace: write into a directory that is not empty. What an earlier export of this operation wrote there is
            overwritten or, where it has no place any more, taken away; what was changed since, or is not of it, stays.

    Example::

        export_operation(layernorm_fused_rm, "layernorm")

    Raises:
        ExportError: the directory is a file, not empty, or cannot be written.
    """
    target = Path(directory)
    if target.exists() and not target.is_dir():
        raise ExportError(f"{target} is a file; export writes a directory")
    if target.is_dir() and any(target.iterdir()) and not replace:
        raise ExportError(f"{target} is not empty; name another directory, or replace what is there (--replace)")
    if replace and target.is_symlink():
        raise ExportError(f"{target} is a link to {target.resolve()}; export does not replace files through a link")
    files = _files(operation, tuple(shape), checked_config(config) or EXPORTED_CONFIG, command)
    record = f"{operation.name}/{_RECORD}"
    files[record] = json.dumps({name: _digest(text) for name, text in files.items()}, indent=2) + "\n"
    _refuse_links(target, files)
    try:
        outdated = _outdated(target, target / record, files)
        _write(target, files)
        for path in outdated:
            path.unlink()
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error}") from error
    return [target / name for name in files]


def _files(
    operation: Operation, shape: tuple[int, ...], config: ComputeConfigDescriptor, command: str
) -> dict[str, str]:
    """Text of each file of the package by its path.

    A package takes any shape, for which the programs of an attention are several; causal ones have no such programs.
    """
    is_causal = any(node.function == "causal" for node in operation.graph.nodes)
    if isinstance(operation, SplitOperation) and is_causal:
        raise ExportError(
            f"{operation.name} has causal attention among others, which is not exported: declare the attention as "
            "an operation of its own, and export both"
        )
    if isinstance(operation, (SplitOperation, WholeAttention)) and not is_causal:
        operation = operation.unfused
    if isinstance(operation, SplitOperation):
        return SplitCode(operation, shape, config).files(command)
    code = OwnProgramCode if operation.has_whole_program else HostCode
    return code(operation, shape, config).files(command)


def _refuse_links(target: Path, files: Mapping[str, str]) -> None:
    """A link on the way to a file would have it written somewhere else."""
    for name in files:
        path = target / name
        for each in (path, *path.parents[: len(Path(name).parts) - 1]):
            if each.is_symlink():
                raise ExportError(f"{each} is a link; export does not write through links. Nothing was written")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _outdated(target: Path, record: Path, files: Mapping[str, str]) -> list[Path]:
    """Files of an earlier export that this one does not write, as long as they are what was exported."""
    try:
        written = json.loads(record.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return []
    if not isinstance(written, dict):
        return []
    paths = {name: target / name for name in written if name not in files and ".." not in Path(name).parts}
    return [
        path
        for name, path in paths.items()
        if path.is_file()
        and not path.is_symlink()
        and path.resolve().is_relative_to(target.resolve())
        and _digest(path.read_text(encoding="utf-8", errors="replace")) == written[name]
    ]


def _write(target: Path, files: Mapping[str, str]) -> None:
    """Everything is written beside the target first: a full disk leaves nothing half-written in it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".tilewright-export-") as work:
        for name, text in files.items():
            path = Path(work) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name in files:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
        for name in files:  # a rename needs no room on the disk
            (Path(work) / name).replace(target / name)
