# SPDX-License-Identifier: Apache-2.0
"""The words an execution log may use, and what the words people really use amount to."""

from __future__ import annotations

import enum
import re

FINAL_STATUSES = ("SUCCESS", "PARTIAL", "FAILED")
RESULT_STATUSES = ("PASS", "FAIL", "HANG", "PARTIAL", "NEEDS_VERIFICATION", "SKIPPED", "NOT RUN")
CONFIDENCES = ("HIGH", "MEDIUM", "LOW")
DIRECTIVES = ("USE HELPER", "NO HELPER")
PHASES = ("RED", "GREEN")
STEPS = ("build", "kernel compilation", "execution")
CHANGES = ("created", "modified")
ERROR_TYPES = (
    "build_error",
    "test_timeout",
    "test_fail",
    "wrong_output",
    "hang",
    "other",
    "compilation_error",
    "numerical_mismatch",
    "shape_mismatch",
    "runtime_error",
    "watcher_assert",
    "hang_cb_deadlock",
    "hang_noc_error",
    "hang_unknown",
)


class Verdict(enum.Enum):
    """What a status word amounts to."""

    PASSED = "passed"
    UNVERIFIED = "unverified"
    FAILED = "failed"


# Longest first where one word contains another: INCOMPLETE is not COMPLETE.
_VERDICTS = {
    "NEEDS_VERIFICATION": Verdict.UNVERIFIED,
    "NEEDS VERIFICATION": Verdict.UNVERIFIED,
    "INCONCLUSIVE": Verdict.UNVERIFIED,
    "INCOMPLETE": Verdict.UNVERIFIED,
    "UNRESOLVED": Verdict.FAILED,
    "SUCCESSFUL": Verdict.PASSED,
    "COMPLETED": Verdict.PASSED,
    "COMPLETE": Verdict.PASSED,
    "NOT RUN": Verdict.UNVERIFIED,
    "SKIPPED": Verdict.UNVERIFIED,
    "BLOCKED": Verdict.UNVERIFIED,
    "PARTIAL": Verdict.UNVERIFIED,
    "SUCCESS": Verdict.PASSED,
    "TIMEOUT": Verdict.FAILED,
    "PENDING": Verdict.UNVERIFIED,
    "ISSUES": Verdict.UNVERIFIED,
    "FAILED": Verdict.FAILED,
    "PASSES": Verdict.PASSED,
    "PASSED": Verdict.PASSED,
    "HANGS": Verdict.FAILED,
    "ERROR": Verdict.FAILED,
    "XFAIL": Verdict.UNVERIFIED,
    "HANG": Verdict.FAILED,
    "PASS": Verdict.PASSED,
    "FAIL": Verdict.FAILED,
    "SKIP": Verdict.UNVERIFIED,
    "WIP": Verdict.UNVERIFIED,
    "OK": Verdict.PASSED,
}
_STATUS_WORD = re.compile(r"(?<![A-Za-z_])(" + "|".join(map(re.escape, _VERDICTS)) + r")(?![A-Za-z_])")

# Spellings that mean a word of the vocabulary, so nobody is corrected over a past tense.
_SPELLINGS = {
    "PASSED": "PASS",
    "FAILED": "FAIL",
    "SKIP": "SKIPPED",
    "NEEDS VERIFICATION": "NEEDS_VERIFICATION",
}


def status_word(text: str) -> str:
    """The first status word written in capitals, or ''.

    >>> status_word("✅ PASS (2/2 tests)")
    'PASS'
    """
    found = _STATUS_WORD.search(text)
    return found.group(1) if found else ""


def verdict(text: str) -> Verdict | None:
    """What a status says, or None where it says nothing.

    >>> verdict("PARTIAL (stages 4-5 COMPLETE)")
    <Verdict.UNVERIFIED: 'unverified'>
    """
    word = status_word(text)
    if word:
        return _VERDICTS[word]
    if "✅" in text:
        return Verdict.PASSED
    if "❌" in text:
        return Verdict.FAILED
    return Verdict.UNVERIFIED if "⚠" in text else None


def is_result_status(text: str) -> bool:
    """Whether a stage's or test's status begins with a word of the vocabulary, in capitals or not.

    >>> is_result_status("PASSED (2/2)"), is_result_status("ISSUES")
    (True, False)
    """
    return _begins_with(text, (*RESULT_STATUSES, *_SPELLINGS))


def is_final_status(text: str) -> bool:
    """Whether a log's final status begins with a word of the vocabulary."""
    return _begins_with(text, (*FINAL_STATUSES, "HANG", "NEEDS_VERIFICATION"))


def _begins_with(text: str, words: tuple[str, ...]) -> bool:
    begin = re.sub(r"^[^A-Za-z]+", "", text).upper()
    return any(re.match(re.escape(word) + r"(?![A-Z_])", begin) for word in words)


def error_types(text: str) -> list[str]:
    """The error types a cell names; what stands in brackets explains them.

    >>> error_types("test_timeout / hang (at 64x64)")
    ['test_timeout', 'hang']
    """
    return [part for part in re.split(r"\s*[/,]\s*|\s+or\s+", re.sub(r"\(.*?\)", "", text).strip()) if part]
