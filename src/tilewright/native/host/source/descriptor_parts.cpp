// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tw_host/descriptors.hpp"

namespace tt::tt_metal {

std::optional<std::uint32_t> ProgramDescriptor::find_available_semaphore_id(const CoreCoord& core, CoreType) const {
    for (std::uint32_t id = 0; id < 16; ++id) {
        const bool taken = std::any_of(semaphores.begin(), semaphores.end(), [&](const SemaphoreDescriptor& other) {
            return other.id == id && other.core_ranges.contains(core);
        });
        if (!taken) {
            return id;
        }
    }
    return std::nullopt;
}

}  // namespace tt::tt_metal

namespace ttnn {

tt::tt_metal::CBDescriptor cb_descriptor_from_sharded_tensor(
    std::uint8_t cb_index,
    const Tensor& tensor,
    std::uint32_t address_offset,
    std::uint32_t total_size,
    const std::optional<tt::tt_metal::CoreRangeSet>& core_ranges) {
    using namespace tt::tt_metal;
    TT_FATAL(
        tensor.is_sharded() && tensor.buffer() != nullptr, "Tensor must be sharded to create a CBDescriptor from it");
    CBDescriptor descriptor;
    descriptor.total_size =
        total_size != 0 ? total_size : static_cast<std::uint32_t>(tensor.buffer()->aligned_size_per_bank());
    descriptor.core_ranges = core_ranges ? *core_ranges : tensor.shard_spec()->grid;
    descriptor.format_descriptors.push_back(
        CBFormatDescriptor{
            cb_index,
            datatype_to_dataformat_converter(tensor.dtype()),
            static_cast<std::uint32_t>(tensor.buffer()->aligned_page_size()),
            tensor.layout() == Layout::TILE ? std::optional(TileDescriptor(tensor.tile())) : std::nullopt});
    descriptor.buffer = tensor.buffer();
    descriptor.address_offset = address_offset;
    return descriptor;
}

}  // namespace ttnn
