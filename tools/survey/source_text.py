# SPDX-License-Identifier: Apache-2.0
"""A kernel's text together with the helpers of the package it includes."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from tilewright._program.specs.source import without_comments

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[>"]', re.M)
_API_NAME = re.compile(
    r"#\s*define\s+(\w+)"
    r"|\b(?:constexpr|const|constinit)\b[^;(){}=]*?\b([A-Z][A-Z0-9_]+)\s*(?=[={\[;])"
)
_ENUM_BODY = re.compile(r"\benum\b[^;{]*\{([^}]*)\}")
_ENUMERATOR = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)")


def included_names(text: str) -> list[str]:
    """Includes of the text, as written."""
    return _INCLUDE.findall(text)


class SourceTree:
    """The sources of one ttnn package."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._texts: dict[Path, str] = {}
        self._found: dict[tuple[str, Path], Path | None] = {}

    def text(self, path: Path) -> str:
        """A file's text without comments."""
        if path not in self._texts:
            self._texts[path] = without_comments(path.read_text(errors="replace"))
        return self._texts[path]

    def closure(self, path: Path) -> list[str]:
        """Text of a kernel, then of every helper below ``ttnn/`` it reaches through includes."""
        seen: dict[Path, str] = {}
        waiting = [path]
        while waiting:
            current = waiting.pop(0)
            if current in seen:
                continue
            seen[current] = self.text(current)
            waiting += [found for name in included_names(seen[current]) if (found := self._find(name, current.parent))]
        return list(seen.values())

    def _find(self, name: str, directory: Path) -> Path | None:
        key = (name, directory)
        if key not in self._found:
            self._found[key] = self._search(name, directory)
        return self._found[key]

    def _search(self, name: str, directory: Path) -> Path | None:
        for place in (directory, self.root, self.root / "ttnn", self.root / "ttnn" / "cpp"):
            candidate = Path(place, name)
            if candidate.is_file():
                resolved = candidate.resolve()
                return resolved if resolved.is_relative_to(self.root / "ttnn") else None
        return None

    @functools.cached_property
    def api_names(self) -> frozenset[str]:
        """Macros, constants and enumerators the package's own API headers define."""
        names: set[str] = set()
        for path in (self.root / "tt_metal").rglob("*"):
            if path.suffix not in (".h", ".hpp", ".inl"):
                continue
            text = without_comments(path.read_text(errors="replace"))
            for macro, constant in _API_NAME.findall(text):
                names.add(macro or constant)
            for body in _ENUM_BODY.findall(text):
                names.update(_ENUMERATOR.findall(body))
        return frozenset(names)
