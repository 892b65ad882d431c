// SPDX-License-Identifier: Apache-2.0
#include "tw_host/descriptors.hpp"

#include "tw_host/device_operation.hpp"

namespace tt::tt_metal {

namespace {

KernelRecord record_of(const KernelDescriptor& descriptor) {
    KernelRecord kernel;
    kernel.source = descriptor.kernel_source;
    kernel.is_code = descriptor.source_type == KernelDescriptor::SourceType::SOURCE_CODE;
    kernel.cores = descriptor.core_ranges;
    kernel.compile_args = descriptor.compile_time_args;
    kernel.named_compile_args = descriptor.named_compile_time_args;
    kernel.defines = descriptor.defines;
    kernel.opt_level = descriptor.opt_level;
    kernel.config = descriptor.config;
    for (const auto& path : descriptor.compiler_include_paths) {
        kernel.include_paths.push_back(path.string());
    }
    for (const auto& [core, args] : descriptor.runtime_args) {
        kernel.args[core].set(args);
    }
    kernel.common_args.set(descriptor.common_runtime_args);
    return kernel;
}

CBRecord record_of(const CBDescriptor& descriptor) {
    CircularBufferConfig config(descriptor.total_size);
    for (const CBFormatDescriptor& format : descriptor.format_descriptors) {
        const auto builder = config.index(format.buffer_index);
        builder.set_data_format(format.data_format).set_page_size(format.page_size);
        if (format.tile) {
            builder.set_tile_dims(Tile({format.tile->height, format.tile->width}, format.tile->transpose));
        }
    }
    TT_FATAL(
        descriptor.global_circular_buffer == nullptr && descriptor.remote_format_descriptors.empty(),
        "global circular buffers need several programs at once, which is not simulated");
    if (descriptor.buffer != nullptr) {
        config.set_globally_allocated_address(*descriptor.buffer);
    } else if (descriptor.tensor != nullptr) {
        config.set_globally_allocated_address(*descriptor.tensor);
    }
    return {descriptor.core_ranges, config, descriptor.address_offset};
}

}  // namespace

ProgramRecord record_of(const ProgramDescriptor& descriptor) {
    ProgramRecord record;
    for (const KernelDescriptor& kernel : descriptor.kernels) {
        record.kernels.push_back(record_of(kernel));
    }
    for (const CBDescriptor& cb : descriptor.cbs) {
        record.cbs.push_back(record_of(cb));
    }
    for (const SemaphoreDescriptor& semaphore : descriptor.semaphores) {
        record.semaphores.push_back({semaphore.id, semaphore.core_ranges, semaphore.initial_value});
    }
    return record;
}

Program program_of(const ProgramDescriptor& descriptor) {
    Program program;
    program.record() = record_of(descriptor);
    return program;
}

void apply_descriptor_runtime_args(Program& program, const ProgramDescriptor& descriptor) {
    ProgramRecord& record = program.record();
    const ProgramRecord fresh = record_of(descriptor);
    TT_FATAL(
        fresh.kernels.size() == record.kernels.size() && fresh.cbs.size() == record.cbs.size(),
        "the descriptor has {} kernels and {} circular buffers, the cached program {} and {}: the program hash is the "
        "same for programs that differ",
        fresh.kernels.size(),
        fresh.cbs.size(),
        record.kernels.size(),
        record.cbs.size());
    for (std::size_t index = 0; index < record.kernels.size(); ++index) {
        record.kernels[index].args = fresh.kernels[index].args;
        for (auto& [core, args] : record.kernels[index].args) {
            args.set(args.values);
        }
        record.kernels[index].common_args.set(fresh.kernels[index].common_args.values);
    }
    for (std::size_t index = 0; index < record.cbs.size(); ++index) {
        record.cbs[index].config = record.cbs[index].config.with_place(fresh.cbs[index].config.place());
    }
}

}  // namespace tt::tt_metal
