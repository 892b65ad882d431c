# SPDX-License-Identifier: Apache-2.0
"""Our additions to the descriptors: names, texts, and errors where ttnn would lose a change."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tilewright import ttnn
from tilewright._program.cb_placement import end_of_circular_buffers, place_circular_buffers

CORES = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 1))])


def reader(**keywords):
    keywords.setdefault("kernel_source", "some/reader_unary.cpp")
    return ttnn.KernelDescriptor(core_ranges=CORES, config=ttnn.ReaderConfigDescriptor(), **keywords)


def test_names():
    assert reader().name == "reader_unary"
    assert reader(name="r").name == "r"
    source_code = ttnn.KernelDescriptor.SourceType.SOURCE_CODE
    assert reader(kernel_source="void kernel_main() {}", source_type=source_code).name == "reader"
    config = ttnn.DataMovementConfigDescriptor(processor=ttnn.DataMovementProcessor.RISCV_1)
    text = ttnn.KernelDescriptor("void kernel_main() {}", source_code, CORES, config=config)
    assert text.name == "RISCV_1"
    one = ttnn.CBFormatDescriptor(3, ttnn.bfloat16, 2048)
    assert (one.name, one.label) == ("c_3", "c_3")
    named = ttnn.CBDescriptor(4096, CORES, [one], name="in_tiled")
    assert (named.name, named.label) == ("in_tiled", "c_3 in_tiled")
    two = ttnn.CBDescriptor(4096, CORES, [one, ttnn.CBFormatDescriptor(4, ttnn.bfloat16, 2048, name="out")])
    assert two.label == "c_3 = c_4 out"
    program = ttnn.ProgramDescriptor(kernels=[reader(name="r")], cbs=[named])
    assert (program.kernels[0].name, program.cbs[0].name) == ("r", "in_tiled")


def test_processors():
    assert reader().processor is ttnn.DataMovementProcessor.RISCV_1
    assert ttnn.ReaderConfigDescriptor().noc is ttnn.NOC.NOC_0
    assert ttnn.WriterConfigDescriptor().processor is ttnn.DataMovementProcessor.RISCV_0
    assert ttnn.WriterConfigDescriptor().noc is ttnn.NOC.NOC_1
    compute = ttnn.KernelDescriptor("a.cpp", core_ranges=CORES, config=ttnn.ComputeConfigDescriptor())
    assert compute.is_compute
    with pytest.raises(TypeError, match="kernel a is a compute kernel"):
        _ = compute.processor


@pytest.mark.parametrize(
    ("change", "attribute"),
    [
        (lambda: ttnn.ProgramDescriptor().kernels.append(reader()), "ProgramDescriptor.kernels"),
        (lambda: ttnn.ProgramDescriptor().cbs.extend([]), "ProgramDescriptor.cbs"),
        (lambda: ttnn.ProgramDescriptor().semaphores.clear(), "ProgramDescriptor.semaphores"),
        (lambda: ttnn.CBDescriptor().format_descriptors.append(1), "CBDescriptor.format_descriptors"),
        (lambda: reader().defines.append(("a", "b")), "KernelDescriptor.defines"),
    ],
)
def test_changes_a_card_would_lose_are_refused(change, attribute):
    with pytest.raises(TypeError, match=f"{attribute} cannot be changed in place: ttnn hands out a copy"):
        change()


def test_texts_show_the_telling_fields():
    cb = ttnn.CBDescriptor(4096, CORES, [ttnn.CBFormatDescriptor(0, ttnn.bfloat8_b, 1088, name="in")])
    program = ttnn.ProgramDescriptor(
        kernels=[reader(compile_time_args=[7], defines=[("A", "1")], runtime_args=[(ttnn.CoreCoord(0, 0), [5])])],
        cbs=[cb],
        semaphores=[ttnn.SemaphoreDescriptor(id=1, core_ranges=CORES, initial_value=2)],
    )
    text = repr(program)
    for part in (
        "reader_unary", "compile_time_args=[7]", "defines=[('A', '1')]", "0-0: [5]", "ReaderConfigDescriptor()",
        "buffer_index=0, data_format=Bfp8_b, page_size=1088", "name='in'", "SemaphoreDescriptor(id=1",
    ):  # fmt: skip
        assert part in text
    assert repr(ttnn.ProgramDescriptor()) == "ProgramDescriptor()"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: reader(compile_time_args=[1, -1]), r"compile_time_args\[1\] must be an int that fits 32 bits"),
        (lambda: reader(defines={"a": "b"}), r"defines must be a list of \(name, value\) pairs, not a dict"),
        (lambda: reader(defines=[("a", 1)]), "defines: the value of 'a' must be a str, not 1"),
        (lambda: reader(runtime_args=[[1, 2]]), r"runtime_args\[0\] must be a pair \(CoreCoord, \[values\]\)"),
        (lambda: ttnn.KernelDescriptor("a.cpp", core_ranges=CORES), "missing: config"),
        (lambda: ttnn.CBFormatDescriptor(0, "bf16", 2048), "data_format must be a dtype such as ttnn.bfloat16"),
        (lambda: ttnn.CBFormatDescriptor(0, ttnn.DataType.INT8, 2048), "dtype INT8 is not simulated"),
        (lambda: ttnn.ComputeConfigDescriptor(math_fidelity=4), "math_fidelity must be a MathFidelity"),
        (
            lambda: ttnn.ProgramDescriptor(kernels=[3]),
            r"kernels\[0\] must be a KernelDescriptor, not 3",
        ),
        (lambda: ttnn.CBDescriptor(1, "cores", []), "CBDescriptor.core_ranges must be a CoreRangeSet"),
    ],
)
def test_errors_name_the_argument(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_cb_addresses():
    left = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])
    right = ttnn.CoreRangeSet([ttnn.CoreRange((1, 0), (1, 0))])
    both = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 0))])

    def cb(size, cores):
        return ttnn.CBDescriptor(size, cores, [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, size)])

    program = ttnn.ProgramDescriptor(cbs=[cb(100, left), cb(4096, right), cb(64, both), cb(64, left)])
    addresses = place_circular_buffers(program, 1024)
    assert addresses == [1024, 1024, 5120, 5184]
    ends = end_of_circular_buffers(program, addresses)
    assert {str(core): end for core, end in ends.items()} == {"0-0": 5248, "1-0": 5184}


def test_cores_can_be_walked_through():
    assert [str(core) for core in CORES] == ["0-0", "1-0", "0-1", "1-1"]
    assert ttnn.CoreCoord(1, 1) in CORES
    assert ttnn.CoreCoord(2, 1) not in CORES
    assert len(CORES) == 4


def test_importing_is_quick_and_leaves_torch_alone():
    """Processor time, not wall time: what else the machine does must not decide."""
    code = (
        "import sys, time; start = time.process_time(); import tilewright.ttnn; "
        "print(time.process_time() - start, 'torch' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(3)
    ]
    assert min(float(seconds) for seconds, _ in runs) < 0.3
    assert {torch for _, torch in runs} == {"False"}
