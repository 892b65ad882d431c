# SPDX-License-Identifier: Apache-2.0
"""The mesh that a case runs on: rows of chips, each row a line or ring over which operations work.

Tensors have a part for each chip of a row; all rows have the same parts, so that every row must have the same result.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence

import torch
import ttnn

ULP = 2.0**-8  # half of bfloat16's spacing, relative
AXIS = 1  # of the mesh: along a row


@dataclasses.dataclass(frozen=True)
class Chips:
    mesh: ttnn.MeshDevice
    topology: ttnn.Topology  # of the rows
    fabric_topology: ttnn.Topology  # Mesh for routes in two dimensions, else that of the rows
    axis: int = AXIS

    @property
    def count(self) -> int:
        """Chips of a row."""
        return int(self.mesh.shape[self.axis])

    @property
    def rows(self) -> int:
        return int(self.mesh.shape[1 - self.axis])

    def in_row(self, place: int) -> int:
        """Where in its row the chip is that has a place among all, which are counted along axis 1."""
        return place % self.count if self.axis == 1 else place // self.rows

    @contextlib.contextmanager
    def turned(self) -> Iterator[Chips]:
        """Axis 0 instead, for operations that take no other: a mesh of one row becomes one of one column."""
        count, is_row = self.count, self.rows == 1
        if is_row:
            self.mesh.reshape(ttnn.MeshShape(count, 1))
        try:
            yield dataclasses.replace(self, axis=0)
        finally:
            if is_row:
                self.mesh.reshape(ttnn.MeshShape(1, count))

    def spread(
        self,
        parts: Sequence[torch.Tensor],
        layout: ttnn.Layout = ttnn.TILE_LAYOUT,
        dtype: ttnn.DataType | None = None,
        memory: ttnn.MemoryConfig = ttnn.DRAM_MEMORY_CONFIG,
    ) -> ttnn.Tensor:
        """A part on each chip of every row."""
        mapper = ttnn.ShardTensor2dMesh(
            self.mesh, dims=(None, 0) if self.axis == 1 else (0, None), mesh_shape=tuple(self.mesh.shape)
        )
        whole = torch.cat(list(parts), dim=0)
        return ttnn.from_torch(
            whole, dtype=dtype, layout=layout, device=self.mesh, memory_config=memory, mesh_mapper=mapper
        )

    def everywhere(self, x: torch.Tensor, **options: object) -> ttnn.Tensor:
        """The same on every chip."""
        return self.spread([x] * self.count, **options)  # type: ignore[arg-type]

    def semaphores(self, count: int) -> list[ttnn.GlobalSemaphore]:
        grid = self.mesh.compute_with_storage_grid_size()
        cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(grid.x - 1, grid.y - 1))])
        return [ttnn.create_global_semaphore(self.mesh, cores, 0) for _ in range(count)]

    def parts(self, tensor: ttnn.Tensor) -> list[torch.Tensor]:
        """Values of each chip, row by row."""
        return [ttnn.to_torch(each) for each in ttnn.get_device_tensors(tensor)]

    def equal(self, tensor: ttnn.Tensor, expected: Sequence[torch.Tensor]) -> bool:
        found = self.parts(tensor)
        assert len(found) == self.rows * self.count
        return all(torch.equal(one, expected[self.in_row(place)]) for place, one in enumerate(found))

    def within(self, tensor: ttnn.Tensor, expected: Sequence[torch.Tensor], allowed: Sequence[torch.Tensor]) -> bool:
        """Each element as near to float64's value as the bound allows."""
        for place, one in enumerate(self.parts(tensor)):
            exact, bound = expected[self.in_row(place)], allowed[self.in_row(place)]
            if one.shape != exact.shape or not bool(((one.double() - exact).abs() <= bound).all()):
                return False
        return True

    def within_sum(self, tensor: ttnn.Tensor, addends: Sequence[Sequence[torch.Tensor]]) -> bool:
        """Sums of addends for each chip: each addition rounds by half a spacing, of at most the sum of magnitudes."""
        stacks = [torch.stack(list(each)).double() for each in addends]
        bounds = [(len(stack) - 1) * ULP * stack.abs().sum(0) for stack in stacks]
        return self.within(tensor, [stack.sum(0) for stack in stacks], bounds)


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape).bfloat16()
