# SPDX-License-Identifier: Apache-2.0
"""C++ operations with the real ttnn, in one process: ``real_examples.py RESULTS.npz FOLDER``.

Keeps what the examples give, then calls the operation in FOLDER, whose ``override_runtime_arguments`` forgets a number,
and goes on after each error.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tilewright._cpp_ops.build import build_operation, built_folder

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "cpp_operations"
# The third call finds the first one's program in the cache.
SHAPES = ((2, 3, 64, 128), (3, 47, 100), (2, 3, 64, 128))
DTYPES = ("bfloat16", "float32")
SCALE_ADD = Path(__file__).parent / "scale_add"
TILES = ((32, 32), (2, 96, 160), (256, 64))


def inputs_of(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"{name}_inputs", EXAMPLES / name / "test_dev" / "inputs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.inputs


def results(name: str, route: str, ttnn: Any, device: Any) -> dict[str, Any]:
    """Values by call, of a folder that is recorded or linked."""
    library: Any = built_folder(EXAMPLES / name, link=route == "linked").load(ttnn)
    if route == "recorded":
        library.compare_with_fresh(True)
    found, kept = {}, []
    for seed, shape in enumerate(SHAPES):
        for dtype in DTYPES:
            args, kwargs = inputs_of(name)(shape, dtype, seed)
            tensors = [ttnn.Tensor(each, getattr(ttnn, dtype)).to(device) for each in args]
            output = library.functions[name](*tensors, **kwargs)
            kept.append((tensors, output))  # so that later tensors lie elsewhere
            found[f"{route} {name} {seed} {dtype}"] = np.array(output.cpu().to_list(), np.float32)
    return found


def scaled_tiles(route: str, ttnn: Any, device: Any) -> dict[str, Any]:
    """Values of ``scale_add`` by call, of each of its factories, also from the cache."""
    scale_add: Any = built_folder(SCALE_ADD, link=route == "linked").load(ttnn).functions["scale_add"]
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 0))])
    shards = ttnn.ShardSpec(cores, [64, 64], ttnn.ShardOrientation.ROW_MAJOR)
    sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shards)
    found, kept = {}, []
    for shape, place in zip(TILES, (ttnn.DRAM_MEMORY_CONFIG, ttnn.DRAM_MEMORY_CONFIG, sharded), strict=True):
        for seed in range(3):
            values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
            tensor = ttnn.Tensor(values, ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device, place)
            output = scale_add(tensor, tensor if seed == 1 else None, scale=2.0**seed, queue_id=0)
            kept.append((tensor, output))
            for name, each in (("of", tensor), (route, output)):
                rows = each.cpu().to(ttnn.ROW_MAJOR_LAYOUT)
                found[f"{name} scale_add {shape} {seed}"] = np.array(rows.to_list(), np.float32)
    return found


def errors(folder: Path, ttnn: Any, device: Any) -> list[str]:
    """Errors of calls of ``shift_pages``, in order; the last call gives the right values."""
    library = build_operation(folder).load(ttnn)
    shift = library.functions["shift_pages"]
    values = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    tensor = ttnn.Tensor(values, ttnn.float32).to(device)
    said = []
    library.compare_with_fresh(True)
    for args in ((tensor, 64), ("no tensor", 1), (tensor, 3), (tensor, 5)):
        try:
            shift(*args)
        except Exception as error:
            said.append(f"{type(error).__name__}: {error}")
    library.compare_with_fresh(False)
    other = ttnn.Tensor(values[:32], ttnn.float32).to(device)  # a program of its own
    assert np.array_equal(np.array(shift(other, 1).cpu().to_list()), np.roll(values[:32], -1, axis=0))
    return said


def main() -> None:
    import ttnn

    device = ttnn.open_device(device_id=0)
    found: dict[str, Any] = {}
    for folder in sorted(EXAMPLES.glob("*_rm")):
        for route in ("recorded", "linked"):
            found |= results(folder.name, route, ttnn, device)
    for route in ("recorded", "linked"):
        found |= scaled_tiles(route, ttnn, device)
    said = errors(Path(sys.argv[2]), ttnn, device)
    ttnn.close_device(device)
    np.savez(sys.argv[1], errors=np.array(said), **found)


if __name__ == "__main__":
    main()
