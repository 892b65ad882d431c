# SPDX-License-Identifier: Apache-2.0
"""Questions put to a module that has ttnn's names: the real one or ours. Run as a script it asks the real one."""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys

import numpy as np


def ask(question):
    """The answer as text; which exception it is counts, its words do not."""
    try:
        return str(question())
    except (TypeError, ValueError, RuntimeError, IndexError, AttributeError) as error:
        return "TypeError" if isinstance(error, TypeError) else "error"


def core_answers(ttnn):
    coord, core_range, range_set = ttnn.CoreCoord, ttnn.CoreRange, ttnn.CoreRangeSet
    a = range_set([core_range(coord(0, 0), coord(3, 3))])
    b = range_set([core_range(coord(2, 2), coord(5, 5))])
    questions = {
        "coord": lambda: [coord(1, 2), coord((1, 2)), coord(1, 2) == coord(1, 2), coord(1, 2) == (1, 2)],
        "coord keywords": lambda: coord(x=1, y=2),
        "coord negative": lambda: coord(-1, 0),
        "coord json": lambda: [coord(1, 2).to_json(), coord.from_json('{"x":1,"y":2}')],
        "range": lambda: [core_range((0, 0), (3, 4)), core_range(coord(0, 0), coord(3, 4)).grid_size()],
        "range backwards": lambda: core_range(coord(3, 4), coord(0, 0)),
        "range json": lambda: core_range(coord(0, 0), coord(3, 4)).to_json(),
        "set": lambda: [a, a.num_cores(), a.size(), a.empty(), a.ranges(), a.bounding_box(), a.to_json()],
        "set of one": lambda: range_set(core_range(coord(0, 0), coord(3, 3))),
        "set overlapping": lambda: range_set([*a.ranges(), *b.ranges()]),
        "set empty": lambda: [range_set([]), range_set([]).empty(), range_set([]).num_cores()],
        "bounding box of nothing": lambda: range_set([]).bounding_box(),
        "merge": lambda: [a.merge(b), b.merge(a)],
        "subtract": lambda: [a.subtract(b), b.subtract(a), a.subtract(a)],
        "contains": lambda: [
            a.contains(coord(1, 1)), a.contains(coord(4, 1)), a.contains(core_range(coord(1, 1), coord(3, 3))),
            a.contains(core_range(coord(1, 1), coord(4, 4))), a.contains(b), a.merge(b).contains(a),
        ],
        "grid": lambda: [ttnn.CoreGrid(x=8, y=4), ttnn.CoreGrid(x=8, y=4).num_cores],
        "grid to cores": lambda: [
            ttnn.grid_to_cores(5, 3, 3), ttnn.grid_to_cores(5, 3, 3, True),
            ttnn.grid_to_cores(coord(1, 1), coord(2, 3)), ttnn.grid_to_cores(coord(1, 1), coord(2, 3), True),
        ],
        "set to cores": lambda: [
            ttnn.corerange_to_cores(a.merge(b)), ttnn.corerange_to_cores(a.merge(b), 20, True),
        ],
        "too many cores": lambda: ttnn.num_cores_to_corerangeset(65, coord(8, 8)),
    }  # fmt: skip
    return {name: ask(question) for name, question in questions.items()}


def random_set_answers(ttnn):
    """Merging and subtracting random sets, as rectangles in order."""
    generator = random.Random(3)

    def some_set():
        result = ttnn.CoreRangeSet([])
        for _ in range(generator.randint(1, 3)):
            x, y = generator.randint(0, 7), generator.randint(0, 7)
            end = (generator.randint(x, 7), generator.randint(y, 7))
            result = result.merge(ttnn.CoreRangeSet([ttnn.CoreRange((x, y), end)]))
        return result

    answers = {}
    for number in range(300):
        a, b = some_set(), some_set()
        answers[f"random {number}"] = ask(lambda a=a, b=b: [a, b, a.merge(b), a.subtract(b), a.contains(b)])
        units, row_wise = generator.randint(0, 200), generator.random() < 0.5
        answers[f"random split {number}"] = ask(lambda a=a, u=units, r=row_wise: ttnn.split_work_to_cores(a, u, r))
        start = ttnn.corerange_to_cores(a, 1, row_wise)[0]
        count = generator.randint(1, a.num_cores())
        answers[f"random sub grid {number}"] = ask(
            lambda a=a, s=start, n=count, r=row_wise: ttnn.num_cores_to_corerangeset_in_subcoregrids(s, n, a, r)
        )
    return answers


