# SPDX-License-Identifier: Apache-2.0
"""Where an operation lives: a directory of the user's, or tilewright's own package."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tilewright.device.cache import cache_directory
from tilewright.device.errors import TilewrightError
from tilewright.ops.operation import Operation
from tilewright.workshop.spec import read_spec
from tilewright.workshop.spec.model import Spec

_OPERATIONS = Path(__file__).parents[1] / "ops"


class NoOperationError(TilewrightError):
    """A name that is no operation; the message says what was looked for."""

    exit_status = 2


@dataclasses.dataclass(frozen=True)
class Home:
    """An operation's place.

    Attributes:
        name: of the operation and its package.
        directory: with spec.toml, op.py, program.py and kernels.py.
        is_built_in: whether it is one of tilewright.ops.
        records: where its breadcrumbs and journal are kept.
    """

    name: str
    directory: Path
    is_built_in: bool
    records: Path

    @property
    def given(self) -> str:
        """What finds it again, from any directory."""
        return self.name if self.is_built_in else str(self.directory)

    @property
    def breadcrumbs(self) -> Path:
        return self.records / "breadcrumbs.jsonl"

    @property
    def journal(self) -> Path:
        return self.records / "debug.jsonl"

    def spec(self) -> Spec:
        return read_spec(self.directory)


def built_in_names() -> list[str]:
    """Operations of tilewright that have a spec."""
    return sorted(path.parent.name for path in _OPERATIONS.glob("*/spec.toml"))


def find_operation(given: str) -> Home:
    """The operation of a directory, or tilewright's of this name; a directory goes first.

    Raises:
        NoOperationError: there is neither.
    """
    directory = Path(given)
    if (directory / "spec.toml").is_file():
        directory = directory.resolve()
        return Home(directory.name, directory, False, directory / ".workshop")
    if given in built_in_names():
        return Home(given, _OPERATIONS / given, True, cache_directory() / "workshop" / given)
    what = f"{directory} has no spec.toml" if directory.is_dir() else f"there is no directory {given}"
    raise NoOperationError(
        f"{what}, and no operation of tilewright is called so: {', '.join(built_in_names())}. "
        f"`tilewright new {directory.name}` makes one."
    )


def load_operation(home: Home) -> Operation:
    """Imports the operation.

    Raises:
        NoOperationError: its op.py has no operation of its name.
    """
    module_name = f"tilewright.ops.{home.name}.op" if home.is_built_in else f"{home.name}.op"
    if not home.is_built_in and str(home.directory.parent) not in sys.path:
        sys.path.insert(0, str(home.directory.parent))
    module = importlib.import_module(module_name)
    name = home.spec().name
    operation = getattr(module, name, None)
    if not isinstance(operation, Operation):
        raise NoOperationError(f"{home.directory / 'op.py'} has no operation {name}: write `{name} = ...()` at its end")
    return operation


@contextlib.contextmanager
def tested_package(home: Home) -> Iterator[Path]:
    """A directory that holds the package NAME with its stage tests; tilewright's own get theirs from the spec."""
    if not home.is_built_in:
        yield home.directory.parent
        return
    # Imported here: making packages is not what finding operations is about.
    from tilewright.workshop.scaffold.tests_text import stage_tests

    with tempfile.TemporaryDirectory(prefix="tilewright-stages-") as made:
        package = Path(made) / home.name
        (package / "tests").mkdir(parents=True)
        shutil.copy(home.directory / "spec.toml", package / "spec.toml")
        (package / "__init__.py").write_text("")
        imported = f"from tilewright.ops.{home.name}.op import {home.name} as {home.name}\n"
        (package / "op.py").write_text(imported)
        for name, text in stage_tests(home.spec()).items():
            (package / "tests" / name).write_text(text)
        yield Path(made)
