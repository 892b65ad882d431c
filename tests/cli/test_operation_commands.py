# SPDX-License-Identifier: Apache-2.0
"""``tilewright run`` and ``tilewright show``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.ttnn_script import Run
from tilewright._cli.main import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "operations" / "rms_norm_w_rm.py"
OPERATIONS = ["centralize_w_rm", "variance_w_rm", "standardize_w_rm", "layernorm_fused_rm"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_run_shows_plan_buffers_and_errors(python: Run, operation: str) -> None:
    result = python("-m", "tilewright", "run", operation, "--shape", "2x3x64x128", "--grid", "8x8")
    assert result.returncode == 0, result.stderr
    for words in ("resident", "12 tile-rows on 12 cores", "c_0 ", "in_rm", "= Wt", "of 1393312 bytes", "PCC", "ms"):
        assert words in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 120


def test_run_takes_and_gives_files(python: Run, tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((5, 40)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    for name in ("g", "b"):
        np.save(tmp_path / f"{name}.npy", np.full(40, 2, np.float32))
    files = [
        "--input",
        "x.npy",
        "--input",
        "gamma=g.npy",
        "--input",
        "beta=b.npy",
        "--output",
        "y.npy",
        "--set",
        "epsilon=0.5",
    ]
    result = python("-m", "tilewright", "run", "layernorm_fused_rm", *files, "--arch", "blackhole", "--grid", "2x1")
    assert result.returncode == 0, result.stderr
    assert "[5, 40] -> [5, 40], float32" in result.stdout
    y = np.load(tmp_path / "y.npy")
    exact = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 0.5) * 2 + 2
    np.testing.assert_allclose(y, exact, rtol=2.0**-7, atol=2.0**-7)
    assert sorted(path.name for path in tmp_path.glob("y*")) == ["y.npy"]


def test_run_takes_tensors_and_numbers_of_a_users_operation(python: Run, tmp_path: Path) -> None:
    text = EXAMPLE.read_text().replace("gamma", "weight").replace("1e-6", "0.25")
    (tmp_path / "weighted.py").write_text(text)
    assert python("-m", "tilewright", "run", "weighted.py", "--shape", "3x40").returncode == 0
    x, weight = np.ones((3, 40), np.float32), np.full(40, 2, np.float32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "w.npy", weight)
    files = ["--input", "x.npy", "--input", "weight=w.npy", "--output", "y.npy"]
    result = python("-m", "tilewright", "run", "weighted.py", *files)
    assert result.returncode == 0, result.stderr
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), x * weight / np.sqrt(1.25), rtol=2.0**-7)


def test_run_says_that_a_result_without_a_bound_is_not_judged(python: Run, tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((3, 40)).astype(np.float32)
    x[:2] *= 1e25
    np.save(tmp_path / "all.npy", x[:2])
    np.save(tmp_path / "some.npy", x)
    result = python("-m", "tilewright", "run", "variance_w_rm", "--input", "all.npy", "--brief")
    assert result.returncode == 1
    assert "NOT JUDGED" in result.stdout
    assert "not judged: no element has a finite error bound" in result.stderr
    result = python("-m", "tilewright", "run", "variance_w_rm", "--input", "some.npy")
    assert result.returncode == 0, result.stderr
    assert "2 of 3 elements have no finite bound" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["centralise"], "centralise is neither a file with a declaration"),
        (
            ["centralize_w_rm", "--shape", "64"],
            "'64' is no shape: write two or more sides of 1 or more, such as 2x3x64x128",
        ),
        (["centralize_w_rm", "--shape", "0x64"], "'0x64' is no shape"),
        (["centralize_w_rm", "--grid", "9x8"], "--grid 9x8 does not fit wormhole_b0; allowed: 1x1 to 8x8"),
        (["centralize_w_rm", "--input", "gamma=g.npy"], "centralize_w_rm takes no gamma; it takes x"),
        (["centralize_w_rm", "--set", "epsilon=1"], "--set epsilon: centralize_w_rm has no such number"),
        (["standardize_w_rm", "--set", "epsilon=small"], "'epsilon=small' is no number"),
        (["layernorm_fused_rm", "--input", "weight=w.npy"], "layernorm_fused_rm takes no weight; it takes x, gamma"),
        (["layernorm_fused_rm", "--input", "gamma="], "'gamma=' names no file: write X.npy"),
        (["layernorm_fused_rm", "--input", "gamma=g.npy", "--input", "gamma=h.npy"], "gamma is given twice"),
        (["centralize_w_rm", "--input", "none.npy"], "--input none.npy: No such file or directory"),
        (
            ["centralize_w_rm", "--input", "text.npy"],
            "--input text.npy: no array of numbers, as numpy.save writes them",
        ),
        (["centralize_w_rm", "--input", "x.npy", "--shape", "2x2"], "--shape and --input"),
        (["standardize_w_rm", "--set", "epsilon=0"], "Epsilon must be positive, got 0.0"),
        (["layernorm_fused_rm", "--shape", "32x262144", "--plan", "resident"], "does not fit L1"),
        (["centralize_w_rm", "--output", "none/y.npy"], "--output none/y.npy: there is no directory none"),
        (["centralize_w_rm", "--output", "."], "--output .: this is a directory; name a file"),
        (["centralize_w_rm", "--output", "/proc/y.npy"], "--output /proc/y.npy: nothing can be written to /proc"),
        (["centralize_w_rm", "--shape", "9999999x9999999"], "not enough memory: "),
        (["centralize_w_rm", "--seed", "-1"], "--seed is -1; it must be 0 or more"),
    ],
)
def test_run_refuses(python: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "text.npy").write_text("no array")
    result = python("-m", "tilewright", "run", *arguments)
    assert result.returncode in (1, 2)
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_show_needs_no_compiler(python: Run, tmp_path: Path) -> None:
    environment = {"PATH": "/nonexistent", "TILEWRIGHT_CXX": ""}
    for option in ("--cbs", "--spec", "--kernels", "--cpp", "--program"):
        result = python("-m", "tilewright", "show", "variance_w_rm", option, cache=tmp_path / "nothing", **environment)
        assert result.returncode == 0, result.stderr
        assert result.stdout


def test_show_why_names_the_program_that_each_plan_is_of(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = EXAMPLE.with_name("blocks_rm.py")
    assert main(["show", f"{blocks}:both_ways_rm", "--shape", "64x96", "--why"]) == 0
    shown = capsys.readouterr().out
    for each in ("both_ways_rm_mean", "both_ways_rm_output"):
        assert f"\n{each}:\n" in shown


def test_show_cbs(python: Run) -> None:
    text = python("-m", "tilewright", "show", "centralize_w_rm", "--shape", "64x96").stdout
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "c_1 in_tiled 3 = Wt 2048 6144 Float16_b" in lines
    assert "c_1 in_tiled x as tiles, kept for the passes that read it" in lines
    assert "shape [64, 96] -> [64, 96], bfloat16" in lines
    assert "reduce_row_mean in_tiled*, scaler* -> mean" in lines
    assert "plan resident (a tile-row stays in L1)" in lines


def test_show_a_streaming_plan(python: Run) -> None:
    text = python("-m", "tilewright", "show", "layernorm_fused_rm", "--shape", "32x262144").stdout
    assert "streaming (128 blocks of 64 tiles, each read once per pass)" in text
    assert "accumulate_row_mean" in text


def test_show_cpp(python: Run) -> None:
    text = python("-m", "tilewright", "show", "standardize_w_rm", "--cpp").stdout
    assert text.count("void kernel_main() {") == 3
    assert "tilewright" not in text
    assert "#line" not in text


def test_show_program(python: Run) -> None:
    text = python("-m", "tilewright", "show", "layernorm_fused_rm", "--program", "--grid", "1x1").stdout
    assert text.startswith("ProgramDescriptor(")
    assert text.count("CBDescriptor(") == 13
