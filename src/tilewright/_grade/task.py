# SPDX-License-Identifier: Apache-2.0
"""Tasks: what a candidate has to compute, on which shapes, how exactly, within which limits."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright._errors import TilewrightError
from tilewright._tensor.arch import ARCHS
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout

Array = NDArray[np.float64]


class TaskError(TilewrightError):
    """A task that cannot be graded; the message names the file, the argument and what is allowed."""

    exit_status = 2


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far an element may be from the reference: ``absolute + relative * |reference|``.

    Attributes:
        reason: where the figures come from.
    """

    absolute: float
    relative: float
    reason: str

    def __post_init__(self) -> None:
        if not (self.absolute >= 0 and self.relative >= 0):
            raise TaskError(f"Tolerance: absolute is {self.absolute}, relative {self.relative}; they must be 0 or more")
        if not self.reason.strip():
            raise TaskError("Tolerance: reason is empty; say where the figures come from")


@dataclasses.dataclass(frozen=True)
class Case:
    """One call: the shape of each input, and its values.

    Attributes:
        seed: of the normal distribution that values are drawn from.
        values: makes the inputs from a generator instead, one array for each.
    """

    shapes: Sequence[Sequence[int]]
    seed: int = 0
    values: Callable[[np.random.Generator], Sequence[Array]] | None = None

    def inputs(self) -> list[Array]:
        """The values of the inputs, before they are rounded to the task's dtype."""
        generator = np.random.default_rng(self.seed)
        if self.values is not None:
            return [np.asarray(each, np.float64) for each in self.values(generator)]
        return [generator.standard_normal(tuple(shape)) for shape in self.shapes]


@dataclasses.dataclass(frozen=True)
class Budget:
    """Limits of one candidate.

    Attributes:
        seconds: for each of its processes, compilation included.
        memory_mib: in use by its processes.
        compiler_seconds, compiler_mib: processor time and address space of each compiler.
        run_seconds: of each launch.
    """

    seconds: int = 120
    memory_mib: int = 2048
    compiler_seconds: int = 30
    compiler_mib: int = 1536
    run_seconds: float = 10.0


@dataclasses.dataclass(frozen=True)
class Task:
    """A task that candidates are graded against.

    Attributes:
        reference: the result in float64, from the inputs as the device holds them.
        cases: calls; candidates see the shapes of a call when they are called, and no values.
        tolerance: how far each element may be off.
        dtype, layout: of inputs and outputs.
        host: for candidates that are kernels only: gets the candidate's kernels by their file's stem and the input
            tensors, launches a program with them and returns the output tensor.
        kernels: stems of the kernels that ``host`` takes; a single file is the first.
        baseline: a candidate beside the task's file, whose modelled time is that to compare with, or microseconds.
        chip, grid: the chip, and the part of its grid to use.
        budget: limits of each candidate.
        name, path: of the task's file.

    Example::

        task = Task(
            reference=lambda x: np.maximum(x, 0),
            cases=[Case([(32, 64)]), Case([(96, 32)], seed=1)],
            tolerance=Tolerance(0, 0, "a maximum is exact"),
        )
    """

    reference: Callable[..., Any]
    cases: Sequence[Case]
    tolerance: Tolerance
    dtype: DataType = DataType.BFLOAT16
    layout: Layout = Layout.TILE
    host: Callable[..., Any] | None = None
    kernels: Sequence[str] = ("compute",)
    baseline: str | float | None = None
    chip: str = "wormhole_b0"
    grid: tuple[int, int] | None = None
    budget: Budget = Budget()
    name: str = ""
    path: Path = Path()

    def __post_init__(self) -> None:
        if not self.cases:
            raise TaskError("Task: cases is empty; give at least one")
        if self.chip not in ARCHS:
            raise TaskError(f"Task: chip is {self.chip!r}; allowed: {', '.join(ARCHS)}")

    @property
    def directory(self) -> Path:
        """The directory of the task's file."""
        return self.path.parent

    @property
    def files(self) -> set[Path]:
        """The task's file, and Python files beside it that it has imported."""
        imported = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        beside = {Path(each).resolve() for each in imported if each}
        return {self.path, *(each for each in beside if each.parent == self.directory)}


def read_task(path: Path) -> Task:
    """The ``task`` of a Python file.

    Raises:
        TaskError: the file cannot be read or has none.
    """
    specification = importlib.util.spec_from_file_location(f"tilewright_task_{path.stem}", path)
    if not path.is_file() or specification is None or specification.loader is None:
        raise TaskError(f"--task {path}: there is no such Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    try:
        specification.loader.exec_module(module)
    except TaskError:
        raise
    except Exception as error:
        raise TaskError(f"--task {path}: {type(error).__name__}: {error}") from error
    task = getattr(module, "task", None)
    if not isinstance(task, Task):
        raise TaskError(f"--task {path}: it must define `task`, a tilewright.grade.Task")
    return dataclasses.replace(task, name=task.name or path.stem, path=path.resolve())
