# SPDX-License-Identifier: Apache-2.0
"""Claims of other tools about lines of kernels: confirmed, refuted, not reached, not judged."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tilewright
from tests.docs.walkthrough import prints, run_command, steps_of
from tilewright import ttnn
from tilewright._cli.main import main
from tilewright._launch.run_options import RunOptions
from tilewright.check._claims import ClaimsError, read_claims

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples" / "claims" / "copy_pages.py"


def judged(claims: Path, capsys: pytest.CaptureFixture[str], *more: str, script: Path = SCRIPT) -> list[dict[str, Any]]:
    main(["check", str(script), "--claims", str(claims), "--ttnn", "built-in", "--json", *more])
    answer: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["claims"]
    return answer


def test_page_shows_the_output_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for step in steps_of((ROOT / "docs" / "claims.md").read_text()):
        _, printed = run_command(step.text, tmp_path, tmp_path / "commands")
        assert prints(step.printed, printed), f"$ {step.text}\n{printed}"


def test_sarif_in_and_sarif_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong claims about barriers that exist are refuted by these; the missing one is confirmed; many are fast."""
    places = [
        ("AUDIT-1", "reader.cpp", 10, 12),  # the read, its barrier, the push
        ("AUDIT-1", "examples/claims/reader.cpp", 12, 12),
        ("noc-pop-in-flight", (ROOT / "examples/claims/writer.cpp").as_uri(), 11, 11),
        ("l1-race", "writer.cpp", 10, 10),
        ("l1-race", "writer.cpp", 999, 999),
        ("l1-race", "nowhere.cpp", 1, 1),
    ]
    results: list[dict[str, Any]] = [
        {
            "ruleId": rule,
            "message": {"text": "suspicious"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": uri},
                        "region": {"startLine": first, "endLine": last},
                    }
                }
            ],
        }
        for rule, uri, first, last in places
    ]
    results += [results[1]] * 10_000 + [{"ruleIndex": 0, "message": {}}]
    claims = tmp_path / "audit.sarif"
    driver = {"name": "audit", "rules": [{"id": "l1-race"}]}
    claims.write_text(json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}))
    sarif = tmp_path / "verdicts.sarif"
    answer = judged(claims, capsys, "--claim-rule", "AUDIT-1=noc-push-in-flight", "--sarif", str(sarif))
    told = [(each["verdict"], each["reached"], each["cores"]) for each in answer]
    assert told[:6] == [
        ("refuted", 4, [[0, 0]]),
        ("refuted", 4, [[0, 0]]),
        ("confirmed", 4, [[0, 0]]),
        ("refuted", 4, [[0, 0]]),
        ("not judged", 0, []),
        ("not reached", 0, []),
    ]
    assert told[6:-1] == [told[1]] * 10_000
    assert answer[1]["ordered_by"]["call"] == "noc_async_read_barrier()"
    assert (answer[3]["ordered_by"]["call"], answer[3]["ordered_by"]["line"]) == ("cb_wait_front(0, 1)", 9)
    assert answer[-1]["reason"] == "the claim names no file and line"
    written = json.loads(sarif.read_text())["runs"][0]["results"]
    kinds = [each["kind"] for each in written[:6]]
    assert kinds == ["pass", "pass", "fail", "pass", "open", "notApplicable"]
    assert len(written) == len(results)
    assert written[2]["relatedLocations"]
    assert written[0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 10, "endLine": 12}
    assert read_claims(sarif)[2].rule == "noc-pop-in-flight"  # what was written can be read


PYTHON = """
from tilewright import ttnn
from tilewright.kernels import *
from tilewright.kernels.api import *

class Buffers(CircularBuffers):
    input = 0

@reader_kernel
def read(x: TensorArg, cb: Buffers) -> None:
    cb_reserve_back(cb.input, 1)
    noc_async_read_page(0, x, get_write_ptr(cb.input))
    noc_async_read_barrier()
    cb_push_back(cb.input, 1)

@writer_kernel
def write(y: TensorArg, cb: Buffers) -> None:
    cb_wait_front(cb.input, 1)
    noc_async_write_page(0, y, get_read_ptr(cb.input))
    cb_pop_front(cb.input, 1)
    noc_async_write_barrier()

device = ttnn.open_device(device_id=0)
x = ttnn.full([32, 32], 3.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
y = ttnn.empty_like(x)
core = ttnn.num_cores_to_corerangeset(1, (8, 8))
cbs = [ttnn.CBDescriptor(2048, core, [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)])]
kernels = [read.descriptor(core, tensors={"x": x}), write.descriptor(core, tensors={"y": y})]
ttnn.generic_op([x, y], ttnn.ProgramDescriptor(kernels=kernels, cbs=cbs))
"""