def work_split_answers(ttnn):
    answers = {}
    for grid in ((1, 1), (8, 8), (13, 10), (3, 5)):
        for row_wise in (False, True):
            size = ttnn.CoreCoord(*grid)
            for units in [*range(0, 24), 63, 64, 65, 100, 127, 128, 129, 130, 131, 1000, 4096]:
                key = f"split {grid} {units} {row_wise}"
                answers[key] = ask(lambda s=size, u=units, r=row_wise: ttnn.split_work_to_cores(s, u, r))
            for count in range(grid[0] * grid[1] + 1):
                key = f"cores {grid} {count} {row_wise}"
                answers[key] = ask(lambda s=size, c=count, r=row_wise: ttnn.num_cores_to_corerangeset(c, s, r))
    return answers


def descriptor_answers(ttnn):
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (1, 1))])

    def kernel(**keywords):
        return ttnn.KernelDescriptor(
            kernel_source="a.cpp", core_ranges=cores, config=ttnn.ReaderConfigDescriptor(), **keywords
        )

    def copies():
        config = ttnn.ComputeConfigDescriptor()
        made = ttnn.KernelDescriptor(kernel_source="a.cpp", core_ranges=cores, config=config)
        config.math_fidelity = ttnn.MathFidelity.LoFi
        program = ttnn.ProgramDescriptor(kernels=[made])
        made.kernel_source = "b.cpp"
        program.kernels[0].compile_time_args.append(5)
        program.kernels[0].runtime_args[1][1] = [7]
        kept = program.kernels[0]
        return [
            kept.config.math_fidelity, kept.kernel_source, list(kept.compile_time_args),
            list(kept.runtime_args[1][1]), list(made.compile_time_args),
        ]  # fmt: skip

    def runtime_args():
        args = ttnn.RuntimeArgs()
        args[0][1] = [1, 2]
        args[0][1] = [4]
        args[0][1].append(7)
        args[0].append(1, 5)
        args[0].extend(1, [6, 6])
        args.append(ttnn.CoreCoord(0, 1), [9])
        return [args.to_list(), len(args), args.get(0), [list(values) for _, values in args]]

    def common_and_uniform():
        one = kernel(runtime_args=[(ttnn.CoreCoord(0, 0), [1])], common_runtime_args=[3])
        two = kernel(runtime_args=[(ttnn.CoreCoord(0, 0), [8, 9])], common_runtime_args=[4])
        one.extend_runtime_args_uniform([2])
        one.append_common_runtime_args_from(two)
        one.append_runtime_args_from(two)
        return [list(one.common_runtime_args), list(one.runtime_args[0][0]), len(one.runtime_args)]

    def cb(index=0, dtype=None, page_size=2048, **keywords):
        return ttnn.CBFormatDescriptor(index, dtype or ttnn.bfloat16, page_size, **keywords)

    def compute():
        config = ttnn.ComputeConfigDescriptor()
        config.unpack_to_dest_mode = [ttnn.UnpackToDestMode.Default] * 3
        config.unpack_to_dest_mode[1] = ttnn.UnpackToDestMode.UnpackToDestFp32
        return [
            config.math_fidelity, config.math_approx_mode, config.fp32_dest_acc_en, config.dst_full_sync_en,
            config.bfp8_pack_precise, list(config.unpack_to_dest_mode),
        ]  # fmt: skip

    mover = ttnn.DataMovementConfigDescriptor()
    dtypes = [
        ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b, ttnn.bfloat4_b, ttnn.int32, ttnn.uint32, ttnn.uint16, ttnn.uint8,
    ]  # fmt: skip
    questions = {
        "kernel defaults": lambda: [
            ttnn.KernelDescriptor().source_type, ttnn.KernelDescriptor().core_ranges, ttnn.KernelDescriptor().defines,
            list(ttnn.KernelDescriptor().compile_time_args), list(ttnn.KernelDescriptor().common_runtime_args),
            type(ttnn.KernelDescriptor().config).__name__, ttnn.KernelDescriptor().named_compile_time_args,
        ],
        "kernel without config": lambda: ttnn.KernelDescriptor(kernel_source="a", core_ranges=cores),
        "kernel arg negative": lambda: kernel(compile_time_args=[-1]),
        "kernel arg too large": lambda: kernel(compile_time_args=[2**32]),
        "kernel arg float": lambda: kernel(compile_time_args=[1.0]),
        "kernel arg numpy": lambda: list(kernel(compile_time_args=[np.uint32(3)]).compile_time_args),
        "kernel defines dict": lambda: kernel(defines={"a": "b"}),
        "kernel defines": lambda: kernel(defines=[("a", "b")]).defines,
        "kernel named": lambda: kernel(named_compile_time_args=[("a", 1)]).named_compile_time_args,
        "kernel args": lambda: list(kernel(runtime_args=[(ttnn.CoreCoord(0, 0), [1, 2])]).runtime_args[0][0]),
        "kernel args missing": lambda: kernel(runtime_args=[(ttnn.CoreCoord(0, 0), [1])]).runtime_args[0][1],
        "runtime args": runtime_args,
        "runtime args missing": lambda: ttnn.RuntimeArgs()[3][3],
        "common and uniform": common_and_uniform,
        "copies": copies,
        "source types": lambda: [(m.name, m.value) for m in ttnn.KernelDescriptor.SourceType],
        "cb defaults": lambda: [
            ttnn.CBDescriptor().total_size, ttnn.CBDescriptor().core_ranges, ttnn.CBDescriptor().format_descriptors,
            ttnn.CBDescriptor().buffer_address(), ttnn.CBDescriptor().has_buffer(), ttnn.CBDescriptor().address_offset,
        ],
        "cb format defaults": lambda: [
            ttnn.CBFormatDescriptor().buffer_index, ttnn.CBFormatDescriptor().page_size,
            ttnn.CBFormatDescriptor().data_format_as_uint8, ttnn.CBFormatDescriptor().tile,
        ],
        "cb formats": lambda: [cb(dtype=dtype).data_format_as_uint8 for dtype in dtypes],
        "cb index 300": lambda: cb(300),
        "cb page negative": lambda: cb(page_size=-1),
        "cb incomplete": lambda: ttnn.CBDescriptor(total_size=1),
        "cb": lambda: [
            len(ttnn.CBDescriptor(4096, cores, [cb(0), cb(1)]).format_descriptors),
            ttnn.CBDescriptor(4096, cores, [cb(0), cb(1)]).format_descriptors[1].buffer_index,
        ],
        "tile descriptor": lambda: [
            ttnn.TileDescriptor().height, ttnn.TileDescriptor().width, ttnn.TileDescriptor(16, 32).height,
            ttnn.TileDescriptor(ttnn.Tile((16, 32))).height, ttnn.TileDescriptor(ttnn.TileDescriptor(8, 32)).height,
            ttnn.TileDescriptor() == ttnn.TileDescriptor(32, 32),
        ],
        "semaphore": lambda: [
            ttnn.SemaphoreDescriptor(id=3, core_ranges=cores, initial_value=4).id,
            ttnn.SemaphoreDescriptor(id=3, core_ranges=cores, initial_value=4).initial_value,
            ttnn.SemaphoreDescriptor(id=3, core_ranges=cores, initial_value=4).core_type,
            ttnn.SemaphoreDescriptor().id,
        ],
        "semaphore incomplete": lambda: ttnn.SemaphoreDescriptor(id=3, core_ranges=cores),
        "compute": compute,
        "compute positional": lambda: ttnn.ComputeConfigDescriptor(ttnn.MathFidelity.LoFi, True).math_approx_mode,
        "compute unpack keyword": lambda: ttnn.ComputeConfigDescriptor(unpack_to_dest_mode=[]),
        "mover": lambda: [mover.processor, mover.noc, mover.noc_mode],
        "program": lambda: [ttnn.ProgramDescriptor().kernels, ttnn.ProgramDescriptor().custom_program_hash],
    }  # fmt: skip
    return {name: ask(question) for name, question in questions.items()}


