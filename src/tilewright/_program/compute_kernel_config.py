# SPDX-License-Identifier: Apache-2.0
"""The compute kernel config of ttnn's operations."""

from __future__ import annotations

from typing import TypeAlias

from tilewright._program.kernel_config import ComputeConfigDescriptor, MathFidelity


class WormholeComputeKernelConfig:
    """Fidelity and DST of an operation's compute kernels; ttnn has this one class for both chips.

    ``packer_l1_acc`` is accepted as in ttnn; it is for operations that leave the choice, which none here does.

    >>> WormholeComputeKernelConfig(math_fidelity=MathFidelity.HiFi2).descriptor().math_fidelity
    MathFidelity.HiFi2
    """

    def __init__(
        self,
        *,
        math_fidelity: MathFidelity = MathFidelity.Invalid,
        math_approx_mode: bool = True,
        fp32_dest_acc_en: bool = False,
        packer_l1_acc: bool = False,
        dst_full_sync_en: bool = False,
    ) -> None:
        self.math_fidelity = math_fidelity
        self.math_approx_mode = math_approx_mode
        self.fp32_dest_acc_en = fp32_dest_acc_en
        self.packer_l1_acc = packer_l1_acc
        self.dst_full_sync_en = dst_full_sync_en

    def descriptor(self) -> ComputeConfigDescriptor:
        """The same for a kernel; a fidelity that was not given is HiFi4."""
        is_given = self.math_fidelity is not MathFidelity.Invalid
        return ComputeConfigDescriptor(
            math_fidelity=self.math_fidelity if is_given else MathFidelity.HiFi4,
            math_approx_mode=self.math_approx_mode,
            fp32_dest_acc_en=self.fp32_dest_acc_en,
            dst_full_sync_en=self.dst_full_sync_en,
        )

    def __repr__(self) -> str:
        return (
            f"WormholeComputeKernelConfig(math_fidelity={self.math_fidelity!r}, "
            f"math_approx_mode={self.math_approx_mode}, fp32_dest_acc_en={self.fp32_dest_acc_en}, "
            f"packer_l1_acc={self.packer_l1_acc}, dst_full_sync_en={self.dst_full_sync_en})"
        )


ComputeKernelConfig: TypeAlias = ComputeConfigDescriptor | WormholeComputeKernelConfig
