# SPDX-License-Identifier: Apache-2.0
"""Declared operations: shipped ones on random shapes, with kernels, buffers and work split as the planner makes them.

Their results are compared with what the same call gives without checks; how right that is, tests of operations say.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from corpus.host import Host
from corpus.model import Launch
from hypothesis import strategies as st

from generated.model import Family
from tilewright import ops, ttnn
from tilewright.device.run import Run
from tilewright.device.run_options import RunOptions
from tilewright.device.run_program import intercepted_launches, run_program

OPERATIONS = ("centralize_w_rm", "variance_w_rm", "standardize_w_rm", "layernorm_fused_rm")


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of an operation."""

    operation: str
    rows: int
    width: int


calls = st.builds(Call, st.sampled_from(OPERATIONS), st.integers(1, 200), st.sampled_from([32, 70, 96]))


def build(host: Host, call: Call, fault: str = "") -> Launch:
    """The launch the call makes, caught on its way."""
    shape = (call.rows, call.width)
    values = np.random.default_rng(call.rows).standard_normal(shape)
    arrays = [values, *([values[:1], values[-1:]] if call.operation == "layernorm_fused_rm" else [])]
    tensors = [host.tensor(array, layout=ttnn.ROW_MAJOR_LAYOUT) for array in arrays]
    caught: list[tuple[Any, Any]] = []

    def catch(io_tensors: Any, program: Any, options: RunOptions) -> Run:
        caught.append((io_tensors, program))
        return run_program(io_tensors, program, options)

    with intercepted_launches(catch):
        output = getattr(ops, call.operation)(*tensors)
    ((io_tensors, program),) = caught
    return Launch(io_tensors, program, ttnn.to_numpy(output).astype(np.float64))


DECLARED = Family("declared", calls, build, {}, ())
