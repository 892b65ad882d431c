# SPDX-License-Identifier: Apache-2.0
"""What a spec says, as it stands in the file: one class for each kind of table, each entry with its line."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

KEPT_UNTIL = "kept until "
PERSISTENT = "persistent"
STREAMING = "streaming"


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a table stands, and each of its entries."""

    line: int = 1
    lines: Mapping[str, int] = dataclasses.field(default_factory=dict)

    def of(self, key: str) -> int:
        return self.lines.get(key, self.line)


@dataclasses.dataclass(frozen=True)
class Entry:
    """What every table of a spec has: its place, which is no part of what it says."""

    place: Place = dataclasses.field(default_factory=Place, compare=False, repr=False, kw_only=True)


@dataclasses.dataclass(frozen=True)
class Parameter(Entry):
    """``[parameters.epsilon]``: a number the operation takes besides its tensors."""

    name: str
    default: float
    range: str
    error: str


@dataclasses.dataclass(frozen=True)
class Requirement(Entry):
    """``[[requirement]]``: what the input must be, and what a caller is told who gives something else."""

    property: str
    rule: str
    error: str


@dataclasses.dataclass(frozen=True)
class Output(Entry):
    """``[output]``: the result's shape, ``same`` or ``last dimension 1``, and its dtype, ``input``."""

    shape: str
    dtype: str

    @property
    def is_column(self) -> bool:
        return self.shape == "last dimension 1"


@dataclasses.dataclass(frozen=True)
class Vector(Entry):
    """``[[vector]]``: a tensor besides the input, one row of its width."""

    name: str
    rule: str


@dataclasses.dataclass(frozen=True)
class BufferSpec(Entry):
    """``[[buffer]]``: a circular buffer.

    Attributes:
        pages: an expression of ``Wt``, ``B`` and ``partial``, such as ``2*B`` or ``1 + partial``.
        page: ``tile`` or ``stick``.
        format: ``input``, ``bfloat16`` or ``float32``.
        producer, consumer: ``reader``, ``compute`` or ``writer``.
        lifetime: ``streaming``, ``kept until <phase>`` or ``persistent``.
        holds: what the reader puts in: ``input``, ``scaler``, a vector or a parameter. Empty for other producers. A
            vector is in row 0 of tile pages, which the reader makes of a stick in a buffer of its own.
    """

    index: int
    name: str
    pages: str
    page: str
    format: str
    producer: str
    consumer: str
    lifetime: str
    purpose: str
    holds: str = ""

    @property
    def is_staging(self) -> bool:
        """Whether it is the reader's own: a stick of what it puts into tiles of another buffer."""
        return self.producer == self.consumer == "reader"

    @property
    def kept_until(self) -> str:
        """The phase after which its pages go; empty if it is not kept, or for ever."""
        return self.lifetime.removeprefix(KEPT_UNTIL) if self.lifetime.startswith(KEPT_UNTIL) else ""


@dataclasses.dataclass(frozen=True)
class PhaseSpec(Entry):
    """``[[phase]]``: one step.

    Attributes:
        call: of a phase of tilewright.kernels.phases, or of one to be written, with buffers by their names.
        reference: what its output holds, a NumPy expression of ``x``, vectors, parameters and earlier phases.
        once: before the first tile-row.
        each: ``row`` (once for a tile-row) or ``block``; consecutive block phases share one loop over the blocks.
        waits, pops, pushes, needs, gives: the contract of a phase that is to be written.
    """

    name: str
    call: str
    reference: str
    summary: str = ""
    once: bool = False
    each: str = "row"
    waits: Mapping[str, str] | None = None
    pops: Mapping[str, str] | None = None
    pushes: Mapping[str, str] | None = None
    needs: Mapping[str, str] | None = None
    gives: Mapping[str, str] | None = None

    @property
    def is_own(self) -> bool:
        """Whether it brings its own contract."""
        return self.waits is not None or self.pushes is not None


@dataclasses.dataclass(frozen=True)
class Work(Entry):
    """``[work]``: the unit, how many there are, and how often a row too wide for L1 is read (0: it is refused)."""

    unit: str
    count: str
    passes: int = 0


@dataclasses.dataclass(frozen=True)
class TestCase(Entry):
    """``[[test]]``: an input, and how near the result must be, and why that near.

    Attributes:
        data: normal, offset, constant, alternating, spike, arange or tiny.
        bound: how much of max(1, |y|) an element may be off; or ``rtol`` and ``atol``.
    """

    __test__ = False  # not a test of pytest's

    name: str
    shape: tuple[int, ...]
    dtype: str
    data: str
    why: str
    bound: float | None = None
    rtol: float | None = None
    atol: float | None = None


@dataclasses.dataclass(frozen=True)
class Spec:
    """A whole specification.

    Example::

        spec = read_spec("variance_w_rm/spec.toml")
        print(spec.buffer("in_tiled").lifetime)
    """

    name: str
    formula: str
    summary: str
    torch: str
    like: str
    parameters: tuple[Parameter, ...]
    requirements: tuple[Requirement, ...]
    output: Output
    vectors: tuple[Vector, ...]
    buffers: tuple[BufferSpec, ...]
    phases: tuple[PhaseSpec, ...]
    work: Work
    tests: tuple[TestCase, ...]
    place: Place = dataclasses.field(default_factory=Place, compare=False, repr=False)
    path: Path = dataclasses.field(default=Path("spec.toml"), compare=False)
    text: str = dataclasses.field(default="", compare=False, repr=False)

    def staging_of(self, buffer: BufferSpec) -> BufferSpec | None:
        """The stick of which the reader makes row 0 of this buffer's tiles; None if it fills it in another way."""
        if buffer.is_staging or not buffer.holds:
            return None
        return next((each for each in self.buffers if each.is_staging and each.holds == buffer.holds), None)

    def buffer(self, name: str) -> BufferSpec:
        return next(each for each in self.buffers if each.name == name)

    def phase(self, name: str) -> PhaseSpec:
        return next(each for each in self.phases if each.name == name)

    @property
    def operands(self) -> dict[str, Entry]:
        """Vectors and parameters by name: what the operation takes besides the input."""
        return {**{each.name: each for each in self.vectors}, **{each.name: each for each in self.parameters}}

    @property
    def has_epsilon(self) -> bool:
        return any(each.name == "epsilon" for each in self.parameters)

    @property
    def epsilon(self) -> float:
        """The default of epsilon."""
        return next((each.default for each in self.parameters if each.name == "epsilon"), 1e-5)
