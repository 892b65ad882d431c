// SPDX-License-Identifier: Apache-2.0
#include "layernorm_fused_rm_device_operation.hpp"

#include "ttnn/tensor/tensor_ops.hpp"

namespace ttnn::operations::reduction::layernorm_fused_rm {

using namespace tt::tt_metal;

LayernormFusedRmDeviceOperation::program_factory_t LayernormFusedRmDeviceOperation::select_program_factory(
    const operation_attributes_t&, const tensor_args_t&) {
    return ProgramFactory{};
}

void LayernormFusedRmDeviceOperation::validate_on_program_cache_miss(
    [[maybe_unused]] const operation_attributes_t& attributes, const tensor_args_t& args) {
    TT_FATAL(args.x.logical_shape().rank() >= 2, "Input must have at least 2 dimensions, got rank {}", args.x.logical_shape().rank());
    TT_FATAL(args.x.layout() == Layout::ROW_MAJOR, "Input must be in ROW_MAJOR layout, got {}", args.x.layout());
    TT_FATAL(
        args.x.memory_config().memory_layout() == TensorMemoryLayout::INTERLEAVED,
        "Input must be in INTERLEAVED memory, got {}",
        args.x.memory_config().memory_layout());
    TT_FATAL(
        args.x.dtype() == DataType::BFLOAT16 || args.x.dtype() == DataType::FLOAT32,
        "Input must be BFLOAT16 or FLOAT32, got {}",
        args.x.dtype());
    TT_FATAL(args.x.logical_volume() > 0, "x must not be empty, got shape {}", args.x.logical_shape());
    TT_FATAL(args.gamma.layout() == Layout::ROW_MAJOR, "Gamma must be in ROW_MAJOR layout, got {}", args.gamma.layout());
    TT_FATAL(
        args.gamma.dtype() == args.x.dtype(),
        "Gamma dtype must match input dtype, expected {} got {}",
        args.x.dtype(),
        args.gamma.dtype());
    TT_FATAL(
        args.gamma.logical_shape()[-1] == args.x.logical_shape()[-1] && args.gamma.logical_volume() == args.x.logical_shape()[-1],
        "Gamma does not fit an input of shape {}, got shape {}",
        args.x.logical_shape(),
        args.gamma.logical_shape());
    TT_FATAL(args.beta.layout() == Layout::ROW_MAJOR, "Beta must be in ROW_MAJOR layout, got {}", args.beta.layout());
    TT_FATAL(
        args.beta.dtype() == args.x.dtype(),
        "Beta dtype must match input dtype, expected {} got {}",
        args.x.dtype(),
        args.beta.dtype());
    TT_FATAL(
        args.beta.logical_shape()[-1] == args.x.logical_shape()[-1] && args.beta.logical_volume() == args.x.logical_shape()[-1],
        "Beta does not fit an input of shape {}, got shape {}",
        args.x.logical_shape(),
        args.beta.logical_shape());
    TT_FATAL(attributes.epsilon > 0, "Epsilon must be positive, got {}", attributes.epsilon);
}

void LayernormFusedRmDeviceOperation::validate_on_program_cache_hit(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    validate_on_program_cache_miss(attributes, args);
}

TensorSpec LayernormFusedRmDeviceOperation::compute_output_specs(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    Shape shape = args.x.logical_shape();
    return TensorSpec(
        shape, TensorLayout(args.x.dtype(), PageConfig(Layout::ROW_MAJOR), attributes.memory_config));
}

Tensor LayernormFusedRmDeviceOperation::create_output_tensors(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    return create_device_tensor(compute_output_specs(attributes, args), args.x.device());
}

}  // namespace ttnn::operations::reduction::layernorm_fused_rm
