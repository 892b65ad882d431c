# SPDX-License-Identifier: Apache-2.0
"""C++ operations with the real ttnn, recorded and linked: values of the declarations bit for bit, errors by name."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tilewright
from tests.cpp_operations import real_examples, real_hostile
from tests.cpp_operations.test_shift_pages import FOLDER, STALE
from tilewright import ops, ttnn
from tilewright._card.package import TtMetal
from tilewright._cpp_ops import linked
from tilewright._cpp_ops.build import build_linked
from tilewright._cpp_ops.errors import CppOperationError


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An operation that leaves a number of its first call in the cached program."""
    folder = tmp_path_factory.mktemp("forgetful") / "shift_pages"
    shutil.copytree(FOLDER, folder)
    file, old, new, _ = STALE["forgotten scalar"]
    (folder / file).write_text((folder / file).read_text().replace(old, new))
    return folder


@pytest.fixture(scope="module")
def nanobind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for PYTHONPATH that has nanobind alone: headers and sources, for any Python."""
    found = importlib.util.find_spec("nanobind")
    if found is None or found.origin is None:
        pytest.skip("nanobind is not installed")
    place = tmp_path_factory.mktemp("packages")
    (place / "nanobind").symlink_to(Path(found.origin).parent)
    return place


def with_real_ttnn(real_ttnn: str, packages: Path, *arguments: str) -> str:
    """Output of a module that runs with the real ttnn."""
    root = Path(tilewright.__file__).parents[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TT_")}
    places = os.pathsep.join(map(str, (root, packages)))
    result = subprocess.run(
        [real_ttnn, "-m", *arguments],
        capture_output=True,
        text=True,
        env={**kept, "PYTHONPATH": places, "LOGURU_LEVEL": "ERROR"},
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_values_are_those_of_the_declarations_and_errors_are_named(
    real_ttnn: str, nanobind: Path, arch: str, forgetful: Path, tmp_path: Path
) -> None:
    script = [real_examples.__file__, str(tmp_path / "results.npz"), str(forgetful)]
    with_real_ttnn(real_ttnn, nanobind, "tilewright", "exec", "--quiet", "--arch", arch, *script)
    found = np.load(tmp_path / "results.npz")
    with ttnn.manage_device(device_id=0, arch=arch) as device:
        for folder in sorted(real_examples.EXAMPLES.glob("*_rm")):
            for seed, shape in enumerate(real_examples.SHAPES):
                for dtype in real_examples.DTYPES:
                    args, kwargs = real_examples.inputs_of(folder.name)(shape, dtype, seed)
                    tensors = [ttnn.from_numpy(each, dtype=getattr(ttnn, dtype), device=device) for each in args]
                    wanted = ttnn.to_numpy(getattr(ops, folder.name)(*tensors, **kwargs)).astype(np.float32)
                    for route in ("recorded", "linked"):
                        got = found[f"{route} {folder.name} {seed} {dtype}"]
                        assert got.shape == wanted.shape
                        assert np.array_equal(got, wanted), f"{route} {folder.name} on {shape} {dtype}"
    for name in (f"scale_add {shape} {seed}" for shape in real_examples.TILES for seed in range(3)):
        seed = int(name[-1])
        wanted = found[f"of {name}"].astype(np.float64) * (2 if seed == 1 else 1) * 2.0**seed
        assert np.array_equal(found[f"recorded {name}"], wanted), name  # powers of two: nothing is rounded
        assert np.array_equal(found[f"linked {name}"], wanted), name
    validation, wrong_type, stale = found["errors"]
    assert validation.startswith("RuntimeError: TT_FATAL @ ")
    assert "Offset 64 must be less than" in validation
    assert wrong_type.startswith("TypeError: ")
    assert stale.startswith("StaleProgramError: ")
    assert "reader_shift_pages.cpp, core 0-0 and 63 more: runtime argument 1 is 3, a fresh program has 5" in stale


def test_hostile_folders_are_errors_by_name_on_both_routes(real_ttnn: str, nanobind: Path, tmp_path: Path) -> None:
    real_hostile.hostile_folders(tmp_path)
    script = [real_hostile.__file__, str(tmp_path / "said.json"), str(tmp_path), "recorded", "linked"]
    with_real_ttnn(real_ttnn, nanobind, "tilewright", "exec", "--quiet", *script)
    both: dict[str, dict[str, str]] = json.loads((tmp_path / "said.json").read_text())
    for route in ("recorded", "linked"):
        said = both[route]
        assert said["ND shards"] == "same"
        assert "copy_pages_nanobind.cpp:62" in said["does not compile"]
        assert "tt-metal has it at tt_metal/api/tt-metalium/no_such_header.hpp" in said["missing header"]
        assert "its library cannot be loaded" in said["throwing static"]
        assert "no configuration" in said["throwing static"]
        # Python gets the exception of a linked folder from nanobind, while the module is imported.
        error = {"recorded": "RuntimeError", "linked": "ImportError"}[route]
        assert f"ended with status 1): {error}: no key" in said["throwing bind function"]
        assert "tt::tt_metal::CreateNothing()" in said["missing function"]
        assert "Only TILE layout is supported for BFLOAT8_B" in said["wrong specs"]
        assert said["throwing constructor"] == "ValueError: no plan for this tensor"
        assert said["wrong layout"].startswith("RuntimeError: TT_FATAL @ ")
        assert "Not in ROW_MAJOR layout: Shape([64, 32])" in said["wrong layout"]  # numbers go through a stream
        assert "on a grid of 8-8" in said["wrong layout"]
        assert said["bound class and enum"] == "ValueError: no plan for this tensor, 4 pages, ['DRAM', 'L1']"
        assert said["wrong type"].startswith("TypeError: copy_pages(): incompatible function arguments")
    assert both["linked"]["other sizes"] == (
        "CppOperationError: --link: the installed ttnn has other types than tilewright's headers for linking:\n"
        "  Tile: 48 bytes in ttnn, 40 in tilewright's headers\nbuild without --link"
    )


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
@pytest.mark.parametrize("route", ["recorded", "linked"])
def test_stages_1_to_7_of_the_examples_pass(real_ttnn_with_torch: str, nanobind: Path, route: str, arch: str) -> None:
    """In one process: it takes most of the time of a stage to start one."""
    folders = sorted(real_examples.EXAMPLES.glob("*_rm/test_dev"))
    options = ["--tilewright", "--tilewright-arch", arch, *(["--tilewright-link"] if route == "linked" else [])]
    pytest_options = ["-p", "tilewright.pytest_plugin", "-p", "no:cacheprovider", "-o", "addopts=", "-q", "-rs"]
    said = with_real_ttnn(real_ttnn_with_torch, nanobind, "pytest", *pytest_options, *options, *map(str, folders))
    skipped = re.findall(r"^SKIPPED \[(\d+)\] \S*(test_stage\d)", said, re.MULTILINE)
    # ttnn runs a linked program itself and shows it to no test.
    assert skipped == ([("1", "test_stage5")] * len(folders) if route == "linked" else [])
    assert re.search(rf"^{20 * len(folders) - len(skipped)} passed", said, re.MULTILINE), said


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (None, "no ttnn is installed for this Python"),
        (
            TtMetal(Path("ttnn"), "0.80.0"),
            "ttnn 0.80.0 .* is installed, .* are known for .* only; build without --link",
        ),
        (
            TtMetal(Path("ttnn"), linked.RELEASES[0]),
            "has no _ttnncpp.so, libtt_metal.so, libtt_stl.so, libtt-umd.so; build without --link",
        ),
    ],
)
def test_ttnn_that_does_not_match_is_refused_with_the_reason(
    found: TtMetal | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linked, "installed_ttnn", lambda: found)
    linked.linked_route.cache_clear()
    with pytest.raises(CppOperationError, match=reason):
        build_linked(real_examples.EXAMPLES / "variance_w_rm")
