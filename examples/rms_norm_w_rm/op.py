# SPDX-License-Identifier: Apache-2.0
"""rms_norm_w_rm: rows divided by their root mean square, times gamma."""

from __future__ import annotations

from typing import Any

from tilewright.ops.operation import Float64, Operation, Options
from tilewright.ops.row_program import Tensors
from tilewright.ops.row_split import CoreSelection
from tilewright.ops.validation import Wording, check_input, check_vector
from tilewright.program.compute_kernel_config import ComputeKernelConfig
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.tensor.memory_config import MemoryConfig

from rms_norm_w_rm.program import BUFFERS, KERNELS
from rms_norm_w_rm.references import references

WORDING = Wording(
    rank="Input tensor must be at least 2D, got rank {}",
    layout="Input tensor must be in ROW_MAJOR layout",
    interleaved="Input tensor must have INTERLEAVED memory layout",
    on_device="Input tensor must be on device",
    dtype="Unsupported dtype {}; allowed: BFLOAT16, FLOAT32",
    width="Width must be positive, got {}",
)


class RmsNormWRm(Operation):
    """Rows divided by their root mean square, times gamma.

    ``y = x / sqrt(mean(x^2) + epsilon) * gamma over the last dimension``

    Example::

        y = rms_norm_w_rm(x, gamma, epsilon=1e-06)
    """

    name = "rms_norm_w_rm"
    formula = "y = x / sqrt(mean(x^2) + epsilon) * gamma over the last dimension"
    torch_reference = "torch.nn.functional.rms_norm(x, x.shape[-1:], gamma, epsilon)"
    vectors = ("gamma",)
    has_epsilon = True
    buffers = BUFFERS
    kernels = KERNELS

    def __call__(
        self,
        input_tensor: Any,
        gamma: Any,
        epsilon: float = 1e-06,
        *,
        memory_config: MemoryConfig | None = None,
        compute_kernel_config: ComputeKernelConfig | None = None,
        core_grid: CoreSelection | None = None,
        device: Device | None = None,
        dtype: DataType | None = None,
    ) -> Any:
        """Rows divided by their root mean square, times gamma.

        Args:
            input_tensor: a row-major device tensor of rank 2 or more, or a NumPy or torch array of floats.
            gamma: one row of the input's width, of its dtype, on its device.
            epsilon: > 0, added to the mean square.
            memory_config: where the result goes; where the input is, if None.
            compute_kernel_config: fidelity and DST; HiFi4 and 32-bit DST, if None.
            core_grid: cores to use; all, if None.
            device, dtype: for arrays, where they go and what they become there.

        Returns:
            A tensor or array like the input.
        """
        options = Options(memory_config, compute_kernel_config, core_grid)
        values = {"input_tensor": input_tensor, "gamma": gamma}
        return self.call(values, options, epsilon=epsilon, device=device, dtype=dtype)

    def validate(self, tensors: Tensors) -> None:
        check_input(tensors["input_tensor"], WORDING)
        check_vector("Gamma", tensors["gamma"], tensors["input_tensor"])

    def reference(self, x: Float64, *vectors: Float64, epsilon: float = 1e-06) -> Float64:
        return references(x, *vectors, epsilon=epsilon)["untilize_row"]


rms_norm_w_rm = RmsNormWRm()
