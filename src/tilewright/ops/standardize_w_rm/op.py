# SPDX-License-Identifier: Apache-2.0
"""standardize_w_rm: rows with mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.ops.operation import Float64, Operation, Options
from tilewright.ops.row_program import Tensors
from tilewright.ops.row_split import CoreSelection
from tilewright.ops.standardize_w_rm.program import BUFFERS, KERNELS
from tilewright.ops.validation import Wording, check_input
from tilewright.program.compute_kernel_config import ComputeKernelConfig
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.tensor.memory_config import MemoryConfig

WORDING = Wording(
    rank="Input tensor must be at least 2D, got rank {}",
    layout="Input tensor must be in ROW_MAJOR layout",
    interleaved="Input tensor must have INTERLEAVED memory layout",
    on_device="Input tensor must be on device",
    dtype="Unsupported dtype {}; allowed: BFLOAT16, FLOAT32",
    width="Width must be positive, got {}",
)


class StandardizeWRm(Operation):
    """Rows with mean 0 and variance 1: ``y = (x - mean(x, -1)) / sqrt(var(x, -1) + epsilon)``.

    Example::

        y = tilewright.ops.standardize_w_rm(x, epsilon=1e-5)
    """

    name = "standardize_w_rm"
    formula = "y = (x - mean(x)) / sqrt(var(x) + epsilon) over the last dimension"
    torch_reference = "torch.nn.functional.layer_norm(x, x.shape[-1:], eps=epsilon)"
    has_epsilon = True
    buffers = BUFFERS
    kernels = KERNELS

    def __call__(
        self,
        input_tensor: Any,
        epsilon: float = 1e-5,
        *,
        memory_config: MemoryConfig | None = None,
        compute_kernel_config: ComputeKernelConfig | None = None,
        core_grid: CoreSelection | None = None,
        device: Device | None = None,
        dtype: DataType | None = None,
    ) -> Any:
        """Centres each row and divides it by its standard deviation.

        Args:
            input_tensor: a row-major device tensor of rank 2 or more, or a NumPy or torch array of floats.
            epsilon: added to the variance; positive.
            memory_config: where the result goes; where the input is, if None.
            compute_kernel_config: fidelity and DST; HiFi4 and 32-bit DST, if None.
            core_grid: cores to use; all, if None.
            device, dtype: for arrays, where they go and what they become there.

        Returns:
            A tensor or array like the input.
        """
        options = Options(memory_config, compute_kernel_config, core_grid)
        return self.call({"input_tensor": input_tensor}, options, epsilon=epsilon, device=device, dtype=dtype)

    def validate(self, tensors: Tensors) -> None:
        check_input(tensors["input_tensor"], WORDING)

    def reference(self, x: Float64, *vectors: Float64, epsilon: float = 1e-5) -> Float64:
        centred = x - x.mean(-1, keepdims=True)
        return np.asarray(centred / np.sqrt(x.var(-1, keepdims=True) + epsilon))


standardize_w_rm = StandardizeWRm()
