// SPDX-License-Identifier: Apache-2.0
#include "tw_host/descriptors.hpp"

#include <algorithm>

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

namespace {

void require_same_parts(const ProgramRecord& record, const ProgramDescriptor& fresh) {
    TT_FATAL(
        fresh.kernels.size() == record.kernels.size() && fresh.cbs.size() == record.cbs.size(),
        "the descriptor has {} kernels and {} circular buffers, the cached program {} and {}: the program hash is the "
        "same for programs that differ",
        fresh.kernels.size(),
        fresh.cbs.size(),
        record.kernels.size(),
        record.cbs.size());
}

// Those in tensors; the others lie where they lay.
void place_circular_buffers(ProgramRecord& record, const ProgramDescriptor& descriptor) {
    for (std::size_t index = 0; index < descriptor.cbs.size(); ++index) {
        const CBDescriptor& cb = descriptor.cbs[index];
        if (cb.buffer != nullptr || cb.tensor != nullptr) {
            record.cbs[index].config = record.cbs[index].config.with_place(record_of(cb).config.place());
        }
    }
}

void set_word(CoreArgs& args, std::uint32_t index, std::uint32_t word) {
    TT_FATAL(index < args.values.size(), "runtime argument {} of {} is set", index, args.values.size());
    std::vector<std::uint32_t> words = args.values;
    words[index] = word;
    args.set(std::move(words));
}

}  // namespace

// As tt-metal's: what the descriptor has goes to the kernel and the circular buffer in its place; it may have less than
// the program.
void apply_descriptor_runtime_args(Program& program, const ProgramDescriptor& descriptor) {
    ProgramRecord& record = program.record();
    TT_FATAL(
        descriptor.kernels.size() <= record.kernels.size() && descriptor.cbs.size() <= record.cbs.size(),
        "the descriptor has {} kernels and {} circular buffers, and the program only {} and {}",
        descriptor.kernels.size(),
        descriptor.cbs.size(),
        record.kernels.size(),
        record.cbs.size());
    for (std::size_t index = 0; index < descriptor.kernels.size(); ++index) {
        const KernelRecord fresh = record_of(descriptor.kernels[index]);
        for (const auto& [core, args] : fresh.args) {
            record.kernels[index].args[core].set(args.values);
        }
        if (!fresh.common_args.values.empty()) {
            record.kernels[index].common_args.set(fresh.common_args.values);
        }
    }
    place_circular_buffers(record, descriptor);
}

void apply_dynamic_runtime_args(Program& program, ttsl::Span<const DynamicRuntimeArg> dynamic_args) {
    for (const DynamicRuntimeArg& each : dynamic_args) {
        KernelRecord& kernel = program.record().kernel(each.kernel_idx);
        set_word(each.is_common ? kernel.common_args : kernel.args[each.core], each.arg_idx, each.value);
    }
}

}  // namespace tt::tt_metal

namespace tw::host {

using namespace tt::tt_metal;

bool binds_arguments(const ProgramDescriptor& descriptor) {
    return std::any_of(descriptor.kernels.begin(), descriptor.kernels.end(), [](const KernelDescriptor& kernel) {
        return !kernel.buffer_bindings.empty() || !kernel.common_buffer_bindings.empty();
    });
}

bool binds_circular_buffers(const ProgramDescriptor& descriptor) {
    return std::any_of(descriptor.cbs.begin(), descriptor.cbs.end(), [](const CBDescriptor& cb) {
        return cb.buffer != nullptr || cb.tensor != nullptr;
    });
}

void apply_bindings(Program& program, const ProgramDescriptor& descriptor) {
    ProgramRecord& record = program.record();
    require_same_parts(record, descriptor);
    for (std::size_t index = 0; index < record.kernels.size(); ++index) {
        KernelRecord& kernel = record.kernels[index];
        const KernelRecord wanted = record_of(descriptor.kernels[index]);
        for (const KernelDescriptor::BufferBinding& bound : descriptor.kernels[index].buffer_bindings) {
            if (kernel.args.contains(bound.core)) {
                set_word(kernel.args[bound.core], bound.arg_idx, wanted.args.at(bound.core).values.at(bound.arg_idx));
            }
        }
        for (const KernelDescriptor::CommonBufferBinding& bound : descriptor.kernels[index].common_buffer_bindings) {
            set_word(kernel.common_args, bound.arg_idx, wanted.common_args.values.at(bound.arg_idx));
        }
    }
    place_circular_buffers(record, descriptor);
}

void apply_all(Program& program, const ProgramDescriptor& descriptor) {
    require_same_parts(program.record(), descriptor);
    apply_descriptor_runtime_args(program, descriptor);
}

}  // namespace tw::host
