# SPDX-License-Identifier: Apache-2.0
"""Folders that cannot work, with the real ttnn in one process: ``real_hostile.py RESULT.json PLACE ROUTE...``.

PLACE has the folders that ``hostile_folders`` writes. After each error the operation that works must still work.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tilewright._cpp_ops.build import _LINKED_PROBE, LinkedOperation, _require_loadable, built_folder

COPY = Path(__file__).parent / "copy_pages"
SOURCE = "copy_pages_nanobind.cpp"
_THROWN = 'static const int thrown = [] { throw std::runtime_error("no configuration"); return 1; }();'
MISTAKES = {
    "does not compile": ("const Plan plan(attributes.mistake);", "const Plan plan(attributes.mistakes);"),
    "missing header": ("#include <stdexcept>", "#include <tt-metalium/no_such_header.hpp>"),
    "missing function": (
        "#include <stdexcept>",
        "#include <stdexcept>\nnamespace tt::tt_metal { int CreateNothing(); }\nint n = tt::tt_metal::CreateNothing();",
    ),
    "throwing bind function": (
        "    ttnn::bind_function<",
        '    throw std::runtime_error("no key");\n    ttnn::bind_function<',
    ),
    "throwing static": ("struct CopyPages {", f"{_THROWN}\nstruct CopyPages {{"),
}
# nanobind keeps the size of a bound type behind the type object: a ttnn whose tiles have 8 bytes more.
_LARGER_TILES = """import ctypes, ttnn
ctypes.c_uint32.from_address(id(ttnn.Tile) + type.__basicsize__).value += 8
"""


def load_beside_larger_tiles(built: LinkedOperation, place: Path) -> None:
    """Loads a linked library, as after its build, in a process whose ttnn has another size of ``Tile``."""
    library = Path(shutil.copy(built.library, place / "not_loaded_yet.so"))
    probe = _LINKED_PROBE.replace("import ttnn\n", _LARGER_TILES)
    _require_loadable(built.folder, library, probe, str(built.folder.root))


def hostile_folders(place: Path) -> None:
    """Writes a folder for each mistake, and one that works, in a path with spaces."""
    for name, (old, new) in MISTAKES.items():
        folder = place / name / "copy_pages"
        shutil.copytree(COPY, folder)
        text = (folder / SOURCE).read_text()
        assert old in text
        (folder / SOURCE).write_text(text.replace(old, new, 1))
    shutil.copytree(COPY, place / "a path with spaces" / "copy_pages")


def copied_nd_shards(copy: Any, ttnn: Any, device: Any) -> str:
    """``same``, or the memory config that a copy of an ND-sharded tensor has in the place of the tensor's."""
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])
    shards = ttnn.MemoryConfig(ttnn.BufferType.L1, ttnn.NdShardSpec(ttnn.Shape([32, 32]), cores))
    values = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    tensor = ttnn.Tensor(values, ttnn.float32).to(device, shards)
    result = copy(tensor)
    assert np.array_equal(np.array(result.cpu().to_list()), values)
    wanted, found = str(tensor.memory_config()), str(result.memory_config())
    return "same" if wanted == found and "created_with_nd_shard_spec=1" in wanted else found


def class_and_enum(classes: dict[str, Any]) -> str:
    """Error of a constructor, a member of an object, names of an enum's values."""
    plan, places = classes["CopyPlan"], classes["CopyPlace"]
    try:
        plan(2)
    except ValueError as error:
        return f"ValueError: {error}, {plan(mistake=0).pages} pages, {[each.name for each in places]}"
    return "no error"


def errors(place: Path, link: bool, ttnn: Any, device: Any) -> dict[str, str]:
    """Error of each mistake, on one route, and how ND shards are copied."""
    said: dict[str, str] = {}
    built = built_folder(place / "a path with spaces" / "copy_pages", link)
    library = built.load(ttnn)
    copy = library.functions["copy_pages"]
    said["bound class and enum"] = class_and_enum(dict(library.classes))

    def attempt(name: str, call: Any) -> None:
        try:
            call()
        except Exception as error:
            said[name] = f"{type(error).__name__}: {error}"
        values = np.arange(64 * 32, dtype=np.float32).reshape(64, 32) + len(said)
        tensor = ttnn.Tensor(values, ttnn.float32).to(device)
        assert np.array_equal(np.array(copy(tensor).cpu().to_list()), values), name

    tensor = ttnn.Tensor(np.ones((64, 32), np.float32), ttnn.float32).to(device)
    said["ND shards"] = copied_nd_shards(copy, ttnn, device)
    for name in MISTAKES:
        attempt(name, lambda name=name: built_folder(place / name / "copy_pages", link))
    if isinstance(built, LinkedOperation):
        attempt("other sizes", lambda: load_beside_larger_tiles(built, place))
    attempt("wrong specs", lambda: copy(tensor, 1))
    attempt("throwing constructor", lambda: copy(tensor, mistake=2))
    attempt("wrong layout", lambda: copy(ttnn.to_layout(tensor, ttnn.TILE_LAYOUT)))
    attempt("wrong type", lambda: copy("no tensor"))
    return said


def main() -> None:
    import ttnn

    device = ttnn.open_device(device_id=0)
    place = Path(sys.argv[2])
    found = {route: errors(place, route == "linked", ttnn, device) for route in sys.argv[3:]}
    ttnn.close_device(device)
    Path(sys.argv[1]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
