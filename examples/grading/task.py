# SPDX-License-Identifier: Apache-2.0
"""A task for `tilewright grade`: the square of every element, as a compute kernel between a given reader and writer."""

from tilewright import ttnn
from tilewright.grade import Case, Task, Tolerance

READER = """
void kernel_main() {
    const auto from = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); page++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, from, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
WRITER = """
void kernel_main() {
    const auto to = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); page++) {
        cb_wait_front(16, 1);
        noc_async_write_page(page, to, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""
COMPUTE = ttnn.ComputeConfigDescriptor(math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True)


def host(kernels, x):
    """Launch the candidate's compute kernel; its runtime argument is the number of tiles."""
    y = ttnn.allocate_tensor_on_device(x.shape, x.dtype, x.layout, x.device())
    core = ttnn.CoreCoord(0, 0)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(core, core)])
    tiles = x.buffer_num_pages()

    def kernel(source, config, arguments, accessor=(), is_file=False):
        kind = ttnn.KernelDescriptor.SourceType
        return ttnn.KernelDescriptor(
            kernel_source=source,
            source_type=kind.FILE_PATH if is_file else kind.SOURCE_CODE,
            core_ranges=cores,
            compile_time_args=accessor,
            runtime_args=[(core, arguments)],
            config=config,
        )

    accessors = [ttnn.TensorAccessorArgs(each).get_compile_time_args() for each in (x, y)]
    program = ttnn.ProgramDescriptor(
        kernels=[
            kernel(READER, ttnn.ReaderConfigDescriptor(), [x.buffer_address(), tiles], accessors[0]),
            kernel(kernels["compute"], COMPUTE, [tiles], is_file=True),
            kernel(WRITER, ttnn.WriterConfigDescriptor(), [y.buffer_address(), tiles], accessors[1]),
        ],
        cbs=[
            ttnn.CBDescriptor(4096, cores, [ttnn.CBFormatDescriptor(index, ttnn.bfloat16, 2048)]) for index in (0, 16)
        ],
    )
    ttnn.generic_op([x, y], program)
    return y


task = Task(
    reference=lambda x: x * x,
    cases=[Case([(32, 64)], seed=1), Case([(64, 96)], seed=2)],
    tolerance=Tolerance(0, 2**-8, "the product is exact in 32-bit DST and rounded once to 8 bits"),
    host=host,
    baseline="baseline.cpp",
    grid=(1, 1),
)
