// SPDX-License-Identifier: Apache-2.0
// The device of a call: its grid, its memory, its cores. Everything is read from Python's device once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tw_host/cores.hpp"
#include "tw_host/message.hpp"
#include "tw_host/types.hpp"

namespace tt::tt_metal {

using SubDeviceId = ttsl::StrongType<std::uint8_t, struct SubDeviceIdTag>;

struct DeviceFacts {
    std::int64_t key = 0;
    ARCH arch = ARCH::WORMHOLE_B0;
    CoreCoord grid, dram_grid;
    std::uint32_t l1_size = 0, l1_base = 0, l1_unreserved = 0, dram_channels = 0, l1_alignment = 16,
                  dram_alignment = 32;
    std::uint32_t devices = 1;
};

class Allocator {
public:
    explicit Allocator(const DeviceFacts* facts) : facts_(facts) {}
    DeviceAddr get_base_allocator_addr(const HalMemType& type) const {
        return type == HalMemType::L1 ? facts_->l1_base : 0;
    }
    std::uint32_t get_alignment(BufferType type) const {
        return type == BufferType::DRAM ? facts_->dram_alignment : facts_->l1_alignment;
    }
    std::uint32_t get_num_banks(const BufferType& type) const {
        return type == BufferType::DRAM ? facts_->dram_channels
                                        : static_cast<std::uint32_t>(facts_->grid.x * facts_->grid.y);
    }

    // Which banks lie on a core is known to ttnn alone, which does not give it to Python.
    const std::vector<std::uint32_t>& get_bank_ids_from_logical_core(BufferType type, const CoreCoord& core) const;

private:
    const DeviceFacts* facts_;
};

namespace distributed {

class MeshShape {
public:
    MeshShape(std::uint32_t rows, std::uint32_t columns) : sizes_{rows, columns} {}
    std::uint32_t operator[](std::int32_t index) const { return sizes_[index < 0 ? sizes_.size() + index : index]; }
    std::size_t dims() const { return sizes_.size(); }
    std::size_t mesh_size() const { return sizes_[0] * sizes_[1]; }

private:
    std::vector<std::uint32_t> sizes_;
};

class MeshDevice {
public:
    MeshDevice(tw::host::Handle handle, DeviceFacts facts) :
        handle_(std::move(handle)), facts_(facts), allocator_(&facts_) {}
    MeshDevice(const MeshDevice&) = delete;
    tt::ARCH arch() const { return facts_.arch; }
    int id() const { return 0; }
    bool is_initialized() const { return true; }
    CoreCoord compute_with_storage_grid_size() const { return facts_.grid; }
    CoreCoord logical_grid_size() const { return facts_.grid; }
    CoreCoord dram_grid_size() const { return facts_.dram_grid; }
    CoreCoord worker_core_from_logical_core(const CoreCoord& core) const;
    CoreCoord virtual_core_from_logical_core(const CoreCoord& core, const CoreType&) const {
        return worker_core_from_logical_core(core);
    }
    std::vector<CoreCoord> worker_cores_from_logical_cores(const std::vector<CoreCoord>& cores) const;
    CoreRangeSet worker_cores(HalProgrammableCoreType, SubDeviceId) const {
        return CoreRange({0, 0}, {facts_.grid.x - 1, facts_.grid.y - 1});
    }
    std::vector<SubDeviceId> get_sub_device_ids() const { return {SubDeviceId{0}}; }
    std::uint32_t num_sub_devices() const { return 1; }
    std::uint32_t l1_size_per_core() const { return facts_.l1_size; }
    std::uint32_t num_dram_channels() const { return facts_.dram_channels; }
    std::optional<DeviceAddr> lowest_occupied_compute_l1_address() const;
    std::optional<DeviceAddr> lowest_occupied_compute_l1_address(ttsl::Span<const SubDeviceId>) const {
        return lowest_occupied_compute_l1_address();
    }
    const Allocator* allocator() const { return &allocator_; }
    MeshShape shape() const { return {1, facts_.devices}; }
    std::size_t num_devices() const { return facts_.devices; }
    std::size_t get_num_devices() const { return facts_.devices; }
    // The one device of the mesh, whichever coordinate is asked for.
    template <typename Coordinate>
    MeshDevice* get_device(const Coordinate&) {
        return this;
    }
    int get_clock_rate_mhz() const { return facts_.arch == tt::ARCH::BLACKHOLE ? 1350 : 1000; }
    const tw::host::Handle& python() const { return handle_; }
    const DeviceFacts& facts() const { return facts_; }

private:
    tw::host::Handle handle_;
    DeviceFacts facts_;
    Allocator allocator_;
};

}  // namespace distributed

using IDevice = distributed::MeshDevice;
using Device = distributed::MeshDevice;

// The device last used in this process: what the hal reports about.
const DeviceFacts& current_facts();

namespace hal {
inline tt::ARCH get_arch() { return current_facts().arch; }
std::string get_arch_name();
inline std::uint32_t get_l1_size() { return current_facts().l1_size; }
inline std::uint32_t get_dram_alignment() { return current_facts().dram_alignment; }
inline std::uint32_t get_l1_alignment() { return current_facts().l1_alignment; }
inline std::uint32_t get_pcie_alignment() { return 32; }
inline std::uint32_t get_max_worker_l1_unreserved_size() { return current_facts().l1_unreserved; }
inline std::uint32_t get_arch_num_circular_buffers() { return 32; }
inline std::uint32_t get_noc_max_burst_size_bytes() { return get_arch() == tt::ARCH::BLACKHOLE ? 16384 : 8192; }
float get_eps();
float get_nan();
float get_inf();
}  // namespace hal

}  // namespace tt::tt_metal

namespace ttnn {
using tt::tt_metal::distributed::MeshDevice;
using tt::tt_metal::distributed::MeshShape;
}  // namespace ttnn

namespace tw::host {
// The one object for Python's device; made at the first call that names it.
tt::tt_metal::distributed::MeshDevice* device_of(const Value& value);
}  // namespace tw::host
