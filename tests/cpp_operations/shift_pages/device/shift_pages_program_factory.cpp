// SPDX-License-Identifier: Apache-2.0
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/work_split.hpp>

#include "shift_pages_device_operation.hpp"

namespace ttnn::operations::data_movement::shift_pages {

using namespace tt::tt_metal;

ShiftPagesDeviceOperation::MultiCore::cached_program_t ShiftPagesDeviceOperation::MultiCore::create(
    const operation_attributes_t& attributes, const tensor_args_t& args, tensor_return_value_t& output) {
    Program program = CreateProgram();
    const Tensor& input = args.input;
    const uint32_t pages = input.buffer()->num_pages();
    const uint32_t page_size = input.buffer()->aligned_page_size();
    const auto grid = input.device()->compute_with_storage_grid_size();
    const auto [num_cores, all_cores, group_1, group_2, per_core_1, per_core_2] = split_work_to_cores(grid, pages);

    constexpr uint32_t cb = tt::CBIndex::c_0;
    const auto format = datatype_to_dataformat_converter(input.dtype());
    CircularBufferConfig config(2 * page_size, {{cb, format}});
    config.set_page_size(cb, page_size);
    CreateCircularBuffer(program, all_cores, config);

    std::vector<uint32_t> reader_args = {cb, pages, page_size};
    TensorAccessorArgs(*input.buffer()).append_to(reader_args);
    std::vector<uint32_t> writer_args = {cb, page_size};
    TensorAccessorArgs(*output.buffer()).append_to(writer_args);
    const std::string kernels = "ttnn/cpp/ttnn/operations/data_movement/shift_pages/device/kernels/dataflow/";
    const auto reader =
        CreateKernel(program, kernels + "reader_shift_pages.cpp", all_cores, ReaderDataMovementConfig(reader_args));
    const auto writer =
        CreateKernel(program, kernels + "writer_shift_pages.cpp", all_cores, WriterDataMovementConfig(writer_args));

    const auto cores = corerange_to_cores(all_cores);
    uint32_t start = 0;
    for (const auto& core : cores) {
        const uint32_t count = group_1.contains(core) ? per_core_1 : per_core_2;
        SetRuntimeArgs(program, reader, core, {input.buffer()->address(), attributes.offset, start, count});
        SetRuntimeArgs(program, writer, core, {output.buffer()->address(), start, count});
        start += count;
    }
    return {std::move(program), {reader, writer, cores}};
}

void ShiftPagesDeviceOperation::MultiCore::override_runtime_arguments(
    cached_program_t& cached,
    const operation_attributes_t& attributes,
    const tensor_args_t& args,
    tensor_return_value_t& output) {
    const auto& shared = cached.shared_variables;
    for (const auto& core : shared.cores) {
        auto& reader_args = GetRuntimeArgs(cached.program, shared.reader, core);
        reader_args[0] = args.input.buffer()->address();
        reader_args[1] = attributes.offset;
        auto& writer_args = GetRuntimeArgs(cached.program, shared.writer, core);
        writer_args[0] = output.buffer()->address();
    }
}

}  // namespace ttnn::operations::data_movement::shift_pages
