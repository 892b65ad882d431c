# SPDX-License-Identifier: Apache-2.0
"""Rates a launch reaches against the chip's peak."""

from __future__ import annotations

import dataclasses

from tilewright.timing._constants import constants_of
from tilewright.timing._device_time import DeviceTime, Processor

_CYCLES_OF_A_PHASE = 16  # one pass of the matrix unit over a pair of tiles
_FLOPS_OF_A_PRODUCT = 2 * 32**3


@dataclasses.dataclass(frozen=True)
class Rate:
    """One rate: reached, possible, both in ``unit``."""

    name: str
    reached: float
    possible: float
    unit: str

    @property
    def part(self) -> float:
        return self.reached / self.possible if self.possible else 0.0


def rates(time: DeviceTime) -> list[Rate]:
    """DRAM, NoC and maths rates of a launch; none of one whose kernels call nothing that takes time."""
    if not time.cycles:
        return []
    seconds = time.cycles / time.clock_hz
    constants = constants_of(time.arch)
    giga = 1e-9 / seconds
    found = [
        Rate(
            "DRAM",
            (time.dram_read_bytes + time.dram_write_bytes) * giga,
            time.num_banks * constants["bank_read_rate"] * time.clock_hz * 1e-9,
            "GB/s",
        ),
        Rate(
            "NoC between cores",
            time.noc_bytes * giga,
            time.num_cores * 2 * constants["port_rate"] * time.clock_hz * 1e-9,
            "GB/s",
        ),
    ]
    maths = time.by_processor.get(Processor.MATH, [])
    if maths:
        busy = sum(each.busy for each in maths) / len(maths) / time.cycles
        found.append(Rate("matrix and vector unit busy", 100 * busy, 100.0, "%"))
    if time.matmul_tiles:
        phases = time.matmul_phases / time.matmul_tiles
        possible = _FLOPS_OF_A_PRODUCT * time.num_cores / (_CYCLES_OF_A_PHASE * phases) * time.clock_hz
        reached = _FLOPS_OF_A_PRODUCT * time.matmul_tiles / seconds
        found.append(Rate("matrix products", reached * 1e-12, possible * 1e-12, "TFLOP/s"))
    return found
