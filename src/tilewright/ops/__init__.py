# SPDX-License-Identifier: Apache-2.0
"""The operations: Python kernels that run on a simulated chip, called like functions::

    from tilewright import ops

    y = ops.layernorm_fused_rm(x, gamma, beta, epsilon=1e-5)

``x`` is a row-major tensor on a device, a NumPy array or a torch tensor; ``y`` is of the same kind.
"""

from __future__ import annotations

from tilewright._planner.plan import Plan
from tilewright._planner.strategy import Strategy
from tilewright.formula._validation import OperationError
from tilewright.ops._case import OwnCase
from tilewright.ops._operation import Operation
from tilewright.ops._options import Options
from tilewright.ops._outcome import Outcome
from tilewright.ops._tolerance import OwnTolerance
from tilewright.ops.centralize_w_rm import centralize_w_rm
from tilewright.ops.layernorm_fused_rm import layernorm_fused_rm
from tilewright.ops.standardize_w_rm import standardize_w_rm
from tilewright.ops.variance_w_rm import variance_w_rm

OPERATIONS: dict[str, Operation] = {
    each.name: each for each in (centralize_w_rm, variance_w_rm, standardize_w_rm, layernorm_fused_rm)
}

__all__ = [
    "OPERATIONS",
    "Operation",
    "OperationError",
    "Options",
    "Outcome",
    "OwnCase",
    "OwnTolerance",
    "Plan",
    "Strategy",
    "centralize_w_rm",
    "layernorm_fused_rm",
    "standardize_w_rm",
    "variance_w_rm",
]
