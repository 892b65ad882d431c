# SPDX-License-Identifier: Apache-2.0
"""The wheel and the source distribution, installed into empty environments."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.docs.walkthrough import steps_of
from tests.package import built_packages
from tests.package.built_packages import PYTHONS, ROOT, find_python, run
from tilewright._build.processor import usable_variants


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for all environments: kernels compiled in one serve the others."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module", params=PYTHONS)
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory of programs of an environment in which the wheel was installed and nothing else."""
    python = find_python(request.param)
    if python is None:
        pytest.skip(f"no CPython {request.param} here")
    return _installed(python, tmp_path_factory.mktemp(f"python{request.param}"))


@pytest.fixture(scope="module")
def this_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for the Python that runs the tests."""
    return _installed(sys.executable, tmp_path_factory.mktemp("python"))


def _installed(python: str, place: Path) -> Path:
    assert run([python, "-m", "venv", str(place)]).returncode == 0
    command = [str(place / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    result = run([*command, str(built_packages.wheel())])
    if re.search("No matching distribution|ConnectionError|Temporary failure", result.stderr):
        pytest.skip(f"no package index here: {result.stderr.strip().splitlines()[-1]}")
    assert result.returncode == 0, result.stderr
    return place / "bin"


def test_the_wheel_installs_and_runs(environment: Path, cache: Path, tmp_path: Path) -> None:
    program = str(environment / "tilewright")
    result = run([program, "run", "variance_w_rm"], tmp_path, TILEWRIGHT_CACHE=str(cache))
    assert result.returncode == 0, result.stderr
    assert re.search(r"^PCC +0\.999", result.stdout, re.MULTILINE)
    assert not (cache / "builds").exists()  # nothing of the engine was built
    assert "disagree" in run([program, "explain", "hang-finished-producer"], tmp_path).stdout


def test_the_source_distribution_installs_and_runs(environment: Path, cache: Path, tmp_path: Path) -> None:
    made = built_packages.wheel_of_source_distribution()
    command = [str(environment / "pip"), "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"]
    assert run([*command, "--no-deps", str(made)]).returncode == 0
    program = str(environment / "tilewright")
    result = run([program, "run", "variance_w_rm"], tmp_path, TILEWRIGHT_CACHE=str(cache))
    assert result.returncode == 0, result.stderr
    assert not (cache / "builds").exists()


def test_the_wheel_runs_on_old_systems_and_is_small() -> None:
    wheel = built_packages.wheel()
    assert "manylinux_2_28_x86_64" in wheel.name
    assert wheel.name.split("-")[2] == "py3"
    assert wheel.stat().st_size < 40e6


def test_packages_have_license_docs_and_sources() -> None:
    with zipfile.ZipFile(built_packages.wheel()) as archive:
        names = archive.namelist()
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    assert {"tilewright/docs/README.md", "tilewright/native/include/sfpi.h", "tilewright/native/CMakeLists.txt"} <= {
        *names
    }
    with tarfile.open(built_packages.source_distribution()) as archive:
        sources = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "docs/README.md", "src/tilewright/native/CMakeLists.txt", "PKG-INFO"} <= sources
    assert not any(name.startswith(("tests/", "bench/")) for name in sources)


def test_packages_pass_the_check_of_the_package_index() -> None:
    files = [str(built_packages.wheel()), str(built_packages.source_distribution())]
    result = run([sys.executable, "-m", "twine", "check", "--strict", *files])
    assert result.returncode == 0, result.stdout


@pytest.fixture
def python_with_ttnn(real_ttnn: str, tmp_path: Path) -> Path:
    """Directory of programs of an environment that has the wheel and, by its path, the published ttnn."""
    place = tmp_path / "with_ttnn"
    assert run([real_ttnn, "-m", "venv", "--without-pip", str(place)]).returncode == 0
    said = run([real_ttnn, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).stdout.strip()
    (libraries,) = place.glob("lib/python3*/site-packages")
    (libraries / "ttnn.pth").write_text(f"import site; site.addsitedir({said!r})\n")
    command = [real_ttnn, "-m", "pip", "--python", str(place / "bin" / "python"), "install", "--quiet", "--no-deps"]
    result = run([*command, "--disable-pip-version-check", str(built_packages.wheel())])
    assert result.returncode == 0, result.stderr
    return place / "bin"


def test_the_wheel_runs_a_script_with_the_real_ttnn(python_with_ttnn: Path, tmp_path: Path) -> None:
    made, started, *_ = [step for step in steps_of((ROOT / "README.md").read_text()) if "first.py" in step.text]
    assert (made.text, started.text) == ("cat first.py", "tilewright exec first.py")
    (tmp_path / "first.py").write_text(made.printed)
    cache = tmp_path / "cache"
    command = [str(python_with_ttnn / "tilewright"), "exec", "first.py"]
    result = run(command, tmp_path, TILEWRIGHT_CACHE=str(cache), LOGURU_LEVEL="INFO")
    assert result.returncode == 0, result.stderr
    assert result.stdout == started.printed
    assert "softmax of 64" in result.stdout  # tilewright's own module has none
    assert list((cache / "kernels").glob("*.so"))
    assert not {"builds", "engine"} & {path.name for path in cache.iterdir()}  # no part of the engine was built


def test_variants_of_the_engine_have_equal_results(this_python: Path, cache: Path) -> None:
    results = {}
    for variant in usable_variants():
        command = [str(this_python / "python"), "-m", "tests.package.variant_results"]
        result = run(command, ROOT, TILEWRIGHT_ENGINE=variant, TILEWRIGHT_CACHE=str(cache))
        assert result.returncode == 0, result.stderr
        results[variant] = json.loads(result.stdout)
    first, *others = results.values()
    assert len(first) > 50
    assert all(other == first for other in others)


def test_without_a_compiler_the_extra_is_named(this_python: Path, tmp_path: Path) -> None:
    program = str(this_python / "tilewright")
    result = run([program, "run", "variance_w_rm"], tmp_path, TILEWRIGHT_CACHE=str(tmp_path / "cache"), PATH="/nowhere")
    assert result.returncode != 0
    assert "no C++ compiler found, and tilewright needs one to compile kernels" in result.stderr
    assert 'pip install "tilewright[compiler]"' in result.stderr


def test_source_distribution_without_a_compiler_names_what_to_install(tmp_path: Path) -> None:
    programs = tmp_path / "programs"  # all that this machine has, but for its compilers
    programs.mkdir()
    for name in ("cmake", "ninja"):
        (programs / name).symlink_to(shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    command += ["--wheel-dir", str(tmp_path), str(built_packages.source_distribution())]
    # CMake looks into the system's folders, too.
    elsewhere = {"PATH": str(programs), "CXX": "", "CMAKE_ARGS": "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF"}
    result = run(command, tmp_path, **elsewhere)
    said = " ".join((result.stdout + result.stderr).split())
    assert result.returncode != 0
    assert "No CMAKE_CXX_COMPILER could be found" in said
    assert "It is C++ and needs a compiler: g++ 11 or newer (apt install g++), or clang++ 14 or newer" in said
    assert not list(tmp_path.glob("*.whl"))
