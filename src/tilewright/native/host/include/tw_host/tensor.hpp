// SPDX-License-Identifier: Apache-2.0
// Tensors and their buffers. A tensor is a description of Python's tensor, with its handle.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tw_host/accessor_config.hpp"
#include "tw_host/device.hpp"
#include "tw_host/message.hpp"
#include "tw_host/tensor_spec.hpp"

namespace tt::tt_metal {

struct TensorState;
class Buffer;

// The memory of a device tensor.
class Buffer {
public:
    explicit Buffer(TensorState* state) : state_(state) {}
    Buffer(const Buffer&) = delete;
    std::uint32_t address() const;
    DeviceAddr size() const;
    DeviceAddr page_size() const;
    DeviceAddr aligned_page_size() const { return align(page_size(), alignment()); }
    DeviceAddr aligned_size() const { return DeviceAddr{num_pages()} * aligned_page_size(); }
    DeviceAddr aligned_size_per_bank() const;
    std::uint32_t num_pages() const { return page_size() == 0 ? 0 : static_cast<std::uint32_t>(size() / page_size()); }
    std::uint32_t num_dev_pages() const;
    std::uint32_t alignment() const { return device()->allocator()->get_alignment(buffer_type()); }
    BufferType buffer_type() const;
    TensorMemoryLayout buffer_layout() const;
    bool is_l1() const { return buffer_type() == BufferType::L1 || buffer_type() == BufferType::L1_SMALL; }
    bool is_dram() const { return buffer_type() == BufferType::DRAM; }
    bool is_allocated() const;
    CoreType core_type() const { return is_dram() ? CoreType::DRAM : CoreType::WORKER; }
    distributed::MeshDevice* device() const;
    bool has_shard_spec() const;
    ShardSpecBuffer shard_spec() const;
    std::optional<std::uint32_t> num_cores() const;
    const TensorState* state() const { return state_; }
    // Nothing for a tensor that is not sharded.
    const std::optional<BufferDistributionSpec>& buffer_distribution_spec() const;
    // The buffer keeps it, and host code holds references to it.
    std::shared_ptr<const BufferPageMapping> get_buffer_page_mapping();

private:
    TensorState* state_;
    mutable bool distribution_known_ = false;
    mutable std::optional<BufferDistributionSpec> distribution_;
    std::shared_ptr<const BufferPageMapping> page_mapping_;
};

namespace detail {
// Bytes of one bank when pages go round the banks.
inline DeviceAddr calculate_bank_size_spread(
    DeviceAddr size, DeviceAddr page_size, std::uint32_t banks, std::uint32_t alignment) {
    return div_up(div_up(size, page_size), DeviceAddr{banks}) * align(page_size, alignment);
}
}  // namespace detail

class TensorTopology {};

// Numbers on the host that a tensor is made of.
class HostBuffer {
public:
    HostBuffer() = default;
    template <typename T>
    explicit HostBuffer(const std::vector<T>& values) {
        for (const T& value : values) {
            if constexpr (std::is_integral_v<T>) {
                values_.emplace_back(value);
            } else {
                values_.emplace_back(static_cast<double>(static_cast<float>(value)));
            }
        }
    }
    const tw::host::List& values() const { return values_; }

private:
    tw::host::List values_;
};

namespace distributed {
struct DeviceLocalBufferConfig {
    DeviceAddr page_size = 0;
    BufferType buffer_type = BufferType::DRAM;
};

// The buffers of a tensor on all devices, of which one is simulated.
class MeshBuffer {
public:
    explicit MeshBuffer(Buffer* only) : only_(only) {}
    Buffer* get_reference_buffer() const { return only_; }
    DeviceAddr address() const { return only_->address(); }
    DeviceAddr page_size() const { return only_->page_size(); }
    DeviceAddr size() const { return only_->size(); }
    std::uint32_t num_pages() const { return only_->num_pages(); }
    DeviceLocalBufferConfig device_local_config() const { return {only_->page_size(), only_->buffer_type()}; }

private:
    Buffer* only_;
};
}  // namespace distributed

// A tensor on the devices: what program specs bind, and what `Tensor::mesh_tensor` gives.
class MeshTensor {
public:
    MeshTensor(const MeshTensor&) = delete;
    MeshTensor(MeshTensor&&) = default;
    explicit MeshTensor(std::shared_ptr<TensorState> state) : state_(std::move(state)) {}
    static MeshTensor allocate_on_device(distributed::MeshDevice& device, TensorSpec spec);
    const TensorSpec& tensor_spec() const;
    DataType dtype() const { return tensor_spec().data_type(); }
    Layout layout() const { return tensor_spec().layout(); }
    const Shape& logical_shape() const { return tensor_spec().logical_shape(); }
    const Shape& padded_shape() const { return tensor_spec().padded_shape(); }
    std::uint64_t logical_volume() const { return logical_shape().volume(); }
    std::uint64_t physical_volume() const { return padded_shape().volume(); }
    const MemoryConfig& memory_config() const { return tensor_spec().memory_config(); }
    bool is_sharded() const { return memory_config().is_sharded(); }
    const std::optional<ShardSpec>& shard_spec() const { return memory_config().shard_spec(); }
    const std::optional<NdShardSpec>& nd_shard_spec() const { return memory_config().nd_shard_spec(); }
    DeviceAddr address() const;
    std::size_t element_size() const;
    const distributed::MeshDevice& device() const;
    distributed::MeshDevice& mutable_device() const;
    Buffer* buffer() const;
    distributed::MeshBuffer mesh_buffer() const { return distributed::MeshBuffer(buffer()); }
    const TensorState* state() const { return state_.get(); }

private:
    std::shared_ptr<TensorState> state_;
};

}  // namespace tt::tt_metal