def value_answers(ttnn):
    enums = [
        "MathFidelity", "UnpackToDestMode", "DataMovementProcessor", "NOC", "NOC_MODE", "BufferType",
        "TensorMemoryLayout", "DataType", "Layout", "StorageType", "ShardOrientation",
    ]  # fmt: skip
    answers = {f"enum {name}": str([(m.name, m.value) for m in getattr(ttnn, name)]) for name in enums}
    for height in (1, 2, 4, 5, 8, 16, 32):
        for width in (8, 16, 32):
            answers[f"tile {height}x{width}"] = ask(lambda h=height, w=width: _tile(ttnn, h, w))
    answers["tile sizes"] = ask(lambda: [ttnn.tile_size(d) for d in (ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b)])
    answers["shapes"] = ask(
        lambda: [
            ttnn.Shape([1, 2, 3]), ttnn.Shape((4,)).to_rank(3), ttnn.Shape([1, 2])[-1], list(ttnn.Shape([2, 3])),
            ttnn.Shape([1, 2]) == [1, 2], ttnn.Shape([1, 2]) == (1, 2), ttnn.Shape([]).rank, len(ttnn.Shape([3, 4])),
        ]
    )  # fmt: skip
    answers["shape out of range"] = ask(lambda: ttnn.Shape([1])[4])
    answers["memory configs"] = ask(
        lambda: [
            ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG, ttnn.MemoryConfig(),
            ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1).is_sharded(),
            ttnn.MemoryConfig() == ttnn.DRAM_MEMORY_CONFIG, ttnn.MemoryConfig() == ttnn.L1_MEMORY_CONFIG,
        ]
    )  # fmt: skip
    return answers


