# SPDX-License-Identifier: Apache-2.0
"""Locate an operation: a user's file or a shipped one."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path

from tilewright._build.cache import cache_directory
from tilewright._errors import TilewrightError
from tilewright.ops import OPERATIONS, Operation


class NoOperationError(TilewrightError):
    """A name that is no operation; the message says what was looked for."""

    exit_status = 2


@dataclasses.dataclass(frozen=True)
class Home:
    """An operation's place.

    Attributes:
        name: of the operation.
        file: with its declaration.
        is_built_in: whether it is one of tilewright.ops.
        records: where its breadcrumbs and journal are kept.
    """

    name: str
    file: Path
    is_built_in: bool
    records: Path

    @property
    def directory(self) -> Path:
        return self.file.parent

    @property
    def given(self) -> str:
        """The name under which it is found from any directory."""
        return self.name if self.is_built_in else f"{self.file}:{self.name}"

    @property
    def breadcrumbs(self) -> Path:
        return self.records / "breadcrumbs.jsonl"

    @property
    def journal(self) -> Path:
        return self.records / "debug.jsonl"

    def operation(self) -> Operation:
        """The operation as the file declares it now."""
        if self.is_built_in:
            return OPERATIONS[self.name]
        declared = _declared(self.file)
        if self.name not in declared:  # parts of split operations have names, too
            declared |= {part.name: part for each in declared.values() for part in each.parts}
        if self.name not in declared:
            known = ", ".join(declared) or "none"
            raise NoOperationError(f"{self.file.name} declares no operation {self.name}; it has {known}")
        return declared[self.name]

    def line_of(self, word: str) -> int:
        """The line of the declaration that gives a word its meaning; that of its name, if none does."""
        lines = self.file.read_text(encoding="utf-8").splitlines()
        first = next((i for i, line in enumerate(lines, 1) if re.match(rf"def {self.name}\b", line)), 1)
        for pattern in (rf"^\s+{re.escape(word)} = ", rf'"{re.escape(word)}":', rf"\b{re.escape(word)}\b"):
            for number, line in enumerate(lines[first - 1 :], first):
                if re.search(pattern, line) and '"""' not in line:
                    return number
        return next((i for i, line in enumerate(lines, 1) if f'"{word}":' in line), first)


def built_in_names() -> list[str]:
    return sorted(OPERATIONS)


def find_operation(given: str) -> Home:
    """The operation of a file (``mine.py``, or ``mine.py:name`` if it declares several), or tilewright's of this name.

    Raises:
        NoOperationError: there is neither.
    """
    path, _, name = given.partition(":")
    file = Path(path)
    if file.suffix == ".py" or file.is_file():
        if not file.is_file():
            raise NoOperationError(f"there is no file {path}; `tilewright new {file.stem}` makes one")
        return _home_of_file(file.resolve(), name)
    if given in OPERATIONS:
        source = inspect.getsourcefile(OPERATIONS[given].function)
        assert source is not None
        return Home(given, Path(source), True, cache_directory() / "workshop" / given)
    raise NoOperationError(
        f"{given} is neither a file with a declaration nor an operation of tilewright: {', '.join(built_in_names())}. "
        f"`tilewright new {file.name}` makes one."
    )


def _home_of_file(file: Path, name: str) -> Home:
    declared = names_in(file)
    if not name and (file.stem in declared or not declared):
        name = file.stem
    if not name and len(declared) == 1:
        name = declared[0]
    if not name:
        raise NoOperationError(
            f"{file.name} declares several operations, {', '.join(declared)}: name one, such as "
            f"{file.name}:{declared[0]}"
        )
    return Home(name, file, False, file.parent / ".workshop" / name)


def names_in(file: Path) -> list[str]:
    """Names of the functions with ``@operation``, without running the file; none if it is not Python."""
    try:
        body = ast.parse(file.read_text(encoding="utf-8", errors="replace")).body
    except SyntaxError:
        return []
    functions = [each for each in body if isinstance(each, ast.FunctionDef)]
    return [each.name for each in functions if any("operation" in ast.unparse(d) for d in each.decorator_list)]


def _declared(file: Path) -> dict[str, Operation]:
    """Operations that a file declares; the file is read as it is now."""
    text = file.read_bytes()
    module_name = f"{file.stem}_{hashlib.sha256(str(file).encode() + text).hexdigest()[:8]}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        if str(file.parent) not in sys.path:
            sys.path.insert(0, str(file.parent))
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[module_name]
            raise
    found = [each for each in vars(module).values() if isinstance(each, Operation) and each.__module__ == module_name]
    return {each.name: each for each in found}
