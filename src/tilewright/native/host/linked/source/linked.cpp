// SPDX-License-Identifier: Apache-2.0
// What stands behind the headers of a folder that is linked against ttnn's libraries, and the check of their types.
#include "tw_linked.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tw_host/device_operation.hpp"

namespace {

struct Callbacks {
    nb::object find_kernel, log;
};
Callbacks& callbacks() {
    static auto* both = new Callbacks;  // kept: Python may be gone before this library is
    return *both;
}

template <typename T>
void add_size(nb::list& wrong, const char* name) {
    const nb::handle type = nb::type<T>();
    if (!type.is_valid()) {
        wrong.append(nb::str((std::string(name) + ": ttnn has bound no such type").c_str()));
    } else if (nb::type_size(type) != sizeof(T) || nb::type_align(type) != alignof(T)) {
        const std::string text = std::string(name) + ": " + std::to_string(nb::type_size(type)) + " bytes in ttnn, " +
                                 std::to_string(sizeof(T)) + " in tilewright's headers";
        wrong.append(nb::str(text.c_str()));
    }
}

// Types that have another size or alignment in the libraries, or that ttnn's modules have not bound.
nb::list types_that_differ() {
    using namespace tt::tt_metal;
    nb::list wrong;
#define TW_SIZE(type) add_size<type>(wrong, #type)
    TW_SIZE(ttnn::Tensor);
    TW_SIZE(TensorSpec);
    TW_SIZE(Shape);
    TW_SIZE(MemoryConfig);
    TW_SIZE(ShardSpec);
    TW_SIZE(NdShardSpec);
    TW_SIZE(Tile);
    TW_SIZE(TensorTopology);
    TW_SIZE(TensorAccessorArgs);
    TW_SIZE(CoreRange);
    TW_SIZE(CoreRangeSet);
    TW_SIZE(distributed::MeshShape);
    TW_SIZE(distributed::MeshCoordinate);
    TW_SIZE(distributed::MeshCoordinateRange);
    TW_SIZE(ttnn::ComputeKernelConfig);
    TW_SIZE(ttnn::types::CoreGrid);
#undef TW_SIZE
    return wrong;
}

// A function of ttnn's libraries by its symbol, where this library has one of the same name.
template <typename F>
F* of_library(const char* symbol) {
    static void* library = dlopen("libtt_metal.so", RTLD_LAZY | RTLD_NOLOAD);
    void* found = library == nullptr ? nullptr : dlsym(library, symbol);
    TT_FATAL(found != nullptr, "ttnn's libtt_metal.so has no {}", symbol);
    return reinterpret_cast<F*>(found);
}

}  // namespace

void tw_linked_module(nb::module_& module) {
    nb::set_leak_warnings(false);  // ttnn's own devices and functions live to the end of the process
    module.def("types_that_differ", &types_that_differ);
    module.def("connect", [](nb::object find_kernel, nb::object log) { callbacks() = {find_kernel, log}; });
}

namespace tt::host_detail {
void log(const char* level, LogType type, const std::string& text) {
    if (callbacks().log.is_valid()) {
        callbacks().log(level, tw::host::enum_name(type), text);
    }
}
}  // namespace tt::host_detail

