# SPDX-License-Identifier: Apache-2.0
"""Every command on a terminal of 80 columns: its help, what it usually prints, and what it says to mistakes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.ttnn_script import process_environment
from tilewright._cli.main import COMMANDS, FURTHER_COMMANDS, main
from tilewright._cli.screen import fitted, has_colour, wrapped
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._logs.rendering import render_log
from tilewright._workshop.home import Home, find_operation
from tilewright._workshop.operation_log import operation_log

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "operations" / "rms_norm_w_rm.py"
HELPS = [
    *([name] for name in COMMANDS),
    *([name, each] for name, further in FURTHER_COMMANDS.items() for each in further),
]
LOG = "written_log.md"


def _record(directory: Path) -> Home:
    """The example in a directory, as if its stage 7 had been run and thought about."""
    shutil.copy(EXAMPLE, directory / EXAMPLE.name)
    home = find_operation(str(directory / EXAMPLE.name))
    crumbs = Breadcrumbs(home.breadcrumbs)
    crumbs.append("start", operation=home.name, agent="tilewright stages", stages=[7], input_files=[EXAMPLE.name])
    crumbs.append("stage_start", stage=7, title="every number is right")
    crumbs.append("attempt", stage=7, action="run the tests", expected="every test passes")
    crumbs.append("result", stage=7, step="execution", status="PASS")
    for description in ("gamma is read twice", "the factor is 1"):
        crumbs.append("hypothesis", stage=7, description=description)
    crumbs.append("complete")
    return home


@pytest.fixture(scope="session")
def written_log(tmp_path_factory: pytest.TempPathFactory) -> str:
    return render_log(operation_log(_record(tmp_path_factory.mktemp("log"))))


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, written_log: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    _record(tmp_path)
    (tmp_path / LOG).write_text(written_log)
    (tmp_path / "script.py").write_text("import ttnn\n\nttnn.open_device(device_id=0)\n")


def too_wide(text: str) -> list[str]:
    """Lines a terminal would break; a word as long as a path, beside its label, cannot be helped."""
    return [line for line in text.splitlines() if len(line) > 80 and max(map(len, line.split())) <= 50]


def exit_status(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize("command", HELPS, ids=" ".join)
def test_help_has_description_arguments_and_example(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status([*command, "--help"]) == 0
    text = capsys.readouterr().out
    assert too_wide(text) == []
    usage, _, rest = text.partition("\n\n")
    assert usage.startswith(f"usage: tilewright {command[0]}")
    assert rest.split("\n")[0].strip(), "no description"
    name = " ".join(each for each in command if each != "my_op")
    assert "example" in text.rpartition("\n\n")[2]
    assert f"tilewright {command[0]} " in text.rpartition("example")[2] or name in ("doctor", "mcp")
    for line in rest.splitlines():
        assert not line.startswith("  --") or len(line.split()) > 1, f"no word about {line}"


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "layernorm_fused_rm"],
        ["run", "variance_w_rm", "--shape", "2x3x40x100", "--dtype", "float32"],
        *(["show", each] for each in ("centralize_w_rm", "variance_w_rm", "standardize_w_rm", "layernorm_fused_rm")),
        *([each, "rms_norm_w_rm.py"] for each in ("run", "show", "check")),
        ["show", "layernorm_fused_rm", "--spec"],
        ["export", "rms_norm_w_rm.py", "--output", "package"],
        ["show", "layernorm_fused_rm", "--program"],
        ["show", "layernorm_fused_rm", "--plan", "streaming", "--dtype", "float32"],
        ["check", "layernorm_fused_rm", "--sync", "--footprint", "--seeds", "0"],
        ["cache"],
        ["doctor"],
        ["log", "audit", LOG],
        ["log", "audit", "--rules"],
        ["check", "--rules"],
        ["explain", "noc-push-in-flight"],
        ["explain", "DeadlockError"],
        ["new", "a_name_rm"],
        ["phases", "layernorm_fused_rm"],
        ["stages", "rms_norm_w_rm.py", "--stage", "1"],
        ["log", "note", "rms_norm_w_rm.py", "gamma is read once"],
        ["log", "rms_norm_w_rm.py", "--output", "log.md"],
        ["export", "variance_w_rm", "--output", "package"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_usual_output_fits_80_columns(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.strip()
    assert too_wide(printed.out + printed.err) == []
    assert "\033" not in printed.out + printed.err  # neither is a terminal


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "centralize_w_rm", "--shape", "32x32"],
        ["show", "centralize_w_rm", "--cpp", "--program"],
        ["export", "centralize_w_rm", "--output", "package"],
        ["log", "note", "rms_norm_w_rm.py", "nothing"],
        ["log", "rms_norm_w_rm.py"],
        ["log", "audit", LOG],
        ["cache"],
        ["doctor"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_machine_reads_json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    given = arguments if "--json" in arguments else [*arguments, "--json"]
    assert exit_status(given) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["exit_status"], said["error"]) == (0, None)


@pytest.mark.parametrize(
    ("arguments", "named", "allowed"),
    [
        (["run", "script.py"], "script.py is a script", "tilewright exec script.py"),
        (["exec", "rms_norm_w_rm.py"], "is an operation, no script", "tilewright run rms_norm_w_rm.py"),
        (["exec", "variance_w_rm"], "is an operation, no script", "tilewright run variance_w_rm"),
        (["run", "layernorm"], "layernorm is neither", "layernorm_fused_rm"),
        (["check", "."], "'.' is neither", "variance_w_rm"),
        (["run", "variance_w_rm", "--shape", "0x4"], "'0x4'", "two or more sides"),
        (["run", "variance_w_rm", "--grid", "99x99"], "--grid 99x99", "1x1 to 8x"),
        (["run", "variance_w_rm", "--threads", "0"], "--threads is 0", "at least 1"),
        (["run", "variance_w_rm", "--dtype", "float16"], "'float16'", "bfloat16"),
        (["run", "variance_w_rm", "--input", "absent.npy"], "--input absent.npy", "No such file"),
        (["run", "standardize_w_rm", "--set", "epsilon=-1"], "-1", "positive"),
        (["show", "variance_w_rm", "--plan", "some"], "'some'", "resident"),
        (["check", "nothing"], "'nothing'", "variance_w_rm"),
        (["check", "variance_w_rm", "--seeds", "-1"], "--seeds is -1", "0 or more"),
        (["exec", "absent.py"], "'absent.py'", "does not exist"),
        (["export", "variance_w_rm", "--output", "."], "not empty", "--replace"),
        (["log", "audit"], "LOG", "at least one"),
        (["log", "audit", "absent.md"], "absent.md", "No such file"),
        (["log", "audit", LOG, "--spec", "absent.md"], "absent.md", ""),
        (["new", "Bad-Name"], "'Bad-Name'", "letters, digits and _"),
        (["new", "rms_norm_w_rm"], "rms_norm_w_rm.py exists", "another operation"),
        (["stages", "nothing"], "nothing", "variance_w_rm"),
        (["stages", "rms_norm_w_rm.py", "--stage", "8"], "--stage is 8", "1 to 7"),
        (["stages", "rms_norm_w_rm.py", "--time-limit", "nan"], "'nan'", "positive number of seconds"),
        (["stages", "rms_norm_w_rm.py", "--json", "--watch"], "--json and --watch", "one of them"),
        (["phases", "nothing"], "nothing", "variance_w_rm"),
        (["phases", "rms_norm_w_rm.py", "--upto", "99"], "--upto is '99'", "3 mean_square"),
        (["phases", "rms_norm_w_rm.py", "--case", "none"], "--case is 'none'", "one tile"),
        (["phases", "rms_norm_w_rm.py", "--time-limit", "0"], "'0'", "positive number of seconds"),
        (["log", "note", "rms_norm_w_rm.py", " "], "TEXT", "say something"),
        (["log", "note", "rms_norm_w_rm.py", "x", "--stage", "9"], "--stage is 9", "1 to 7"),
        (["log", "note", "rms_norm_w_rm.py", "x", "--recovery", "H9"], "'H9'", "H1"),
        (["log", "note", "rms_norm_w_rm.py", "x", "--hypothesis", "H9"], "--hypothesis is 'H9'", "H3 is next"),
        (["log", "note", "rms_norm_w_rm.py", "x", "--confidence", "HIGH"], "--confidence", "--hypothesis"),
        (["log", "note", "rms_norm_w_rm.py", "x", "--why", "y"], "--why", "--deviation"),
        (["log", "nothing"], "nothing", "variance_w_rm"),
        (["log", "rms_norm_w_rm.py", "--output", "absent/log.md"], "--output absent/log.md", "no directory absent"),
        (["time", "absent.py"], "'absent.py' does not exist", ""),
        (["time", "nothing"], "'nothing' is neither a script", "variance_w_rm"),
        (["time", "variance_w_rm", "--grid", "9x9"], "--grid 9x9", "1x1 to 8x8"),
        (["tune", "variance_w_rm", "--error", "0"], "--error is 0", "positive"),
        (["tune", "variance_w_rm", "--plan", "resident"], "--plan", "leave it out"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistake_is_named_with_the_allowed_values(
    arguments: list[str], named: str, allowed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_status(arguments) == 2
    said = capsys.readouterr().err
    assert named in said
    assert allowed in said
    assert "Traceback" not in said


# A call of every command that cannot end well, and what is wrong with it.
FAILING = [
    (["build", "nothing"], 1, "CppOperationError"),
    (["cache", "--limit", "much"], 2, "UsageError"),
    (["check", "nothing"], 2, "UsageError"),
    (["check", "hello.py", "--ttnn", "built-in"], 2, "NothingLaunchedError"),
    (["check", "fails.py"], 1, "ZeroDivisionError"),
    (["completion", "tcsh"], 2, "UsageError"),
    (["debug", "hello.py"], 2, "NothingLaunchedError"),
    (["doctor", "--nothing"], 2, "UsageError"),
    (["env", "--nothing"], 2, "UsageError"),
    (["exec", "--json", "fails.py"], 1, "ZeroDivisionError"),
    (["exec", "--json", "ends.py"], 3, "ScriptFailed"),
    (["exec", "--json", "absent.py"], 2, "UsageError"),
    (["explain", "zxqj"], 2, "UsageError"),
    (["export", "variance_w_rm", "--output", "."], 2, "ExportError"),
    (["grade", "absent", "--task", "absent.py"], 2, "UsageError"),
    (["log", "nothing"], 2, "NoOperationError"),
    (["log", "audit", "absent.md"], 2, "UsageError"),
    (["log", "note", "rms_norm_w_rm.py", " "], 2, "UsageError"),
    (["mcp", "--nothing"], 2, "UsageError"),
    (["new", "Bad-Name"], 2, "UsageError"),
    (["ops", "--nothing"], 2, "UsageError"),
    (["phases", "rms_norm_w_rm.py", "--upto", "99"], 2, "NoSuchPhaseError"),
    (["report", "hello.py"], 2, "NothingLaunchedError"),
    (["report", "fails.py"], 1, "ScriptFailed"),
    (["run", "layernorm"], 2, "UsageError"),
    (["run", "standardize_w_rm", "--set", "epsilon=-1"], 2, "OperationError"),
    (["show", "variance_w_rm", "--shape", "0x4"], 2, "UsageError"),
    (["stages", "nothing"], 2, "NoOperationError"),
    (["sweep", "absent.json"], 2, "SweepError"),
    (["time", "hello.py"], 2, "NothingLaunchedError"),
    (["time", "ends.py"], 3, "ScriptFailed"),
    (["tune", "variance_w_rm", "--error", "0"], 2, "UsageError"),
]


def named(arguments: list[str]) -> str:
    """The command of some arguments."""
    further = FURTHER_COMMANDS.get(arguments[0], ())
    return " ".join(arguments[:2] if arguments[1:2] and arguments[1] in further else arguments[:1])


def test_every_command_fails_somewhere_below() -> None:
    further = {f"{command} {each}" for command, several in FURTHER_COMMANDS.items() for each in several}
    assert {named(arguments) for arguments, *_ in FAILING} == {*COMMANDS, *further}


@pytest.mark.parametrize(
    ("arguments", "status", "kind"), FAILING, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_failure_is_an_object_in_json(
    arguments: list[str], status: int, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("hello.py").write_text("print('hello')\n")
    Path("fails.py").write_text("print('hello')\n1 / 0\n")
    Path("ends.py").write_text("import sys\nprint('hello')\nsys.exit(3)\n")
    assert exit_status(arguments if "--json" in arguments else [*arguments, "--json"]) == status
    said = json.loads(capsys.readouterr().out)
    assert (said["command"], said["exit_status"], said["error"]["type"]) == (named(arguments), status, kind)
    assert said["error"]["message"]


def test_exported_own_operation_keeps_its_declaration(capsys: pytest.CaptureFixture[str]) -> None:
    """Its own tensors and numbers, and its own formula in torch."""
    assert exit_status(["export", "rms_norm_w_rm.py", "--output", "package"]) == 0
    capsys.readouterr()
    package = Path("package")
    op = (package / "rms_norm_w_rm" / "op.py").read_text()
    assert "def rms_norm_w_rm(x, gamma, epsilon=1e-06, *, memory_config=None, core_grid=None)" in op
    test = (package / "test_rms_norm_w_rm.py").read_text()
    compile(test, "test_rms_norm_w_rm.py", "exec")
    assert "def reference(x, gamma, epsilon=1e-06)" in test
    assert "beta" not in test


def test_import_error_of_an_operation_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rms_norm_w_rm.py").write_text("import nothing_of_that_name\n\noperation\n")
    assert exit_status(["run", "rms_norm_w_rm.py"]) == 2
    assert "rms_norm_w_rm.py cannot be imported: ModuleNotFoundError" in capsys.readouterr().err


def terminal_output(arguments: list[str], cwd: Path, **environment: str) -> str:
    """Output of a command on a real terminal of 80 columns."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(cwd)
        settings = process_environment(None, COLUMNS="80", TERM="xterm", **environment)
        os.execve(sys.executable, [sys.executable, "-m", "tilewright", *arguments], settings)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal ends whose process is gone
        while block := os.read(terminal, 4096):
            shown += block
    os.close(terminal)
    os.waitpid(process, 0)
    return shown.decode().replace("\r\n", "\n")


