// SPDX-License-Identifier: Apache-2.0
#include "tw_host/tensor.hpp"

#include <map>

#include "tw_host/values.hpp"

namespace tw::host {

using namespace tt::tt_metal;

namespace {
const DeviceFacts* current = nullptr;
}

// ["Device", handle, key, arch, grid, dram grid, l1 size, l1 base, l1 unreserved, channels, alignments, devices]
distributed::MeshDevice* device_of(const Value& value) {
    // Kept for the life of the process: operations keep pointers to devices.
    static auto* devices = new std::map<std::int64_t, std::unique_ptr<distributed::MeshDevice>>;
    const std::int64_t key = value.at(2).as_int();
    auto& device = (*devices)[key];
    if (device == nullptr) {
        DeviceFacts facts;
        facts.key = key;
        facts.arch = value.at(3).as_text() == "BLACKHOLE" ? tt::ARCH::BLACKHOLE : tt::ARCH::WORMHOLE_B0;
        facts.grid = from_value<CoreCoord>(value.at(4));
        facts.dram_grid = from_value<CoreCoord>(value.at(5));
        facts.l1_size = from_value<std::uint32_t>(value.at(6));
        facts.l1_base = from_value<std::uint32_t>(value.at(7));
        facts.l1_unreserved = from_value<std::uint32_t>(value.at(8));
        facts.dram_channels = from_value<std::uint32_t>(value.at(9));
        facts.l1_alignment = from_value<std::uint32_t>(value.at(10));
        facts.dram_alignment = from_value<std::uint32_t>(value.at(11));
        facts.devices = from_value<std::uint32_t>(value.at(12));
        device = std::make_unique<distributed::MeshDevice>(value.at(1).as_handle(), facts);
    }
    current = &device->facts();
    return device.get();
}

}  // namespace tw::host

