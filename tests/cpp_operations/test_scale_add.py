# SPDX-License-Identifier: Apache-2.0
"""One folder with a queue in front of its arguments, an optional tensor, three factories and tiles in shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._cpp_ops.build import build_operation

FOLDER = Path(__file__).parent / "scale_add"


def sharded() -> Any:
    """64x64 numbers on each of four cores."""
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 0))])
    spec = ttnn.ShardSpec(cores, [64, 64], ttnn.ShardOrientation.ROW_MAJOR)
    return ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_every_factory_gives_the_values_also_from_the_cache(arch: str) -> None:
    library = build_operation(FOLDER).load(ttnn)
    library.compare_with_fresh(True)
    scale_add, kept = library.functions["scale_add"], []
    with ttnn.manage_device(device_id=0, arch=arch) as device:

        def made(shape: tuple[int, ...], seed: int, place: Any) -> tuple[Any, Any]:
            values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
            tensor = ttnn.from_numpy(
                values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=place
            )
            kept.append(tensor)  # tensors of the next call lie elsewhere
            return tensor, ttnn.to_numpy(tensor).astype(np.float64)

        places = (ttnn.DRAM_MEMORY_CONFIG, ttnn.DRAM_MEMORY_CONFIG, sharded())
        for shape, place in zip(((32, 32), (2, 96, 160), (256, 64)), places, strict=True):
            for seed, (with_other, scale) in enumerate(((False, 2.0), (True, 4.0), (False, -0.5), (True, 0.25))):
                tensor, values = made(shape, seed, place)
                other, others = made(shape, seed + 10, place) if with_other else (None, 0.0)
                kept.append(scale_add(tensor, other, scale=scale))
                got, wanted = ttnn.to_numpy(kept[-1]).astype(np.float64), (values + others) * scale
                assert (np.abs(got - wanted) <= 2.0**-8 * np.abs(wanted)).all(), (shape, with_other)  # one rounding


def test_arguments_have_their_types_and_ranges() -> None:
    scale_add = build_operation(FOLDER).load(ttnn).functions["scale_add"]
    assert scale_add.signatures == (
        "scale_add(input_tensor: ttnn.Tensor, other: ttnn.Tensor | None = None, *, scale: float = 2.000000, "
        "memory_config: ttnn.MemoryConfig | None = None, core_grid: ttnn.CoreGrid | None = None, "
        "compute_kernel_config: ttnn.ComputeKernelConfig | None = None, queue_id: int = 0)",
    )
    with ttnn.manage_device(device_id=0) as device:
        values = np.ones((64, 64), np.float32)
        tiles = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        grid = ttnn.CoreGrid(x=2, y=1)
        assert (ttnn.to_numpy(scale_add(tiles, core_grid=grid, queue_id=0)) == 2.0).all()
        for queue in (256, -1):
            with pytest.raises(TypeError, match=f"expected an int from 0 to 255, got {queue}"):
                scale_add(tiles, queue_id=queue)
        with pytest.raises(TypeError, match=f"{2**70} is no integer of 64 bits"):
            scale_add(tiles, queue_id=2**70)
        with pytest.raises(RuntimeError, match=r"scale 2000.000 is too large \(limit 0x3e8\)"):
            scale_add(tiles, scale=2000.0)
        other = ttnn.from_numpy(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
        with pytest.raises(RuntimeError, match=r"DataType::FLOAT32 of Shape\(\[64, 64\]\) is not DataType::BFLOAT16"):
            scale_add(other)