def as_seen(shown: str) -> str:
    """Without colours and without what was written over."""
    lines = (re.split(r"\r(?:\033\[K)?", line)[-1] for line in shown.split("\n"))
    return re.sub(r"\033\[[\d;]*[mK]", "", "\n".join(lines))


def test_a_terminal_gets_colours_and_lines_that_fit(tmp_path: Path) -> None:
    shown = terminal_output(["stages", "rms_norm_w_rm.py", "--stage", "1"], tmp_path)
    assert "\033[32mPASS\033[0m" in shown
    assert too_wide(as_seen(shown)) == []
    assert "1 of 1 stages pass" in shown


def test_a_terminal_without_colours_gets_none(tmp_path: Path) -> None:
    shown = terminal_output(["stages", "rms_norm_w_rm.py", "--stage", "1"], tmp_path, NO_COLOR="1")
    assert "PASS     PASS" in shown
    assert "\033[3" not in shown


def test_a_terminal_gets_a_long_message_in_lines(tmp_path: Path) -> None:
    for arguments in (["stages", "nothing"], ["check", "nothing"]):
        shown = as_seen(terminal_output(arguments, tmp_path))
        assert "layernorm_fused_rm" in shown
        assert too_wide(shown) == []


def test_lines_are_broken_between_words_only() -> None:
    assert wrapped("  one two", 6) == ["  one", "    two"]
    assert wrapped("x" * 90) == ["x" * 90]
    assert fitted("word " * 30, io.StringIO()) == "word " * 30
    assert not has_colour(io.StringIO())
