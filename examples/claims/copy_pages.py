# SPDX-License-Identifier: Apache-2.0
"""A copy of a tensor, page by page; one barrier is missing, which claims.md confirms."""

from pathlib import Path

from tilewright import ttnn

HERE = Path(__file__).parent
PAGES = 4


def kernel(name: str, tensor: ttnn.Tensor, cores: ttnn.CoreRangeSet, config: object) -> ttnn.KernelDescriptor:
    return ttnn.KernelDescriptor(
        kernel_source=str(HERE / name),
        core_ranges=cores,
        compile_time_args=ttnn.TensorAccessorArgs(tensor).get_compile_time_args(),
        runtime_args=[(ttnn.CoreCoord(0, 0), [tensor.buffer_address(), PAGES])],
        config=config,
    )


def main() -> None:
    device = ttnn.open_device(device_id=0)
    x = ttnn.full([64, 64], 3.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    y = ttnn.empty_like(x)
    cores = ttnn.num_cores_to_corerangeset(1, (8, 8))
    kernels = [
        kernel("reader.cpp", x, cores, ttnn.ReaderConfigDescriptor()),
        kernel("writer.cpp", y, cores, ttnn.WriterConfigDescriptor()),
    ]
    cb = ttnn.CBDescriptor(2 * 2048, cores, [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 2048)])
    ttnn.generic_op([x, y], ttnn.ProgramDescriptor(kernels=kernels, cbs=[cb]))


if __name__ == "__main__":
    main()
