# SPDX-License-Identifier: Apache-2.0
"""Python kernels run: right numbers, and messages that point into the Python file."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.kernels import elementwise_kernels as kernels
from tilewright import ttnn
from tilewright._errors import DeadlockError, KernelCompileError
from tilewright.kernels import Kernel, KernelFunction

TILE_BYTES = 4096


def line_of(kernel: KernelFunction, code: str) -> int:
    """Where ``code`` stands in the Python source of a kernel."""
    first = kernel.function.__code__.co_firstlineno
    with open(kernel.path, encoding="utf-8") as file:  # noqa: PTH123
        rows = file.read().splitlines()
    return next(number for number, row in enumerate(rows, 1) if number >= first and code in row)


def buffers(cores: ttnn.CoreRangeSet, pages: dict[int, int]) -> list[ttnn.CBDescriptor]:
    return [
        ttnn.CBDescriptor(
            total_size=count * TILE_BYTES,
            core_ranges=cores,
            format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.float32, TILE_BYTES)],
        )
        for index, count in pages.items()
    ]


def split(cores: ttnn.CoreRangeSet, num_tiles: int) -> dict[ttnn.CoreCoord, tuple[int, int]]:
    """Tiles and first tile of each core, the last core taking what is over."""
    each = num_tiles // cores.num_cores()
    ranges = {core: (each, index * each) for index, core in enumerate(cores)}
    last = list(cores)[-1]
    ranges[last] = (num_tiles - each * (cores.num_cores() - 1), ranges[last][1])
    return ranges


def run(device: ttnn.Device, reader: Kernel, compute: Kernel, inputs: dict[str, np.ndarray]) -> np.ndarray:
    tensors = {
        name: ttnn.from_numpy(array, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
        for name, array in inputs.items()
    }
    first = next(iter(tensors.values()))
    output = ttnn.empty(first.shape, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))])
    work = split(cores, first.buffer_num_pages())
    program = ttnn.ProgramDescriptor(
        kernels=[
            reader.descriptor(
                cores,
                runtime_args={core: {"num_tiles": n, "start": at} for core, (n, at) in work.items()},
                tensors=tensors,
            ),
            compute.descriptor(
                cores,
                runtime_args={core: {"num_tiles": n} for core, (n, _) in work.items()},
                config=ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True),
            ),
            kernels.write_blocks.descriptor(
                cores,
                compile_time_args={"block": 2},
                runtime_args={core: {"num_tiles": n, "page": at} for core, (n, at) in work.items()},
                tensors={"target": output},
            ),
        ],
        cbs=buffers(cores, {0: 2, 1: 2, 16: 4}),
    )
    return ttnn.to_numpy(ttnn.generic_op([*tensors.values(), output], program)).astype(np.float64)


def test_exp(device: ttnn.Device) -> None:
    x = np.random.default_rng(1).uniform(-4, 4, (96, 192)).astype(np.float32)
    y = run(device, kernels.read_one, kernels.exponentiate, {"source": x})
    expected = np.exp(x.astype(np.float64))
    # x itself comes with a mantissa of ten bits, cut off.
    assert np.all(np.abs(y - expected) <= (2**-10 * np.abs(x) + 2**-16) * expected)


def test_add(device: ttnn.Device) -> None:
    generator = np.random.default_rng(2)
    left, right = (generator.standard_normal((64, 160)).astype(np.float32) for _ in range(2))
    y = run(device, kernels.read_two, kernels.add, {"left": left, "right": right})
    expected = left.astype(np.float64) + right
    # The matrix unit takes its operands with a mantissa of ten bits.
    assert np.all(np.abs(y - expected) <= 2**-10 * (np.abs(left) + np.abs(right)))


def test_row_sums(device: ttnn.Device) -> None:
    x = np.random.default_rng(3).standard_normal((64, 96)).astype(np.float32)
    source = ttnn.from_numpy(x, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
    target = ttnn.empty([64, 32], dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])
    rows = {core: {"num_rows": 1, "start": core.x} for core in cores}
    widths = {"row_tiles": 3}
    program = ttnn.ProgramDescriptor(
        kernels=[
            kernels.read_rows.descriptor(
                cores, compile_time_args=widths, runtime_args=rows, tensors={"source": source}
            ),
            kernels.sum_rows.descriptor(
                cores,
                compile_time_args=widths,
                runtime_args={"num_rows": 1},
                config=ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True),
            ),
            kernels.write_blocks.descriptor(
                cores,
                compile_time_args={"block": 1},
                runtime_args={core: {"num_tiles": 1, "page": core.x} for core in cores},
                tensors={"target": target},
            ),
        ],
        cbs=buffers(cores, {0: 2, 1: 1, 16: 2}),
    )
    y = ttnn.to_numpy(ttnn.generic_op([source, target], program)).astype(np.float64)[:, 0]
    wide = x.astype(np.float64)
    assert np.all(np.abs(y - wide.sum(axis=1)) <= 2**-10 * np.abs(wide).sum(axis=1))


def one_kernel(kernel: Kernel) -> ttnn.ProgramDescriptor:
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    return ttnn.ProgramDescriptor(kernels=[kernel.descriptor(cores)], cbs=buffers(cores, {16: 4}))


def some_tensor(device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.empty([32, 32], dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


def test_a_deadlock_and_a_print_name_the_python_line(device: ttnn.Device, capfd: pytest.CaptureFixture[str]) -> None:
    kernel = kernels.wait_for_too_much
    with pytest.raises(DeadlockError) as caught:
        ttnn.generic_op([some_tensor(device)], one_kernel(kernel))
    line = line_of(kernel, "cb_wait_front(cb.out, 3)")
    assert f"elementwise_kernels.py:{line}  cb_wait_front(c_16, 3)  0 of 3 pages there" in str(caught.value)
    assert "waiting for 3" in "".join(capfd.readouterr())


def test_a_deadlock_in_a_helper_names_the_helpers_line(device: ttnn.Device) -> None:
    with pytest.raises(DeadlockError) as caught:
        ttnn.generic_op([some_tensor(device)], one_kernel(kernels.wait_in_a_helper))
    line = line_of(kernels.wait_for_one, "cb_wait_front(cb, 1)")
    assert f"elementwise_kernels.py:{line}" in str(caught.value)


def test_compile_errors_name_the_python_line(device: ttnn.Device) -> None:
    """What only the C++ compiler can see: a helper called like something else in the headers."""
    kernel = kernels.clashing_names
    with pytest.raises(KernelCompileError) as caught:
        ttnn.generic_op([some_tensor(device)], one_kernel(kernel))
    line = line_of(kernels.get_arg_addr, "def get_arg_addr")
    assert f"elementwise_kernels.py:{line}" in str(caught.value)


def test_an_error_in_a_header_names_the_python_lines_that_led_there(written, device: ttnn.Device) -> None:
    module = written("""
        @kernel_function
        def select(data_format: CompileTimeArg[DataFormat]) -> None:
            where_tile[data_format](0, 1, 2, 0)

        @compute_kernel
        def kernel(cb: Buffers) -> None:
            select(DataFormat.UInt8)
    """)
    with pytest.raises(KernelCompileError) as caught:
        ttnn.generic_op([some_tensor(device)], one_kernel(module.kernel))
    text = str(caught.value)
    assert re.search(r"where\.h:\d+:\d+: error: static assertion failed", text)
    for line in (written.first_line + 3, written.first_line + 7):
        assert f"{module.__file__}:{line}:" in text


def random_expression(generator: np.random.Generator, depth: int) -> str:
    """An expression over the uint32 variables a, b, c."""
    if depth == 0:
        return str(generator.choice(["a", "b", "c", "1", "3", "0x10", "ROWS"]))
    one, other = (random_expression(generator, int(generator.integers(0, depth))) for _ in range(2))
    operator = generator.choice(["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "min", "if"])
    if operator == "min":
        return f"min({one}, {other} + c)"
    if operator == "if":
        return f"({one} if {one} < a or {other} == b and not c > 2 else {other} - c)"
    if operator in ("//", "%"):
        return f"({one}) {operator} (({other}) % 7 + a)"
    if operator in ("<<", ">>"):
        return f"({one}) {operator} (({other}) % 5)"
    if operator == "-":  # of numbers only, it would be an int32
        return f"({one}) + c - ({other})"
    return f"({one}) {operator} ({other})" if generator.random() < 0.7 else f"{one} {operator} {other}"


class Wrapping(int):
    """A uint32 of Python, to compare with."""


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    for _side in ("", "r"):
        _dunder = f"__{_side}{_name}__"

        def _wrapped(self: int, other: int, _base: str = _dunder) -> int:
            return Wrapping(getattr(int, _base)(self, other) & 0xFFFFFFFF)

        setattr(Wrapping, _dunder, _wrapped)


def test_arithmetic_is_that_of_python_modulo_2_to_the_32(written, device, capfd: pytest.CaptureFixture[str]) -> None:
    generator = np.random.default_rng(5)
    texts = [random_expression(generator, 4) for _ in range(120)]
    names = {"a": 3, "b": 4000000000, "c": 17}
    body = "".join(f'    dprint("value {number} {{}}", uint32({text}))\n' for number, text in enumerate(texts))
    module = written(f"@writer_kernel\ndef kernel(a: RuntimeArg, b: RuntimeArg, c: RuntimeArg) -> None:\n{body}")
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    descriptor = module.kernel.descriptor(cores, runtime_args=names)
    ttnn.generic_op([some_tensor(device)], ttnn.ProgramDescriptor(kernels=[descriptor]))
    printed = [row.split("value ")[1].split() for row in "".join(capfd.readouterr()).splitlines() if "value " in row]
    wrapping = {name: Wrapping(number) for name, number in {**names, "ROWS": 32}.items()}
    assert len(printed) == len(texts)
    for number, value in printed:
        expected = int(eval(texts[int(number)], {}, {**wrapping, "min": min})) & 0xFFFFFFFF
        assert int(value) == expected, texts[int(number)]