namespace ttnn {

enum class StorageType { HOST = 0, DEVICE = 1 };
using QueueId = ttsl::StrongType<std::uint8_t, struct QueueIdTag>;
inline constexpr QueueId DefaultQueueId{0};

// The device memory of a tensor.
class DeviceStorage {
public:
    explicit DeviceStorage(std::shared_ptr<tt::tt_metal::TensorState> state) : state_(std::move(state)) {}
    tt::tt_metal::MeshTensor release_mesh_tensor() { return tt::tt_metal::MeshTensor(std::move(state_)); }

private:
    std::shared_ptr<tt::tt_metal::TensorState> state_;
};

class Tensor {
public:
    Tensor() = default;
    explicit Tensor(std::shared_ptr<tt::tt_metal::TensorState> state) : state_(std::move(state)) {}
    // A tensor on the host.
    Tensor(
        tt::tt_metal::HostBuffer values,
        const tt::tt_metal::Shape& shape,
        tt::tt_metal::DataType dtype,
        tt::tt_metal::Layout layout,
        const std::optional<tt::tt_metal::Tile>& tile = std::nullopt);
    template <typename T>
    static Tensor from_vector(const std::vector<T>& values, const tt::tt_metal::TensorSpec& spec) {
        return Tensor(tt::tt_metal::HostBuffer(values), spec.logical_shape(), spec.data_type(), spec.layout());
    }
    // Its elements in row-major order, without padding.
    template <typename T>
    std::vector<T> to_vector() const {
        const tw::host::Value values = elements();
        std::vector<T> numbers;
        for (std::size_t index = 0; index < values.size(); ++index) {
            const tw::host::Value& each = values.at(index);
            if constexpr (std::is_integral_v<T>) {
                numbers.push_back(static_cast<T>(each.as_int()));
            } else {
                numbers.push_back(T(static_cast<float>(each.as_float())));
            }
        }
        return numbers;
    }
    tt::tt_metal::DataType dtype() const { return tensor_spec().data_type(); }
    tt::tt_metal::Layout layout() const { return tensor_spec().layout(); }
    const tt::tt_metal::Shape& logical_shape() const { return tensor_spec().logical_shape(); }
    const tt::tt_metal::Shape& padded_shape() const { return tensor_spec().padded_shape(); }
    const tt::tt_metal::TensorSpec& tensor_spec() const;
    std::uint64_t logical_volume() const { return logical_shape().volume(); }
    std::uint64_t physical_volume() const { return padded_shape().volume(); }
    std::uint64_t volume() const { return physical_volume(); }
    const tt::tt_metal::MemoryConfig& memory_config() const { return tensor_spec().memory_config(); }
    const tt::tt_metal::TensorTopology& tensor_topology() const;
    const std::optional<tt::tt_metal::ShardSpec>& shard_spec() const { return memory_config().shard_spec(); }
    const std::optional<tt::tt_metal::NdShardSpec>& nd_shard_spec() const { return memory_config().nd_shard_spec(); }
    tt::tt_metal::Tile tile() const { return tensor_spec().tile(); }
    StorageType storage_type() const;
    bool is_allocated() const;
    bool is_scalar() const { return logical_shape().rank() == 0; }
    bool is_sharded() const { return memory_config().is_sharded(); }
    std::uint32_t element_size() const;
    tt::tt_metal::Shape strides() const;
    tt::tt_metal::Buffer* buffer() const;
    tt::tt_metal::distributed::MeshDevice* device() const;
    const tt::tt_metal::MeshTensor& mesh_tensor() const&;
    void deallocate(bool force = false);
    DeviceStorage device_storage() const& { return DeviceStorage(state_); }
    Tensor reshape(const tt::tt_metal::Shape& shape) const;
    Tensor pad(const tt::tt_metal::Shape& padded_shape, const tt::tt_metal::Shape& start, float value) const;
    Tensor to_layout(tt::tt_metal::Layout layout) const;
    Tensor to_device(
        tt::tt_metal::distributed::MeshDevice* device,
        ttsl::optional_reference<const tt::tt_metal::MemoryConfig> memory_config = std::nullopt,
        std::optional<QueueId> queue = std::nullopt) const;
    Tensor cpu(bool blocking = true, std::optional<QueueId> queue = std::nullopt) const;
    // The tensor as it decides which program runs: its kind and place, not its address.
    std::uint64_t to_hash() const;
    const std::shared_ptr<tt::tt_metal::TensorState>& state() const { return state_; }
    friend std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

private:
    tt::tt_metal::TensorState& checked() const;
    tw::host::Value elements() const;
    std::shared_ptr<tt::tt_metal::TensorState> state_;
};
using Tensors = std::vector<Tensor>;
using OptionalTensors = std::vector<std::optional<Tensor>>;

Tensor create_device_tensor(
    const tt::tt_metal::TensorSpec& spec,
    tt::tt_metal::distributed::MeshDevice* device,
    std::optional<tt::tt_metal::TensorTopology> topology = std::nullopt);
bool is_device_tensor(const Tensor& tensor);
bool is_cpu_tensor(const Tensor& tensor);
ttsl::optional_reference<const tt::tt_metal::MeshTensor> as_optional_mesh_tensor(const std::optional<Tensor>& tensor);

}  // namespace ttnn

