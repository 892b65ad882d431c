// SPDX-License-Identifier: Apache-2.0
// Programs and circular buffers of ttnn's libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <variant>

#include "tw_host/kernel_configs.hpp"
#include "tw_host/tensor.hpp"

namespace tt::tt_metal {

class CircularBufferConfigImpl;

// Room for the libraries' object, which has no bound on its size in Python: more than that object needs. The sets it
// holds are not given back.
class CircularBufferConfig {
public:
    explicit CircularBufferConfig(std::uint32_t total_size);
    CircularBufferConfig(std::uint32_t total_size, const std::map<std::uint8_t, tt::DataFormat>& formats);
    CircularBufferConfig(std::uint32_t total_size, const std::map<std::uint8_t, DataType>& types);
    CircularBufferConfig(
        std::uint32_t total_size, const std::map<std::uint8_t, tt::DataFormat>& formats, const Buffer& buffer);
    CircularBufferConfig(const CircularBufferConfig&) = delete;
    CircularBufferConfig& set_page_size(std::uint8_t index, std::uint32_t page_size);
    CircularBufferConfig& set_total_size(std::uint32_t total_size);
    CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer);
    CircularBufferConfig& set_globally_allocated_address(const MeshTensor& tensor);
    CircularBufferConfig& set_globally_allocated_address_and_total_size(const Buffer& buffer, std::uint32_t total_size);
    CircularBufferConfig& set_tile_dims(std::uint8_t index, const Tile& tile);
    CircularBufferConfig& set_address_offset(std::uint32_t offset);
    std::uint32_t total_size() const;

private:
    alignas(16) std::byte content_[8192];
};

namespace detail {
class ProgramImpl;
}

class Program {
public:
    Program();
    ~Program() noexcept;
    Program(Program&&) noexcept;
    Program& operator=(Program&&) noexcept;
    Program(const Program&) = delete;
    void set_runtime_id(std::uint64_t id);
    std::uint64_t get_runtime_id() const;

private:
    std::shared_ptr<detail::ProgramImpl> impl_;
};
Program CreateProgram();

}  // namespace tt::tt_metal
