# SPDX-License-Identifier: Apache-2.0
"""layernorm_fused_rm: layer normalisation of rows in one program."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.ops.layernorm_fused_rm.program import BUFFERS, KERNELS
from tilewright.ops.operation import Float64, Operation, Options
from tilewright.ops.row_program import Tensors
from tilewright.ops.row_split import CoreSelection
from tilewright.ops.validation import Wording, check_input, check_vector
from tilewright.program.compute_kernel_config import ComputeKernelConfig
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.tensor.memory_config import MemoryConfig

WORDING = Wording(
    rank="Input must have at least 2 dimensions, got rank {}",
    layout="Input must be in ROW_MAJOR layout",
    interleaved="Input must be in INTERLEAVED memory",
    on_device="Input must be allocated on device",
    dtype="Input must be BFLOAT16 or FLOAT32, got {}",
    width="Width must be positive, got {}",
)


class LayernormFusedRm(Operation):
    """Layer normalisation: ``y = (x - mean(x, -1)) / sqrt(var(x, -1) + epsilon) * gamma + beta``.

    Example::

        y = tilewright.ops.layernorm_fused_rm(x, gamma, beta, epsilon=1e-5)
    """

    name = "layernorm_fused_rm"
    formula = "y = (x - mean(x)) / sqrt(var(x) + epsilon) * gamma + beta over the last dimension"
    torch_reference = "torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, epsilon)"
    vectors = ("gamma", "beta")
    has_epsilon = True
    buffers = BUFFERS
    kernels = KERNELS

    def __call__(
        self,
        input_tensor: Any,
        gamma: Any,
        beta: Any,
        epsilon: float = 1e-5,
        *,
        memory_config: MemoryConfig | None = None,
        compute_kernel_config: ComputeKernelConfig | None = None,
        core_grid: CoreSelection | None = None,
        device: Device | None = None,
        dtype: DataType | None = None,
    ) -> Any:
        """Centres each row, divides it by its standard deviation, multiplies by gamma and adds beta.

        Args:
            input_tensor: a row-major device tensor of rank 2 or more, or a NumPy or torch array of floats.
            gamma, beta: one row of the input's width, of its kind and dtype.
            epsilon: added to the variance; positive.
            memory_config: where the result goes; where the input is, if None.
            compute_kernel_config: fidelity and DST; HiFi4 and 32-bit DST, if None.
            core_grid: cores to use; all, if None.
            device, dtype: for arrays, where they go and what they become there.

        Returns:
            A tensor or array like the input.
        """
        options = Options(memory_config, compute_kernel_config, core_grid)
        values = {"input_tensor": input_tensor, "gamma": gamma, "beta": beta}
        return self.call(values, options, epsilon=epsilon, device=device, dtype=dtype)

    def validate(self, tensors: Tensors) -> None:
        check_input(tensors["input_tensor"], WORDING)
        check_vector("Gamma", tensors["gamma"], tensors["input_tensor"])
        check_vector("Beta", tensors["beta"], tensors["input_tensor"])

    def reference(self, x: Float64, *vectors: Float64, epsilon: float = 1e-5) -> Float64:
        scale, shift = (each.reshape(-1) for each in vectors)
        centred = x - x.mean(-1, keepdims=True)
        return np.asarray(centred / np.sqrt(x.var(-1, keepdims=True) + epsilon) * scale + shift)


layernorm_fused_rm = LayernormFusedRm()
