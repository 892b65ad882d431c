// SPDX-License-Identifier: Apache-2.0
// Functions that make and change a program; tt-metal's signatures on either route.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "tw_host/program.hpp"

namespace tt::tt_metal {

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

// Short forms that operations share.
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
inline std::tuple<std::uint32_t, CBHandle> create_cb(
    std::uint32_t index,
    Program& program,
    const CoreSpec& cores,
    std::uint32_t page_size,
    std::uint32_t num_pages,
    tt::DataFormat format,
    Buffer* buffer = nullptr) {
    const std::uint32_t indices[] = {index};
    return {index, std::get<1>(create_cb(indices, program, cores, page_size, num_pages, format, buffer))};
}

}  // namespace tt::tt_metal

namespace ttnn {
// The cores a sharded tensor lies on, in the order of its shards.
std::vector<tt::tt_metal::CoreCoord> get_optimal_worker_cores_for_sharded_tensor(
    const Tensor& tensor, tt::tt_metal::NOC noc = tt::tt_metal::NOC::RISCV_0_default);
}  // namespace ttnn
