# SPDX-License-Identifier: Apache-2.0
"""Packages made from specs: what stands in them, that their stages pass, and that nothing is half written."""

from __future__ import annotations

import ast
import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.workshop.scaffold import ScaffoldError, create_operation, derived_spec
from tilewright.workshop.scaffold.package import template_spec
from tilewright.workshop.spec import Spec, SpecRefusedError, check_spec, parse_spec, read_spec, spec_text
from tilewright.workshop.spec.entry_rules import RESERVED

EXAMPLE = Path(__file__).parents[2] / "examples" / "rms_norm_w_rm" / "spec.toml"
OPERATIONS = Path(__file__).parents[2] / "src" / "tilewright" / "ops"
NAMES = sorted(path.parent.name for path in OPERATIONS.glob("*/spec.toml"))


def staged(what: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the tests of packages as their owner would, in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, str(what)]
    paths = os.pathsep.join(each for each in sys.path if each)
    return subprocess.run(
        command, cwd=what.parent, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}, check=False
    )


def chain(name: str, length: int) -> Spec:
    """A spec with so many squares one after the other, and the input, which is kept, added to the last."""
    base = template_spec(name)
    tilize, _, untilize = base.phases
    in_rm, in_tiled, _, out_rm = base.buffers
    buffers, phases, last = [in_rm, in_tiled, out_rm], [tilize], "in_tiled"
    for number in range(length):
        step = f"step_{number}"
        call = f"square({last}, {step}, B, keep=True)" if number == 0 else f"square({last}, {step}, B)"
        if number == length - 1:
            call = f"add({last}, in_tiled, {step}, B)" if number else "square(in_tiled, step_0, B)"
        buffers.append(dataclasses.replace(in_tiled, index=2 + number, name=step))
        phases.append(dataclasses.replace(tilize, name=f"run_{number}", call=call))
        last = step
    if length > 1:
        buffers[1] = dataclasses.replace(in_tiled, lifetime=f"kept until run_{length - 1}")
    phases.append(dataclasses.replace(untilize, call=f"untilize({last}, out_rm, B)", reference="x"))
    spec = dataclasses.replace(base, buffers=tuple(buffers), phases=tuple(phases))
    return parse_spec(spec_text(spec))


