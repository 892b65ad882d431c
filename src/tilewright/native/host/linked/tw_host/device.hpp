// SPDX-License-Identifier: Apache-2.0
// Devices of ttnn's libraries. None is made here: all come from tensors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tw_host/cores.hpp"
#include "tw_host/shape.hpp"
#include "tw_host/types.hpp"

namespace tt::tt_metal {

struct SubDeviceIdTag;
using SubDeviceId = ttsl::StrongType<std::uint8_t, SubDeviceIdTag>;

class AllocatorImpl;
class Allocator {
public:
    Allocator() = delete;
    DeviceAddr get_base_allocator_addr(const HalMemType& type) const;
    std::uint32_t get_alignment(BufferType type) const;
    std::uint32_t get_num_banks(const BufferType& type) const;
};

namespace distributed {

class MeshCommandQueue;

class MeshShape : public ShapeBase {
public:
    MeshShape(std::uint32_t rows, std::uint32_t columns);
    std::size_t dims() const;
    std::size_t mesh_size() const;

private:
    ttsl::SmallVector<std::size_t> strides_;
};
static_assert(sizeof(MeshShape) == 136);

class MeshDevice {
public:
    MeshDevice() = delete;
    tt::ARCH arch() const;
    int id() const;
    bool is_initialized() const;
    CoreCoord compute_with_storage_grid_size() const;
    CoreCoord logical_grid_size() const;
    CoreCoord dram_grid_size() const;
    CoreCoord worker_core_from_logical_core(const CoreCoord& core) const;
    CoreCoord virtual_core_from_logical_core(const CoreCoord& core, const CoreType& type) const;
    std::vector<CoreCoord> worker_cores_from_logical_cores(const std::vector<CoreCoord>& cores) const;
    CoreRangeSet worker_cores(HalProgrammableCoreType type, SubDeviceId id) const;
    std::uint32_t num_sub_devices() const;
    std::uint32_t l1_size_per_core() const;
    int num_dram_channels() const;
    std::optional<DeviceAddr> lowest_occupied_compute_l1_address() const;
    std::optional<DeviceAddr> lowest_occupied_compute_l1_address(ttsl::Span<const SubDeviceId> ids) const;
    const std::unique_ptr<Allocator>& allocator() const;
    const MeshShape& shape() const;
    std::size_t num_devices() const;
    int get_clock_rate_mhz() const;
    MeshCommandQueue& mesh_command_queue(std::optional<std::uint8_t> queue = std::nullopt) const;
};

}  // namespace distributed

using IDevice = distributed::MeshDevice;
using Device = distributed::MeshDevice;

namespace hal {
tt::ARCH get_arch();
std::string get_arch_name();
std::uint32_t get_dram_alignment();
std::uint32_t get_l1_alignment();
std::uint32_t get_pcie_alignment();
std::uint32_t get_max_worker_l1_unreserved_size();
std::uint32_t get_arch_num_circular_buffers();
float get_eps();
float get_nan();
float get_inf();
}  // namespace hal

}  // namespace tt::tt_metal

namespace ttnn {
using tt::tt_metal::distributed::MeshDevice;
using tt::tt_metal::distributed::MeshShape;
}  // namespace ttnn
