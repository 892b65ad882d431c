# SPDX-License-Identifier: Apache-2.0
"""Arguments by name: their order, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels import elementwise_kernels as kernels
from tilewright import ttnn
from tilewright.kernels import KernelArgumentError

CORES = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])


@pytest.fixture
def tensor(device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.empty([32, 64], dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


def test_names_are_in_the_order_the_kernel_reads() -> None:
    assert kernels.write_blocks.compile_time_arg_names == ("block", "target")
    assert kernels.write_blocks.runtime_arg_names == ("num_tiles", "page", "target")
    assert kernels.write_blocks.common_runtime_arg_names == ()


def test_a_descriptor_has_the_values_in_that_order(tensor: ttnn.Tensor) -> None:
    descriptor = kernels.write_blocks.descriptor(
        CORES,
        compile_time_args={"block": 4},
        runtime_args={ttnn.CoreCoord(x, 0): {"page": 10 * x, "num_tiles": x} for x in range(2)},
        tensors={"target": tensor},
    )
    assert list(descriptor.compile_time_args) == [4, *ttnn.TensorAccessorArgs(tensor).get_compile_time_args()]
    address = tensor.buffer_address()
    assert [list(words) for _, words in descriptor.runtime_args] == [[0, 0, address], [1, 10, address]]
    assert descriptor.name == "write_blocks"
    assert isinstance(descriptor.config, ttnn.WriterConfigDescriptor)
    assert descriptor.kernel_source == kernels.write_blocks.cpp_source(lines=True)


def test_one_set_of_values_goes_to_every_core(tensor: ttnn.Tensor) -> None:
    descriptor = kernels.exponentiate.descriptor(CORES, runtime_args={"num_tiles": 3}, lines=False)
    assert [list(words) for _, words in descriptor.runtime_args] == [[3], [3]]
    assert descriptor.kernel_source == kernels.exponentiate.cpp_source()


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"compile_time_args": {}}, "write_blocks: compile_time_args: block missing. It takes block."),
    ({"compile_time_args": {"blok": 1}}, "block missing; blok unknown"),
    ({"compile_time_args": {"block": 1, "cb": 1}}, "compile_time_args: cb unknown"),
    ({"compile_time_args": {"block": 1.5}}, "block must be a uint32 (0 to 4294967295), not 1.5"),
    ({"compile_time_args": {"block": -1}}, "not -1"),
    ({"compile_time_args": {"block": 2**32}}, "not 4294967296"),
    ({"runtime_args": {"num_tiles": 1}}, "runtime_args: page missing. It takes num_tiles, page."),
    ({"runtime_args": {ttnn.CoreCoord(0, 0): {"num_tiles": 1, "page": 0}}}, "no values for core (1,0)"),
    ({"runtime_args": {ttnn.CoreCoord(x, 0): {"num_tiles": 1} for x in range(2)}}, "of core (0,0): page missing"),
    ({"runtime_args": {ttnn.CoreCoord(x, 0): {} for x in range(3)}}, "not among the kernel's cores"),
    ({"common_runtime_args": {"a": 1}}, "common_runtime_args: a unknown. It takes nothing."),
    ({"tensors": {}}, "tensors: target missing"),
    ({"tensors": {"target": 3}}, "tensors['target'] must be a Tensor, not 3"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_wrong_arguments_are_named(tensor: ttnn.Tensor, change: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {
        "compile_time_args": {"block": 1},
        "runtime_args": {"num_tiles": 1, "page": 0},
        "tensors": {"target": tensor},
    }
    with pytest.raises(KernelArgumentError) as caught:
        kernels.write_blocks.descriptor(CORES, **{**right, **change})
    assert message in str(caught.value)
