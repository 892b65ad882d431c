# SPDX-License-Identifier: Apache-2.0
"""Folders that cannot work: the error says what is wrong, and process and device go on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._cpp_ops import build
from tilewright._cpp_ops.build import build_operation
from tilewright._cpp_ops.compiler_messages import explained
from tilewright._cpp_ops.errors import CppOperationError

FOLDER = Path(__file__).parent / "shift_pages"
OPERATION = "device/shift_pages_device_operation.cpp"


def changed(place: Path, file: str, old: str, new: str) -> Path:
    """A copy of the operation with one text in the place of another."""
    folder = place / "shift_pages"
    shutil.copytree(FOLDER, folder)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    return folder


def error_of(folder: Path) -> str:
    with pytest.raises(CppOperationError) as raised:
        build_operation(folder)
    return str(raised.value)


def test_error_of_the_compiler_points_into_the_file(tmp_path: Path) -> None:
    folder = changed(tmp_path, OPERATION, "return MultiCore{};", "return MultiCores{};")
    said = error_of(folder)
    line = next(
        number for number, text in enumerate((folder / OPERATION).read_text().splitlines(), 1) if "MultiCores" in text
    )
    assert f"{folder / OPERATION}:{line}" in said
    assert "MultiCores" in said


def test_missing_header_names_its_place_in_tt_metal(tmp_path: Path) -> None:
    old = '#include "ttnn/tensor/tensor_ops.hpp"'
    folder = changed(tmp_path, OPERATION, old, "#include <tt-metalium/no_such_header.hpp>")
    said = error_of(folder)
    assert "tt-metalium/no_such_header.hpp" in said
    assert "tt-metal has it at tt_metal/api/tt-metalium/no_such_header.hpp" in said


def test_missing_function_of_the_api_is_named(tmp_path: Path) -> None:
    folder = changed(
        tmp_path, "device/shift_pages_program_factory.cpp", "CreateProgram()", "tt::tt_metal::CreatePrograms()"
    )
    assert "tilewright's host headers have no tt::tt_metal::CreatePrograms" in error_of(folder)


def test_copy_of_a_config_in_linked_code_is_refused_with_a_replacement() -> None:
    config = "tt::tt_metal::CircularBufferConfig"
    said = f"f.cpp:9:7: error: use of deleted function '{config}::CircularBufferConfig(const {config}&)'\n"
    assert "declare it, then call its set_page_size" in explained(Path("f.cpp"), said, [])
    said = f"f.cpp:9:7: error: call to deleted constructor of '{config}'\n"
    assert "or build without --link" in explained(Path("f.cpp"), said, [])


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("'Shapes' in namespace 'ttnn' does not name a type", "host headers have no ttnn::Shapes"),
        ("no type named 'Shapes' in namespace 'ttnn'", "host headers have no ttnn::Shapes"),
        ("no template named 'Vec' in namespace 'ttsl'; did you mean 'V'?", "host headers have no ttsl::Vec"),
        ("'Vec' in namespace 'ttsl' does not name a template type", "host headers have no ttsl::Vec"),
        (
            "'ProgramWithCallbacks' in namespace 'tt::tt_metal::operation' does not name a type",
            "operations with ProgramWithCallbacks and operation::run are not supported",
        ),
        ("'run' is not a member of 'tt::tt_metal::operation'", "has a program_factory_t and is launched by"),
    ],
)
def test_missing_type_is_named(error: str, word: str) -> None:
    assert word in explained(Path("f.cpp"), f"f.cpp:9:7: error: {error}\n", [])
    foreign = error.replace("ttnn", "mine").replace("ttsl", "mine")
    assert foreign == error or "note:" not in explained(Path("f.cpp"), f"f.cpp:9:7: error: {foreign}\n", [])


def test_throwing_static_constructor_does_not_end_the_process(tmp_path: Path) -> None:
    text = '\nstatic const int thrown = [] { throw std::runtime_error("no configuration"); return 1; }();\n'
    folder = changed(tmp_path, "shift_pages.cpp", "\nnamespace ttnn {\n", f"{text}\nnamespace ttnn {{\n")
    said = error_of(folder)
    assert "its library cannot be loaded" in said
    assert "no configuration" in said


def with_static(place: Path, body: str) -> Path:
    """A folder whose library runs these statements while it is loaded."""
    text = f"\nstatic const int started = [] {{ {body} return 1; }}();\n"
    return changed(place, "shift_pages.cpp", "\nnamespace ttnn {\n", f"{text}\nnamespace ttnn {{\n")


@pytest.mark.parametrize("status", [0, 3])
def test_static_object_that_exits_does_not_end_the_process(tmp_path: Path, status: int) -> None:
    said = error_of(with_static(tmp_path, f"std::_Exit({status});"))
    assert f"its library cannot be loaded (a process that tried ended with status {status}): it printed nothing" in said


def test_static_object_that_never_ends_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_LOAD_SECONDS", 4.0)
    said = error_of(with_static(tmp_path, "for (volatile bool on = true; on;) {}"))
    assert "its library is not loaded after 4 seconds" in said
    assert "A constructor of a static object, or a bind function, does not end" in said


def test_header_that_includes_itself_is_an_error_of_the_compiler(tmp_path: Path) -> None:
    folder = changed(tmp_path, "shift_pages.hpp", "#pragma once", '#include "shift_pages.hpp"')
    assert "nested" in error_of(folder)


def test_undefined_function_is_named(tmp_path: Path) -> None:
    folder = changed(
        tmp_path, "shift_pages.cpp", "return ttnn::device", "void missing(); missing(); return ttnn::device"
    )
    said = error_of(folder)
    assert "does not link" in said
    assert "missing" in said


def test_wrong_output_spec_is_an_error_of_the_call(tmp_path: Path) -> None:
    folder = changed(tmp_path, OPERATION, "PageConfig(Layout::ROW_MAJOR)", "PageConfig(Layout::TILE, Tile({16, 32}))")
    functions = build_operation(folder).load(ttnn).functions
    with ttnn.manage_device(device_id=0) as device:
        values = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
        tensor = ttnn.from_numpy(values, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
        with pytest.raises(CppOperationError, match="tiles of 16x32; ttnn allocates"):
            functions["shift_pages"](tensor, 1)
        assert np.array_equal(ttnn.to_numpy(tensor), values)


def test_path_with_spaces_builds_and_runs(tmp_path: Path) -> None:
    folder = tmp_path / "my operations" / "shift_pages"
    shutil.copytree(FOLDER, folder)
    functions = build_operation(folder).load(ttnn).functions
    with ttnn.manage_device(device_id=0) as device:
        values = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
        tensor = ttnn.from_numpy(values, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
        assert np.array_equal(ttnn.to_numpy(functions["shift_pages"](tensor, 1)), np.roll(values, -1, axis=0))


def test_folder_without_sources_or_binding_names_the_missing_part(tmp_path: Path) -> None:
    assert "is no folder" in error_of(tmp_path / "nothing")
    assert "no host sources" in error_of(tmp_path)
    shutil.copytree(FOLDER, tmp_path / "shift_pages")
    (tmp_path / "shift_pages" / "shift_pages_nanobind.cpp").unlink()
    assert "has no binding (shift_pages_nanobind.cpp" in error_of(tmp_path / "shift_pages")


def test_one_changed_file_is_the_one_compiled(tmp_path: Path) -> None:
    folder = tmp_path / "shift_pages"
    shutil.copytree(FOLDER, folder)
    assert len(build_operation(folder).compiled) == 4
    (folder / OPERATION).write_text((folder / OPERATION).read_text() + "\n// changed\n")
    assert build_operation(folder).compiled == [folder / OPERATION]
    header = folder / "shift_pages.hpp"
    header.write_text(header.read_text() + "\n// changed\n")
    assert {path.name for path in build_operation(folder).compiled} == {"shift_pages.cpp", "shift_pages_nanobind.cpp"}


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "shift_pages"
    shutil.copytree(FOLDER, folder)
    (folder / "gone.hpp").symlink_to(tmp_path / "nowhere.hpp")
    assert error_of(folder) == f"{folder / 'gone.hpp'} cannot be read: No such file or directory"
    (folder / "gone.hpp").unlink()
    (folder / "folder.cpp").mkdir()
    assert error_of(folder) == f"{folder / 'folder.cpp'} cannot be read: Is a directory"


def test_symlinked_folder_is_the_operation_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "my_shift").symlink_to(FOLDER)
    assert list(build_operation(tmp_path / "my_shift").load(ttnn).functions) == ["shift_pages"]


def test_output_is_an_importable_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tilewright", "build", "--output", str(tmp_path / "modules"), str(FOLDER)]
    subprocess.run(command, check=True, capture_output=True)
    text = "import shift_pages; print(shift_pages.shift_pages, shift_pages.__all__)"
    result = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path / "modules", check=True, capture_output=True, text=True
    )
    assert result.stdout.startswith("<C++ operation shift_pages(input_tensor: ttnn.Tensor, offset: int, *,")
    assert result.stdout.endswith("> ['shift_pages']\n")
    shutil.copytree(FOLDER, tmp_path / "other" / "shift_pages")
    both = subprocess.run(
        [*command, str(tmp_path / "other" / "shift_pages")], check=False, capture_output=True, text=True
    )
    assert both.returncode == 2
    assert "--output writes one shift_pages.py, and two folders have that name" in both.stderr
