# SPDX-License-Identifier: Apache-2.0
"""Measures what docs/numerics.md says about roundings. Prints one line per measurement.

python -m tools.measure_numerics
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright import ttnn

CORE = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
OUT = 16
BF16, FP32 = ttnn.bfloat16, ttnn.float32
LOFI, HIFI2 = ttnn.MathFidelity.LoFi, ttnn.MathFidelity.HiFi2
HIFI3, HIFI4 = ttnn.MathFidelity.HiFi3, ttnn.MathFidelity.HiFi4

INCLUDES = "".join(
    f'#include "api/compute/{name}.h"\n'
    for name in (
        *("compute_kernel_api", "eltwise_binary", "matmul", "pack", "reduce", "tile_move_copy"),
        *("eltwise_unary/binop_with_scalar", "eltwise_unary/exp", "eltwise_unary/sqrt"),
    )
)

READER = """
template <uint32_t cb, uint32_t offset>
void read_all() {
    constexpr auto args = TensorAccessorArgs<offset>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(2 * cb));
    const uint32_t num_tiles = get_arg_val<uint32_t>(2 * cb + 1);
    cb_reserve_back(cb, num_tiles);
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        noc_async_read_page(tile, tensor, get_write_ptr(cb) + tile * get_tile_size(cb));
    }
    noc_async_read_barrier();
    cb_push_back(cb, num_tiles);
    if constexpr (cb + 1 < NUM_INPUTS) {
        read_all<cb + 1, args.next_compile_time_args_offset()>();
    }
}
void kernel_main() { read_all<0, 0>(); }
"""

WRITER = """
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(1); tile++) {
        cb_wait_front(16, 1);
        noc_async_write_page(tile, tensor, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""


def compute(
    body: str,
    inputs: Sequence[ttnn.Tensor],
    shape: Sequence[int],
    dtype: ttnn.DataType,
    *,
    fp32_dest: bool = False,
    fidelity: ttnn.MathFidelity = HIFI4,
    unpack_to_dest: bool = False,
) -> NDArray[np.float64]:
    """Runs ``body`` with all tiles of input i in CB i; it pushes the output's tiles to CB 16."""
    config = ttnn.ComputeConfigDescriptor(math_fidelity=fidelity, fp32_dest_acc_en=fp32_dest)
    if unpack_to_dest:
        config.unpack_to_dest_mode = [ttnn.UnpackToDestMode.UnpackToDestFp32] * len(inputs)
    output = ttnn.allocate_tensor_on_device(ttnn.Shape(shape), dtype, ttnn.TILE_LAYOUT, device)
    counts = [num_tiles(tuple(tensor.padded_shape)) for tensor in inputs]
    cbs = [buffer(index, tensor.dtype, counts[index]) for index, tensor in enumerate(inputs)]
    source = INCLUDES + "void kernel_main() {\n" + body + "\n}\n"
    words = [word for tensor in inputs for word in accessor(tensor)]
    reader_args = [
        word for tensor, count in zip(inputs, counts, strict=True) for word in (tensor.buffer_address(), count)
    ]
    writer_args = [output.buffer_address(), num_tiles(shape)]
    defines = [("NUM_INPUTS", str(len(inputs)))]
    program = ttnn.ProgramDescriptor(
        kernels=[
            kernel("reader", READER, ttnn.ReaderConfigDescriptor(), words, reader_args, defines),
            kernel("compute", source, config, (), ()),
            kernel("writer", WRITER, ttnn.WriterConfigDescriptor(), accessor(output), writer_args),
        ],
        cbs=[*cbs, buffer(OUT, dtype, 2)],
    )
    ttnn.generic_op([*inputs, output], program)
    return ttnn.to_numpy(output).astype(np.float64)


def num_tiles(shape: Sequence[int]) -> int:
    return int(np.prod(list(shape))) // 1024


def accessor(tensor: ttnn.Tensor) -> list[int]:
    return list(ttnn.TensorAccessorArgs(tensor).get_compile_time_args())


def buffer(index: int, dtype: ttnn.DataType, pages: int) -> ttnn.CBDescriptor:
    page = ttnn.tile_size(dtype)
    return ttnn.CBDescriptor(pages * page, CORE, [ttnn.CBFormatDescriptor(index, dtype, page)])


def kernel(
    name: str,
    source: str,
    config: Any,
    compile_time_args: Sequence[int],
    runtime_args: Sequence[int],
    defines: Sequence[tuple[str, str]] = (),
) -> ttnn.KernelDescriptor:
    return ttnn.KernelDescriptor(
        source,
        ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=CORE,
        compile_time_args=compile_time_args,
        runtime_args=[(ttnn.CoreCoord(0, 0), list(runtime_args))],
        defines=defines,
        config=config,
        name=name,
    )


def on_device(values: NDArray[np.float64], dtype: ttnn.DataType) -> ttnn.Tensor:
    return ttnn.from_numpy(values.astype(np.float32), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def held(tensor: ttnn.Tensor) -> NDArray[np.float64]:
    """The tensor's values after conversion to its dtype."""
    return ttnn.to_numpy(tensor).astype(np.float64)


def tiles(value: float, shape: Sequence[int] = (32, 32)) -> NDArray[np.float64]:
    return np.full(shape, value)


# One section: maths between acquire and commit, then tile 0 of DST is packed.
def section(maths: str) -> str:
    return f"""
    tile_regs_acquire();
    {maths}
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
"""


COPY = """
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, 1);
""" + section("copy_tile(0, 0, 0); AFTER;")
MULTIPLY = """
    compute_kernel_hw_startup(0, 1, 16);
    mul_init(0, 1);
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
""" + section("mul_tiles(0, 1, 0, 0, 0);")


def copy(after: str = "") -> str:
    return COPY.replace("AFTER", after)


def source_registers() -> None:
    x = on_device(rng.uniform(1, 2, (32, 32)), FP32)
    exact = held(x)
    ways: tuple[tuple[str, dict[str, Any]], ...] = (
        ("16-bit DST", {}),
        ("32-bit DST, through Src", {"fp32_dest": True}),
        ("32-bit DST, unpack_to_dest_fp32", {"fp32_dest": True, "unpack_to_dest": True}),
    )
    for label, options in ways:
        error = (compute(copy(), [x], (32, 32), FP32, **options) - exact) / exact
        print(f"copy fp32, {label}: largest error {np.abs(error).max():.2e}, mean {error.mean():+.2e}")


def accumulation() -> None:
    for length in (1024, 4096):
        x = on_device(rng.uniform(0, 1, (32, length)), BF16)
        one = on_device(tiles(1.0), BF16)
        count = length // 32
        body = f"""
            compute_kernel_hw_startup(0, 1, 16);
            reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16);
            cb_wait_front(0, {count});
            cb_wait_front(1, 1);
        """ + section(
            f"for (uint32_t t = 0; t < {count}; t++) "
            "{ reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, t, 0, 0); }"
        )
        exact = held(x).sum(axis=1)
        for wide in (False, True):
            sums = compute(body, [x, one], (32, 32), FP32, fp32_dest=wide)[:, 0]
            error = (sums - exact) / exact
            print(
                f"row sum of {length}, {32 if wide else 16}-bit DST: largest error {np.abs(error).max():.2e}, "
                f"mean {error.mean():+.2e}"
            )


def fidelity() -> None:
    a, b = on_device(tiles(1.3125), BF16), on_device(tiles(7.96875), BF16)
    for level in (LOFI, HIFI2, HIFI3, HIFI4):
        print(f"1.3125 x 7.96875 at {level.name}: {compute(MULTIPLY, [a, b], (32, 32), BF16, fidelity=level)[0, 0]}")
    a, b = on_device(rng.standard_normal((32, 1024)), BF16), on_device(rng.standard_normal((1024, 32)), BF16)
    exact = held(a) @ held(b)
    body = """
        compute_kernel_hw_startup(0, 1, 16);
        matmul_init(0, 1);
        cb_wait_front(0, 32);
        cb_wait_front(1, 32);
    """ + section("for (uint32_t t = 0; t < 32; t++) { matmul_tiles(0, 1, t, t, 0); }")
    for wide in (False, True):
        for level in (LOFI, HIFI2, HIFI3, HIFI4):
            error = compute(body, [a, b], (32, 32), FP32, fp32_dest=wide, fidelity=level) - exact
            rms = np.sqrt((error**2).mean() / (exact**2).mean())
            print(f"matmul 32x1024x32 at {level.name}, {32 if wide else 16}-bit DST: rms error {rms:.2e}")


def packing() -> None:
    values = np.zeros((32, 32))
    values[0, :4] = [1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8), 1 + 2**-8 - 2**-20]
    x = on_device(values, FP32)
    packed = compute(copy(), [x], (32, 32), BF16, fp32_dest=True, unpack_to_dest=True)
    print("pack 1+2^-8, 1+3*2^-8, -(1+2^-8), just below 1+2^-8 to bfloat16:", *packed[0, :4])


def block_floats() -> None:
    x = on_device(rng.standard_normal((32, 1024)), FP32)
    exact = held(x)
    body = "compute_kernel_hw_startup(0, 16); copy_init(0); cb_wait_front(0, 32);" + (
        "for (uint32_t t = 0; t < 32; t++) {" + section("copy_tile(0, t, 0);") + "}"
    )
    for dtype, name in ((BF16, "bfloat16"), (ttnn.bfloat8_b, "bfloat8_b"), (ttnn.bfloat4_b, "bfloat4_b")):
        on_host = held(on_device(exact, dtype))
        packed = compute(body, [x], (32, 1024), dtype, fp32_dest=True, unpack_to_dest=True)
        for label, got in (("packer", packed), ("host", on_host)):
            error = got - exact
            rms = np.sqrt((error**2).mean() / (exact**2).mean())
            print(f"normal values as {name}, {label}: rms error {rms:.2e}, largest {np.abs(error).max():.2e}")


def vector_unit() -> None:
    x = on_device(rng.uniform(1, 2, (32, 32)), BF16)
    for name, call, function in (
        ("add_unary_tile(0.004)", "add_unary_tile(0, 0x3b83126f)", lambda v: v + np.float64(np.float32(0.004))),
        ("mul_unary_tile(1.2)", "mul_unary_tile(0, 0x3f99999a)", lambda v: v * np.float64(np.float32(1.2))),
        ("sqrt_tile", "sqrt_tile(0)", np.sqrt),
        ("exp_tile", "exp_tile(0)", np.exp),
    ):
        exact = function(held(x))
        starts = "binop_with_scalar_tile_init(); sqrt_tile_init(); exp_tile_init(); "
        for wide in (False, True):
            error = (compute(copy(starts + call), [x], (32, 32), FP32, fp32_dest=wide) - exact) / exact
            print(
                f"{name}, {32 if wide else 16}-bit DST: largest error {np.abs(error).max():.2e}, "
                f"mean {error.mean():+.2e}"
            )


def small_and_special() -> None:
    x = on_device(tiles(1e-39), FP32)
    kept = compute(copy(), [x], (32, 32), FP32, fp32_dest=True, unpack_to_dest=True)[0, 0]
    used = compute(
        copy("binop_with_scalar_tile_init(); add_unary_tile(0, 0)"),
        [x],
        (32, 32),
        FP32,
        fp32_dest=True,
        unpack_to_dest=True,
    )[0, 0]
    packed = compute(copy(), [x], (32, 32), BF16, fp32_dest=True, unpack_to_dest=True)[0, 0]
    a = on_device(tiles(2.0**-70), BF16)
    product = compute(MULTIPLY, [a, a], (32, 32), FP32, fp32_dest=True)[0, 0]
    print(f"1e-39: copied {kept:.3g}, plus 0 {used:.3g}, packed to bfloat16 {packed:.3g}; 2^-70 squared {product:.3g}")
    fresh = ttnn.allocate_tensor_on_device(ttnn.Shape([32, 32]), BF16, ttnn.TILE_LAYOUT, device)
    never_written = compute(copy(), [fresh], (32, 32), BF16)
    wide = compute(copy(), [fresh], (32, 32), BF16, fp32_dest=True)
    print(f"unwritten memory: {np.isnan(never_written).mean():.0%} NaN, with 32-bit DST {np.isnan(wide).mean():.0%}")


def l1_accumulation() -> None:
    x = on_device(tiles(0.01), BF16)
    step = held(x)[0, 0]
    body = """
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        for (uint32_t round = 0; round < 1000; round++) {
            tile_regs_acquire();
            copy_tile(0, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_l1_acc(round > 0);
            pack_tile<true>(0, 16, 0);
            tile_regs_release();
        }
        cb_push_back(16, 1);
    """
    for dtype, name in ((BF16, "bfloat16"), (FP32, "float32")):
        total = compute(body, [x], (32, 32), dtype)[0, 0]
        print(f"1000 times {step:.6f} added in L1 as {name}: {total:.6f}, exactly {1000 * step:.6f}")


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    device = ttnn.open_device(device_id=0)
    for measure in (
        source_registers,
        accumulation,
        fidelity,
        packing,
        block_floats,
        vector_unit,
        small_and_special,
        l1_accumulation,
    ):
        measure()
