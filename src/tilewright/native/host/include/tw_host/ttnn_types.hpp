// SPDX-License-Identifier: Apache-2.0
// ttnn's names for tt-metal's types.
#pragma once

#include "tw_host/bfloat16.hpp"
#include "tw_host/host_api.hpp"
#include "tw_host/mesh_workload.hpp"
#include "tw_host/tensor.hpp"

#define MAX_PACK_UNTILIZE_WIDTH 8

namespace ttnn {

// ttnn's settings: every switch that host code asks for is off.
struct Config {
    template <std::size_t N>
    struct Name {
        consteval Name(const char (&)[N]) {}
        char unused = 0;
    };
    template <Name name>
    bool get() const {
        return false;
    }
};
inline constexpr Config CONFIG;

using PadValue = std::variant<std::uint32_t, float>;
constexpr std::size_t MAX_NUM_DIMENSIONS = 8;
using Array1D = std::array<std::uint32_t, 1>;
using Array2D = std::array<std::uint32_t, 2>;
using Array3D = std::array<std::uint32_t, 3>;
using Array4D = std::array<std::uint32_t, 4>;
using Array5D = std::array<std::uint32_t, 5>;
using Array6D = std::array<std::uint32_t, 6>;
using Array7D = std::array<std::uint32_t, 7>;
using Array8D = std::array<std::uint32_t, 8>;

namespace types {
using tt::tt_metal::Buffer;
using tt::tt_metal::BufferType;
using tt::tt_metal::CoreCoord;
using tt::tt_metal::CoreRange;
using tt::tt_metal::CoreRangeSet;
using tt::tt_metal::DataType;
using tt::tt_metal::IDevice;
using tt::tt_metal::Layout;
using tt::tt_metal::MemoryConfig;
using tt::tt_metal::PageConfig;
using tt::tt_metal::Program;
using tt::tt_metal::Shape;
using tt::tt_metal::ShardOrientation;
using tt::tt_metal::TensorLayout;
using tt::tt_metal::TensorMemoryLayout;
using tt::tt_metal::TensorSpec;
using tt::tt_metal::Tile;

constexpr auto TILE_SIZE = 32;
inline const MemoryConfig DRAM_MEMORY_CONFIG{TensorMemoryLayout::INTERLEAVED, BufferType::DRAM};
inline const MemoryConfig L1_MEMORY_CONFIG{TensorMemoryLayout::INTERLEAVED, BufferType::L1};
inline const MemoryConfig L1_BLOCK_SHARDED_MEMORY_CONFIG{TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1};
inline const MemoryConfig L1_HEIGHT_SHARDED_MEMORY_CONFIG{TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1};
inline const MemoryConfig L1_WIDTH_SHARDED_MEMORY_CONFIG{TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1};
constexpr auto ROW_MAJOR_LAYOUT = Layout::ROW_MAJOR;
constexpr auto TILE_LAYOUT = Layout::TILE;
constexpr auto DEVICE_STORAGE_TYPE = StorageType::DEVICE;
constexpr auto HOST_STORAGE_TYPE = StorageType::HOST;

struct CoreGrid {
    std::size_t x, y;
    CoreGrid(std::size_t x, std::size_t y) : x(x), y(y) {}
    CoreCoord to_CoreCoord() const { return {x, y}; }
    auto attribute_values() const { return std::forward_as_tuple(x, y); }
};
}  // namespace types
using namespace types;

}  // namespace ttnn

// Where these were until the spring of 2026.
namespace tt::tt_metal {
using ttnn::Array1D;
using ttnn::Array2D;
using ttnn::Array3D;
using ttnn::Array4D;
using ttnn::Array5D;
using ttnn::Array6D;
using ttnn::Array7D;
using ttnn::Array8D;
using ttnn::PadValue;
}  // namespace tt::tt_metal