namespace tt::tt_metal {

using tw::host::call_python;
using tw::host::from_value;
using tw::host::to_value;
using tw::host::Value;

const DeviceFacts& current_facts() {
    if (tw::host::current == nullptr) {
        tw::host::device_of(call_python("any_device", {}));
    }
    return *tw::host::current;
}

namespace hal {
std::string get_arch_name() { return get_arch() == ARCH::BLACKHOLE ? "blackhole" : "wormhole_b0"; }
float get_eps() { return get_arch() == ARCH::BLACKHOLE ? 5.9604644775390625e-08F : 5.9604644775390625e-08F; }
float get_nan() { return 7.0040e+19F; }
float get_inf() { return 1.7014e+38F; }
}  // namespace hal

CoreCoord distributed::MeshDevice::worker_core_from_logical_core(const CoreCoord& core) const {
    return from_value<CoreCoord>(call_python("worker_core", {handle_, to_value(core)}));
}
std::vector<CoreCoord> distributed::MeshDevice::worker_cores_from_logical_cores(
    const std::vector<CoreCoord>& cores) const {
    std::vector<CoreCoord> workers;
    for (const CoreCoord& core : cores) {
        workers.push_back(worker_core_from_logical_core(core));
    }
    return workers;
}
std::optional<DeviceAddr> distributed::MeshDevice::lowest_occupied_compute_l1_address() const {
    const Value address = call_python("lowest_l1_address", {handle_});
    return address.is_none() ? std::nullopt : std::optional<DeviceAddr>(address.as_int());
}

TensorState::TensorState(
    tw::host::Handle handle, TensorSpec spec, distributed::MeshDevice* device, bool allocated, std::uint64_t address) :
    handle(std::move(handle)),
    spec(std::move(spec)),
    device(device),
    allocated(allocated),
    address(address),
    buffer(this) {}

std::uint32_t Buffer::address() const { return static_cast<std::uint32_t>(state_->address); }
DeviceAddr Buffer::size() const { return state_->spec.compute_packed_buffer_size_bytes(); }
DeviceAddr Buffer::page_size() const { return state_->spec.compute_page_size_bytes(); }
BufferType Buffer::buffer_type() const { return state_->spec.memory_config().buffer_type(); }
TensorMemoryLayout Buffer::buffer_layout() const { return state_->spec.memory_config().memory_layout(); }
bool Buffer::is_allocated() const { return state_->allocated; }
distributed::MeshDevice* Buffer::device() const { return state_->device; }
bool Buffer::has_shard_spec() const { return state_->spec.memory_config().shard_spec().has_value(); }
ShardSpecBuffer Buffer::shard_spec() const {
    TT_FATAL(has_shard_spec(), "Buffer does not have a shard_spec");
    const Shape2D physical = state_->spec.physical_shape();
    const Shape2D page = state_->spec.tensor_layout().compute_page_shape(physical);
    const auto narrow = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
    return {
        *state_->spec.memory_config().shard_spec(),
        {narrow(page.height()), narrow(page.width())},
        {narrow(div_up(physical.height(), page.height())), narrow(div_up(physical.width(), page.width()))}};
}
std::optional<std::uint32_t> Buffer::num_cores() const {
    return has_shard_spec() ? std::optional(shard_spec().grid().num_cores()) : std::nullopt;
}
std::uint32_t Buffer::num_dev_pages() const {
    return has_shard_spec() ? static_cast<std::uint32_t>(shard_spec().num_pages()) * *num_cores() : num_pages();
}
DeviceAddr Buffer::aligned_size_per_bank() const {
    if (has_shard_spec()) {
        return shard_spec().num_pages() * aligned_page_size();
    }
    return DeviceAddr{div_up(num_pages(), device()->allocator()->get_num_banks(buffer_type()))} * aligned_page_size();
}
const std::optional<BufferDistributionSpec>& Buffer::buffer_distribution_spec() const {
    if (!distribution_known_) {
        distribution_ = state_->spec.compute_buffer_sharding_args().buffer_distribution_spec();
        distribution_known_ = true;
    }
    return distribution_;
}
const std::vector<std::uint32_t>& Allocator::get_bank_ids_from_logical_core(BufferType, const CoreCoord&) const {
    TT_THROW("Allocator::get_bank_ids_from_logical_core: ttnn does not give the banks of a core to Python");
}

std::shared_ptr<const BufferPageMapping> Buffer::get_buffer_page_mapping() {
    TT_FATAL(buffer_distribution_spec().has_value(), "A buffer that is not sharded has no page mapping");
    if (!page_mapping_) {
        page_mapping_ = std::make_shared<const BufferPageMapping>(buffer_distribution_spec()->compute_page_mapping());
    }
    return page_mapping_;
}

MeshTensor MeshTensor::allocate_on_device(distributed::MeshDevice& device, TensorSpec spec) {
    return MeshTensor(create_device_tensor(spec, &device).state());
}
const TensorSpec& MeshTensor::tensor_spec() const { return state_->spec; }
DeviceAddr MeshTensor::address() const { return state_->address; }
std::size_t MeshTensor::element_size() const { return datum_size(datatype_to_dataformat_converter(dtype())); }
const distributed::MeshDevice& MeshTensor::device() const { return *state_->device; }
distributed::MeshDevice& MeshTensor::mutable_device() const { return *state_->device; }
Buffer* MeshTensor::buffer() const { return &state_->buffer; }

TensorAccessorArgs TensorAccessorArgs::create_dram_interleaved() {
    TensorAccessorArgs args;
    args.fixed_ = std::vector<std::uint32_t>{2, 0};
    return args;
}
TensorAccessorArgs TensorAccessorArgs::create_l1_interleaved() {
    TensorAccessorArgs args;
    args.fixed_ = std::vector<std::uint32_t>{0, 0};
    return args;
}
std::vector<std::uint32_t> TensorAccessorArgs::get_compile_time_args() const {
    if (fixed_) {
        return *fixed_;
    }
    if (state_ == nullptr) {
        return {0, 0};
    }
    return call_python("tensor_accessor_args", {state_->handle, config_.raw()}).at(0).as_numbers<std::uint32_t>();
}
std::vector<std::uint32_t> TensorAccessorArgs::get_common_runtime_args() const {
    if (fixed_ || state_ == nullptr) {
        return {};
    }
    return call_python("tensor_accessor_args", {state_->handle, config_.raw()}).at(1).as_numbers<std::uint32_t>();
}
void TensorAccessorArgs::append_to(std::vector<std::uint32_t>& compile_time_args) const {
    const auto args = get_compile_time_args();
    compile_time_args.insert(compile_time_args.end(), args.begin(), args.end());
}
void TensorAccessorArgs::append_to(
    std::vector<std::uint32_t>& compile_time_args, std::vector<std::uint32_t>& common_args) const {
    append_to(compile_time_args);
    const auto args = get_common_runtime_args();
    common_args.insert(common_args.end(), args.begin(), args.end());
}

}  // namespace tt::tt_metal

