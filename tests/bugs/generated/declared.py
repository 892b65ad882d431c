# SPDX-License-Identifier: Apache-2.0
"""Declared operations: shipped ones on random shapes, with kernels, buffers and work split as the planner makes them.

Their results are compared with what the same call gives without checks; how right that is, tests of operations say.
Faults are put into a copy of the program: its kernels are generated, so a finding needs no line of them.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.bugs.corpus.host import Host
from tests.bugs.corpus.model import Launch
from tests.bugs.generated.model import Family, Fault, RulesFor, always
from tilewright import ops, ttnn
from tilewright._launch import observer
from tilewright._record.run import Run

INPUT, OUTPUT = 0, 16  # circular buffers of rows as they come and go
TILE_ROWS = 32
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
    with observer.observed_launches(_Catching()) as caught:
        output = getattr(ops, call.operation)(*tensors)
    ((io_tensors, program),) = caught
    if fault:
        program = copy.deepcopy(program)
        _seed(program, fault)
    return Launch(io_tensors, program, ttnn.to_numpy(output).astype(np.float64))


class _Catching(observer.Observer[tuple[Any, Any]]):
    """Keeps what is launched."""

    def observe(self, launch: observer.Launch) -> Run:
        self.take((launch.tensors, launch.program))
        return launch.run()


def _seed(program: ttnn.ProgramDescriptor, fault: str) -> None:
    read, _, write = program.kernels
    match fault:
        case "NO_READ_BARRIER":
            read.kernel_source = read.kernel_source.replace("noc_async_read_barrier();", "")
        case "NO_WRITE_BARRIER":
            write.kernel_source = write.kernel_source.replace("noc_async_write_barrier();", "")
        case "NO_OUTPUT_BUFFER":
            program.cbs = [each for each in program.cbs if each.format_descriptors[0].buffer_index != OUTPUT]
        case "ONE_PAGE":
            (rows,) = (each for each in program.cbs if each.format_descriptors[0].buffer_index == INPUT)
            rows.total_size = rows.format_descriptors[0].page_size
        case "SAME_ROWS":
            arguments = list(write.runtime_args)
            write.runtime_args = [(core, arguments[0][1]) for core, _ in arguments]
        case _:
            raise ValueError(fault)


def _on_several_cores(*rules: str) -> RulesFor:
    return lambda call: rules if call.rows > TILE_ROWS else ()


def _if_rows_are_pages(*rules: str) -> RulesFor:
    return lambda call: rules if call.operation == "layernorm_fused_rm" else ()


FAULTS = (
    Fault("NO_READ_BARRIER", always("noc-push-in-flight", "noc-use-in-flight"), in_kernel=False),
    Fault("NO_WRITE_BARRIER", always("noc-pop-in-flight", "noc-exit-in-flight"), in_kernel=False),
    Fault("NO_OUTPUT_BUFFER", always("cb-not-configured"), in_kernel=False),
    Fault("ONE_PAGE", _if_rows_are_pages("cb-over-capacity"), in_kernel=False),
    Fault("SAME_ROWS", _on_several_cores("dram-race", "work-overlap"), in_kernel=False),
)
DECLARED = Family("declared", calls, build, {}, FAULTS)
