# SPDX-License-Identifier: Apache-2.0
"""``tilewright check --claims``: confirm or refute what another tool says of lines of kernels."""

from __future__ import annotations

import argparse
import collections
import json
import shutil

from tilewright._cli.check_target import NothingLaunchedError, refuse_operation_options, runs_on_card, target_work
from tilewright._cli.json_output import error_object, json_text, script_failed
from tilewright._cli.observed_target import ObservedTarget, nothing_launched, observe_here, observe_on_card
from tilewright._cli.output_file import write_output
from tilewright._cli.progress_line import ProgressLine
from tilewright._launch.observer import ObserverRequest
from tilewright._rules import RULES
from tilewright.check._claim_observer import ClaimObserver
from tilewright.check._claim_verdicts import ClaimVerdict, JudgedClaim, judge_claims, sarif_of_claims
from tilewright.check._claims import ANY_RULE, read_claims

_OTHER_WAYS = ("mutate", "sync", "footprint", "program_cache", "markdown", "brief", "seeds", "fast_check")


def run_claims(parser: argparse.ArgumentParser, options: argparse.Namespace, script_arguments: list[str]) -> int:
    """Judge every claim; exit status 1 where one is confirmed."""
    for name in _OTHER_WAYS:
        if getattr(options, name):
            parser.error(f"--claims does not go together with --{name.replace('_', '-')}")
    names = _names(parser, options.claim_rule)
    path = options.claims.resolve()
    claims = read_claims(path, names)
    seen = _observed(parser, options, script_arguments, str(path), names)
    if not seen.results and seen.error is None and seen.status == 0:
        raise NothingLaunchedError(nothing_launched(options))
    judged = judge_claims(claims, seen.results)
    if options.sarif is not None:
        text = json.dumps(sarif_of_claims(judged), indent=2, ensure_ascii=False) + "\n"
        write_output("--sarif", options.sarif, text.encode())
    return _show(options, judged, seen)


def _names(parser: argparse.ArgumentParser, given: list[str]) -> dict[str, str]:
    names = {}
    for each in given:
        theirs, equals, ours = each.partition("=")
        if not equals or not theirs or (ours not in RULES and ours != ANY_RULE):
            parser.error(
                f"--claim-rule is {each!r}; allowed: NAME=RULE, where RULE is {ANY_RULE} or one that --rules lists"
            )
        names[theirs] = ours
    return names


def _observed(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    script_arguments: list[str],
    path: str,
    names: dict[str, str],
) -> ObservedTarget:
    if runs_on_card(options):
        refuse_operation_options(parser, options)
        request = ObserverRequest("claims", {"path": path, "names": names})
        return observe_on_card(options, script_arguments, request, quiet=options.json)
    observer = ClaimObserver(path, names)
    failed: list[BaseException] = []
    with ProgressLine() as progress:
        observer.progress = progress.show
        work = target_work(parser, options, script_arguments, progress, lambda plan: None, failed.append)
        return observe_here(work, observer, failed, quiet=options.json)


def _show(options: argparse.Namespace, judged: list[JudgedClaim], seen: ObservedTarget) -> int:
    counts = collections.Counter(each.verdict for each in judged)
    summary = f"{len(judged)} claims: " + ", ".join(f"{counts[each]} {each.value}" for each in ClaimVerdict)
    others = sorted({each.rule for launch in seen.results for each in launch.other_findings})
    error = script_failed(options.target, seen.status)
    if error is None and seen.error is not None:
        error = error_object(type(seen.error).__name__, seen.error)
    if error is None and counts[ClaimVerdict.CONFIRMED]:
        error = error_object("ClaimsConfirmed", summary)
    status = 1 if error is not None else 0
    if options.json:
        found = {"claims": [each.as_dict() for each in judged], "unclaimed": others}
        print(json_text("check", found, status, error))
        return status
    width = min(shutil.get_terminal_size().columns, 100)
    for each in sorted(judged, key=lambda each: list(ClaimVerdict).index(each.verdict)):
        print(each.text(width))
    if others:
        print(f"findings that no claim names: {', '.join(others)}; `tilewright check {options.target}` shows them")
    print(summary)
    return status
