# SPDX-License-Identifier: Apache-2.0
"""Parts of the catalogue's cases: tensors on the card, golden functions, tolerances."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import ttnn

BFLOAT16_UNIT = 2.0**-8
# Rounding of a result in units of its own last place, relative.
UNITS = {
    ttnn.bfloat16: 2.0**-8,
    ttnn.float32: 2.0**-23,
    ttnn.bfloat8_b: 2.0**-6,  # seven bits, the exponent shared with the largest of sixteen
    ttnn.bfloat4_b: 2.0**-2,
}
PLACES = ("L1", "height sharded", "width sharded", "block sharded", "ND sharded", "DRAM sharded")

# LoFi, ttnn's default for products, leaves out low bits of every term: sums of many are off by more than formats say.
PRECISE = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True)


class Bench:
    """A card with what a case needs around it. Random numbers are the same in every run."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self._generator = torch.Generator().manual_seed(0)
        self._overwrite_free_memory()

    def _overwrite_free_memory(self) -> None:
        """Where a result will lie, there is no result of an earlier case: one that is not written is not right."""
        values = torch.full((1024, 1024), -1.75e30)
        for memory in (ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG):
            ttnn.deallocate(self.put(values, memory=memory))

    def random(self, shape: Sequence[int], low: float = -2.0, high: float = 2.0) -> torch.Tensor:
        """Numbers that bfloat16 can hold, as float32."""
        values = torch.rand(tuple(shape), generator=self._generator) * (high - low) + low
        return values.to(torch.bfloat16).to(torch.float32)

    def integers(self, shape: Sequence[int], low: int, high: int) -> torch.Tensor:
        return torch.randint(low, high, tuple(shape), generator=self._generator, dtype=torch.int32)

    def put(
        self, values: torch.Tensor, dtype: Any = ttnn.bfloat16, layout: Any = ttnn.TILE_LAYOUT, memory: Any = None
    ) -> Any:
        return ttnn.from_torch(values, dtype=dtype, layout=layout, device=self.device, memory_config=memory)

    def cores(self, x: int, y: int) -> Any:
        """A rectangle of cores from the corner."""
        return ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(x - 1, y - 1))})

    def memory(self, place: str, shape: Sequence[int]) -> Any:
        """Where a tensor lies: a name of PLACES. Sharded, it is cut into four parts."""
        if place in ("DRAM", "L1"):
            return ttnn.DRAM_MEMORY_CONFIG if place == "DRAM" else ttnn.L1_MEMORY_CONFIG
        height, width = math.prod(shape[:-1]), shape[-1]
        if place == "ND sharded":
            part = (*(1 for _ in shape[:-2]), shape[-2] // 2, width // 2)
            return ttnn.MemoryConfig(ttnn.BufferType.L1, ttnn.NdShardSpec(ttnn.Shape(part), self.cores(2, 2)))
        grid, part = {
            "height sharded": ((1, 4), (height // 4, width)),
            "width sharded": ((4, 1), (height, width // 4)),
            "block sharded": ((2, 2), (height // 2, width // 2)),
            "DRAM sharded": ((4, 1), (height, width // 4)),
        }[place]
        way = "WIDTH" if place == "DRAM sharded" else place.split()[0].upper()
        return ttnn.MemoryConfig(
            getattr(ttnn.TensorMemoryLayout, f"{way}_SHARDED"),
            ttnn.BufferType.DRAM if place == "DRAM sharded" else ttnn.BufferType.L1,
            ttnn.ShardSpec(self.cores(*grid), part, ttnn.ShardOrientation.ROW_MAJOR),
        )

    def get(self, tensor: Any) -> torch.Tensor:
        return ttnn.to_torch(tensor).to(torch.float64)


@dataclasses.dataclass(frozen=True)
class Summed:
    """A reference that is a sum: what is rounded on the way is as large as ``size``, element by element."""

    value: torch.Tensor
    size: torch.Tensor

    def map(self, change: Callable[[torch.Tensor], torch.Tensor]) -> Summed:
        return Summed(change(self.value), change(self.size))


@dataclasses.dataclass(frozen=True)
class Case:
    """One call of one operation.

    Attributes:
        operation: its name in ttnn.
        label: what is particular about the call.
        run: makes the call and gives results and references, each one or several tensors.
        steps: rounding steps on the way to the result. Each may be off by a unit in the last place of its dtype, of the
            result itself or, where terms cancel, of the size results typically have or a ``Summed`` reference says.
    """

    operation: str
    label: str
    run: Callable[[Bench], tuple[Any, Any]]
    steps: float = 4
    unit: float = BFLOAT16_UNIT

    @property
    def name(self) -> str:
        return f"{self.operation}-{self.label}" if self.label else self.operation


def named(value: Any) -> str:
    """A dtype or a layout, as labels have it."""
    return str(value).rsplit(".", maxsplit=1)[-1].lower()


def operation(name: str) -> Any:
    """The operation of a qualified name without ``ttnn.``"""
    found: Any = ttnn
    for part in name.split("."):
        found = getattr(found, part)
    return found


def golden(name: str) -> Callable[..., Any]:
    """ttnn's golden function of the operation."""
    return ttnn.get_golden_function(operation(name))  # type: ignore[no-any-return]


def check(case: Case, bench: Bench) -> None:
    """Runs a case and compares element by element."""
    results, references = case.run(bench)
    for index, (result, reference) in enumerate(zip(_several(results), _several(references), strict=True)):
        got = bench.get(result) if isinstance(result, ttnn.Tensor) else torch.as_tensor(result).to(torch.float64)
        wanted = reference if isinstance(reference, Summed) else Summed(reference, torch.tensor(0.0))
        _compare(case, index, got, wanted.map(lambda part: torch.as_tensor(part).to(torch.float64)))


def _several(values: Any) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _compare(case: Case, index: int, got: torch.Tensor, reference: Summed) -> None:
    got, wanted, size = got.squeeze(), reference.value.squeeze(), reference.size.squeeze()
    assert got.shape == wanted.shape, (
        f"{case.name}: result {index} has shape {tuple(got.shape)}, not {tuple(wanted.shape)}"
    )
    same = (got == wanted) | (got.isnan() & wanted.isnan())
    finite = wanted[wanted.isfinite()]
    typical = finite.square().mean().sqrt() if finite.numel() else torch.tensor(0.0)
    allowed = case.steps * case.unit * torch.maximum(torch.maximum(wanted.abs(), typical), size)
    close = (got - wanted).abs() <= allowed
    wrong = ~(same | close)
    if bool(wrong.any()):
        at = tuple(int(each) for each in wrong.nonzero()[0])
        worst = ((got - wanted).abs() / allowed).nan_to_num(float("inf"))[wrong].max()
        raise AssertionError(
            f"{case.name}: {int(wrong.sum())} of {wrong.numel()} elements are wrong, the first at {at}: "
            f"{float(got[at])} instead of {float(wanted[at])}; the worst is {float(worst):.3g} times what is allowed"
        )
