# SPDX-License-Identifier: Apache-2.0
"""Program specs: what they are lowered to, what is refused, and kernels that run by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._program.errors import ProgramError
from tilewright._program.kernel_config import UnpackToDestMode
from tilewright._program.program import ProgramDescriptor
from tilewright._program.specs.lower import lower
from tilewright._program.specs.program_spec import (
    CompilerOptions,
    ComputeHardwareConfig,
    DataflowBufferSpec,
    DFBAdvancedOptions,
    DFBBinding,
    DFBEndpointType,
    KernelAdvancedOptions,
    KernelSpec,
    ProgramSpec,
    RuntimeArgSchema,
    ScratchpadBinding,
    ScratchpadSpec,
    SemaphoreBinding,
    SemaphoreSpec,
    SourceCode,
    TensorBinding,
    TensorBindingSequence,
    TensorParameter,
    UnpackMode,
    WorkUnitSpec,
    create_reader_datamovement_config,
    create_writer_datamovement_config,
)
from tilewright._program.specs.run_args import (
    AddRuntimeArgsForNode,
    AdvancedKernelRunArgs,
    DFBRunOverrides,
    KernelRunArgs,
    MakeRuntimeArgsForSingleNode,
    ProgramRunArgs,
)
from tilewright._program.validate import validate_program
from tilewright._tensor.creation import empty, empty_like, from_numpy, to_numpy
from tilewright._tensor.device import Device
from tilewright._tensor.tensor import Tensor

PRODUCER, CONSUMER = DFBEndpointType.PRODUCER, DFBEndpointType.CONSUMER

READER = """
#include "api/dataflow/dataflow_api.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    const uint32_t start = get_arg(args::start);
    const uint32_t count = get_arg(args::count);
    const auto src = TensorAccessor(tensor::src);
    Noc noc;
    DataflowBuffer in(dfb::in);
    for (uint32_t page = start; page < start + count; ++page) {
        in.reserve_back(1);
        noc.async_read(src, in, in.get_entry_size(), {.page_id = page}, {.offset_bytes = 0});
        noc.async_read_barrier();
        in.push_back(1);
    }
}
"""
COMPUTE = """
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/tile_move_copy.h"
#include "experimental/kernel_args.h"
template <uint32_t negate>
TT_KERNEL void compute(uint32_t count) {
    compute_kernel_hw_startup(dfb::in, dfb::out);
    copy_init(dfb::in);
    DataflowBuffer in(dfb::in), out(dfb::out);
    for (uint32_t i = 0; i < count; ++i) {
        in.wait_front(1);
        out.reserve_back(1);
        tile_regs_acquire();
        copy_tile(dfb::in, 0, 0);
        if constexpr (negate) {
            negative_tile_init();
            negative_tile(0);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, dfb::out);
        tile_regs_release();
        in.pop_front(1);
        out.push_back(1);
    }
}
"""
WRITER = """
#include "api/dataflow/dataflow_api.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    const uint32_t start = get_arg(args::start);
    const uint32_t count = get_arg(args::count);
    const auto dst = TensorAccessor(tensor::dst);
    Noc noc;
    DataflowBuffer out(dfb::out);
    for (uint32_t page = start; page < start + count; ++page) {
        out.wait_front(1);
        noc.async_write(out, dst, out.get_entry_size(), {}, {.page_id = page});
        noc.async_write_barrier();
        out.pop_front(1);
    }
}
"""


def chain() -> ProgramSpec:
    """Reader, compute and writer on two cores."""
    span = RuntimeArgSchema(runtime_arg_names=["start", "count"])
    reader = KernelSpec(
        "reader",
        SourceCode(READER),
        create_reader_datamovement_config(),
        dfb_bindings=[DFBBinding("input tiles", "in", PRODUCER)],
        tensor_bindings=[TensorBinding("input", "src")],
        runtime_arg_schema=span,
    )
    compute = KernelSpec(
        "compute",
        SourceCode(COMPUTE),
        ComputeHardwareConfig(),
        dfb_bindings=[DFBBinding("input tiles", "in", CONSUMER), DFBBinding("output tiles", "out", PRODUCER)],
        compile_time_args={"negate": 1},
        runtime_arg_schema=RuntimeArgSchema(runtime_arg_names=["count"]),
    )
    writer = KernelSpec(
        "writer",
        SourceCode(WRITER),
        create_writer_datamovement_config(),
        dfb_bindings=[DFBBinding("output tiles", "out", CONSUMER)],
        tensor_bindings=[TensorBinding("output", "dst")],
        runtime_arg_schema=span,
    )
    return ProgramSpec(
        name="chain",
        kernels=[reader, compute, writer],
        dataflow_buffers=[
            DataflowBufferSpec("input tiles", entry_size=2048, num_entries=2, data_format_metadata=ttnn.bfloat16),
            DataflowBufferSpec("output tiles", entry_size=2048, num_entries=2, data_format_metadata=ttnn.bfloat16),
        ],
        tensor_parameters=[TensorParameter("input"), TensorParameter("output")],
        work_units=[WorkUnitSpec("both", ["reader", "compute", "writer"], ttnn.CoreRange((0, 0), (1, 0)))],
    )


def chain_args(source: Tensor, target: Tensor) -> ProgramRunArgs:
    """Three tiles for each core."""
    kernels = {name: KernelRunArgs(name) for name in ("reader", "compute", "writer")}
    for x in (0, 1):
        for name in ("reader", "writer"):
            AddRuntimeArgsForNode(kernels[name].runtime_arg_values, (x, 0), {"start": 3 * x, "count": 3})
        AddRuntimeArgsForNode(kernels["compute"].runtime_arg_values, (x, 0), {"count": 3})
    return ProgramRunArgs(list(kernels.values()), {"input": source, "output": target})


def tiles(device: Device, count: int = 6) -> Tensor:
    return empty((32, 32 * count), ttnn.bfloat16, ttnn.TILE_LAYOUT, device)


@pytest.fixture
def lowered(wormhole: Device) -> ProgramDescriptor:
    return lower(chain(), chain_args(tiles(wormhole), tiles(wormhole)))


class TestLowering:
    def test_buffers_become_circular_buffers(self, lowered: ProgramDescriptor) -> None:
        labels = [cb.format_descriptors[0].label for cb in lowered.cbs]
        assert labels == ["c_0 input tiles", "c_1 output tiles"]
        assert [cb.total_size for cb in lowered.cbs] == [4096, 4096]
        assert all(cb.core_ranges.num_cores() == 2 for cb in lowered.cbs)

    def test_arguments_become_words(self, wormhole: Device) -> None:
        source, target = tiles(wormhole), tiles(wormhole)
        reader, compute, writer = lower(chain(), chain_args(source, target)).kernels
        assert reader.runtime_args[1][0] == [3, 3]
        assert list(reader.common_runtime_args) == [source.buffer_address()]
        assert list(reader.compile_time_args) == ttnn.TensorAccessorArgs(source).get_compile_time_args()
        assert list(writer.common_runtime_args) == [target.buffer_address()]
        assert compute.entry == "void kernel_main() { compute<get_arg(args::negate)>(get_arg(args::count)); }"
        assert reader.entry == ""

    def test_the_program_is_valid(self, lowered: ProgramDescriptor, wormhole: Device) -> None:
        validate_program(lowered, wormhole)

    def test_unpack_modes_go_by_index(self, wormhole: Device) -> None:
        spec = chain()
        for dfb in spec.dataflow_buffers:
            dfb.data_format_metadata = ttnn.float32
        spec.kernels[1].hw_config = ComputeHardwareConfig(
            enable_32_bit_dest=True, double_buffer_dest=False, unpack_modes={"input tiles": UnpackMode.UnpackToDest}
        )
        config = lower(spec, chain_args(tiles(wormhole), tiles(wormhole))).kernels[1].config
        assert isinstance(config, ttnn.ComputeConfigDescriptor)
        assert config.unpack_to_dest_mode == [UnpackToDestMode.UnpackToDestFp32]
        assert config.fp32_dest_acc_en
        assert config.dst_full_sync_en

    def test_buffers_on_other_cores_share_an_index(self, wormhole: Device) -> None:
        spec = chain()
        copies = [replace(kernel, unique_id=kernel.unique_id + "2") for kernel in spec.kernels]
        for kernel in copies:
            kernel.dfb_bindings = [replace(b, dfb_spec_name=b.dfb_spec_name + "2") for b in kernel.dfb_bindings]
        spec.kernels += copies
        spec.dataflow_buffers += [replace(dfb, unique_id=dfb.unique_id + "2") for dfb in spec.dataflow_buffers]
        spec.work_units = [
            WorkUnitSpec("left", ["reader", "compute", "writer"], (0, 0)),
            WorkUnitSpec("right", ["reader2", "compute2", "writer2"], (1, 0)),
        ]
        args = chain_args(tiles(wormhole), tiles(wormhole))
        second = [replace(each, kernel=each.kernel + "2") for each in args.kernel_run_args]
        for x, group in enumerate((args.kernel_run_args, second)):
            for each in group:
                each.runtime_arg_values = {name: {(x, 0): 3} for name in each.runtime_arg_values}
        args.kernel_run_args = [*args.kernel_run_args, *second]
        indices = [cb.format_descriptors[0].buffer_index for cb in lower(spec, args).cbs]
        assert indices == [0, 1, 0, 1]

    def test_aliased_buffers_share_memory(self, wormhole: Device) -> None:
        spec = chain()
        first, second = spec.dataflow_buffers
        first.advanced_options = DFBAdvancedOptions(alias_with=["output tiles"])
        second.advanced_options = DFBAdvancedOptions(alias_with=["input tiles"])
        program = lower(spec, chain_args(tiles(wormhole), tiles(wormhole)))
        assert [[d.buffer_index for d in cb.format_descriptors] for cb in program.cbs] == [[0, 1]]

    def test_a_run_can_resize_a_buffer(self, wormhole: Device) -> None:
        args = chain_args(tiles(wormhole), tiles(wormhole))
        args.dfb_run_overrides = [DFBRunOverrides("input tiles", num_entries=8)]
        assert [cb.total_size for cb in lower(chain(), args).cbs] == [8 * 2048, 2 * 2048]


def without_binding(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.kernels[2].dfb_bindings[0].accessor_name = "result"


def without_argument_name(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.kernels[1].compile_time_args = {}


def template_parameter_at_run_time(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.kernels[1].compile_time_args = {}
    spec.kernels[1].runtime_arg_schema = RuntimeArgSchema(["count", "negate"])


def unused_buffer(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.dataflow_buffers.append(DataflowBufferSpec("spare", 2048, 1))


def unused_tensor(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.tensor_parameters.append(TensorParameter("mask"))


def unknown_buffer(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.kernels[0].dfb_bindings[0].dfb_spec_name = "inputs"


def two_consumers(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.kernels[2].dfb_bindings.append(DFBBinding("input tiles", "also", CONSUMER))


def no_producer_on_a_core(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.work_units = [
        WorkUnitSpec("left", ["reader", "compute", "writer"], (0, 0)),
        WorkUnitSpec("right", ["compute", "writer"], (1, 0)),
    ]


def compute_without_format(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.dataflow_buffers[0].data_format_metadata = None


def float32_undecided(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.dataflow_buffers[0].data_format_metadata = ttnn.float32
    spec.kernels[1].hw_config = ComputeHardwareConfig(enable_32_bit_dest=True)


def overlapping_work_units(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.work_units.append(WorkUnitSpec("again", ["reader"], (1, 0)))


def no_cxx_name(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.kernels[0].compile_time_args = {"block size": 1, "new": 2}


def missing_value(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    del args.kernel_run_args[0].runtime_arg_values["count"][(1, 0)]


def superfluous_value(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    args.kernel_run_args[0].runtime_arg_values["stride"] = {(0, 0): 1, (1, 0): 1}


def missing_tensor(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    del args.tensor_args["output"]


def missing_file(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.kernels[0].source = "no/such/reader.cpp"


def one_sided_alias(spec: ProgramSpec, args: ProgramRunArgs) -> None:
    spec.dataflow_buffers[0].advanced_options = DFBAdvancedOptions(alias_with=["output tiles"])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (without_binding, "kernel writer uses dfb::out, which is not bound; dfb has: result"),
        (without_argument_name, "kernel compute uses args::negate, which is not bound; args has: count"),
        (template_parameter_at_run_time, "negate is a template parameter of compute, so it must be in compile_time"),
        (unused_buffer, "dataflow buffer spare is bound by no kernel"),
        (unused_tensor, "tensor parameter mask is bound by no kernel"),
        (unknown_buffer, "kernel reader binds dataflow buffer 'inputs'.* it has: .*input tiles"),
        (two_consumers, "input tiles has 2 consumers on core 0-0 and 1 more"),
        (no_producer_on_a_core, "input tiles has no producer on core 1-0"),
        (compute_without_format, "input tiles has no data_format_metadata, and compute kernel compute uses it"),
        (float32_undecided, "kernel compute consumes input tiles .Float32."),
        (overlapping_work_units, "work units both and again have cores in common"),
        (no_cxx_name, "kernel reader: args name 'block size' is not a C.. name"),
        (missing_value, "kernel reader: count has no value for core 1-0"),
        (superfluous_value, "kernel reader: runtime_arg_values has 'stride'.* it has: start, count"),
        (missing_tensor, "tensor_args has no value for 'output'"),
        (missing_file, "kernel reader: kernel source 'no/such/reader.cpp' does not exist"),
        (one_sided_alias, "share memory, so each must list all others"),
    ],
)
def test_spec_that_does_not_fit_is_named(
    wormhole: Device, spoil: Callable[[ProgramSpec, ProgramRunArgs], None], message: str
) -> None:
    spec, args = chain(), chain_args(tiles(wormhole), tiles(wormhole))
    spoil(spec, args)
    with pytest.raises(ProgramError, match=message):
        lower(spec, args)


def test_a_tensor_unlike_its_parameter_is_named(wormhole: Device) -> None:
    spec = chain()
    spec.tensor_parameters[0].spec = tiles(wormhole, 7)
    with pytest.raises(ProgramError, match=r"tensor_args\['input'\] has shape"):
        lower(spec, chain_args(tiles(wormhole), tiles(wormhole)))


def test_wrong_types_are_named(wormhole: Device) -> None:
    spec, args = chain(), chain_args(tiles(wormhole), tiles(wormhole))
    spec.kernels[0].tensor_bindings = [("input", "src")]  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"kernel reader: tensor_bindings\[0\] must be a TensorBinding"):
        lower(spec, args)


def test_names_in_text_that_is_not_compiled_need_no_binding(wormhole: Device) -> None:
    spec = chain()
    conditional = "#ifdef SHARDED\nauto s = TensorAccessor(tensor::shard);\n#endif\n"
    spec.kernels[0].source = SourceCode(conditional + READER)
    args = chain_args(tiles(wormhole), tiles(wormhole))
    lower(spec, args)
    spec.kernels[0].compiler_options = CompilerOptions(defines={"SHARDED": "1"})
    with pytest.raises(ProgramError, match="kernel reader uses tensor::shard"):
        lower(spec, args)


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    device = ttnn.open_device(0, grid=(2, 2))
    yield device
    ttnn.close_device(device)


class TestRunning:
    def test_a_chain_of_kernels(self, device: Device) -> None:
        values = np.arange(32 * 192, dtype=np.float32).reshape(32, 192) % 251
        source = from_numpy(values, ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        target = empty_like(source)
        ttnn.generic_op([source, target], lower(chain(), chain_args(source, target)))
        np.testing.assert_array_equal(to_numpy(target).astype(np.float32), -values)

    def test_every_kind_of_argument(self, device: Device) -> None:
        target = empty((1, 16), ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT, device)
        source = """
        #include "api/dataflow/dataflow_api.h"
        #include "experimental/kernel_args.h"
        void kernel_main() {
            Scratchpad<uint32_t> words(scratch::words);
            constexpr uint32_t width = get_arg(args::width);
            words[0] = get_arg(args::per_core);
            words[1] = get_arg(args::for_all);
            words[2] = width;
            words[3] = get_vararg(1);
            words[4] = get_common_vararg(0);
            words[5] = get_compile_time_vararg<1>() + get_compile_time_vararg(0);
            words[6] = get_num_compile_time_varargs();
            words[7] = std::tuple_size_v<decltype(tensor::all)>;
            words[8] = tensor::get_token_if_present<"none">() == nullptr;
            words[9] = dfb::get_token_if_present<"none">() == nullptr;
            words[10] = tensor::get_token_if_present<"dst">() != nullptr;
            words[11] = words.size_in_bytes();
            auto plain = reinterpret_cast<volatile uint32_t*>(words.get_base_address());
            plain[12] = 12;
            Noc noc;
            noc.async_write(words, TensorAccessor(std::get<0>(tensor::all)), 64, {}, {.page_id = 0});
            noc.async_write_barrier();
        }
        """
        kernel = KernelSpec(
            "words",
            SourceCode(source),
            create_writer_datamovement_config(),
            tensor_bindings=[TensorBinding("target", "dst")],
            scratchpad_bindings=[ScratchpadBinding("words", "words")],
            compile_time_args={"width": 102},
            runtime_arg_schema=RuntimeArgSchema(["per_core"], ["for_all"]),
            advanced_options=KernelAdvancedOptions(
                num_runtime_varargs=2,
                num_common_runtime_varargs=1,
                compile_time_varargs=[50, 55],
                tensor_binding_sequences=[TensorBindingSequence("all", ["dst"])],
            ),
        )
        spec = ProgramSpec(
            kernels=[kernel],
            scratchpads=[ScratchpadSpec("words", size_per_node=64)],
            tensor_parameters=[TensorParameter("target")],
            work_units=[WorkUnitSpec("one", ["words"], (1, 1))],
        )
        args = KernelRunArgs(
            "words",
            MakeRuntimeArgsForSingleNode((1, 1), {"per_core": 100}),
            {"for_all": 101},
            AdvancedKernelRunArgs({(1, 1): [0, 103]}, [104]),
        )
        ttnn.generic_op([target], lower(spec, ProgramRunArgs([args], {"target": target})))
        expected = [100, 101, 102, 103, 104, 105, 2, 1, 1, 1, 1, 64, 12]
        assert to_numpy(target).ravel()[: len(expected)].tolist() == expected

    def test_semaphores_by_name(self, device: Device) -> None:
        target = empty((1, 16), ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT, device)
        wake = """
        #include "api/dataflow/dataflow_api.h"
        #include "experimental/kernel_args.h"
        void kernel_main() {
            Noc noc;
            Semaphore ready(sem::go);
            ready.up(noc, get_arg(args::x), get_arg(args::y), 3);
            noc.async_atomic_barrier();
        }
        """
        wait = """
        #include "api/dataflow/dataflow_api.h"
        #include "experimental/kernel_args.h"
        void kernel_main() {
            Semaphore ready(sem::ready);
            ready.wait(5);
            Noc noc;
            Scratchpad<uint32_t> word(scratch::word);
            word[0] = ready.value();
            noc.async_write(word, TensorAccessor(tensor::dst), 64, {}, {.page_id = 0});
            noc.async_write_barrier();
        }
        """
        both = ttnn.CoreRange((0, 0), (1, 0))
        spec = ProgramSpec(
            kernels=[
                KernelSpec(
                    "wake",
                    SourceCode(wake),
                    create_reader_datamovement_config(),
                    semaphore_bindings=[SemaphoreBinding("ready", "go")],
                    runtime_arg_schema=RuntimeArgSchema(["x", "y"]),
                ),
                KernelSpec(
                    "wait",
                    SourceCode(wait),
                    create_writer_datamovement_config(),
                    semaphore_bindings=[SemaphoreBinding("ready", "ready")],
                    scratchpad_bindings=[ScratchpadBinding("word", "word")],
                    tensor_bindings=[TensorBinding("target", "dst")],
                ),
            ],
            semaphores=[SemaphoreSpec("unused", both), SemaphoreSpec("ready", both)],
            scratchpads=[ScratchpadSpec("word", size_per_node=64)],
            tensor_parameters=[TensorParameter("target")],
            work_units=[WorkUnitSpec("from", ["wake"], (0, 0)), WorkUnitSpec("to", ["wait"], (1, 0))],
        )
        spec.semaphores[1].advanced_options.initial_value = 2
        other = device.worker_core_from_logical_core((1, 0))
        values = MakeRuntimeArgsForSingleNode((0, 0), {"x": other.x, "y": other.y})
        ttnn.generic_op([target], lower(spec, ProgramRunArgs([KernelRunArgs("wake", values)], {"target": target})))
        assert to_numpy(target).ravel()[0] == 5
