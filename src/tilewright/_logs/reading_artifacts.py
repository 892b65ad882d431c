# SPDX-License-Identifier: Apache-2.0
"""Files and commits in a log."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from tilewright._logs.markdown import Code, Field, Item, Paragraph, Section
from tilewright._logs.model import Artifact, Commit, Said

_FILES = re.compile(r"files?\b.*\b(created|modified)|artifacts?", re.I)
_FILE_ITEM = re.compile(r"(\S*[/.]\S+)\s*(.*)$", re.S)
_COMMIT_SECTION = re.compile(r"\bgit\b|\bcommits?\b", re.I)
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")
_PROMISE = re.compile(r"\bwill be (made|committed|created)\b|\bto be committed\b|\bcommit(s)? pending\b", re.I)


def read_artifacts(sections: Sequence[Section]) -> tuple[Artifact, ...]:
    """Files in a table of changes, and files listed under a heading such as ``Files created``."""
    return tuple(artifact for section in sections for artifact in _section_artifacts(section))


def _section_artifacts(section: Section) -> Iterator[Artifact]:
    heading = next((title for title in reversed(section.path) if _FILES.search(title)), "")
    for table in section.tables():
        if table.has("file", "change"):
            for row in table.rows:
                counted = row.get("lines")
                number = int(counted) if counted.isdigit() else None
                yield Artifact(row.get("file"), row.get("change"), number, row.get("notes"), row.line)
        elif heading and (table.has("path") or table.has("file")):
            for row in table.rows:
                path = row.get("path", "file")
                if _FILE_ITEM.fullmatch(path) and " " not in path:
                    told = _listed(path, row.get("changes", "purpose", "notes"), heading, row.line)
                    counted = row.get("lines")
                    yield dataclasses.replace(told, lines=int(counted)) if counted.isdigit() else told
    for block in section.blocks:
        if isinstance(block, Item):
            title = block.label if _FILES.search(block.label) else heading
            found = _FILE_ITEM.match(block.text)
            if title and found:
                yield _listed(found.group(1), found.group(2), title, block.line)


def _listed(path: str, notes: str, title: str, line: int) -> Artifact:
    counted = re.search(r"(\d+) lines", notes)
    kinds = [kind for kind in ("created", "modified") if kind in title.lower()]
    return Artifact(
        path=path,
        change=kinds[0] if len(kinds) == 1 else "",
        lines=int(counted.group(1)) if counted else None,
        notes=re.sub(r"^\((.*)\)$", r"\1", notes.strip(" -\u2013:")),
        line=line,
    )


def read_commits(sections: Sequence[Section]) -> tuple[Commit, ...]:
    """Commits in tables, in lists and in ``SHA``/``Message`` pairs, under a heading about commits."""
    return tuple(commit for section in sections for commit in _section_commits(section))


def _section_commits(section: Section) -> Iterator[Commit]:
    for table in section.tables():
        if table.has("commit", "message"):
            for row in table.rows:
                yield Commit(
                    row.get("commit"),
                    row.get("message"),
                    row.get("files"),
                    row.get("build"),
                    row.get("tests"),
                    row.line,
                )
    for block in section.blocks:
        shown = re.match(r"commit ([0-9a-f]{7,40})\b", block.text) if isinstance(block, Code) else None
        if shown:  # as `git log` shows it
            yield Commit(shown.group(1), line=block.line)
    if not any(_COMMIT_SECTION.search(title) for title in section.path):
        return
    fields = {block.name.lower(): block for block in section.blocks if isinstance(block, Field)}
    if "sha" in fields:
        message = fields["message"].value if "message" in fields else ""
        yield Commit(fields["sha"].value, message, line=fields["sha"].line)
    for block in section.blocks:
        found = _SHA.match(block.text) if isinstance(block, Item) else None
        if found and isinstance(block, Item):
            yield Commit(found.group(0), block.text[found.end() :].strip(" -\u2013:"), line=block.line)


def read_promises(sections: Sequence[Section]) -> tuple[Said, ...]:
    """Sentences about commits that are still to be made."""
    return tuple(
        Said(block.text, block.line)
        for section in sections
        if any(_COMMIT_SECTION.search(title) for title in section.path)
        for block in section.blocks
        if isinstance(block, Item | Paragraph) and _PROMISE.search(block.text)
    )
