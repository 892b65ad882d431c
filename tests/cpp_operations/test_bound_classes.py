# SPDX-License-Identifier: Apache-2.0
"""Classes and enums that a folder binds: configs of a program, made and read in Python, given to the operation."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._cpp_ops.build import build_operation, register
from tilewright._cpp_ops.library import OperationLibrary

FOLDER = Path(__file__).parent / "blend_rows"


@pytest.fixture(scope="module")
def library() -> OperationLibrary:
    loaded = build_operation(FOLDER, together=True).load(ttnn)
    loaded.compare_with_fresh(True)
    return loaded


@pytest.fixture
def bound(library: OperationLibrary) -> dict[str, Any]:
    return dict(library.classes)


def test_operation_takes_configs_and_modes(library: OperationLibrary, bound: dict[str, Any]) -> None:
    mode = bound["BlendMode"]
    blend = library.functions["blend_rows"]
    configs = [None, bound["BlendDefaultConfig"](), bound["BlendGridConfig"](grid=ttnn.CoreCoord(2, 1))]
    with ttnn.manage_device(device_id=0) as device:
        kept = []
        for seed, config in enumerate(configs):
            a, b = np.random.default_rng(seed).integers(-99, 99, (2, 20, 32)).astype(np.int32)
            x, y = (
                ttnn.from_numpy(each, dtype=ttnn.int32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device) for each in (a, b)
            )
            kept += [x, y]  # the next ones lie elsewhere
            for chosen, wanted in ((mode.ADD, 3 * a + b), (mode.SUB, 3 * a - b), (mode.KEEP, 3 * a)):
                got = blend(x, y, factor=3, mode=chosen, program_config=config)
                assert np.array_equal(ttnn.to_numpy(got), wanted)
            assert np.array_equal(ttnn.to_numpy(blend(x, factor=-2)), -2 * a)
        with pytest.raises(RuntimeError, match=r"Mode BlendMode::SUB needs the other tensor"):
            blend(x, mode=mode.SUB)
        for wrong in ({"mode": 1}, {"mode": ttnn.TILE_LAYOUT}, {"program_config": bound["BlendBlock"](2)}):
            with pytest.raises(TypeError, match="expected"):
                blend(x, **wrong)


def test_members_of_a_bound_object(bound: dict[str, Any]) -> None:
    made = bound["BlendGridConfig"](grid=ttnn.CoreCoord(3, 2), block=bound["BlendBlock"](height=4))
    assert (made.grid.x, made.grid.y, made.cores(), made.block.height) == (3, 2, 6, 4)
    assert repr(made).startswith("BlendGridConfig(")
    made.block.height = 5  # of the owner, not of a copy
    assert made.block.height == 5
    part = made.block
    made.enlarge(by=2)
    assert made.cores() == 10
    assert bound["BlendGridConfig"].of_one_core().cores() == 1
    del made
    gc.collect()
    assert part.height == 5


def test_wrong_uses_of_a_bound_class_are_named(bound: dict[str, Any]) -> None:
    grid = bound["BlendGridConfig"]
    with pytest.raises(TypeError, match=r"BlendGridConfig\(\*, grid: ttnn\.CoreCoord.*'grid' is missing"):
        grid()
    with pytest.raises(RuntimeError, match="No cores in"):
        grid(grid=ttnn.CoreCoord(0, 1))
    made = grid(grid=ttnn.CoreCoord(1, 1))
    with pytest.raises(AttributeError):
        made.grid = ttnn.CoreCoord(2, 2)
    with pytest.raises(TypeError, match="expected Block, got 3"):
        made.block = 3
    with pytest.raises(RuntimeError, match=r"NotBound goes to Python, and its class is not bound"):
        _ = made.none


def test_classes_and_functions_are_where_the_binding_puts_them(library: OperationLibrary) -> None:
    class Ttnn:
        pass

    register(library, Ttnn)
    assert {"BlendMode", "BlendGridConfig", "blend_rows", "experimental"} <= vars(Ttnn).keys()
    assert vars(Ttnn)["experimental"].blend_rows is library.functions["blend_rows"]
    assert library.functions["blend_rows"].python_fully_qualified_name == "ttnn.experimental.blend_rows"
