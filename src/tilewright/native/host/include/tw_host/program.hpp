// SPDX-License-Identifier: Apache-2.0
// Programs as host code makes them: circular buffers, kernels, semaphores and runtime arguments, recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "tw_host/message.hpp"
#include "tw_host/tensor.hpp"

namespace tt::tt_metal {

using KernelHandle = std::uint32_t;
using CBHandle = std::uintptr_t;
using CoreSpec = std::variant<CoreCoord, CoreRange, CoreRangeSet>;
using KernelDefines = std::map<std::string, std::string>;
constexpr std::uint32_t max_runtime_args = 341;

struct DataMovementConfig {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
    std::vector<std::uint32_t> compile_args;
    std::map<std::string, std::string> defines;
    std::unordered_map<std::string, std::uint32_t> named_compile_args;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
    std::vector<std::filesystem::path> compiler_include_paths;
};
struct ReaderDataMovementConfig : DataMovementConfig {
    ReaderDataMovementConfig(
        std::vector<std::uint32_t> compile_args = {},
        std::map<std::string, std::string> defines = {},
        std::unordered_map<std::string, std::uint32_t> named_compile_args = {},
        KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2,
        std::vector<std::filesystem::path> compiler_include_paths = {});
};
struct WriterDataMovementConfig : DataMovementConfig {
    WriterDataMovementConfig(
        std::vector<std::uint32_t> compile_args = {},
        std::map<std::string, std::string> defines = {},
        std::unordered_map<std::string, std::uint32_t> named_compile_args = {},
        KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2,
        std::vector<std::filesystem::path> compiler_include_paths = {});
};
struct ComputeConfig {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    std::vector<UnpackToDestMode> unpack_to_dest_mode;
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
    std::vector<std::uint32_t> compile_args;
    std::map<std::string, std::string> defines;
    std::unordered_map<std::string, std::uint32_t> named_compile_args;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O3;
    std::vector<std::filesystem::path> compiler_include_paths;
};
namespace detail {
inline NOC preferred_noc_for_dram_read(ARCH) { return NOC::NOC_0; }
inline NOC preferred_noc_for_dram_write(ARCH) { return NOC::NOC_1; }
inline NOC GetPreferredNOCForDRAMRead(ARCH) { return NOC::NOC_0; }
inline NOC GetPreferredNOCForDRAMWrite(ARCH) { return NOC::NOC_1; }
}  // namespace detail

// A core's arguments, to read and to change. An index behind the last is an error here.
struct RuntimeArgsData {
    std::uint32_t* rt_args_data = nullptr;
    std::size_t rt_args_count = 0;
    std::uint32_t& operator[](std::size_t index) { return at(index); }
    const std::uint32_t& operator[](std::size_t index) const { return at(index); }
    std::uint32_t& at(std::size_t index) const;
    std::uint32_t* data() const { return rt_args_data; }
    std::size_t size() const { return rt_args_count; }
    std::uint32_t* begin() const { return rt_args_data; }
    std::uint32_t* end() const { return rt_args_data + rt_args_count; }
};

struct CBFormatRecord {
    std::optional<tt::DataFormat> format;
    std::uint32_t page_size = 0;
    std::optional<Tile> tile;
};

// The tensor that a circular buffer lies in. It is not kept alive: a program in the cache must not hold tensors.
struct TensorPlace {
    std::int64_t handle = 0;
    std::uint64_t address = 0;
    TensorPlace() = default;
    explicit TensorPlace(const TensorState& state) : handle(state.handle.id()), address(state.address) {}
};

class CircularBufferConfig {
public:
    explicit CircularBufferConfig(std::uint32_t total_size) : total_size_(total_size) {}
    CircularBufferConfig(std::uint32_t total_size, const std::map<std::uint8_t, tt::DataFormat>& formats);
    CircularBufferConfig(std::uint32_t total_size, const std::map<std::uint8_t, DataType>& types);
    CircularBufferConfig(
        std::uint32_t total_size, const std::map<std::uint8_t, tt::DataFormat>& formats, const Buffer& buffer);
    CircularBufferConfig& set_page_size(std::uint8_t index, std::uint32_t page_size);
    CircularBufferConfig& set_total_size(std::uint32_t total_size);
    CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer);
    CircularBufferConfig& set_globally_allocated_address(const MeshTensor& tensor);
    CircularBufferConfig& set_globally_allocated_address_and_total_size(const Buffer& buffer, std::uint32_t total_size);
    CircularBufferConfig& set_tile_dims(std::uint8_t index, const Tile& tile);
    class Builder {
    public:
        Builder(CircularBufferConfig& parent, std::uint8_t index) : parent_(&parent), index_(index) {}
        const Builder& set_data_format(tt::DataFormat format) const;
        const Builder& set_page_size(std::uint32_t page_size) const;
        const Builder& set_tile_dims(const Tile& tile) const;

