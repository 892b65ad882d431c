// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <tt-metalium/core_coord.hpp>
#include <variant>
#include "ttnn/core.hpp"
#include "ttnn/decorators.hpp"
#include "ttnn/device_operation.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/types.hpp"
namespace ttnn::operations::scale_add {
struct ScaleAddDeviceOperation {
    struct operation_attributes_t {
        const float scale;
        const MemoryConfig memory_config;
        const CoreCoord grid;
        const DeviceComputeKernelConfig compute_kernel_config;
    };
    struct tensor_args_t {
        const Tensor& input;
        std::optional<Tensor> other;
    };
    using spec_return_value_t = ttnn::TensorSpec;
    using tensor_return_value_t = Tensor;
    struct SingleCore {
        struct shared_variables_t {
            tt::tt_metal::KernelHandle reader, compute, writer;
        };
        using cached_program_t = ttnn::device_operation::CachedProgram<shared_variables_t>;
        static cached_program_t create(const operation_attributes_t&, const tensor_args_t&, tensor_return_value_t&);
        static void override_runtime_arguments(
            cached_program_t&, const operation_attributes_t&, const tensor_args_t&, tensor_return_value_t&);
    };
    struct MultiCore {
        struct shared_variables_t {
            tt::tt_metal::KernelHandle reader, compute, writer;
            std::vector<CoreCoord> cores;
        };
        using cached_program_t = ttnn::device_operation::CachedProgram<shared_variables_t>;
        static cached_program_t create(const operation_attributes_t&, const tensor_args_t&, tensor_return_value_t&);
        static void override_runtime_arguments(
            cached_program_t&, const operation_attributes_t&, const tensor_args_t&, tensor_return_value_t&);
    };
    struct Sharded {
        struct shared_variables_t {
            tt::tt_metal::KernelHandle compute;
            tt::tt_metal::CBHandle in, other, out;
        };
        using cached_program_t = ttnn::device_operation::CachedProgram<shared_variables_t>;
        static cached_program_t create(const operation_attributes_t&, const tensor_args_t&, tensor_return_value_t&);
        static void override_runtime_arguments(
            cached_program_t&, const operation_attributes_t&, const tensor_args_t&, tensor_return_value_t&);
    };
    using program_factory_t = std::variant<SingleCore, MultiCore, Sharded>;
    static program_factory_t select_program_factory(const operation_attributes_t&, const tensor_args_t&);
    static void validate_on_program_cache_miss(const operation_attributes_t&, const tensor_args_t&);
    static void validate_on_program_cache_hit(const operation_attributes_t&, const tensor_args_t&);
    static spec_return_value_t compute_output_specs(const operation_attributes_t&, const tensor_args_t&);
    static tensor_return_value_t create_output_tensors(const operation_attributes_t&, const tensor_args_t&);
    static std::tuple<operation_attributes_t, tensor_args_t> invoke(
        const Tensor& input,
        const std::optional<const Tensor>& other,
        float scale,
        const MemoryConfig& memory_config,
        const CoreCoord& grid,
        const DeviceComputeKernelConfig& config);
};
}  // namespace ttnn::operations::scale_add
namespace ttnn::prim {
constexpr auto scale_add =
    ttnn::register_operation<"ttnn::prim::scale_add", ttnn::operations::scale_add::ScaleAddDeviceOperation>();
}
