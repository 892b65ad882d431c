# SPDX-License-Identifier: Apache-2.0
"""``tests/``: one file for each stage, plain pytest, driven by the spec beside them."""

from __future__ import annotations

from tilewright.workshop.spec.model import Spec

_HEAD = "# SPDX-License-Identifier: Apache-2.0\n"

_FILES = {
    "__init__.py": '"""Tests of $name, stage by stage."""\n',
    "conftest.py": '''"""A small simulated chip, closed when the tests of a file are done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright import ttnn


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, grid=(2, 2))
    yield device
    ttnn.close_device(device)
''',
    "test_stage1_api.py": '''"""Stage 1: the operation can be imported, called and read about."""

from __future__ import annotations

import inspect
from pathlib import Path

from tilewright.ops import Operation
from tilewright.workshop.spec import check_spec, read_spec

from $name.op import $name

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


def test_the_spec_makes_sense() -> None:
    assert check_spec(SPEC) == []


def test_it_is_an_operation_of_this_name() -> None:
    assert isinstance($name, Operation)
    assert $name.name == SPEC.name
    assert $name.formula == SPEC.formula


def test_it_takes_what_the_spec_says() -> None:
    parameters = inspect.signature($name).parameters
    assert [*parameters][: 1 + len(SPEC.vectors)] == ["input_tensor", *(each.name for each in SPEC.vectors)]
    assert ("epsilon" in parameters) == SPEC.has_epsilon
    if SPEC.has_epsilon:
        assert parameters["epsilon"].default == SPEC.epsilon


def test_it_is_documented() -> None:
    assert $name.__doc__
    assert "Returns:" in (type($name).__call__.__doc__ or "")
''',
    "test_stage2_validation.py": '''"""Stage 2: what the spec does not allow is refused, in the spec's words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tilewright import ttnn
from tilewright.ops import OperationError
from tilewright.workshop.spec import read_spec

from $name.op import $name

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


def tensor(shape: tuple[int, ...], device: ttnn.Device | None, **options: object) -> ttnn.Tensor:
    return ttnn.zeros(shape, device=device, **options)


def sharded() -> ttnn.Tensor:
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])
    shards = ttnn.ShardSpec(cores, [32, 64], ttnn.ShardOrientation.ROW_MAJOR)
    config = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shards)
    return ttnn.from_numpy(np.zeros((32, 64)), ttnn.bfloat16, memory_config=config)


# For each property of a [[requirement]], a tensor that does not have it and what stands for {} in the error text.
WRONG = {
    "rank": (lambda device: tensor((64,), device), "1"),
    "layout": (lambda device: tensor((32, 64), device, layout=ttnn.TILE_LAYOUT), ""),
    "interleaved": (lambda device: sharded(), ""),
    "on_device": (lambda device: tensor((32, 64), None), ""),
    "dtype": (lambda device: tensor((32, 64), device, dtype=ttnn.int32), "INT32"),
    "width": (lambda device: tensor((32, 0), device), "0"),
}


@pytest.mark.parametrize("row", SPEC.requirements, ids=lambda row: row.property)
def test_each_requirement(device: ttnn.Device, row) -> None:
    make, value = WRONG[row.property]
    vectors = [tensor((64,), device) for _ in SPEC.vectors]
    with pytest.raises(OperationError, match=re.escape(row.error.replace("{}", value))):
        $name(make(device), *vectors)


@pytest.mark.parametrize("vector", [each.name for each in SPEC.vectors])
def test_a_vector_is_one_row_of_the_inputs_width(device: ttnn.Device, vector: str) -> None:
    vectors = {each.name: tensor((64,), device) for each in SPEC.vectors}
    for shape, text in [((32,), "last dimension 32 must match"), ((2, 64), "shape must match input width")]:
        with pytest.raises(OperationError, match=f"{vector.capitalize()} {text}"):
            $name(tensor((32, 64), device), **{**vectors, vector: tensor(shape, device)})


@pytest.mark.skipif(not SPEC.has_epsilon, reason="the operation takes no epsilon")
@pytest.mark.parametrize("epsilon", [0.0, -1e-5, float("nan")])
def test_epsilon_is_positive(device: ttnn.Device, epsilon: float) -> None:
    vectors = [tensor((64,), device) for _ in SPEC.vectors]
    with pytest.raises(OperationError, match="Epsilon must be positive"):
        $name(tensor((32, 64), device), *vectors, epsilon=epsilon)
''',
    "test_stage3_reaches_program.py": '''"""Stage 3: a valid call reaches the program factory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright.ops import operation as operation_module
from tilewright.workshop.cases import case_tensors
from tilewright.workshop.spec import read_spec

from $name.op import $name

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


class ReachedError(Exception):
    """Raised instead of building the program."""


@pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)
def test_valid_tensors_get_to_the_program(device: ttnn.Device, case, monkeypatch: pytest.MonkeyPatch) -> None:
    def factory(*arguments: object) -> None:
        raise ReachedError

    monkeypatch.setattr(operation_module, "borrowed_program", factory)
    with pytest.raises(ReachedError):
        $name(*case_tensors($name, case, device).values())
''',
    "test_stage4_plan.py": '''"""Stage 4: there is a plan for every test case, and it fits L1."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.ops import Strategy
from tilewright.tensor.paper_device import paper_device
from tilewright.workshop.cases import DTYPES
from tilewright.workshop.spec import read_spec

from $name.op import $name

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
@pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)
def test_a_plan_fits(case, arch: str) -> None:
    plan = $name.plan(case.shape, DTYPES[case.dtype], paper_device(arch))
    assert plan.l1_bytes <= plan.l1_budget
    assert plan.strategy in $name.kernels
    assert plan.block_tiles * plan.num_blocks >= plan.rows.width_tiles


def test_rows_stream_if_the_spec_says_so() -> None:
    assert (Strategy.STREAMING in $name.kernels) == (SPEC.work.passes > 0)
    if SPEC.work.passes:
        kernels = $name.kernels[Strategy.STREAMING]
        assert kernels.num_passes == SPEC.work.passes
''',
    "test_stage5_buffers_and_work.py": '''"""Stage 5: circular buffers and work are as the spec says."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tilewright.ops import OperationError, Strategy
from tilewright.tensor.paper_device import paper_device
from tilewright.workshop.cases import DTYPES
from tilewright.workshop.spec import read_spec
from tilewright.workshop.spec.expressions import page_count

from $name.op import $name

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")
CASES = pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)


@CASES
@pytest.mark.parametrize("strategy", $name.kernels, ids=lambda each: each.value)
def test_buffers(case, strategy: Strategy) -> None:
    device = paper_device("wormhole_b0")
    try:
        plan = $name.plan(case.shape, DTYPES[case.dtype], device, strategy=strategy)
    except OperationError:
        pytest.skip("this row does not fit L1, so it streams (stage 4 looks at the plan it gets)")
    assert [each.buffer.index for each in plan.buffers] == [each.index for each in SPEC.buffers]
    row_tiles = plan.rows.width_tiles if strategy is Strategy.RESIDENT else plan.block_tiles
    for planned, wanted in zip(plan.buffers, SPEC.buffers, strict=True):
        dtype = DTYPES.get(wanted.format, plan.rows.dtype)
        stick_bytes = plan.block_tiles * 32 * dtype.element_bytes
        pages = page_count(wanted.pages).pages(row_tiles, plan.block_tiles, case.shape[-1] % 32 != 0)
        assert planned.buffer.name == wanted.name
        assert planned.pages == pages, wanted.name
        assert planned.dtype is dtype, wanted.name
        assert planned.page_bytes == (dtype.tile_bytes() if wanted.page == "tile" else stick_bytes), wanted.name


@CASES
def test_work_covers_every_row_once(case) -> None:
    plan = $name.plan(case.shape, DTYPES[case.dtype], paper_device("wormhole_b0"))
    expected = 0
    for work in sorted(plan.split.work, key=lambda each: each.first_stick):
        assert work.first_stick == expected
        expected += work.num_sticks
    assert expected == math.prod(case.shape[:-1])


@CASES
def test_the_program_is_whole(case) -> None:
    device = paper_device("wormhole_b0")
    plan = $name.plan(case.shape, DTYPES[case.dtype], device)
    program = $name.program(plan, $name.allocate(plan, device))
    assert len(program.kernels) == 3
    assert len(program.cbs) == len(SPEC.buffers)
''',
    "test_stage6_kernels.py": '''"""Stage 6: kernels compile, the program ends, pages are balanced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright.ops import Options
from tilewright.workshop.cases import case_tensors
from tilewright.workshop.spec import read_spec

from $name.op import $name

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")
KERNELS = {kernel.name: kernel for kernels in $name.kernels.values() for kernel in kernels}


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_becomes_cpp(kernel: str) -> None:
    assert "void kernel_main() {" in KERNELS[kernel].cpp_source()


@pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)
def test_the_program_ends(device: ttnn.Device, case) -> None:
    tensors = case_tensors($name, case, device)
    outcome = $name.launch(tensors, Options(), epsilon=SPEC.epsilon)
    assert tuple(outcome.output.shape) == $name.output_shape(case.shape)
    assert outcome.output.dtype is tensors["input_tensor"].dtype
    persistent = {each.index for each in SPEC.buffers if each.lifetime == "persistent"}
    for use in outcome.run.circular_buffers:
        allowed = (0, use.pushed) if use.index in persistent else (0,)
        assert use.left_over in allowed, outcome.run.cb_label(use.index)
        assert use.peak <= use.num_pages
''',
    "test_stage7_numerics.py": '''"""Stage 7: every element is as near to float64 as the spec says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright import ttnn
from tilewright.workshop.cases import run_case
from tilewright.workshop.spec import read_spec

from $name.op import $name

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")


@pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)
def test_numbers(device: ttnn.Device, case, record_property) -> None:
    result = run_case($name, SPEC, case, device)
    record_property("share_of_tolerance", result.share)
    assert result.share <= 1, result.text
''',
}


def stage_tests(spec: Spec) -> dict[str, str]:
    """The files of ``tests/`` by name."""
    return {name: _HEAD + text.replace("$name", spec.name) for name, text in _FILES.items()}
