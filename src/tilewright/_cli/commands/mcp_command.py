# SPDX-License-Identifier: Apache-2.0
"""``tilewright mcp``: commands as tools of the Model Context Protocol, for coding agents."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from typing import Any, Literal

from tilewright import __version__
from tilewright._cli.brief_answer import Answer, brief_answer, compact
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import error_object
from tilewright._errors import TilewrightError

_DESCRIPTION = """
Serve `run`, `check`, `time`, `show`, `explain`, `stages`, `build`, `debug` and `grade` as tools of the Model Context
Protocol on standard input and output, for a coding agent that starts this command. Each tool answers with one line of
JSON: the object that the command prints with --json, shortened unless brief=false. Paths are relative to the directory
in which the server was started. The extra [mcp] installs the protocol's Python SDK.
"""
_EXAMPLES = """
tilewright mcp
claude mcp add tilewright -- tilewright mcp
"""
_INSTRUCTIONS = """\
tilewright runs Tenstorrent (tt-metal / TTNN) operations without a card. The loop: `stages` on an operation's file \
stops at the first red stage and says why; `explain` has the cure for a rule or an error; change the file; again. \
Green: `check`, `run`, `time`. For a script of programs of its own: `check`, `time`. Every answer has `exit_status` \
(0 success, 1 it ran and something is wrong, 2 invalid arguments) and `error`: null, or type and message. Answers are \
short; brief=false has everything."""

_TIME_LIMIT = 300.0
_MOST_OUTPUT = 2000  # characters of what a command that broke off said last


class NoProtocolError(TilewrightError):
    """The SDK of the protocol is not installed."""

    exit_status = 2


def build_parser() -> argparse.ArgumentParser:
    return CommandParser("mcp", _DESCRIPTION, _EXAMPLES)


