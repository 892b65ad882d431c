# SPDX-License-Identifier: Apache-2.0
"""Which processor a kernel runs on, and how it calculates there: ttnn's config descriptors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from tilewright._tensor.argument import flag, items
from tilewright._tensor.ttnn_enum import TtnnEnum


class MathFidelity(TtnnEnum):
    LoFi = 0
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4
    Invalid = 255


class UnpackToDestMode(TtnnEnum):
    UnpackToDestFp32 = 0
    Default = 1


class DataMovementProcessor(TtnnEnum):
    """RISCV_0 is BRISC, RISCV_1 is NCRISC. The others exist on later chips only."""

    RISCV_0 = 0
    RISCV_1 = 1
    RISCV_2 = 2
    RISCV_3 = 3
    RISCV_4 = 4
    RISCV_5 = 5
    RISCV_6 = 6
    RISCV_7 = 7


class NOC(TtnnEnum):
    RISCV_0_default = 0
    RISCV_1_default = 1
    NOC_0 = 0
    NOC_1 = 1


class NOC_MODE(TtnnEnum):  # noqa: N801 (ttnn's name)
    DM_DEDICATED_NOC = 0
    DM_DYNAMIC_NOC = 1


class ReaderConfigDescriptor:
    """A data-movement kernel on NCRISC (RISCV_1) that uses NoC 0."""

    @property
    def processor(self) -> DataMovementProcessor:
        return DataMovementProcessor.RISCV_1

    @property
    def noc(self) -> NOC:
        return NOC.RISCV_0_default

    @property
    def noc_mode(self) -> NOC_MODE:
        return NOC_MODE.DM_DEDICATED_NOC

    def state(self) -> tuple[object, ...]:
        return (ReaderConfigDescriptor,)

    def copy(self) -> ReaderConfigDescriptor:
        return ReaderConfigDescriptor()

    def __repr__(self) -> str:
        return "ReaderConfigDescriptor()"


class WriterConfigDescriptor:
    """A data-movement kernel on BRISC (RISCV_0) that uses NoC 1."""

    @property
    def processor(self) -> DataMovementProcessor:
        return DataMovementProcessor.RISCV_0

    @property
    def noc(self) -> NOC:
        return NOC.RISCV_1_default

    @property
    def noc_mode(self) -> NOC_MODE:
        return NOC_MODE.DM_DEDICATED_NOC

    def state(self) -> tuple[object, ...]:
        return (WriterConfigDescriptor,)

    def copy(self) -> WriterConfigDescriptor:
        return WriterConfigDescriptor()

    def __repr__(self) -> str:
        return "WriterConfigDescriptor()"


class DataMovementConfigDescriptor:
    """A data-movement kernel on a given processor and NoC."""

    def __init__(
        self,
        processor: DataMovementProcessor = DataMovementProcessor.RISCV_0,
        noc: NOC = NOC.RISCV_0_default,
        noc_mode: NOC_MODE = NOC_MODE.DM_DEDICATED_NOC,
    ) -> None:
        self.processor = member("processor", processor, DataMovementProcessor)
        self.noc = member("noc", noc, NOC)
        self.noc_mode = member("noc_mode", noc_mode, NOC_MODE)

    def state(self) -> tuple[object, ...]:
        return DataMovementConfigDescriptor, self.processor, self.noc, self.noc_mode

    def copy(self) -> DataMovementConfigDescriptor:
        return DataMovementConfigDescriptor(self.processor, self.noc, self.noc_mode)

    def __repr__(self) -> str:
        return (
            f"DataMovementConfigDescriptor(processor={self.processor!r}, noc={self.noc!r}, noc_mode={self.noc_mode!r})"
        )


class ComputeConfigDescriptor:
    """How a compute kernel calculates.

    ``unpack_to_dest_mode`` is set after construction, as in ttnn: a list indexed by CB, empty meaning Default for all.
    """

    def __init__(
        self,
        math_fidelity: MathFidelity = MathFidelity.HiFi4,
        math_approx_mode: bool = False,
        fp32_dest_acc_en: bool = False,
        dst_full_sync_en: bool = False,
        bfp8_pack_precise: bool = False,
    ) -> None:
        self.math_fidelity = member("math_fidelity", math_fidelity, MathFidelity)
        self.math_approx_mode = flag("math_approx_mode", math_approx_mode)
        self.fp32_dest_acc_en = flag("fp32_dest_acc_en", fp32_dest_acc_en)
        self.dst_full_sync_en = flag("dst_full_sync_en", dst_full_sync_en)
        self.bfp8_pack_precise = flag("bfp8_pack_precise", bfp8_pack_precise)
        self._unpack_to_dest_mode: list[UnpackToDestMode] = []

    @property
    def unpack_to_dest_mode(self) -> list[UnpackToDestMode]:
        return self._unpack_to_dest_mode

    @unpack_to_dest_mode.setter
    def unpack_to_dest_mode(self, modes: Iterable[UnpackToDestMode]) -> None:
        given = items("unpack_to_dest_mode", modes, "a list of UnpackToDestMode")
        self._unpack_to_dest_mode = [
            member(f"unpack_to_dest_mode[{index}]", mode, UnpackToDestMode) for index, mode in enumerate(given)
        ]

    def state(self) -> tuple[object, ...]:
        return (
            ComputeConfigDescriptor,
            self.math_fidelity,
            self.math_approx_mode,
            self.fp32_dest_acc_en,
            self.dst_full_sync_en,
            self.bfp8_pack_precise,
            tuple(self._unpack_to_dest_mode),
        )

    def copy(self) -> ComputeConfigDescriptor:
        other = ComputeConfigDescriptor(
            self.math_fidelity,
            self.math_approx_mode,
            self.fp32_dest_acc_en,
            self.dst_full_sync_en,
            self.bfp8_pack_precise,
        )
        other.unpack_to_dest_mode = self._unpack_to_dest_mode
        return other

    def __repr__(self) -> str:
        fp32_cbs = [i for i, m in enumerate(self._unpack_to_dest_mode) if m is UnpackToDestMode.UnpackToDestFp32]
        return (
            f"ComputeConfigDescriptor(math_fidelity={self.math_fidelity!r}, math_approx_mode={self.math_approx_mode}, "
            f"fp32_dest_acc_en={self.fp32_dest_acc_en}, dst_full_sync_en={self.dst_full_sync_en}, "
            f"bfp8_pack_precise={self.bfp8_pack_precise}, unpack_to_dest_fp32={fp32_cbs})"
        )


DataMovementConfig: TypeAlias = ReaderConfigDescriptor | WriterConfigDescriptor | DataMovementConfigDescriptor
KernelConfig: TypeAlias = DataMovementConfig | ComputeConfigDescriptor
CONFIG_TYPES = (
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
    DataMovementConfigDescriptor,
    ComputeConfigDescriptor,
)


def member(what: str, value: Any, kind: Any) -> Any:
    """``value``, which must be a member of the enumeration ``kind``."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} must be a {kind.__name__} ({', '.join(m.name for m in kind)}), not {value!r}")
    return value