namespace ttnn {

using namespace tt::tt_metal;
using tw::host::call_python;
using tw::host::from_value;
using tw::host::List;
using tw::host::to_value;

TensorState& Tensor::checked() const {
    TT_FATAL(state_ != nullptr, "Tensor is not initialized");
    return *state_;
}
const TensorSpec& Tensor::tensor_spec() const { return checked().spec; }
const TensorTopology& Tensor::tensor_topology() const {
    static const TensorTopology topology;
    return topology;
}
StorageType Tensor::storage_type() const {
    return checked().device == nullptr ? StorageType::HOST : StorageType::DEVICE;
}
bool Tensor::is_allocated() const { return state_ != nullptr && state_->allocated; }
std::uint32_t Tensor::element_size() const {
    return is_block_float(dtype()) ? 1 : datum_size(datatype_to_dataformat_converter(dtype()));
}
Shape Tensor::strides() const {
    const auto strides = compute_strides(padded_shape());
    ttsl::SmallVector<std::uint32_t> narrow(strides.begin(), strides.end());
    return Shape(narrow);
}
Buffer* Tensor::buffer() const {
    TensorState& state = checked();
    return state.device != nullptr && state.allocated ? &state.buffer : nullptr;
}
distributed::MeshDevice* Tensor::device() const { return checked().device; }
const MeshTensor& Tensor::mesh_tensor() const& {
    TensorState& state = checked();
    TT_FATAL(state.device != nullptr, "Tensor is not on a device");
    if (state.mesh == nullptr) {
        state.mesh = std::make_shared<MeshTensor>(std::shared_ptr<TensorState>(std::shared_ptr<TensorState>(), &state));
    }
    return *state.mesh;
}
void Tensor::deallocate(bool force) {
    call_python("deallocate", {checked().handle, force});
    state_->allocated = false;
}
Tensor Tensor::reshape(const Shape& shape) const {
    return from_value<Tensor>(call_python("operation", {"reshape", List{checked().handle, to_value(shape)}, List{}}));
}
Tensor Tensor::to_layout(Layout layout) const {
    return from_value<Tensor>(
        call_python("operation", {"to_layout", List{checked().handle, to_value(layout)}, List{}}));
}
Tensor::Tensor(HostBuffer values, const Shape& shape, DataType dtype, Layout layout, const std::optional<Tile>& tile) :
    Tensor(
        from_value<Tensor>(
            call_python("host_tensor", {values.values(), to_value(shape), to_value(dtype), to_value(layout)}))) {
    TT_FATAL(!tile || *tile == Tile(), "a tensor on the host has tiles of 32x32 here, not {}", *tile);
}
tw::host::Value Tensor::elements() const { return call_python("elements", {checked().handle}); }
Tensor Tensor::to_device(
    distributed::MeshDevice* device,
    ttsl::optional_reference<const MemoryConfig> memory_config,
    std::optional<QueueId>) const {
    List keywords;
    if (memory_config) {
        keywords.push_back(List{"memory_config", to_value(*memory_config)});
    }
    return from_value<Tensor>(
        call_python("operation", {"to_device", List{checked().handle, to_value(device)}, keywords}));
}
Tensor Tensor::pad(const Shape&, const Shape&, float) const {
    TT_THROW("Tensor::pad: tensors on the host are not padded here; move the tensor to the device first");
}
Tensor Tensor::cpu(bool, std::optional<QueueId>) const {
    return from_value<Tensor>(call_python("operation", {"from_device", List{checked().handle}, List{}}));
}
std::uint64_t Tensor::to_hash() const {
    return state_ == nullptr ? 0 : tw::host::mixed(state_->device != nullptr, tw::host::hash_of(state_->spec));
}
std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) {
    if (tensor.state_ == nullptr) {
        return stream << "Tensor(empty)";
    }
    return stream << fmt::format(
               "Tensor(storage={},shape={},dtype={},layout={},memory_config={})",
               tensor.storage_type(),
               tensor.logical_shape(),
               tensor.dtype(),
               tensor.layout(),
               tensor.memory_config());
}