namespace ttnn {
inline bool has_storage_type_of(const Tensor& tensor, StorageType type) { return tensor.storage_type() == type; }
}  // namespace ttnn

namespace tt::tt_metal {
using ttnn::create_device_tensor;
using ttnn::is_device_tensor;
using ttnn::StorageType;
using ttnn::Tensor;
using ttnn::Tensors;

namespace host_buffer {
// The elements of a tensor on the host, until the next call.
template <typename T>
ttsl::Span<const T> get_as(const Tensor& tensor) {
    static thread_local std::vector<T> elements;
    elements = tensor.to_vector<T>();
    return {elements.data(), elements.size()};
}
}  // namespace host_buffer

// Everything known of one of Python's tensors.
struct TensorState {
    TensorState(
        tw::host::Handle handle,
        TensorSpec spec,
        distributed::MeshDevice* device,
        bool allocated,
        std::uint64_t address);
    tw::host::Handle handle;
    TensorSpec spec;
    distributed::MeshDevice* device;
    bool allocated;
    std::uint64_t address;
    Buffer buffer;
    mutable std::shared_ptr<MeshTensor> mesh;  // refers to this state without owning it
};

class TensorAccessorArgs {
public:
    TensorAccessorArgs() = default;
    explicit TensorAccessorArgs(const Buffer& buffer, tensor_accessor::ArgsConfig config = {}) :
        state_(buffer.state()), config_(config) {}
    explicit TensorAccessorArgs(const Buffer* buffer, tensor_accessor::ArgsConfig config = {}) :
        state_(buffer == nullptr ? nullptr : buffer->state()), config_(config) {}
    explicit TensorAccessorArgs(const MeshTensor& tensor, tensor_accessor::ArgsConfig config = {}) :
        state_(tensor.state()), config_(config) {}
    explicit TensorAccessorArgs(
        ttsl::optional_reference<const MeshTensor> tensor, tensor_accessor::ArgsConfig config = {}) :
        state_(tensor ? tensor->state() : nullptr), config_(config) {}
    static TensorAccessorArgs create_dram_interleaved();
    static TensorAccessorArgs create_l1_interleaved();
    void append_to(std::vector<std::uint32_t>& compile_time_args) const;
    void append_to(std::vector<std::uint32_t>& compile_time_args, std::vector<std::uint32_t>& common_args) const;
    std::vector<std::uint32_t> get_compile_time_args() const;
    std::vector<std::uint32_t> get_common_runtime_args() const;

private:
    const TensorState* state_ = nullptr;
    tensor_accessor::ArgsConfig config_;
    std::optional<std::vector<std::uint32_t>> fixed_;
};

}  // namespace tt::tt_metal
