# SPDX-License-Identifier: Apache-2.0
"""``tilewright log audit`` as a user meets it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.logs.sample_logs import TEMPLATE
from tilewright._cli.main import main
from tilewright._logs.audit.auditing import RULES
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._workshop.home import find_operation
from tilewright._workshop.stages.facts import plan_facts

_EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "operations" / "rms_norm_w_rm.py"
_BROKEN = TEMPLATE.replace("| 1 | 5 | build_error |", "| 1 | 5 | compile_error |")


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    (tmp_path / "broken.md").write_text(_BROKEN)
    (tmp_path / "clean.md").write_text(TEMPLATE)
    return tmp_path / "clean.md"


def test_findings_have_rule_lines_quote_and_reason(clean: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = clean.with_name("broken.md")
    assert main(["log", "audit", str(clean), str(broken)]) == 1
    text = capsys.readouterr().out
    line = _BROKEN.split("\n").index("| 1 | 5 | compile_error | H1: a variable is not used yet | used it | YES |") + 1
    assert f"{clean}: nothing found" in text
    assert f"{broken}: 1 note\n\n  note: vocabulary  (line {line})\n    > | 1 | 5 | compile_error |" in text
    assert "error type 'compile_error'; the words are build_error" in text
    assert max(map(len, text.split("\n")[3:])) <= 80


def test_findings_as_json(clean: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = clean.with_name("broken.md")
    assert main(["log", "audit", "--json", str(clean), str(broken)]) == 1
    first, second = json.loads(capsys.readouterr().out)["logs"]
    assert first == {"log": str(clean), "findings": []}
    (finding,) = second["findings"]
    assert (finding["rule"], finding["severity"]) == ("vocabulary", "note")
    assert set(finding) == {"rule", "severity", "lines", "quote", "why"}


def test_the_rules_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "audit", "--rules"]) == 0
    text = capsys.readouterr().out
    assert all(f"{name} " in text for name in RULES)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("content", "arguments", "complaint"),
    [
        (None, ["{}"], "{}: No such file"),
        (b"\xff\xfe\x00", ["{}"], "{}: not UTF-8 text (byte 0)"),
        (b"just words\n", ["{}"], "{}: not an execution log: it has no Markdown heading"),
        (None, [], "LOG is missing"),
        (b"# No table\n", ["--spec", "{}", "clean.md"], "{}: no table of circular buffers"),
        (_EXAMPLE.read_bytes(), ["{}.py"], "was run yet"),
    ],
)
def test_bad_usage_is_explained(
    content: bytes | None, arguments: list[str], complaint: str, clean: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = clean.with_name("x.py" if arguments == ["{}.py"] else "x")
    if content is not None:
        path.write_bytes(content)
    given = [str(clean) if each == "clean.md" else each.removesuffix(".py").format(path) for each in arguments]
    with pytest.raises(SystemExit) as ended:
        main(["log", "audit", *given])
    assert ended.value.code == 2
    assert complaint.format(path) in capsys.readouterr().err


def _differences(tmp_path: Path, row: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Reported differences of a log with one circular buffer from the example's declaration."""
    log = tmp_path / "by_hand.md"
    log.write_text(f"# Execution Log: x\n\n## CBs\n\n| CB | Page size | Num pages |\n|---|---|---|\n{row}\n")
    assert main(["log", "audit", str(log), "--spec", str(_EXAMPLE), "--json"]) == 1
    (audited,) = json.loads(capsys.readouterr().out)["logs"]
    return [each["why"] for each in audited["findings"] if each["rule"] == "deviation-undeclared"]


def test_a_declaration_is_compared_in_tiles_of_a_row_and_in_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The case with rows of all kinds has rows of four tiles: 2*Wt is 8.
    for right in ("| c_0 | tile_size | 2*Wt |", "| c_0 | 2048 B | 8 |"):
        whys = _differences(tmp_path, right, capsys)
        assert not any(why.startswith("c_0 ") for why in whys)
        assert any(why.startswith("c_1 is required and not configured") for why in whys)
    wrong = _differences(tmp_path, "| c_0 | 2048 B | 4 |", capsys)
    assert any(why.startswith("c_0 has 4 pages instead of 8") for why in wrong)


def test_an_operation_is_audited_from_its_breadcrumbs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = Path(shutil.copy(_EXAMPLE, tmp_path))
    crumbs = Breadcrumbs(tmp_path / ".workshop" / own.stem / "breadcrumbs.jsonl")
    crumbs.append("start", operation=own.stem, agent="tilewright stages", stages=[1], input_files=[own.name])
    crumbs.append("stage_start", stage=1, title="the API exists and is documented")
    crumbs.append("attempt", stage=1, action="run the tests", expected="every test passes")
    crumbs.append("result", stage=1, step="execution", status="PASS")
    crumbs.append("complete")
    home = find_operation(str(own))
    for name, fields in plan_facts(home.operation(), home):
        crumbs.append(name, **fields)
    assert main(["log", "audit", str(own)]) == 0
    assert capsys.readouterr().out == f"{own}: nothing found\n"
    assert main(["show", str(own), "--spec"]) == 0
    printed = tmp_path / "spec.md"
    printed.write_text(capsys.readouterr().out)
    assert main(["log", "audit", str(own), "--spec", str(printed)]) == 0
    capsys.readouterr()
    printed.write_text(printed.read_text().replace("| c_0 | 2*Wt = 8 |", "| c_0 | 4*Wt = 16 |"))
    assert main(["log", "audit", str(own), "--spec", str(printed)]) == 1
    assert "c_0 has 8 pages instead of 4*Wt = 16" in " ".join(capsys.readouterr().out.split())
    crumbs.append("note", text="Stage 1 PASSED")
    assert main(["log", "audit", str(own)]) == 1
    text = capsys.readouterr().out
    assert "success-unverified" in text
    assert "stage 1 is called passed" in text
