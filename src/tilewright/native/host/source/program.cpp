// SPDX-License-Identifier: Apache-2.0
#include "tw_host/host_api.hpp"

#include <algorithm>

#include "tw_host/values.hpp"

namespace tt::tt_metal {

using tw::host::enum_name;
using tw::host::List;
using tw::host::list_of;
using tw::host::to_value;
using tw::host::Value;

ReaderDataMovementConfig::ReaderDataMovementConfig(
    std::vector<std::uint32_t> compile_args,
    std::map<std::string, std::string> defines,
    std::unordered_map<std::string, std::uint32_t> named_compile_args,
    KernelBuildOptLevel opt_level,
    std::vector<std::filesystem::path> paths) :
    DataMovementConfig{
        DataMovementProcessor::RISCV_1,
        NOC::NOC_0,
        NOC_MODE::DM_DEDICATED_NOC,
        std::move(compile_args),
        std::move(defines),
        std::move(named_compile_args),
        opt_level,
        std::move(paths)} {}
WriterDataMovementConfig::WriterDataMovementConfig(
    std::vector<std::uint32_t> compile_args,
    std::map<std::string, std::string> defines,
    std::unordered_map<std::string, std::uint32_t> named_compile_args,
    KernelBuildOptLevel opt_level,
    std::vector<std::filesystem::path> paths) :
    DataMovementConfig{
        DataMovementProcessor::RISCV_0,
        NOC::NOC_1,
        NOC_MODE::DM_DEDICATED_NOC,
        std::move(compile_args),
        std::move(defines),
        std::move(named_compile_args),
        opt_level,
        std::move(paths)} {}

void CoreArgs::set(std::vector<std::uint32_t> given) {
    values = std::move(given);
    view = {values.data(), values.size()};
}

CircularBufferConfig::CircularBufferConfig(
    std::uint32_t total_size, const std::map<std::uint8_t, tt::DataFormat>& formats) :
    total_size_(total_size) {
    for (const auto& [index, format] : formats) {
        formats_[index].format = format;
    }
}
CircularBufferConfig::CircularBufferConfig(std::uint32_t total_size, const std::map<std::uint8_t, DataType>& types) :
    total_size_(total_size) {
    for (const auto& [index, type] : types) {
        formats_[index].format = datatype_to_dataformat_converter(type);
    }
}
CircularBufferConfig::CircularBufferConfig(
    std::uint32_t total_size, const std::map<std::uint8_t, tt::DataFormat>& formats, const Buffer& buffer) :
    CircularBufferConfig(total_size, formats) {
    set_globally_allocated_address(buffer);
}
CircularBufferConfig& CircularBufferConfig::set_page_size(std::uint8_t index, std::uint32_t page_size) {
    TT_FATAL(index < NUM_CIRCULAR_BUFFERS, "Buffer index ({}) exceeds max number of circular buffers per core", index);
    TT_FATAL(formats_.contains(index), "circular buffer {} has a page size but no data format", index);
    TT_FATAL(
        page_size > 0 && total_size_ % page_size == 0,
        "Total circular buffer size {} B must be divisible by page size {} B",
        total_size_,
        page_size);
    formats_[index].page_size = page_size;
    return *this;
}
CircularBufferConfig& CircularBufferConfig::set_total_size(std::uint32_t total_size) {
    TT_FATAL(total_size > 0, "Total size for circular buffer must be non-zero!");
    total_size_ = total_size;
    return *this;
}
CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(const Buffer& buffer) {
    TT_FATAL(buffer.is_l1(), "Only L1 buffers can have an associated circular buffer!");
    place_ = TensorPlace(*buffer.state());
    return *this;
}
CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(const MeshTensor& tensor) {
    return set_globally_allocated_address(*tensor.buffer());
}
CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address_and_total_size(
    const Buffer& buffer, std::uint32_t total_size) {
    set_globally_allocated_address(buffer);
    return set_total_size(total_size);
}
CircularBufferConfig& CircularBufferConfig::set_tile_dims(std::uint8_t index, const Tile& tile) {
    formats_[index].tile = tile;
    return *this;
}
const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_data_format(tt::DataFormat format) const {
    parent_->formats_[index_].format = format;
    return *this;
}
const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_page_size(std::uint32_t page_size) const {
    parent_->formats_[index_].page_size = page_size;
    return *this;
}
const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_tile_dims(const Tile& tile) const {
    parent_->formats_[index_].tile = tile;
    return *this;
}

CoreRangeSet as_core_range_set(const CoreSpec& cores) {
    if (const auto* core = std::get_if<CoreCoord>(&cores)) {
        return CoreRange(*core);
    }
    if (const auto* range = std::get_if<CoreRange>(&cores)) {
        return *range;
    }
    return std::get<CoreRangeSet>(cores);
}

KernelRecord& ProgramRecord::kernel(KernelHandle handle) {
    TT_FATAL(handle < kernels.size(), "the program has no kernel {}; it has {}", handle, kernels.size());
    return kernels[handle];
}
CBRecord& ProgramRecord::cb(CBHandle handle) {
    TT_FATAL(handle < cbs.size(), "the program has no circular buffer {}; it has {}", handle, cbs.size());
    return cbs[handle];
}

namespace {

KernelRecord kernel_record(
    const std::string& source,
    bool is_code,
    const CoreSpec& cores,
    const std::variant<DataMovementConfig, ComputeConfig>& config) {
    KernelRecord kernel;
    kernel.source = source;
    kernel.is_code = is_code;
    kernel.cores = as_core_range_set(cores);
    std::visit(
        [&](const auto& given) {
            kernel.compile_args = given.compile_args;
            kernel.defines.assign(given.defines.begin(), given.defines.end());
            kernel.named_compile_args.assign(given.named_compile_args.begin(), given.named_compile_args.end());
            std::sort(kernel.named_compile_args.begin(), kernel.named_compile_args.end());
            kernel.opt_level = given.opt_level;
            for (const auto& path : given.compiler_include_paths) {
                kernel.include_paths.push_back(path.string());
            }
        },
        config);
    if (const auto* moving = std::get_if<DataMovementConfig>(&config)) {
        kernel.config = DataMovementConfigDescriptor{moving->processor, moving->noc, moving->noc_mode};
    } else {
        const auto& compute = std::get<ComputeConfig>(config);
        kernel.config = ComputeConfigDescriptor{
            compute.math_fidelity,
            compute.fp32_dest_acc_en,
            compute.dst_full_sync_en,
            compute.unpack_to_dest_mode,
            compute.bfp8_pack_precise,
            compute.math_approx_mode};
    }
    return kernel;
}

Value config_value(const KernelConfig& config) {
    if (std::holds_alternative<ReaderConfigDescriptor>(config)) {
        return List{"reader"};
    }
    if (std::holds_alternative<WriterConfigDescriptor>(config)) {
        return List{"writer"};
    }
    if (const auto* moving = std::get_if<DataMovementConfigDescriptor>(&config)) {
        return List{
            "data_movement",
            enum_name(moving->processor),
            moving->noc == NOC::NOC_0 ? "NOC_0" : "NOC_1",
            enum_name(moving->noc_mode)};
    }
    const auto& compute = std::get<ComputeConfigDescriptor>(config);
    List modes;
    for (const UnpackToDestMode mode : compute.unpack_to_dest_mode) {
        modes.emplace_back(enum_name(mode));
    }
    return List{
        "compute",
        enum_name(compute.math_fidelity),
        compute.fp32_dest_acc_en,
        compute.dst_full_sync_en,
        compute.bfp8_pack_precise,
        compute.math_approx_mode,
        modes};
}

template <typename Pairs>
List pairs_value(const Pairs& pairs) {
    List list;
    for (const auto& [name, content] : pairs) {
        list.push_back(List{name, content});
    }
    return list;
}

Value kernel_value(const KernelRecord& kernel) {
    List args;
    for (const auto& [core, each] : kernel.args) {
        args.push_back(List{core.x, core.y, list_of(each.values)});
    }
    return List{
        kernel.source,
        kernel.is_code,
        to_value(kernel.cores),
        list_of(kernel.compile_args),
        pairs_value(kernel.named_compile_args),
        pairs_value(kernel.defines),
        kernel.opt_level ? Value(enum_name(*kernel.opt_level)) : Value(),
        list_of(kernel.include_paths),
        config_value(kernel.config),
        args,
        list_of(kernel.common_args.values)};
}

Value cb_value(const CBRecord& cb) {
    List formats;
    for (const auto& [index, format] : cb.config.formats()) {
        TT_FATAL(format.format.has_value(), "circular buffer {} has no data format", index);
        formats.push_back(
            List{
                index,
                enum_name(*format.format),
                static_cast<int>(*format.format),
                format.page_size,
                format.tile ? to_value(*format.tile) : Value()});
    }
    const auto& place = cb.config.place();
    return List{
        to_value(cb.cores),
        cb.config.total_size(),
        formats,
        place ? Value(List{place->handle, place->address, cb.address_offset}) : Value()};
}

}  // namespace

Value ProgramRecord::to_value() const {
    if (!spec.is_none()) {
        return List{"spec", spec, run_args};
    }
    List kernel_list, cb_list, semaphore_list;
    for (const KernelRecord& kernel : kernels) {
        kernel_list.push_back(kernel_value(kernel));
    }
    for (const CBRecord& cb : cbs) {
        cb_list.push_back(cb_value(cb));
    }
    for (const SemaphoreRecord& semaphore : semaphores) {
        semaphore_list.push_back(List{semaphore.id, tw::host::to_value(semaphore.cores), semaphore.initial_value});
    }
    return List{kernel_list, cb_list, semaphore_list};
}

KernelHandle CreateKernel(
    Program& program,
    const std::string& file_name,
    const CoreSpec& cores,
    const std::variant<DataMovementConfig, ComputeConfig>& config) {
    auto& kernels = program.record().kernels;
    kernels.push_back(kernel_record(file_name, false, cores, config));
    return static_cast<KernelHandle>(kernels.size() - 1);
}
KernelHandle CreateKernelFromString(
    Program& program,
    const std::string& code,
    const CoreSpec& cores,
    const std::variant<DataMovementConfig, ComputeConfig>& config) {
    auto& kernels = program.record().kernels;
    kernels.push_back(kernel_record(code, true, cores, config));
    return static_cast<KernelHandle>(kernels.size() - 1);
}

CBHandle CreateCircularBuffer(Program& program, const CoreSpec& cores, const CircularBufferConfig& config) {
    auto& cbs = program.record().cbs;
    cbs.push_back({as_core_range_set(cores), config});
    return cbs.size() - 1;
}
const CircularBufferConfig& GetCircularBufferConfig(Program& program, CBHandle handle) {
    return program.record().cb(handle).config;
}
std::vector<std::shared_ptr<CircularBuffer>> Program::circular_buffers() const {
    std::vector<std::shared_ptr<CircularBuffer>> all;
    for (CBHandle handle = 0; handle < record_->cbs.size(); ++handle) {
        const CircularBufferConfig& config = record_->cbs[handle].config;
        CircularBuffer cb{handle, config, {}};
        for (const auto& [index, format] : config.formats()) {
            cb.indices.insert(index);
        }
        all.push_back(std::make_shared<CircularBuffer>(std::move(cb)));
    }
    return all;
}
void UpdateCircularBufferTotalSize(Program& program, CBHandle handle, std::uint32_t total_size) {
    program.record().cb(handle).config.set_total_size(total_size);
}
void UpdateCircularBufferPageSize(Program& program, CBHandle handle, std::uint8_t index, std::uint32_t page_size) {
    program.record().cb(handle).config.set_page_size(index, page_size);
}
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle handle, const Buffer& buffer) {
    program.record().cb(handle).config.set_globally_allocated_address(buffer);
}
void UpdateDynamicCircularBufferAddress(
    Program& program, CBHandle handle, const Buffer& buffer, std::uint32_t address_offset) {
    CBRecord& cb = program.record().cb(handle);
    cb.config.set_globally_allocated_address(buffer);
    cb.address_offset = address_offset;
}
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle handle, const MeshTensor& tensor) {
    program.record().cb(handle).config.set_globally_allocated_address(tensor);
}
void UpdateDynamicCircularBufferAddressAndTotalSize(
    Program& program, CBHandle handle, const Buffer& buffer, std::uint32_t total_size) {
    program.record().cb(handle).config.set_globally_allocated_address_and_total_size(buffer, total_size);
}

