# SPDX-License-Identifier: Apache-2.0
"""Fast dispatch: the host posts commands to queues, and the card executes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.card.card_process import OnCard
from tests.card.test_sample import ON_WORMHOLE, SAMPLE
from tilewright._card.package import CardError
from tilewright._card.products import SLOW_DISPATCH, choose_card
from tilewright._cli.main import main

SCRIPT = Path(__file__).with_name("fast_dispatch.py")


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_traces_queues_sub_devices_and_errors(on_card: OnCard, real_ttnn_with_torch: str, arch: str) -> None:
    result = on_card("--dispatch", "fast", "--arch", arch, str(SCRIPT), python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stdout + result.stderr
    for part in ("traces", "long traces", "large transfers", "sub-devices", "after an error"):
        assert f"{part}: right\n" in result.stdout
    assert "programs at other places: known\n" in result.stdout
    assert "ttnn.generic_op: DeadlockError: deadlock on cores (0,0)-(1,1)\n" in result.stdout
    assert "c_0 has no producer" in result.stdout


# Dispatch kernels on ethernet cores, on a row of worker cores, on a column of them.
@pytest.mark.parametrize(("system", "shape"), [("n300", "1x2"), ("2x2", "2x2"), ("p150x2", "1x2")])
def test_queues_of_several_chips(on_card: OnCard, real_ttnn_with_torch: str, system: str, shape: str) -> None:
    script = str(SCRIPT.with_name("mesh_fast_dispatch.py"))
    result = on_card("--dispatch", "fast", "--system", system, script, shape, python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stdout + result.stderr
    for part in ("traces", "sub-devices", "after an error", "sockets"):
        assert f"{part}: right\n" in result.stdout
    assert "ttnn.generic_op: DeadlockError: deadlock on cores (0,0) of chip 0" in result.stdout
    assert result.stdout.endswith("closed\n")


def test_wrong_traces_are_named(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    result = on_card("--dispatch", "fast", str(SCRIPT.with_name("wrong_traces.py")), python=real_ttnn_with_torch)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    freed = next(line for line in lines if line.startswith("freed: "))
    assert "needs the tensor of shape (32, 32) at 0x" in freed
    assert "which ttnn.add reads, but it has been freed since the capture" in freed
    assert "Warm up before capturing a trace" in result.stdout
    assert "still usable: 2.71875" in lines
    assert "deadlock: ttnn.execute_trace, ttnn.generic_op of the trace: DeadlockError: deadlock on core (0,0)" in lines
    assert "behind the deadlock: 5.4375" in lines  # the launches posted with it ran
    assert "closed after a deadlock in a trace" in lines


def test_dispatch_cores_in_a_column_need_their_grid(on_card: OnCard, real_ttnn_with_torch: str) -> None:
    script = str(SCRIPT.with_name("dispatch_column.py"))
    result = on_card("--grid", "7x9", script, python=real_ttnn_with_torch)
    assert "7x9: right\n" in result.stdout, result.stderr
    refused = on_card(script, python=real_ttnn_with_torch)
    assert refused.returncode == 1
    assert "axis COL leaves 7x9 cores of an n150 to programs, and the simulated card has 8x8" in refused.stderr


def test_sampled_operations_are_those_of_slow_dispatch(on_card: OnCard) -> None:
    slow, fast = (_results(on_card, dispatch) for dispatch in ("slow", "fast"))
    assert fast == slow
    assert set(fast["results"]) >= set(ON_WORMHOLE)


def _results(on_card: OnCard, dispatch: str) -> Any:
    result = on_card("--dispatch", dispatch, str(SAMPLE))
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    del found["spent"]  # times and bytes differ
    return found


def test_default_is_fast_unless_the_environment_sets_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SLOW_DISPATCH, raising=False)
    assert (choose_card().dispatch, choose_card(system="1x2").dispatch) == ("fast", "fast")
    monkeypatch.setenv(SLOW_DISPATCH, "1")
    assert (choose_card().dispatch, choose_card(dispatch="fast").dispatch) == ("slow", "fast")


def test_unknown_dispatch_is_refused() -> None:
    with pytest.raises(CardError, match="--dispatch quick is unknown; allowed: slow, fast"):
        choose_card(dispatch="quick")


@pytest.mark.parametrize("command", ["check", "time", "report", "debug"])
def test_operation_refuses_dispatch(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--break", "reader"] if command == "debug" else []
    with pytest.raises(SystemExit) as ended:
        main([command, "variance_w_rm", "--dispatch", "fast", *arguments])
    assert ended.value.code == 2
    assert "--dispatch is for the real ttnn; an operation has no command queues" in " ".join(
        capsys.readouterr().err.split()
    )
