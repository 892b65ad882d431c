// SPDX-License-Identifier: Apache-2.0
// Tensors and buffers of ttnn's libraries.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "tw_host/accessor_config.hpp"
#include "tw_host/device.hpp"
#include "tw_host/tensor_spec.hpp"

namespace tt::tt_metal {

// Never made here; the libraries give pointers.
class Buffer {
public:
    Buffer() = delete;
    Buffer(const Buffer&) = delete;
    std::uint32_t address() const;
    DeviceAddr size() const;
    DeviceAddr page_size() const;
    DeviceAddr aligned_page_size() const;
    DeviceAddr aligned_size() const;
    DeviceAddr aligned_size_per_bank() const;
    std::uint32_t num_pages() const;
    std::uint32_t num_dev_pages() const;
    std::uint32_t alignment() const;
    BufferType buffer_type() const;
    TensorMemoryLayout buffer_layout() const;
    bool is_l1() const;
    bool is_dram() const;
    bool is_allocated() const;
    bool has_shard_spec() const;
    ShardSpecBuffer shard_spec() const;
    std::optional<std::uint32_t> num_cores() const;
};

class TensorTopology {
public:
    ~TensorTopology() {}

private:
    alignas(8) std::byte content_[240];  // absent in every call from here
};

// The libraries give references.
class MeshTensor {
public:
    MeshTensor() = delete;
    MeshTensor(const MeshTensor&) = delete;
    DeviceAddr address() const;
};

class TensorAccessorArgs {
public:
    TensorAccessorArgs() = default;
    explicit TensorAccessorArgs(const Buffer& buffer, tensor_accessor::ArgsConfig config = {});
    explicit TensorAccessorArgs(const Buffer* buffer, tensor_accessor::ArgsConfig config = {});
    explicit TensorAccessorArgs(const MeshTensor& tensor, tensor_accessor::ArgsConfig config = {});
    static TensorAccessorArgs create_dram_interleaved();
    static TensorAccessorArgs create_l1_interleaved();
    void append_to(std::vector<std::uint32_t>& compile_time_args) const;
    void append_to(std::vector<std::uint32_t>& compile_time_args, std::vector<std::uint32_t>& common_args) const;
    std::vector<std::uint32_t> get_compile_time_args() const;
    std::vector<std::uint32_t> get_common_runtime_args() const;

private:
    const Buffer* buffer_ = nullptr;
    tensor_accessor::ArgsConfig config_;
};
static_assert(sizeof(TensorAccessorArgs) == 16);

}  // namespace tt::tt_metal

namespace ttnn {

enum class StorageType { HOST = 0, DEVICE = 1 };
struct QueueIdTag;
using QueueId = ttsl::StrongType<std::uint8_t, QueueIdTag>;
inline constexpr QueueId DefaultQueueId{0};
struct TensorAttributes;

class Tensor {
public:
    std::uint64_t tensor_id = std::numeric_limits<std::uint64_t>::max();
    std::shared_ptr<TensorAttributes> tensor_attributes;

    Tensor() = default;
    Tensor(const Tensor&) = default;
    Tensor(Tensor&&) noexcept = default;
    Tensor& operator=(const Tensor&) = default;
    Tensor& operator=(Tensor&&) noexcept;
    ~Tensor();
    tt::tt_metal::DataType dtype() const;
    tt::tt_metal::Layout layout() const;
    const tt::tt_metal::Shape& logical_shape() const;
    const tt::tt_metal::Shape& padded_shape() const;
    const tt::tt_metal::TensorSpec& tensor_spec() const;
    std::uint64_t logical_volume() const;
    std::uint64_t physical_volume() const;
    const tt::tt_metal::MemoryConfig& memory_config() const;
    const std::optional<tt::tt_metal::ShardSpec>& shard_spec() const;
    const std::optional<tt::tt_metal::NdShardSpec>& nd_shard_spec() const;
    tt::tt_metal::Tile tile() const { return tensor_spec().tile(); }
    StorageType storage_type() const;
    bool is_allocated() const;
    bool is_scalar() const;
    bool is_sharded() const;
    std::uint32_t element_size() const;
    tt::tt_metal::Shape strides() const;
    tt::tt_metal::Buffer* buffer() const;
    tt::tt_metal::distributed::MeshDevice* device() const;
    const tt::tt_metal::MeshTensor& mesh_tensor() const&;
    void deallocate(bool force = false);
    Tensor reshape(const tt::tt_metal::Shape& shape) const;
    Tensor cpu(bool blocking = true, std::optional<QueueId> queue = std::nullopt) const;
    // The tensor as it decides which program runs: its kind and place, not its address.
    std::uint64_t to_hash() const { return ttsl::hash::hash_objects_with_default_seed(storage_type(), tensor_spec()); }
};
static_assert(sizeof(Tensor) == 24);
std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);
using Tensors = std::vector<Tensor>;
using OptionalTensors = std::vector<std::optional<Tensor>>;

Tensor create_device_tensor(
    const tt::tt_metal::TensorSpec& spec,
    tt::tt_metal::distributed::MeshDevice* device,
    std::optional<tt::tt_metal::TensorTopology> topology = std::nullopt);
inline bool is_device_tensor(const Tensor& tensor) { return tensor.storage_type() == StorageType::DEVICE; }
inline bool is_cpu_tensor(const Tensor& tensor) { return tensor.storage_type() == StorageType::HOST; }
inline bool has_storage_type_of(const Tensor& tensor, StorageType type) { return tensor.storage_type() == type; }

}  // namespace ttnn

namespace tt::tt_metal {
using ttnn::create_device_tensor;
using ttnn::is_device_tensor;
using ttnn::StorageType;
using ttnn::Tensor;
using ttnn::Tensors;
}  // namespace tt::tt_metal
