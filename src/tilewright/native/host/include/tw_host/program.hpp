// SPDX-License-Identifier: Apache-2.0
// Programs as host code makes them: circular buffers, kernels, semaphores and runtime arguments, recorded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "tw_host/kernel_configs.hpp"
#include "tw_host/message.hpp"
#include "tw_host/tensor.hpp"

namespace tt::tt_metal {

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

// A circular buffer of a program, to read.
struct CircularBuffer {
    CBHandle handle;
    CircularBufferConfig configuration;
    std::unordered_set<std::uint8_t> indices;
    CBHandle id() const { return handle; }
    const CircularBufferConfig& config() const { return configuration; }
    bool globally_allocated() const { return configuration.place().has_value(); }
    const std::unordered_set<std::uint8_t>& buffer_indices() const { return indices; }
    std::uint32_t size() const { return configuration.total_size(); }
    std::uint32_t page_size(std::uint32_t index) const { return format(index).page_size; }
    std::uint32_t num_pages(std::uint32_t index) const { return size() / page_size(index); }
    tt::DataFormat data_format(std::uint32_t index) const { return format(index).format.value(); }

private:
    const CBFormatRecord& format(std::uint32_t index) const {
        return configuration.formats().at(static_cast<std::uint8_t>(index));
    }
};

class Program {
public:
    Program() : record_(std::make_shared<ProgramRecord>()) {}
    ProgramRecord& record() const { return *record_; }
    void set_runtime_id(std::uint64_t) {}
    // In the order they were made.
    std::vector<std::shared_ptr<CircularBuffer>> circular_buffers() const;

private:
    std::shared_ptr<ProgramRecord> record_;
};

inline Program CreateProgram() { return {}; }
CoreRangeSet as_core_range_set(const CoreSpec& cores);

}  // namespace tt::tt_metal