std::uint32_t CreateSemaphore(
    Program& program, const std::variant<CoreRange, CoreRangeSet>& cores, std::uint32_t initial_value) {
    const CoreRangeSet set = std::holds_alternative<CoreRange>(cores) ? CoreRangeSet(std::get<CoreRange>(cores))
                                                                      : std::get<CoreRangeSet>(cores);
    auto& semaphores = program.record().semaphores;
    std::uint32_t id = 0;
    const auto taken = [&](const SemaphoreRecord& other) { return other.id == id && other.cores.intersects(set); };
    while (std::any_of(semaphores.begin(), semaphores.end(), taken)) {
        ++id;
    }
    TT_FATAL(id < 16, "Unable to initialize semaphores on {}: all 16 are taken", set);
    semaphores.push_back({id, set, initial_value});
    return id;
}
std::uint32_t CreateSemaphore(
    Program& program, const std::variant<CoreRange, CoreRangeSet>& cores, std::uint32_t initial_value, CoreType) {
    return CreateSemaphore(program, cores, initial_value);
}

void SetRuntimeArgs(
    const Program& program, KernelHandle handle, const CoreSpec& cores, ttsl::Span<const std::uint32_t> args) {
    KernelRecord& kernel = program.record().kernel(handle);
    TT_FATAL(
        args.size() <= max_runtime_args,
        "{} runtime args targeting kernel {} exceed {}",
        args.size(),
        kernel.source,
        max_runtime_args);
    const CoreRangeSet set = as_core_range_set(cores);
    for (const CoreRange& range : set.ranges()) {
        for (const CoreCoord& core : range) {
            TT_FATAL(
                kernel.cores.contains(core),
                "Cannot set runtime args for core {} since kernel {} is not placed on it!",
                core,
                kernel.source);
            kernel.args[core].set({args.begin(), args.end()});
        }
    }
}
void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const CoreSpec& cores, std::initializer_list<std::uint32_t> args) {
    SetRuntimeArgs(program, kernel, cores, ttsl::Span<const std::uint32_t>(args));
}
void SetRuntimeArgs(
    const Program& program,
    KernelHandle kernel,
    const std::vector<CoreCoord>& cores,
    const std::vector<std::vector<std::uint32_t>>& args) {
    TT_FATAL(
        cores.size() == args.size(),
        "Mismatch between number of cores {} and number of runtime args {}",
        cores.size(),
        args.size());
    for (std::size_t index = 0; index < cores.size(); ++index) {
        SetRuntimeArgs(program, kernel, cores[index], ttsl::Span<const std::uint32_t>(args[index]));
    }
}
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel, ttsl::Span<const std::uint32_t> args) {
    program.record().kernel(kernel).common_args.set({args.begin(), args.end()});
}
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel, std::initializer_list<std::uint32_t> args) {
    SetCommonRuntimeArgs(program, kernel, ttsl::Span<const std::uint32_t>(args));
}
RuntimeArgsData& GetRuntimeArgs(const Program& program, KernelHandle handle, const CoreCoord& core) {
    KernelRecord& kernel = program.record().kernel(handle);
    const auto found = kernel.args.find(core);
    TT_FATAL(found != kernel.args.end(), "kernel {} has no runtime args on core {}", kernel.source, core);
    return found->second.view;
}
std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(const Program& program, KernelHandle handle) {
    KernelRecord& kernel = program.record().kernel(handle);
    kernel.by_column.clear();
    for (auto& [core, args] : kernel.args) {
        kernel.by_column.resize(std::max(kernel.by_column.size(), core.x + 1));
        auto& column = kernel.by_column[core.x];
        column.resize(std::max(column.size(), core.y + 1));
        column[core.y] = args.view;
    }
    return kernel.by_column;
}
RuntimeArgsData& GetCommonRuntimeArgs(const Program& program, KernelHandle kernel) {
    return program.record().kernel(kernel).common_args.view;
}

}  // namespace tt::tt_metal

namespace ttnn {

std::vector<CoreCoord> get_optimal_worker_cores_for_sharded_tensor(const Tensor& tensor, tt::tt_metal::NOC /*noc*/) {
    TT_FATAL(tensor.shard_spec().has_value() && tensor.buffer()->is_l1(), "the tensor is not sharded in L1");
    const tt::tt_metal::ShardSpec& spec = *tensor.shard_spec();
    const bool by_rows = spec.orientation == tt::tt_metal::ShardOrientation::ROW_MAJOR;
    return corerange_to_cores(spec.grid, std::nullopt, by_rows);
}

}  // namespace ttnn
