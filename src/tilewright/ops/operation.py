# SPDX-License-Identifier: Apache-2.0
"""What an operation is: it describes itself, so that running, showing and checking one needs no code of its own."""

from __future__ import annotations

import abc
import dataclasses
import functools
import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tilewright.device.run import Run
from tilewright.device.run_program import run_program
from tilewright.ops.arrays import Operands
from tilewright.ops.plan import Buffer, Plan, Strategy, make_plan
from tilewright.ops.program_cache import borrowed_program
from tilewright.ops.row_program import Kernels, Tensors, build_program
from tilewright.ops.row_split import CoreSelection, Rows, checked_selection
from tilewright.ops.validation import OperationError, checked_epsilon
from tilewright.program.compute_kernel_config import ComputeKernelConfig, WormholeComputeKernelConfig
from tilewright.program.kernel import ComputeConfigDescriptor, MathFidelity
from tilewright.program.program import ProgramDescriptor
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import DataType
from tilewright.tensor.layout import Layout
from tilewright.tensor.memory_config import MemoryConfig
from tilewright.tensor.tensor import Tensor, allocate_tensor_on_device

Float64 = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Options:
    """How to run an operation, where it is not to choose itself.

    Attributes:
        memory_config: where the result goes; None is where the input is.
        compute_kernel_config: fidelity and width of DST; None is HiFi4 with 32-bit DST.
        core_grid: cores to use; None is all.
        strategy, block_tiles: of the plan.
        threads: of the host.
    """

    memory_config: MemoryConfig | None = None
    compute_kernel_config: ComputeKernelConfig | None = None
    core_grid: CoreSelection | None = None
    strategy: Strategy | None = None
    block_tiles: int | None = None
    threads: int = 1


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What running an operation left. The next call of the same kind puts its own arguments into ``program``."""

    output: Tensor
    plan: Plan
    program: ProgramDescriptor
    run: Run


class Operation(abc.ABC):
    """An operation along the last dimension of a row-major tensor.

    Attributes:
        name: as in ``tilewright.ops.<name>``.
        formula: what it computes, in one line.
        vectors: names of the tensors it takes besides the input, each one row of the input's width.
        torch_reference: the same in torch, an expression of ``x``, the vectors and ``epsilon``.
        has_epsilon: whether it takes epsilon.
        buffers: its circular buffers.
        kernels: its kernels, by strategy.
    """

    name: ClassVar[str]
    formula: ClassVar[str]
    torch_reference: ClassVar[str]
    vectors: ClassVar[tuple[str, ...]] = ()
    has_epsilon: ClassVar[bool] = False
    buffers: ClassVar[tuple[Buffer, ...]]
    kernels: ClassVar[Mapping[Strategy, Kernels]]

    @abc.abstractmethod
    def validate(self, tensors: Tensors) -> None:
        """Refuses tensors it cannot work on."""

    @abc.abstractmethod
    def reference(self, x: Float64, *vectors: Float64, epsilon: float = 1e-5) -> Float64:
        """The exact result, in float64."""

    @property
    def default_epsilon(self) -> float:
        """Epsilon of a call that gives none."""
        # Every operation has __call__ with parameters of its own, so the base class declares none.
        taken_by = self.__call__ if self.has_epsilon else self.reference  # type: ignore[operator]
        return float(inspect.signature(taken_by).parameters["epsilon"].default)

    def output_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape

    def plan(
        self,
        shape: tuple[int, ...],
        dtype: DataType,
        device: Device,
        *,
        core_grid: CoreSelection | None = None,
        strategy: Strategy | None = None,
        block_tiles: int | None = None,
    ) -> Plan:
        """How a call on a tensor like this would use the device."""
        if strategy is None and Strategy.STREAMING not in self.kernels:
            strategy = Strategy.RESIDENT
        elif strategy is not None and strategy not in self.kernels:
            raise OperationError(f"{self.name} has no {strategy.value} kernels; it has {_listed(self.kernels)}")
        selection = checked_selection(core_grid, device.compute_with_storage_grid_size())
        budget = _l1_budget(device)
        return _plan(self.name, self.buffers, Rows(shape, dtype), selection, budget, strategy, block_tiles)

    def allocate(self, plan: Plan, device: Device, memory_config: MemoryConfig | None = None) -> dict[str, Tensor]:
        """Tensors a plan could run on, the output among them, which nobody has written yet."""
        shape = plan.rows.shape
        shapes = {"input_tensor": shape, **dict.fromkeys(self.vectors, shape[-1:]), "output": self.output_shape(shape)}
        return {
            name: allocate_tensor_on_device(each, plan.rows.dtype, Layout.ROW_MAJOR, device, memory_config)
            for name, each in shapes.items()
        }

    def program(
        self,
        plan: Plan,
        tensors: Tensors,
        *,
        epsilon: float = 1e-5,
        config: ComputeConfigDescriptor | None = None,
    ) -> ProgramDescriptor:
        """The program of a plan; ``tensors`` has the input, the vectors and the output by name."""
        return build_program(plan, self.kernels[plan.strategy], tensors, self._epsilon(epsilon), checked_config(config))

    def launch(self, tensors: Tensors, options: Options | None = None, *, epsilon: float = 1e-5) -> Outcome:
        """Runs the operation on device tensors and keeps the plan, the program and the record of the run."""
        chosen = options or Options()
        exact_epsilon = self._epsilon(epsilon)
        self.validate(tensors)
        x = tensors["input_tensor"]
        device = x.device()
        assert device is not None
        output = allocate_tensor_on_device(
            self.output_shape(tuple(x.shape)),
            x.dtype,
            Layout.ROW_MAJOR,
            device,
            chosen.memory_config or x.memory_config(),
        )
        plan = self.plan(
            tuple(x.shape),
            x.dtype,
            device,
            core_grid=chosen.core_grid,
            strategy=chosen.strategy,
            block_tiles=chosen.block_tiles,
        )
        everything = {**tensors, "output": output}
        config = checked_config(chosen.compute_kernel_config)
        kernels = self.kernels[plan.strategy]
        with borrowed_program(device, plan, kernels, everything, exact_epsilon, config) as program:
            run = run_program([*tensors.values(), output], program, threads=chosen.threads)
        return Outcome(output, plan, program, run)

    def call(
        self,
        values: Mapping[str, Any],
        options: Options,
        *,
        epsilon: float = 1e-5,
        device: Device | None = None,
        dtype: DataType | None = None,
    ) -> Any:
        """Runs the operation on tensors or arrays; the result is of the same kind."""
        operands = Operands(values, device, dtype)
        return operands.give_back(self.launch(operands.tensors, options, epsilon=epsilon).output)

    def _epsilon(self, epsilon: float) -> float | None:
        return checked_epsilon(epsilon) if self.has_epsilon else None

    def __repr__(self) -> str:
        return f"<operation {self.name}: {self.formula}>"


_plan = functools.lru_cache(maxsize=256)(make_plan)


def _listed(kernels: Mapping[Strategy, Kernels]) -> str:
    return ", ".join(each.value for each in kernels)


def checked_config(config: Any) -> ComputeConfigDescriptor:
    """How to compute: what is asked for, HiFi4 with 32-bit DST without."""
    if config is None:
        return ComputeConfigDescriptor(math_fidelity=MathFidelity.HiFi4, fp32_dest_acc_en=True)
    if isinstance(config, WormholeComputeKernelConfig):
        return config.descriptor()
    if not isinstance(config, ComputeConfigDescriptor):
        raise TypeError(
            "compute_kernel_config must be a ttnn.ComputeConfigDescriptor or a ttnn.WormholeComputeKernelConfig, "
            f"not {config!r}"
        )
    return config


def _l1_budget(device: Device) -> int:
    """Bytes of each core's L1 between the firmware and the lowest tensor."""
    return device.circular_buffers_end() - device.description.l1_unreserved_base
