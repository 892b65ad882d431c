# SPDX-License-Identifier: Apache-2.0
"""variance_w_rm: population variance of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.ops.centralize_w_rm.op import WORDING
from tilewright.ops.operation import Float64, Operation, Options
from tilewright.ops.row_program import Tensors
from tilewright.ops.row_split import CoreSelection
from tilewright.ops.validation import check_input
from tilewright.ops.variance_w_rm.program import BUFFERS, KERNELS
from tilewright.program.compute_kernel_config import ComputeKernelConfig
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.tensor.memory_config import MemoryConfig


class VarianceWRm(Operation):
    """Population variance of rows: ``y = mean((x - mean(x, -1))**2, -1)``, of shape ``[..., 1]``.

    Example::

        y = tilewright.ops.variance_w_rm(x)
    """

    name = "variance_w_rm"
    formula = "y = mean((x - mean(x))^2) over the last dimension"
    torch_reference = "x.var(-1, correction=0, keepdim=True)"
    buffers = BUFFERS
    kernels = KERNELS

    def __call__(
        self,
        input_tensor: Any,
        *,
        memory_config: MemoryConfig | None = None,
        compute_kernel_config: ComputeKernelConfig | None = None,
        core_grid: CoreSelection | None = None,
        device: Device | None = None,
        dtype: DataType | None = None,
    ) -> Any:
        """The population variance of each row.

        Args:
            input_tensor: a row-major device tensor of rank 2 or more, or a NumPy or torch array of floats.
            memory_config: where the result goes; where the input is, if None.
            compute_kernel_config: fidelity and DST; HiFi4 and 32-bit DST, if None.
            core_grid: cores to use; all, if None.
            device, dtype: for arrays, where they go and what they become there.

        Returns:
            A tensor or array of the same kind, its last dimension 1.
        """
        options = Options(memory_config, compute_kernel_config, core_grid)
        return self.call({"input_tensor": input_tensor}, options, device=device, dtype=dtype)

    def validate(self, tensors: Tensors) -> None:
        check_input(tensors["input_tensor"], WORDING)

    def output_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:-1], 1)

    def reference(self, x: Float64, *vectors: Float64, epsilon: float = 1e-5) -> Float64:
        return np.asarray(x.var(-1, keepdims=True))


variance_w_rm = VarianceWRm()