def _tile(ttnn, height, width):
    tile = ttnn.Tile((height, width))
    return [tile, tile.tile_shape, tile.face_shape, tile.num_faces, tile.partial_face, tile.narrow_tile]


def tensor_answers(ttnn):
    """Host tensors that need no card: dtypes, shapes and what block floats make of random numbers."""
    generator = np.random.default_rng(11)
    answers = {}
    for name in ("float32", "int32", "uint32", "uint8", "uint16", "int16", "int64", "bool"):
        tensor = ttnn.Tensor(np.zeros((3, 5), name))
        answers[f"tensor of {name}"] = str([tensor.dtype, tensor.layout, tensor.shape, tensor.padded_shape])
    for shape in ((5,), (33, 2), (2, 3, 40), (1, 2, 3, 4)):
        array = generator.standard_normal(shape).astype(np.float32)
        tensor = ttnn.Tensor(array, ttnn.float32, layout=ttnn.TILE_LAYOUT)
        answers[f"tiles of {shape}"] = str([tensor.padded_shape, tensor.to_numpy().tolist() == array.tolist()])
    return answers


def block_float_answers(ttnn):
    generator = np.random.default_rng(12)
    answers = {}
    for name in ("bfloat8_b", "bfloat4_b"):
        for scale in (1.0, 1e-3, 1e30, 1e-37):
            array = (generator.standard_normal((64, 96)) * scale).astype(np.float32)
            tensor = ttnn.Tensor(array, getattr(ttnn, name), layout=ttnn.TILE_LAYOUT)
            answers[f"{name} {scale}"] = str(np.asarray(tensor.to_numpy(), np.float32).view(np.uint32).tolist())
        bits = generator.integers(0, 2**32, (64, 64), dtype=np.uint32).view(np.float32)
        tensor = ttnn.Tensor(bits, getattr(ttnn, name), layout=ttnn.TILE_LAYOUT)
        answers[f"{name} bits"] = str(np.asarray(tensor.to_numpy(), np.float32).view(np.uint32).tolist())
    return answers


SECTIONS = {
    "cores": core_answers,
    "random sets": random_set_answers,
    "work split": work_split_answers,
    "descriptors": descriptor_answers,
    "values": value_answers,
    "tensors": tensor_answers,
    "block floats": block_float_answers,
}

if __name__ == "__main__":
    output = os.dup(1)
    os.dup2(2, 1)  # ttnn logs to standard output
    import ttnn

    result = {}
    for section, answers in SECTIONS.items():
        if section in sys.argv[1:]:
            result[section] = answers(ttnn)
    result["names"] = {
        "all": [name for name in dir(ttnn) if name[0].isupper() and isinstance(getattr(ttnn, name), type)]
    }
    with contextlib.closing(os.fdopen(output, "w")) as file:
        json.dump(result, file)
        file.flush()
    os._exit(0)