Tensor create_device_tensor(const TensorSpec& spec, distributed::MeshDevice* device, std::optional<TensorTopology>) {
    TT_FATAL(device != nullptr, "create_device_tensor: no device; the inputs of the operation are on the host");
    return from_value<Tensor>(call_python("allocate", {to_value(spec), device->python()}));
}
bool is_device_tensor(const Tensor& tensor) { return tensor.storage_type() == StorageType::DEVICE; }
bool is_cpu_tensor(const Tensor& tensor) { return tensor.storage_type() == StorageType::HOST; }
ttsl::optional_reference<const MeshTensor> as_optional_mesh_tensor(const std::optional<Tensor>& tensor) {
    return tensor ? ttsl::optional_reference<const MeshTensor>(tensor->mesh_tensor()) : std::nullopt;
}

DeviceComputeKernelConfig init_device_compute_kernel_config(
    tt::ARCH,
    const std::optional<const DeviceComputeKernelConfig>& given,
    MathFidelity fidelity,
    bool approx_mode,
    bool fp32_acc,
    bool l1_acc,
    bool dst_full_sync,
    operations::compute_throttle_utils::ThrottleLevel throttle) {
    return given ? *given : ComputeKernelConfig{fidelity, approx_mode, fp32_acc, l1_acc, dst_full_sync, throttle};
}
bool get_fp32_dest_acc_en(const std::optional<DeviceComputeKernelConfig>& config) {
    return config && config->fp32_dest_acc_en;
}
bool get_dst_full_sync_en(const std::optional<DeviceComputeKernelConfig>& config) {
    return config && config->dst_full_sync_en;
}
MathFidelity get_math_fidelity(const std::optional<DeviceComputeKernelConfig>& config) {
    return config ? config->math_fidelity : MathFidelity::Invalid;
}
std::tuple<MathFidelity, bool, bool, bool, bool> get_compute_kernel_config_args(
    tt::ARCH, const DeviceComputeKernelConfig& config) {
    return {
        config.math_fidelity,
        config.math_approx_mode,
        config.fp32_dest_acc_en,
        config.packer_l1_acc,
        config.dst_full_sync_en};
}
std::uint32_t get_dest_reg_count(
    const DeviceComputeKernelConfig& config, std::optional<std::array<std::uint32_t, 2>> tile_shape) {
    std::uint32_t tiles = 16;
    tiles /= config.dst_full_sync_en ? 1 : 2;
    tiles /= config.fp32_dest_acc_en ? 2 : 1;
    const auto shape = tile_shape.value_or(std::array<std::uint32_t, 2>{32, 32});
    return tiles * (tt::constants::TILE_HW / (shape[0] * shape[1]));
}

}  // namespace ttnn
