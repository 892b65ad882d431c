# SPDX-License-Identifier: Apache-2.0
"""A C++ operation from its folder: built, called with tensors and scalars, called again from the program cache."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._cpp_ops.build import BuiltOperation, build_operation
from tilewright._cpp_ops.library import OperationLibrary

FOLDER = Path(__file__).parent / "shift_pages"


@pytest.fixture(scope="module")
def built() -> BuiltOperation:
    return build_operation(FOLDER)


@pytest.fixture
def library(built: BuiltOperation) -> Iterator[OperationLibrary]:
    loaded = built.load(ttnn)
    yield loaded
    loaded.compare_with_fresh(False)


@pytest.fixture(params=["wormhole_b0", "blackhole"])
def device(request: pytest.FixtureRequest) -> Iterator[Any]:
    with ttnn.manage_device(device_id=0, arch=request.param) as opened:
        yield opened


def rows(device: Any, count: int = 100, width: int = 64, seed: int = 0) -> tuple[Any, Any]:
    values = np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)
    return values, ttnn.from_numpy(values, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


def test_result_is_exact_for_every_offset_and_shape(library: OperationLibrary, device: Any) -> None:
    shift = library.functions["shift_pages"]
    for count, width, offset in ((100, 64, 3), (100, 64, 7), (5, 32, 0), (100, 64, 99)):
        values, tensor = rows(device, count, width, seed=offset)
        result = shift(tensor, offset)
        assert np.array_equal(ttnn.to_numpy(result), np.roll(values, -offset, axis=0))


def test_second_call_goes_through_the_cached_program(library: OperationLibrary, device: Any) -> None:
    library.compare_with_fresh(True)
    shift = library.functions["shift_pages"]
    kept = []
    for offset in (1, 2, 3):
        values, tensor = rows(device, seed=offset)
        result = shift(input_tensor=tensor, offset=offset, memory_config=ttnn.L1_MEMORY_CONFIG)
        kept.append((tensor, result))  # the next tensors lie elsewhere
        assert result.memory_config().buffer_type is ttnn.BufferType.L1
        assert np.array_equal(ttnn.to_numpy(result), np.roll(values, -offset, axis=0))


def test_optional_output_tensor_is_the_result(library: OperationLibrary, device: Any) -> None:
    values, tensor = rows(device)
    _, output = rows(device, seed=9)
    result = library.functions["shift_pages"](tensor, 4, optional_output_tensor=output)
    assert result is output
    assert np.array_equal(ttnn.to_numpy(output), np.roll(values, -4, axis=0))


def test_failed_validation_is_a_runtime_error_with_the_text(library: OperationLibrary, device: Any) -> None:
    values, tensor = rows(device)
    with pytest.raises(RuntimeError, match=r"(?s)TT_FATAL @ .*:\d+: .*Offset 100 must be less than .* pages 100"):
        library.functions["shift_pages"](tensor, 100)
    with pytest.raises(RuntimeError, match="Device Operations expect device tensors as inputs"):
        library.functions["shift_pages"](ttnn.from_numpy(values), 1)
    tiled = ttnn.from_numpy(values, layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(RuntimeError, match=r"got Layout::TILE"):
        library.functions["shift_pages"](tiled, 1)
    # The device and the library go on.
    assert np.array_equal(ttnn.to_numpy(library.functions["shift_pages"](tensor, 1)), np.roll(values, -1, axis=0))


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        (("text", 1), {}, "expected Tensor, got 'text'"),
        ((), {}, "argument 'input_tensor' is missing"),
        ((None, 1, None), {}, "takes 2 positional arguments, got 3"),
        ((None, 1), {"other": 2}, "no argument is named 'other'"),
        ((None, -1), {}, "expected"),
    ],
)
def test_wrong_arguments_are_a_type_error_with_the_signature(
    library: OperationLibrary, args: tuple[Any, ...], kwargs: dict[str, Any], said: str
) -> None:
    with pytest.raises(TypeError) as raised:
        library.functions["shift_pages"](*args, **kwargs)
    assert said in str(raised.value)
    assert "shift_pages(input_tensor: ttnn.Tensor, offset: int, *, memory_config" in str(raised.value)


def test_calls_keep_no_tensors(library: OperationLibrary) -> None:
    with ttnn.manage_device(device_id=0) as device:
        _, tensor = rows(device)
        library.functions["shift_pages"](tensor, 1)
        gc.collect()
        before = len(library.bridge.to.objects)
        for offset in range(20):
            library.functions["shift_pages"](tensor, offset)
        assert len(library.bridge.to.objects) == before


def test_unchanged_sources_are_not_compiled_again(built: BuiltOperation) -> None:
    again = build_operation(FOLDER)
    assert again.compiled == []
    assert again.library == built.library


# What a change of one line does, and what the comparison with a fresh program says about it.
STALE = {
    "forgotten address": (
        "device/shift_pages_program_factory.cpp",
        "        writer_args[0] = output.buffer()->address();\n",
        "        (void)writer_args;\n",
        r"kernel writer_shift_pages.cpp, core 0-0 and 63 more: runtime argument 0 is \d+, a fresh program has \d+",
    ),
    "forgotten scalar": (
        "device/shift_pages_program_factory.cpp",
        "        reader_args[1] = attributes.offset;\n",
        "",
        r"kernel reader_shift_pages.cpp, core 0-0 and 63 more: runtime argument 1 is 3, a fresh program has 5",
    ),
    "shape not in the hash": (
        "device/shift_pages_device_operation.cpp",
        "(attributes.memory_config, args)",
        "(attributes.memory_config)",
        r"compile-time arguments .* \(not in the program hash\)|cores .* \(not in the program hash\)",
    ),
}


@pytest.mark.parametrize("mistake", STALE)
def test_stale_override_is_found(tmp_path: Path, mistake: str) -> None:
    file, old, new, said = STALE[mistake]
    folder = tmp_path / "shift_pages"
    shutil.copytree(FOLDER, folder)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    library = build_operation(folder).load(ttnn)
    library.compare_with_fresh(True)
    with ttnn.manage_device(device_id=0) as device:
        _, first = rows(device, 100)
        kept = library.functions["shift_pages"](first, 3)
        _, second = rows(device, 100 if "shape" not in mistake else 40)
        with pytest.raises(Exception, match=said):
            library.functions["shift_pages"](second, 5)
        assert kept.is_allocated()
