# SPDX-License-Identifier: Apache-2.0
"""``tilewright cache``: how large the cache is, and pruning it."""

from __future__ import annotations

import argparse

from tilewright._build.cache import cache_directory
from tilewright._build.cache_pruning import CacheItem, cache_items, cache_limit, parse_size, prune_cache
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._display.text_table import text_table
from tilewright._errors import CacheError

_WHAT = {
    "cpp": "C++ operations: objects, libraries",
    "engine": "the engine, and the objects it is linked from",
    "headers": "generated headers of the kernel API",
    "kernels": "compiled kernels",
    "other": "records of your operations, locks; never pruned, not counted",
    "preludes": "standard headers, compiled for one set of flags each",
    "builds": "build trees of the engine, one for each source tree",
    "sources": "kernels given as text",
    "wheels": "published ttnn packages",
    "zig": "what zig keeps for itself",
}


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "cache",
        "Show the contents and size of the cache. With --prune, remove the least recently used entries until it fits "
        "the limit. The cache prunes itself above TILEWRIGHT_CACHE_LIMIT (default 4 GiB).",
        """
        tilewright cache
        tilewright cache --prune
        tilewright cache --prune --limit 500M
        """,
    )
    parser.add_argument("--prune", action="store_true", help="remove the least recently used entries above the limit")
    parser.add_argument("--limit", type=_size, metavar="SIZE", help="largest size after --prune, such as 2G or 500M")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except CacheError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.limit is not None and not options.prune:
        parser.error("--limit says what --prune keeps; TILEWRIGHT_CACHE_LIMIT sets the limit for good")
    limit = cache_limit() if options.limit is None else options.limit
    removed = prune_cache(limit) if options.prune else []
    items = cache_items()
    if options.json:
        kinds = {kind: sum(item.size for item in items if item.kind == kind) for kind in _WHAT}
        facts = {"directory": str(cache_directory()), "limit": limit, "bytes": kinds, "removed": _total(removed)}
        print(json_text("cache", facts))
        return 0
    if options.prune:
        print(f"{len(removed)} entries taken away, {_shown(_total(removed))}\n")
    print("\n".join(_lines(items, limit)))
    return 0


def _total(items: list[CacheItem]) -> int:
    return sum(item.size for item in items)


def _shown(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def _lines(items: list[CacheItem], limit: int) -> list[str]:
    rows = [
        [kind, str(len(of_kind)), _shown(_total(of_kind)), what]
        for kind, what in _WHAT.items()
        if (of_kind := [item for item in items if item.kind == kind])
    ]
    counted = [item for item in items if item.kind != "other"]
    lines = text_table(["what", "entries", "size", ""], rows) if rows else ["nothing yet"]
    return [str(cache_directory()), "", *lines, "", f"{_shown(_total(counted))} of at most {_shown(limit)}"]
