// SPDX-License-Identifier: Apache-2.0
#include "variance_w_rm_device_operation.hpp"

#include "ttnn/tensor/tensor_ops.hpp"

namespace ttnn::operations::reduction::variance_w_rm {

using namespace tt::tt_metal;

VarianceWRmDeviceOperation::program_factory_t VarianceWRmDeviceOperation::select_program_factory(
    const operation_attributes_t&, const tensor_args_t&) {
    return ProgramFactory{};
}

void VarianceWRmDeviceOperation::validate_on_program_cache_miss(
    [[maybe_unused]] const operation_attributes_t& attributes, const tensor_args_t& args) {
    TT_FATAL(args.x.logical_shape().rank() >= 2, "Input must be at least 2D, got rank {}", args.x.logical_shape().rank());
    TT_FATAL(args.x.layout() == Layout::ROW_MAJOR, "Input must be in ROW_MAJOR layout, got {}", args.x.layout());
    TT_FATAL(
        args.x.memory_config().memory_layout() == TensorMemoryLayout::INTERLEAVED,
        "Input must be interleaved, got {}",
        args.x.memory_config().memory_layout());
    TT_FATAL(
        args.x.dtype() == DataType::BFLOAT16 || args.x.dtype() == DataType::FLOAT32,
        "Unsupported dtype {}; allowed: BFLOAT16, FLOAT32",
        args.x.dtype());
    TT_FATAL(args.x.logical_volume() > 0, "x must not be empty, got shape {}", args.x.logical_shape());
}

void VarianceWRmDeviceOperation::validate_on_program_cache_hit(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    validate_on_program_cache_miss(attributes, args);
}

TensorSpec VarianceWRmDeviceOperation::compute_output_specs(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    Shape shape = args.x.logical_shape();
    shape[-1] = 1;
    return TensorSpec(
        shape, TensorLayout(args.x.dtype(), PageConfig(Layout::ROW_MAJOR), attributes.memory_config));
}

Tensor VarianceWRmDeviceOperation::create_output_tensors(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    return create_device_tensor(compute_output_specs(attributes, args), args.x.device());
}

}  // namespace ttnn::operations::reduction::variance_w_rm
