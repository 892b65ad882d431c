# SPDX-License-Identifier: Apache-2.0
"""Tables of results by folder and by cause."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.upstream_tests.results import OUTCOMES, Result, Results

# The first pattern found in the error's words is the cause. What no pattern finds is listed test by test.
_CAUSES = (
    (r"module '?ttnn[\w.]*'? has no attribute|has no attribute '\w+'", "needs a name that this ttnn lacks"),
    (
        r"incompatible function arguments|unexpected keyword argument|got an unexpected",
        "needs arguments that this ttnn lacks",
    ),
    (r"ModuleNotFoundError|ImportError|cannot import name", "needs a Python module that is not there"),
    (
        r"FileNotFoundError|No such file|does not exist|Couldn't connect|LocalEntryNotFound",
        "needs a file that is not there",
    ),
    (r"MemoryError|bad_alloc|can't allocate memory|Cannot allocate memory", "needs more of the host's memory"),
    (r"Requested mesh|num_devices|more devices|exceeds the system|mesh shape", "needs several chips"),
    (r"compute_with_storage_end_override|dispatch_core_manager", "needs other dispatch cores"),
    (r"tilewright: ", "refused by tilewright"),
    (r"TT_FATAL|TT_THROW|RuntimeError", "ttnn raised an error"),
    (r"AssertionError|assert ", "a comparison failed"),
)


def cause(result: Result) -> str:
    """Why a test did not pass, in a few words."""
    if result.outcome in ("time-limit", "crashed"):
        return {"time-limit": "exceeded the time limit", "crashed": "ended the process"}[result.outcome]
    found = (words for pattern, words in _CAUSES if re.search(pattern, result.reason))
    return next(found, "other")


def tables(results: Results) -> Iterator[str]:
    """Lines of Markdown: counts by folder, then causes, then the tests that did not pass."""
    every = results.all()
    for dispatch, arch in sorted({(each.dispatch, each.arch) for each in every}):
        chosen = [each for each in every if (each.dispatch, each.arch) == (dispatch, arch)]
        yield from (f"## {dispatch} dispatch, {arch}", "", *_counts(chosen), "", *_causes(chosen), "")


def _counts(results: list[Result]) -> Iterator[str]:
    folders: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for each in results:
        folders[str(PurePosixPath(each.test.partition("::")[0]).parent)][each.outcome] += 1
    yield f"| folder | {' | '.join(OUTCOMES)} |"
    yield "|---" * (len(OUTCOMES) + 1) + "|"
    for folder, counts in sorted(folders.items()):
        yield f"| {folder} | {' | '.join(str(counts[outcome]) for outcome in OUTCOMES)} |"
    total = sum(folders.values(), collections.Counter())
    yield f"| all | {' | '.join(str(total[outcome]) for outcome in OUTCOMES)} |"


def _causes(results: list[Result]) -> Iterator[str]:
    wrong = [each for each in results if each.outcome not in ("passed", "skipped")]
    counts = collections.Counter(map(cause, wrong))
    for words, count in counts.most_common():
        yield f"- {count} {words}"
        for each in wrong:
            if cause(each) == words:
                yield f"  - {each.test}: {(each.reason.splitlines() or [''])[0][:160]}"