    private:
        CircularBufferConfig* parent_;
        std::uint8_t index_;
    };
    Builder index(std::uint8_t index) { return {*this, index}; }
    std::uint32_t total_size() const { return total_size_; }
    const std::map<std::uint8_t, CBFormatRecord>& formats() const { return formats_; }
    const std::optional<TensorPlace>& place() const { return place_; }
    CircularBufferConfig with_place(const std::optional<TensorPlace>& place) const {
        CircularBufferConfig config = *this;
        config.place_ = place;
        return config;
    }

private:
    friend class Builder;
    std::uint32_t total_size_;
    std::map<std::uint8_t, CBFormatRecord> formats_;
    std::optional<TensorPlace> place_;
};

struct ReaderConfigDescriptor {};
struct WriterConfigDescriptor {};
struct DataMovementConfigDescriptor {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
};
struct ComputeConfigDescriptor {
    using UnpackToDestModes = std::vector<UnpackToDestMode>;
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    UnpackToDestModes unpack_to_dest_mode;
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
};
using KernelConfig =
    std::variant<ReaderConfigDescriptor, WriterConfigDescriptor, DataMovementConfigDescriptor, ComputeConfigDescriptor>;

struct CoreArgs {
    std::vector<std::uint32_t> values;
    RuntimeArgsData view;
    void set(std::vector<std::uint32_t> given);
};

struct KernelRecord {
    std::string source;
    bool is_code = false;
    CoreRangeSet cores;
    std::vector<std::uint32_t> compile_args;
    std::vector<std::pair<std::string, std::uint32_t>> named_compile_args;
    std::vector<std::pair<std::string, std::string>> defines;
    std::optional<KernelBuildOptLevel> opt_level;
    std::vector<std::string> include_paths;
    KernelConfig config;
    std::map<CoreCoord, CoreArgs> args;
    CoreArgs common_args;
    std::vector<std::vector<RuntimeArgsData>> by_column;  // what GetRuntimeArgs without a core gives
};
struct CBRecord {
    CoreRangeSet cores;
    CircularBufferConfig config;
    std::uint32_t address_offset = 0;
};
struct SemaphoreRecord {
    std::uint32_t id;
    CoreRangeSet cores;
    std::uint32_t initial_value;
};

// Everything that makes a program, in the order host code made it.
struct ProgramRecord {
    std::vector<KernelRecord> kernels;
    std::vector<CBRecord> cbs;
    std::vector<SemaphoreRecord> semaphores;
    tw::host::Value spec, run_args;  // of a program that was made from a spec; it has nothing else
    KernelRecord& kernel(KernelHandle handle);
    CBRecord& cb(CBHandle handle);
    tw::host::Value to_value() const;
};

class Program {
public:
    Program() : record_(std::make_shared<ProgramRecord>()) {}
    ProgramRecord& record() const { return *record_; }
    void set_runtime_id(std::uint64_t) {}

private:
    std::shared_ptr<ProgramRecord> record_;
};

