# SPDX-License-Identifier: Apache-2.0
"""``tilewright check --program-cache``: results from the program cache against those of programs built anew."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tilewright._cli.cache_findings import cache_summary, with_cache_findings
from tilewright._cli.observed_target import ObservedTarget

VARIANTS = ["other addresses", "other scalars", "twice the rows", "as many rows as before"]


@pytest.fixture(scope="module")
def found(real_ttnn_with_torch: str, card_environment: dict[str, str]) -> dict[str, Any]:
    script = Path(__file__).with_name("cached_operations.py")
    command = [real_ttnn_with_torch, "-m", "tilewright", "exec", "--quiet", str(script)]
    result = subprocess.run(command, capture_output=True, text=True, env=card_environment, timeout=600, check=False)
    assert result.returncode == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return answer


def test_a_scalar_of_the_first_call_is_found(found: dict[str, Any]) -> None:
    (wrong,) = found["stale_scalar"]["wrong"]
    assert wrong[0] == "other scalars"
    assert wrong[1] == "2048 of 2048 elements of tensor 0 differ; at [0, 0] 2, anew 3.25"


def test_rows_of_the_first_call_are_found(found: dict[str, Any]) -> None:
    assert [variant for variant, _ in found["frozen_rows"]["wrong"]] == ["twice the rows"]


def test_a_right_operation_has_every_variant_judged_and_none_wrong(found: dict[str, Any]) -> None:
    assert (found["right"]["judged"], found["right"]["wrong"]) == (VARIANTS, [])


def test_buffers_over_shards_lie_where_the_shards_of_each_call_lie(found: dict[str, Any]) -> None:
    assert (found["over_shards"]["judged"], found["over_shards"]["wrong"]) == (VARIANTS[:2], [])


def test_a_random_operation_is_not_judged(found: dict[str, Any]) -> None:
    assert (found["different"]["judged"], found["different"]["wrong"]) == ([], [])
    assert found["different"]["not_judged"][0][1] == "two calls with an empty cache give different results"


def test_a_variant_that_is_refused_is_not_judged(found: dict[str, Any]) -> None:
    assert found["refused"]["not_judged"] == [
        ["twice the rows", "ttnn refuses the call: ValueError: 32 rows and no others"]
    ]


def test_findings_name_operation_line_and_variant(found: dict[str, Any]) -> None:
    results = [{**found["stale_scalar"], "operation": "ttnn.scaled", "path": "mine.py", "line": 7}, found["refused"]]
    seen = with_cache_findings(ObservedTarget(0, results))
    (finding,) = seen.findings
    assert (finding.rule, finding.path, finding.line, finding.operation) == ("cache-stale", "mine.py", 7, "ttnn.scaled")
    assert finding.numbers.startswith("with other scalars, ttnn.scaled gives another result from the program cache")
    assert cache_summary(seen.cache_results).splitlines() == [
        "program cache: 2 calls of 2 operations repeated, 4 variants compared",
        "  not judged: refused with twice the rows: ttnn refuses the call: ValueError: 32 rows and no others",
    ]