namespace tt::tt_metal {

// Kernels are looked for where those of any other program are, before ttnn sees their path.
KernelHandle CreateKernel(
    Program& program,
    const std::string& file_name,
    const CoreSpec& cores,
    const std::variant<DataMovementConfig, ComputeConfig>& config) {
    using Create = KernelHandle(
        Program&, const std::string&, const CoreSpec&, const std::variant<DataMovementConfig, ComputeConfig>&);
    static auto* create = of_library<Create>(
        "_ZN2tt8tt_metal12CreateKernelERNS0_7ProgramERKNSt7__cxx1112basic_stringIcSt11char_"
        "traitsIcESaIcEEERKSt7variantI"
        "JNS_7xy_pairENS0_9CoreRangeENS0_12CoreRangeSetEEERKSB_IJNS0_18DataMovementConfigENS0_13ComputeConfigEEE");
    const std::string found = nb::cast<std::string>(callbacks().find_kernel(file_name));
    return create(program, found, cores, config);
}

namespace {

std::map<std::string, std::string> defines_of(const KernelDescriptor& kernel) {
    return {kernel.defines.begin(), kernel.defines.end()};
}

std::variant<DataMovementConfig, ComputeConfig> config_of(const KernelDescriptor& kernel) {
    const std::unordered_map<std::string, std::uint32_t> named(
        kernel.named_compile_time_args.begin(), kernel.named_compile_time_args.end());
    if (const auto* compute = std::get_if<ComputeConfigDescriptor>(&kernel.config)) {
        ComputeConfig config{
            .math_fidelity = compute->math_fidelity,
            .fp32_dest_acc_en = compute->fp32_dest_acc_en,
            .dst_full_sync_en = compute->dst_full_sync_en,
            .unpack_to_dest_mode = compute->unpack_to_dest_mode,
            .bfp8_pack_precise = compute->bfp8_pack_precise,
            .math_approx_mode = compute->math_approx_mode,
            .compile_args = kernel.compile_time_args,
            .defines = defines_of(kernel),
            .named_compile_args = named,
            .compiler_include_paths = kernel.compiler_include_paths};
        config.opt_level = kernel.opt_level.value_or(config.opt_level);
        return config;
    }
    const auto opt_level = kernel.opt_level.value_or(KernelBuildOptLevel::O2);
    const auto& paths = kernel.compiler_include_paths;
    if (std::holds_alternative<ReaderConfigDescriptor>(kernel.config)) {
        return ReaderDataMovementConfig(kernel.compile_time_args, defines_of(kernel), named, opt_level, paths);
    }
    if (std::holds_alternative<WriterConfigDescriptor>(kernel.config)) {
        return WriterDataMovementConfig(kernel.compile_time_args, defines_of(kernel), named, opt_level, paths);
    }
    const auto& given = std::get<DataMovementConfigDescriptor>(kernel.config);
    return DataMovementConfig{
        given.processor,
        given.noc,
        given.noc_mode,
        kernel.compile_time_args,
        defines_of(kernel),
        named,
        opt_level,
        paths};
}

void add_circular_buffer(Program& program, const CBDescriptor& cb) {
    TT_FATAL(
        cb.global_circular_buffer == nullptr && cb.remote_format_descriptors.empty(),
        "global circular buffers need several programs at once, which is not simulated");
    TT_FATAL(
        cb.buffer == nullptr && cb.tensor == nullptr,
        "linked against ttnn, circular buffers of a descriptor do not lie in tensors: use create with "
        "override_runtime_arguments, or build the folder without --link");
    std::map<std::uint8_t, tt::DataFormat> formats;
    for (const CBFormatDescriptor& format : cb.format_descriptors) {
        formats[format.buffer_index] = format.data_format;
    }
    CircularBufferConfig config(cb.total_size, formats);
    for (const CBFormatDescriptor& format : cb.format_descriptors) {
        config.set_page_size(format.buffer_index, format.page_size);
        if (format.tile) {
            config.set_tile_dims(
                format.buffer_index, Tile({format.tile->height, format.tile->width}, format.tile->transpose));
        }
    }
    CreateCircularBuffer(program, cb.core_ranges, config);
}

}  // namespace

Program program_of(const ProgramDescriptor& descriptor) {
    Program program = CreateProgram();
    for (const CBDescriptor& cb : descriptor.cbs) {
        add_circular_buffer(program, cb);
    }
    for (const SemaphoreDescriptor& semaphore : descriptor.semaphores) {
        const std::uint32_t id = CreateSemaphore(program, semaphore.core_ranges, semaphore.initial_value);
        TT_FATAL(
            id == semaphore.id, "linked against ttnn, semaphores are numbered in order: {} is {}", semaphore.id, id);
    }
    for (const KernelDescriptor& kernel : descriptor.kernels) {
        const bool is_code = kernel.source_type == KernelDescriptor::SourceType::SOURCE_CODE;
        const KernelHandle handle = (is_code ? CreateKernelFromString : CreateKernel)(
            program, kernel.kernel_source, kernel.core_ranges, config_of(kernel));
        if (!kernel.common_runtime_args.empty()) {  // set once, then changed in their place
            SetCommonRuntimeArgs(program, handle, ttsl::Span<const std::uint32_t>(kernel.common_runtime_args));
        }
    }
    apply_descriptor_runtime_args(program, descriptor);
    return program;
}

void apply_descriptor_runtime_args(Program& program, const ProgramDescriptor& descriptor) {
    for (KernelHandle kernel = 0; kernel < descriptor.kernels.size(); ++kernel) {
        for (const auto& [core, args] : descriptor.kernels[kernel].runtime_args) {
            SetRuntimeArgs(program, kernel, core, ttsl::Span<const std::uint32_t>(args));
        }
        const auto& common = descriptor.kernels[kernel].common_runtime_args;
        if (!common.empty()) {
            std::copy(common.begin(), common.end(), GetCommonRuntimeArgs(program, kernel).begin());
        }
    }
}

}  // namespace tt::tt_metal
