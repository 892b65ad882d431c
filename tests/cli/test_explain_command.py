# SPDX-License-Identifier: Apache-2.0
"""``tilewright explain``: rules, errors, phases and functions by name, messages by their words."""

from __future__ import annotations

import json

import pytest

from tilewright._cli.explanations import every_explanation, find
from tilewright._cli.main import main
from tilewright._rules import RULES
from tilewright.kernels._api_table import FUNCTIONS


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["hang-self"], "Silence: `// tilewright: allow hang-self: reason`"),
        (["cache-stale"], "Silence: not possible, it has no line in a kernel."),
        (["tilewright._errors.DeadlockError"], "DeadlockError (error)"),
        (["reduce_row_mean"], "It waits for: cb_in, num_tiles;"),
        (["cb_wait_front()"], "cb_wait_front(operand, num_pages)  ->  None"),
        (["mm_init"], "void mm_init(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,"),
        (["noc_async_read_tile()"], "noc_async_read_tile (C++ function)"),
        (["stays", "full", "writer"], "Cure: add the missing `cb_pop_front` to the consumer."),
        (
            ["c_7 x stays full for mine at its reserve number 9: theirs popped 5 pages in all and has finished"],
            "A full buffer that no kernel empties (message)",
        ),
        (["sub_bcast"], "phase     sub_bcast_cols: out = a - b"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_word_finds_the_entry_of_its_name(words: list[str], shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *words]) == 0
    assert shown in capsys.readouterr().out


def test_every_explanation_is_there_once_and_has_text() -> None:
    known = every_explanation()
    assert {each.name for each in known if each.kind == "rule"} == set(RULES)
    assert {each.name for each in known if each.kind == "function"} == set(FUNCTIONS)
    assert len({(each.kind, each.name) for each in known}) == len(known)
    assert [each.name for each in known if not each.summary] == []


def test_other_words_find_sections_of_the_docs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "break_at"]) == 0
    assert capsys.readouterr().out.startswith("section   debugging.md: In scripts: ")
    assert main(["explain", "fidelity"]) == 0  # several have the word, one has it in its heading
    assert capsys.readouterr().out.startswith("section   numerics.md: Fidelity phases: ")


def test_unknown_word_gets_the_nearest_names(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["explain", "hang-selv"])
    assert ended.value.code == 2
    assert "did you mean hang-self" in capsys.readouterr().err
    assert find("zxqj") == []


def test_json_has_the_same_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "square", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["found"]
    assert (found["kind"], found["name"]) == ("phase", "square")
