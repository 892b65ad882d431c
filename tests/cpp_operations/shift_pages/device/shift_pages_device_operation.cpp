// SPDX-License-Identifier: Apache-2.0
#include "shift_pages_device_operation.hpp"

#include "ttnn/tensor/tensor_ops.hpp"

namespace ttnn::operations::data_movement::shift_pages {

using namespace tt::tt_metal;

ShiftPagesDeviceOperation::program_factory_t ShiftPagesDeviceOperation::select_program_factory(
    const operation_attributes_t&, const tensor_args_t&) {
    return MultiCore{};
}

void ShiftPagesDeviceOperation::validate_on_program_cache_miss(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    const Tensor& input = args.input;
    TT_FATAL(input.layout() == Layout::ROW_MAJOR, "Input must be in ROW_MAJOR layout, got {}", input.layout());
    TT_FATAL(
        attributes.offset < input.buffer()->num_pages(),
        "Offset {} must be less than the number of pages {}",
        attributes.offset,
        input.buffer()->num_pages());
}

void ShiftPagesDeviceOperation::validate_on_program_cache_hit(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    validate_on_program_cache_miss(attributes, args);
}

TensorSpec ShiftPagesDeviceOperation::compute_output_specs(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    return TensorSpec(
        args.input.logical_shape(),
        TensorLayout(args.input.dtype(), PageConfig(Layout::ROW_MAJOR), attributes.memory_config));
}

Tensor ShiftPagesDeviceOperation::create_output_tensors(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    if (args.output.has_value()) {
        return *args.output;
    }
    return create_device_tensor(compute_output_specs(attributes, args), args.input.device());
}

// The offset is an argument of every run, so programs with different offsets are one.
ttsl::hash::hash_t ShiftPagesDeviceOperation::compute_program_hash(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    return operation::hash_operation<ShiftPagesDeviceOperation>(attributes.memory_config, args);
}

}  // namespace ttnn::operations::data_movement::shift_pages
