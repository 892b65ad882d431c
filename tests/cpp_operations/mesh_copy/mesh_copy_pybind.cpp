// SPDX-License-Identifier: Apache-2.0
// A copy of a row-major tensor in the spellings of 2025: a registered device operation whose `invoke` gives attributes
// and tensors, a mesh workload, pybind11.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "cpp/ttnn-pybind/decorators.hpp"
#include "ttnn/decorators.hpp"
#include "ttnn/device_operation.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::operations::data_movement {

using namespace tt::tt_metal;

struct MeshCopyDeviceOperation {
    struct operation_attributes_t {
        const MemoryConfig output_memory_config;
    };
    struct tensor_args_t {
        const Tensor& input_tensor;
    };
    using spec_return_value_t = TensorSpec;
    using tensor_return_value_t = Tensor;

    struct MeshFactory {
        struct shared_variables_t {
            KernelHandle reader;
        };
        using cached_program_t = ttnn::device_operation::CachedProgram<shared_variables_t>;
        using cached_mesh_workload_t = ttnn::device_operation::AdaptedCachedMeshWorkload<shared_variables_t>;

        static cached_mesh_workload_t create_mesh_workload(
            const operation_attributes_t& attributes,
            const ttnn::MeshCoordinateRangeSet& coordinates,
            const tensor_args_t& args,
            Tensor& output) {
            distributed::MeshWorkload workload;
            std::unordered_map<ttnn::MeshCoordinateRange, shared_variables_t> shared;
            for (const auto& coordinate : coordinates.coords()) {
                auto made = create_at(attributes, coordinate, args, output);
                workload.add_program(ttnn::MeshCoordinateRange(coordinate), std::move(made.program));
                shared.emplace(ttnn::MeshCoordinateRange(coordinate), std::move(made.shared_variables));
            }
            return cached_mesh_workload_t{std::move(workload), std::move(shared)};
        }

        static cached_program_t create_at(
            const operation_attributes_t&, const ttnn::MeshCoordinate&, const tensor_args_t& args, Tensor& output) {
            Program program = CreateProgram();
            const Buffer* source = args.input_tensor.buffer();
            const uint32_t page = source->aligned_page_size();
            const CoreCoord core = {0, 0};
            const auto format = datatype_to_dataformat_converter(args.input_tensor.dtype());
            CreateCircularBuffer(
                program,
                core,
                CircularBufferConfig(page, {{tt::CBIndex::c_0, format}}).set_page_size(tt::CBIndex::c_0, page));
            std::vector<uint32_t> compile_args = {page};
            TensorAccessorArgs(*source).append_to(compile_args);
            TensorAccessorArgs(*output.buffer()).append_to(compile_args);
            const KernelHandle reader = CreateKernel(
                program,
                "ttnn/cpp/ttnn/operations/data_movement/mesh_copy/device/kernels/copy.cpp",
                core,
                DataMovementConfig{
                    .processor = DataMovementProcessor::RISCV_1,
                    .noc = NOC::RISCV_1_default,
                    .compile_args = compile_args});
            SetRuntimeArgs(program, reader, core, {source->address(), output.buffer()->address()});
            SetCommonRuntimeArgs(program, reader, {static_cast<uint32_t>(source->num_pages())});
            return {std::move(program), {reader}};
        }

        static void override_runtime_arguments(
            cached_mesh_workload_t& cached, const operation_attributes_t&, const tensor_args_t& args, Tensor& output) {
            for (auto& [range, program] : cached.workload.get_programs()) {
                auto& words = GetRuntimeArgs(program, cached.shared_variables.at(range).reader, CoreCoord{0, 0});
                words[0] = args.input_tensor.buffer()->address();
                words[1] = output.buffer()->address();
            }
        }
    };
    using program_factory_t = std::variant<MeshFactory>;

    static program_factory_t select_program_factory(const operation_attributes_t&, const tensor_args_t&) {
        return MeshFactory{};
    }
    static void validate_on_program_cache_miss(const operation_attributes_t&, const tensor_args_t& args) {
        TT_FATAL(args.input_tensor.layout() == Layout::ROW_MAJOR, "Only row-major, got {}", args.input_tensor.layout());
    }
    static void validate_on_program_cache_hit(const operation_attributes_t&, const tensor_args_t&) {}
    static TensorSpec compute_output_specs(const operation_attributes_t& attributes, const tensor_args_t& args) {
        const Tensor& input = args.input_tensor;
        const TensorLayout layout(input.dtype(), PageConfig(input.layout()), attributes.output_memory_config);
        return TensorSpec(input.logical_shape(), layout);
    }
    static Tensor create_output_tensors(const operation_attributes_t& attributes, const tensor_args_t& args) {
        return create_device_tensor(compute_output_specs(attributes, args), args.input_tensor.device());
    }
    static std::tuple<operation_attributes_t, tensor_args_t> invoke(
        const Tensor& input_tensor, const MemoryConfig& memory_config) {
        return {operation_attributes_t{memory_config}, tensor_args_t{input_tensor}};
    }
};

}  // namespace ttnn::operations::data_movement

namespace ttnn::prim {
constexpr auto mesh_copy =
    ttnn::register_operation<"ttnn::prim::mesh_copy", ttnn::operations::data_movement::MeshCopyDeviceOperation>();
}  // namespace ttnn::prim

namespace ttnn::operations::data_movement {
struct MeshCopyOperation {
    static Tensor invoke(const Tensor& input_tensor, const std::optional<MemoryConfig>& memory_config) {
        return ttnn::prim::mesh_copy(input_tensor, memory_config.value_or(input_tensor.memory_config()));
    }
};
}  // namespace ttnn::operations::data_movement

namespace ttnn {
constexpr auto mesh_copy =
    ttnn::register_operation<"ttnn::mesh_copy", ttnn::operations::data_movement::MeshCopyOperation>();
}  // namespace ttnn

namespace ttnn::operations::data_movement::detail {

namespace py = pybind11;

void bind_mesh_copy(py::module& module) {
    bind_registered_operation(
        module,
        ttnn::mesh_copy,
        fmt::format(
            "Copies: {} is a {}.", ttnn::mesh_copy.python_fully_qualified_name(), ttnn::mesh_copy.class_name()),
        ttnn::pybind_overload_t{
            [](const decltype(ttnn::mesh_copy)& self,
               const ttnn::Tensor& input_tensor,
               const std::optional<ttnn::MemoryConfig>& memory_config) { return self(input_tensor, memory_config); },
            py::arg("input_tensor").noconvert(),
            py::kw_only(),
            py::arg("memory_config") = std::nullopt});
}

}  // namespace ttnn::operations::data_movement::detail
