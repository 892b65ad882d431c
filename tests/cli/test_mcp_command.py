# SPDX-License-Identifier: Apache-2.0
"""``tilewright mcp`` as an agent's client meets it: the SDK's own client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.ttnn_script import ADD_ONE, process_environment
from tilewright._cli.brief_answer import brief_answer, compact
from tilewright._cli.main import main

pytest.importorskip("mcp.server.mcpserver", reason="the SDK is not installed: pip install '.[mcp]'")

from mcp import Client, StdioServerParameters, stdio_client

Answer = dict[str, Any]
Call = Callable[..., Coroutine[Any, Any, Answer]]


def with_server(directory: Path, talk: Callable[[Client, Call], Coroutine[Any, Any, None]]) -> None:
    """A conversation with a server of its own, started as an agent's settings start it."""

    async def converse() -> None:
        how = StdioServerParameters(
            command=sys.executable, args=["-m", "tilewright", "mcp"], env=process_environment(), cwd=directory
        )
        async with Client(stdio_client(how)) as client:

            async def call(tool: str, **arguments: object) -> Answer:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content
                assert result.structured_content is None  # the answer once, as text
                (content,) = result.content
                answer: Answer = json.loads(content.text)
                return answer

            await talk(client, call)

    asyncio.run(asyncio.wait_for(converse(), 120))


def test_tools_are_listed_with_their_descriptions(tmp_path: Path) -> None:
    async def talk(client: Client, call: Call) -> None:
        listed = await client.list_tools()
        tools = {tool.name: tool for tool in listed.tools}
        assert set(tools) == {"run", "check", "time", "show", "explain", "stages", "build", "debug", "grade"}
        assert "float64" in str(tools["run"].description)
        assert tools["check"].input_schema["required"] == ["target"]
        assert "first red stage" in str(client.instructions)

    with_server(tmp_path, talk)


def test_tools_answer_with_the_object_of_their_command(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text(ADD_ONE.replace("cb_reserve_back(0, 1);", "cb_wait_front(0, 1);"))

    async def talk(client: Client, call: Call) -> None:
        run = await call("run", operation="variance_w_rm", shape="32x64", grid="1x1")
        assert (run["command"], run["exit_status"], run["error"]) == ("run", 0, None)
        assert run["is_within_bound"] is True
        found = await call("check", target="hangs.py")
        assert (found["exit_status"], found["error"]["type"]) == (1, "DeadlockError")
        rule = found["findings"][0]["rule"]
        explained = await call("explain", words=rule)
        assert explained["found"][0]["name"] == rule
        shown = await call("show", operation="centralize_w_rm", part="cpp")
        assert all("kernel_main" in text for text in shown["cpp"].values())
        made = await call("stages", operation="centralize_w_rm", stage=1)
        assert (made["command"], made["exit_status"], made["error"]) == ("stages", 0, None)
        assert [(each["stage"], each["status"]) for each in made["stages"]] == [(1, "PASS")]
        timed = await call("time", target="variance_w_rm", shape="32x64", grid="1x1")
        assert timed["launches"][0]["microseconds"] > 0
        assert timed["launches"][0]["advice"].startswith("By the model it is bound by")
        assert len(compact(timed)) < 600

    with_server(tmp_path, talk)


def test_wrong_argument_is_an_error_answer(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    (tmp_path / "dies.py").write_text("import os\nos.abort()\n")

    async def talk(client: Client, call: Call) -> None:
        for tool, given, kind, words in (
            ("run", {"operation": "variance"}, "UsageError", "variance"),
            ("run", {"operation": "variance_w_rm", "shape": "3"}, "UsageError", "'3' is no shape"),
            ("check", {"target": "--rules"}, "UsageError", "begins with a dash"),
            (
                "check",
                {"target": "slow.py", "time_limit": 0},
                "UsageError",
                "allowed is more than 0 s",
            ),
            ("check", {"target": "slow.py", "time_limit": 2}, "TimeLimit", "did not end within 2 s"),
            ("check", {"target": "dies.py"}, "NoAnswer", "ended by SIGABRT"),
            ("stages", {"operation": "variance_w_rm", "stage": 9}, "UsageError", "1 to 7"),
        ):
            answer = await call(tool, **given)
            assert answer["exit_status"] != 0
            assert answer["error"]["type"] == kind
            assert words in answer["error"]["message"]

    with_server(tmp_path, talk)


def test_unknown_arguments_are_refused_by_name(tmp_path: Path) -> None:
    async def talk(client: Client, call: Call) -> None:
        result = await client.call_tool("explain", {"words": "cb_wait_front", "wordz": 1})
        assert result.is_error
        assert "explain has no argument 'wordz'; allowed: words, time_limit, brief" in str(result.content)
        answer = await call("explain", words="no-such-thing-at-all")
        assert answer["exit_status"] != 0

    with_server(tmp_path, talk)


def test_brief_answer_keeps_findings_bound_and_advice() -> None:
    passed = [{"stage": number, "status": "PASS", "evidence": "x" * 2000, "tests": [1] * 50} for number in range(1, 8)]
    whole = {"command": "stages", "exit_status": 0, "stages": passed, "error": None}
    text = compact(brief_answer(whole))
    assert len(text) < 400
    assert json.loads(text)["stages"][6] == {"stage": 7, "status": "PASS"}
    red = {"stage": 2, "status": "FAIL", "error": "e" * 5000}
    said = brief_answer({**whole, "exit_status": 1, "stages": [passed[0], red]})["stages"][1]["error"]
    assert said.startswith("eee")
    assert said.endswith("(3800 more characters)")
    processors = [{"core": number, "busy": 1.0} for number in range(64)]
    advice = {"sentence": "Bound by unpack.", "bounds": {"unpack": 0.5}}
    launch = {"operation": "", "microseconds": 5.5123456789, "processors": processors, "advice": advice}
    timed = brief_answer({"command": "time", "exit_status": 0, "launches": [launch] * 20, "error": None})
    assert timed["launches"][0] == {"microseconds": 5.51235, "advice": "Bound by unpack."}
    assert timed["launches"][-1] == "... and 12 more; brief=false has all"
    assert len(compact(timed)) < 1500


def test_mcp_without_sdk_names_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert main(["mcp"]) == 2
    assert 'pip install "tilewright[mcp]"' in capsys.readouterr().err