def run(arguments: list[str]) -> int:
    build_parser().parse_args(arguments)
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        raise NoProtocolError(
            "the Model Context Protocol's Python SDK, version 2 or newer, is not installed: "
            'pip install "tilewright[mcp]", or in a checkout pip install -e ".[mcp]"'
        ) from None
    server = MCPServer("tilewright", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    for tool in TOOLS:
        name = tool.__name__.removesuffix("_tool")
        server.tool(name=name, structured_output=False)(tool)
        _refuse_unknown_arguments(server, name)
    server.run()
    return 0


def _refuse_unknown_arguments(server: Any, name: str) -> None:
    """The SDK drops arguments that a tool does not have; an agent must learn that it misspelt one."""
    from pydantic import model_validator

    tool = server._tool_manager.get_tool(name)
    known = tool.fn_metadata.arg_model
    allowed = ", ".join(known.model_fields)

    def refuse(cls: type, values: Any) -> Any:
        unknown = [each for each in values if each not in known.model_fields] if isinstance(values, dict) else []
        if unknown:
            raise ValueError(f"{name} has no argument {unknown[0]!r}; allowed: {allowed}")
        return values

    before: Any = model_validator(mode="before")
    validator = before(classmethod(refuse))
    tool.fn_metadata.arg_model = type(known.__name__, (known,), {"refuse": validator, "__module__": __name__})
    tool.parameters["additionalProperties"] = False


async def run_tool(
    operation: str,
    shape: str | None = None,
    dtype: str | None = None,
    arch: str | None = None,
    grid: str | None = None,
    plan: str | None = None,
    time_limit: float = _TIME_LIMIT,
    brief: bool = True,
) -> str:
    """Run an operation on random numbers and compare it with float64.

    Args:
        operation: a name such as variance_w_rm, or a Python file that declares one.
        shape: of the input, such as 2x3x64x128.
        dtype: of the input, such as bfloat16 or float32.
        arch: wormhole_b0 (default) or blackhole.
        grid: cores to use, columns by rows, such as 8x8.
        plan: resident, partly_resident, streaming or blocked, whatever the budget of L1 says.
        time_limit: seconds.
    """
    return await _answer(
        brief, "run", [operation], time_limit, shape=shape, dtype=dtype, arch=arch, grid=grid, plan=plan
    )


async def check_tool(
    target: str,
    script_arguments: list[str] | None = None,
    shape: str | None = None,
    dtype: str | None = None,
    arch: str | None = None,
    seeds: int | None = None,
    sync: bool = False,
    footprint: bool = False,
    time_limit: float = _TIME_LIMIT,
    brief: bool = True,
) -> str:
    """Run a script or an operation under the checker: hangs, races, wrong credits, undefined values, and their cures.

    Args:
        target: a script (.py), an operation's name, or a Python file that declares one.
        script_arguments: command-line arguments of the script.
        shape, dtype, arch: of an operation.
        seeds: randomised schedules to run besides the usual one.
        sync: also which kernel pushes and pops each circular buffer.
        footprint: also the use of L1, with the smallest depths that still work.
    """
    return await _answer(
        brief,
        "check",
        [target],
        time_limit,
        script_arguments,
        shape=shape,
        dtype=dtype,
        arch=arch,
        seeds=seeds,
        sync=sync,
        footprint=footprint,
    )


async def time_tool(
    target: str,
    script_arguments: list[str] | None = None,
    shape: str | None = None,
    dtype: str | None = None,
    arch: str | None = None,
    grid: str | None = None,
    plan: str | None = None,
    time_limit: float = _TIME_LIMIT,
    brief: bool = True,
) -> str:
    """Say how long a card would take by the model, what bounds it, and what would help.

    Args:
        target: a script (.py), an operation's name, or a Python file that declares one.
        script_arguments: command-line arguments of the script.
        shape, dtype, arch, grid, plan: of an operation.
    """
    return await _answer(
        brief, "time", [target], time_limit, script_arguments, shape=shape, dtype=dtype, arch=arch, grid=grid, plan=plan
    )


async def show_tool(
    operation: str,
    part: Literal["overview", "spec", "kernels", "cpp", "program"] = "overview",
    shape: str | None = None,
    dtype: str | None = None,
    arch: str | None = None,
    grid: str | None = None,
    plan: str | None = None,
    time_limit: float = _TIME_LIMIT,
    brief: bool = True,
) -> str:
    """Show what an operation becomes, without running it: plan, phases, circular buffers, kernels, program.

    Args:
        operation: a name such as variance_w_rm, or a Python file that declares one.
        part: what to show besides plan and phases; its text is never shortened.
    """
    which: dict[str, Any] = {} if part == "overview" else {part: True}
    is_brief = brief and not which
    return await _answer(
        is_brief, "show", [operation], time_limit, shape=shape, dtype=dtype, arch=arch, grid=grid, plan=plan, **which
    )


async def explain_tool(words: str, time_limit: float = _TIME_LIMIT, brief: bool = True) -> str:
    """Explain from the docs a rule, an error, a phase, a function of the kernel API, or the words of a message.

    Args:
        words: such as cb-push-unreserved, DeadlockError or cb_wait_front.
    """
    return await _answer(brief, "explain", words.split(), time_limit)


async def stages_tool(
    operation: str, stage: int | None = None, every: bool = False, time_limit: float = _TIME_LIMIT, brief: bool = True
) -> str:
    """Run the stages of an operation, from an API that exists (1) to right numbers (7); stops at the first red one.

    Args:
        operation: a Python file that declares one, or the name of one of tilewright's.
        stage: this one only.
        every: go on after a red stage.
    """
    return await _answer(brief, "stages", [operation], time_limit, stage=stage, all=every)


async def build_tool(folders: list[str], time_limit: float = _TIME_LIMIT, brief: bool = True) -> str:
    """Compile C++ operations in the layout of the tt-metal tree, without tt-metal.

    Args:
        folders: one for each operation.
    """
    return await _answer(brief, "build", folders, time_limit)


async def debug_tool(
    target: str,
    places: list[str],
    script_arguments: list[str] | None = None,
    shape: str | None = None,
    stops: int = 3,
    step: bool = False,
    time_limit: float = _TIME_LIMIT,
    brief: bool = True,
) -> str:
    """Stop kernels and show circular buffers, DST, arguments and semaphores at each stop.

    Args:
        target: a script (.py), an operation's name, or a Python file that declares one.
        places: FILE:LINE, a kernel's name, or hang; with @X,Y on one core.
        stops: how many to show.
        step: step to the next call after each stop.
    """
    options = {f"break={place}": True for place in places}
    return await _answer(
        brief, "debug", [target], time_limit, script_arguments, shape=shape, stops=stops, step=step, **options
    )


async def grade_tool(candidates: list[str], task: str, time_limit: float = _TIME_LIMIT, brief: bool = True) -> str:
    """Grade untrusted kernels, programs and declarations against a task: outcome, score, message of each.

    Args:
        candidates: files and folders; of a single folder, everything in it.
        task: Python file with the task.
    """
    return await _answer(brief, "grade", candidates, time_limit, task=task)


TOOLS = (
    run_tool,
    check_tool,
    time_tool,
    show_tool,
    explain_tool,
    stages_tool,
    build_tool,
    debug_tool,
    grade_tool,
)


async def _answer(
    brief: bool,
    command: str,
    targets: list[str],
    time_limit: float,
    script_arguments: list[str] | None = None,
    **options: str | int | bool | None,
) -> str:
    """Output of a command, as one line."""
    answer = await _printed(command, targets, time_limit, script_arguments, **options)
    return compact(brief_answer(answer) if brief else answer)


async def _printed(
    command: str,
    targets: list[str],
    time_limit: float,
    script_arguments: list[str] | None = None,
    **options: str | int | bool | None,
) -> Answer:
    """Output of the command; it runs in a process of its own, so that no script can end or change the server."""
    words = [command, "--json"]
    for name, value in options.items():
        if value is True:
            words.append(f"--{name}")
        elif value is not None and value is not False:
            words += [f"--{name}={value}"]
    if not time_limit > 0:
        return _failure(command, 2, "UsageError", f"time_limit is {time_limit:g}: allowed is more than 0 s")
    if any(each.startswith("-") for each in targets):
        return _failure(command, 2, "UsageError", f"{' '.join(targets)!r} begins with a dash: it is no name or file")
    behind = ["--", *script_arguments] if script_arguments else []
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tilewright",
        *words,
        *targets,
        *behind,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), time_limit)
    except asyncio.TimeoutError:  # its own name before Python 3.11
        return _failure(command, 1, "TimeLimit", f"tilewright {command} did not end within {time_limit:g} s")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        answer: Answer = json.loads(output)
    except ValueError:
        ended = process.returncode or 0
        how = f"ended by {signal.Signals(-ended).name}" if ended < 0 else f"ended with status {ended}"
        last = errors.decode(errors="replace").strip()[-_MOST_OUTPUT:]
        return _failure(command, 1, "NoAnswer", f"tilewright {command} {how}, without an answer. {last}".strip())
    return answer


def _failure(command: str, exit_status: int, kind: str, message: str) -> Answer:
    return {"command": command, "exit_status": exit_status, "error": error_object(kind, message)}