inline Program CreateProgram() { return {}; }
KernelHandle CreateKernel(
    Program& program,
    const std::string& file_name,
    const CoreSpec& cores,
    const std::variant<DataMovementConfig, ComputeConfig>& config);
KernelHandle CreateKernelFromString(
    Program& program,
    const std::string& code,
    const CoreSpec& cores,
    const std::variant<DataMovementConfig, ComputeConfig>& config);
CBHandle CreateCircularBuffer(Program& program, const CoreSpec& cores, const CircularBufferConfig& config);
const CircularBufferConfig& GetCircularBufferConfig(Program& program, CBHandle handle);
void UpdateCircularBufferTotalSize(Program& program, CBHandle handle, std::uint32_t total_size);
void UpdateCircularBufferPageSize(Program& program, CBHandle handle, std::uint8_t index, std::uint32_t page_size);
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle handle, const Buffer& buffer);
void UpdateDynamicCircularBufferAddress(
    Program& program, CBHandle handle, const Buffer& buffer, std::uint32_t address_offset);
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle handle, const MeshTensor& tensor);
void UpdateDynamicCircularBufferAddressAndTotalSize(
    Program& program, CBHandle handle, const Buffer& buffer, std::uint32_t total_size);
std::uint32_t CreateSemaphore(
    Program& program, const std::variant<CoreRange, CoreRangeSet>& cores, std::uint32_t initial_value);
std::uint32_t CreateSemaphore(
    Program& program, const std::variant<CoreRange, CoreRangeSet>& cores, std::uint32_t initial_value, CoreType type);
void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const CoreSpec& cores, ttsl::Span<const std::uint32_t> args);
void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const CoreSpec& cores, std::initializer_list<std::uint32_t> args);
void SetRuntimeArgs(
    const Program& program,
    KernelHandle kernel,
    const std::vector<CoreCoord>& cores,
    const std::vector<std::vector<std::uint32_t>>& args);
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel, ttsl::Span<const std::uint32_t> args);
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel, std::initializer_list<std::uint32_t> args);
RuntimeArgsData& GetRuntimeArgs(const Program& program, KernelHandle kernel, const CoreCoord& core);
std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(const Program& program, KernelHandle kernel);
RuntimeArgsData& GetCommonRuntimeArgs(const Program& program, KernelHandle kernel);

CoreRangeSet as_core_range_set(const CoreSpec& cores);

// Short forms that operations share.
std::tuple<std::uint32_t, CBHandle> create_cb(
    std::uint32_t index,
    Program& program,
    const CoreSpec& cores,
    std::uint32_t page_size,
    std::uint32_t num_pages,
    tt::DataFormat format,
    Buffer* buffer = nullptr);
template <std::size_t N>
std::tuple<std::array<std::uint32_t, N>, CBHandle> create_cb(
    const std::uint32_t (&indices)[N],
    Program& program,
    const CoreSpec& cores,
    std::uint32_t page_size,
    std::uint32_t num_pages,
    tt::DataFormat format,
    Buffer* buffer = nullptr) {
    std::map<std::uint8_t, tt::DataFormat> formats;
    std::array<std::uint32_t, N> given;
    for (std::size_t at = 0; at < N; ++at) {
        formats[indices[at]] = format;
        given[at] = indices[at];
    }
    CircularBufferConfig config(num_pages * page_size, formats);
    for (const std::uint32_t index : indices) {
        config.set_page_size(index, page_size);
    }
    if (buffer != nullptr) {
        config.set_globally_allocated_address(*buffer);
    }
    return {given, CreateCircularBuffer(program, cores, config)};
}

}  // namespace tt::tt_metal

namespace ttnn {
// The cores a sharded tensor lies on, in the order of its shards.
std::vector<tt::tt_metal::CoreCoord> get_optimal_worker_cores_for_sharded_tensor(
    const Tensor& tensor, tt::tt_metal::NOC noc = tt::tt_metal::NOC::RISCV_0_default);
}  // namespace ttnn