def test_no_vector_may_have_a_name_that_the_kernels_or_the_call_need(tmp_path: Path) -> None:
    spec = read_spec(EXAMPLE)
    made = create_operation(spec, tmp_path, stubs=True).directory
    trees = [ast.parse((made / file).read_text()) for file in ("op.py", "kernels.py", "references.py")]
    functions = [each for tree in trees for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    inside = [each for function in functions for each in ast.walk(function)]
    needed = {each.arg for each in inside if isinstance(each, ast.arg)}
    needed |= {each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    needed |= {each.func.id for each in inside if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}
    own = {"gamma", "_", *(each.name for each in spec.phases), "Options"}
    assert {"read_sticks", "memory_config", "rows"} <= needed
    assert needed - own - RESERVED == set()


@pytest.mark.parametrize("name", ["x", "device", "first_stick", "rows", "double", "rms_norm_w_rm"])
def test_a_vector_with_a_name_that_is_taken_is_refused(name: str) -> None:
    text = EXAMPLE.read_text().replace("gamma", name)
    assert "unique-names" in {each.rule for each in check_spec(parse_spec(text))}


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package like each operation, one from the template, and chains of phases, all of stubs."""
    directory = tmp_path_factory.mktemp("stubs")
    for name in NAMES:
        create_operation(derived_spec(f"my_{name}", name)[0], directory)
    create_operation(template_spec("squares"), directory)
    for length in (1, 2, 12):
        create_operation(chain(f"chain_{length}", length), directory)
    return directory


def test_stages_1_to_6_pass_with_stubs(stubs: Path) -> None:
    result = staged(stubs, "--ignore-glob=*stage7*")
    assert result.returncode == 0, result.stdout
    assert "failed" not in result.stdout


def test_stage_7_is_red_with_stubs(stubs: Path) -> None:
    result = staged(stubs / "squares" / "tests" / "test_stage7_numerics.py")
    assert result.returncode == 1, result.stdout
    assert "of the tolerance used" in result.stdout


def test_data_passes_through_stubs(stubs: Path) -> None:
    script = """
import numpy as np
from tilewright import ttnn
from my_centralize_w_rm.op import my_centralize_w_rm
from chain_12.op import chain_12
device = ttnn.open_device(device_id=0, grid=(1, 1))
x = np.random.default_rng(0).standard_normal((3, 40, 100)).astype(np.float32)
x = x.view(np.uint32) & 0xFFFF0000
x = x.view(np.float32)
for operation in (my_centralize_w_rm, chain_12):
    np.testing.assert_array_equal(operation(x, device=device, dtype=ttnn.bfloat16), x)
ttnn.close_device(device)
"""
    paths = os.pathsep.join([str(stubs), *(each for each in sys.path if each)])
    subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": paths}, check=True)


def test_all_stages_pass_with_phases(tmp_path: Path) -> None:
    for name in ("centralize_w_rm", "variance_w_rm", "standardize_w_rm"):
        create_operation(derived_spec(f"my_{name}", name)[0], tmp_path, stubs=False)
    create_operation(template_spec("squares"), tmp_path, stubs=False)
    result = staged(tmp_path)
    assert result.returncode == 0, result.stdout


def test_a_kernel_that_computes_something_else_is_red(tmp_path: Path) -> None:
    created = create_operation(template_spec("squares"), tmp_path, stubs=False)
    kernels = created.directory / "kernels.py"
    kernels.write_text(kernels.read_text().replace("phases.square", "phases.copy"))
    result = staged(tmp_path)
    assert "3 failed" in result.stdout
    assert "test_stage7_numerics" in result.stdout
    assert "test_stage6" not in result.stdout.partition("short test summary")[2]


def test_the_files(tmp_path: Path) -> None:
    created = create_operation(template_spec("squares"), tmp_path)
    written = sorted(path for path in (tmp_path / "squares").rglob("*") if path.is_file())
    assert written == sorted(created.files)
    assert [path.name for path in tmp_path.iterdir()] == ["squares"]
    stages = sorted(path.name for path in written if path.name.startswith("test_stage"))
    assert [name[: len("test_stage1")] for name in stages] == [f"test_stage{number}" for number in range(1, 8)]
    assert read_spec(created.directory) == template_spec("squares")
    assert "# Circular buffers." in (created.directory / "spec.toml").read_text()


def test_what_is_derived_says_what_it_kept() -> None:
    spec, kept = derived_spec("mine", "standardize_w_rm")
    assert (spec.name, spec.like) == ("mine", "standardize_w_rm")
    assert check_spec(spec) == []
    assert "parameter epsilon = 1e-05, > 0" in kept
    assert any(line.startswith("phases: tilize_row, mean, centre") for line in kept)
    with pytest.raises(ScaffoldError, match="operations are centralize_w_rm, layernorm_fused_rm"):
        derived_spec("mine", "banana")


def test_a_spec_with_phases_to_be_written(tmp_path: Path) -> None:
    created = create_operation(derived_spec("mine", "layernorm_fused_rm")[0], tmp_path)
    assert any("normalize, spread_columns, sum_squared_differences" in note for note in created.notes)
    assert any("passes is left out" in note for note in created.notes)
    assert any("Left out with it: test wide row" in note for note in created.notes)
    assert read_spec(created.directory).work.passes == 0
    assert "wide row" not in [each.name for each in read_spec(created.directory).tests]


@pytest.mark.parametrize("name", ["Variance", "2x", "a-b", "class", "", "math", "ttnn"])
def test_names_that_cannot_be(name: str, tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError):
        create_operation(dataclasses.replace(template_spec("squares"), name=name), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_directory_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "squares").mkdir()
    (tmp_path / "squares" / "mine.txt").write_text("mine")
    with pytest.raises(ScaffoldError, match="exists; nothing was written"):
        create_operation(template_spec("squares"), tmp_path)
    assert [path.name for path in (tmp_path / "squares").iterdir()] == ["mine.txt"]


def test_a_spec_without_sense_writes_nothing(tmp_path: Path) -> None:
    bad = dataclasses.replace(template_spec("squares").work, count="Ht")
    with pytest.raises(SpecRefusedError, match="work-count"):
        create_operation(dataclasses.replace(template_spec("squares"), work=bad), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_text
    count = 0

    def write_text(self: Path, *arguments: object, **named: object) -> int:
        nonlocal count
        count += 1
        if count == 6:
            raise OSError(28, "No space left on device")
        return real(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", write_text)
    with pytest.raises(ScaffoldError, match="No space left"):
        create_operation(template_spec("squares"), tmp_path)
    assert list(tmp_path.iterdir()) == []