def test_claims_name_lines_of_python_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, claims = tmp_path / "script.py", tmp_path / "claims.txt"
    script.write_text(PYTHON)
    lines = PYTHON.splitlines()
    push, pop = (lines.index(f"    {call}(cb.input, 1)") + 1 for call in ("cb_push_back", "cb_pop_front"))
    claims.write_text(f"script.py:{push} noc-push-in-flight\nscript.py:{pop} any\n")
    first, second = judged(claims, capsys, script=script)
    assert (first["verdict"], first["ordered_by"]["line"]) == ("refuted", push - 1)
    assert (second["verdict"], second["finding"]["rule"]) == ("confirmed", "noc-pop-in-flight")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no claims"),
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", "the log is []; SARIF has an object there"),
        ('{"runs": 3}', "runs of the log is 3; SARIF has a list there"),
        ('{"runs": [{"results": [{"rule": 3}]}]}', "runs[0].results[0].rule is 3"),
        ('{"runs": [{"results": [{"ruleId": "a", "locations": [7]}]}]}', "locations[0] is 7"),
        (
            '{"runs": [{"results": [{"ruleId": "a", "locations": [{"physicalLocation": '
            '{"artifactLocation": {"uri": "a"}, "region": {"startLine": -1}}}]}]}]}',
            "startLine is -1; it must be a line number",
        ),
        ("reader.cpp l1-race", "claims:1 is 'reader.cpp l1-race'; allowed: FILE:LINE RULE"),
        ("# a comment\nreader.cpp:0 l1-race", "claims:2 is 'reader.cpp:0 l1-race'"),
        ("\udcff", "is no UTF-8 text"),
    ],
)
def test_hostile_files_of_claims_are_refused_with_the_place(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "claims"
    path.write_bytes(text.encode("utf8", "surrogateescape"))
    with pytest.raises(ClaimsError, match=re.escape(words)):
        read_claims(path)


def test_sarif_names_rules_and_files_by_reference_too(tmp_path: Path) -> None:
    """``rule`` and ``artifacts`` are other spellings; a result without a rule does not spoil the file."""
    region = {"region": {"startLine": 4}}
    listed = {"locations": [{"physicalLocation": {"artifactLocation": {"index": 1}, **region}}]}
    run = {
        "tool": {"driver": {"name": "audit", "rules": [{"id": "a"}, {"id": "l1-race"}]}},
        "artifacts": [{}, {"location": {"uri": "reader.cpp"}}],
        "results": [{"rule": {"index": 1}, **listed}, {"rule": {"id": "noc-unaligned"}}, {"message": {"text": "odd"}}],
    }
    path = tmp_path / "audit.sarif"
    path.write_text(json.dumps({"runs": [run, {"results": None}]}))
    claims = [(each.rule, each.file, each.line) for each in read_claims(path)]
    assert claims == [("l1-race", "reader.cpp", 4), ("noc-unaligned", "", 0), ("unnamed", "", 0)]


LAST = """
void kernel_main() {
    const uint32_t word = get_semaphore(0);
    noc_inline_dw_write(get_noc_addr(word), MARK);
    noc_async_write_barrier();
}
"""


@pytest.mark.parametrize("late", [1, 2])
def test_late_line_runs_after_other_kernels(late: int, device: ttnn.Device) -> None:
    core = ttnn.num_cores_to_corerangeset(1, (8, 8))
    kernels = [
        ttnn.KernelDescriptor(
            kernel_source=LAST.replace("MARK", str(mark)),
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=core,
            config=config(),
            name=f"mark_{mark}",
        )
        for mark, config in ((1, ttnn.ReaderConfigDescriptor), (2, ttnn.WriterConfigDescriptor))
    ]
    semaphore = ttnn.SemaphoreDescriptor(id=0, core_ranges=core, initial_value=0)
    tensor = ttnn.full([32, 32], 0.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    program = ttnn.ProgramDescriptor(kernels=kernels, semaphores=[semaphore])
    for seed in (5, 6, 7):
        options = RunOptions(checked=True, seed=seed, late=[f"mark_{late}:4"])
        run = tilewright.run_program([tensor, tensor], program, options)
        assert device.chip.read_semaphore((0, 0), 0) == late  # type: ignore[attr-defined]
        assert [count.count for count in run.lines[f"mark_{late}:4"].counts] == [1]
