// SPDX-License-Identifier: Apache-2.0
// Options of kernels, and the runtime arguments of a core.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "tw_host/cores.hpp"
#include "tw_host/types.hpp"

namespace tt::tt_metal {

using KernelHandle = std::uint32_t;
using CBHandle = std::uintptr_t;
using CoreSpec = std::variant<CoreCoord, CoreRange, CoreRangeSet>;
using KernelDefines = std::map<std::string, std::string>;
constexpr std::uint32_t max_runtime_args = 341;

struct DataMovementConfig {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
    std::vector<std::uint32_t> compile_args;
    std::map<std::string, std::string> defines;
    std::unordered_map<std::string, std::uint32_t> named_compile_args;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
    std::vector<std::filesystem::path> compiler_include_paths;
};
struct ReaderDataMovementConfig : DataMovementConfig {
    ReaderDataMovementConfig(
        std::vector<std::uint32_t> compile_args = {},
        std::map<std::string, std::string> defines = {},
        std::unordered_map<std::string, std::uint32_t> named_compile_args = {},
        KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2,
        std::vector<std::filesystem::path> compiler_include_paths = {});
};
struct WriterDataMovementConfig : DataMovementConfig {
    WriterDataMovementConfig(
        std::vector<std::uint32_t> compile_args = {},
        std::map<std::string, std::string> defines = {},
        std::unordered_map<std::string, std::uint32_t> named_compile_args = {},
        KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2,
        std::vector<std::filesystem::path> compiler_include_paths = {});
};
struct ComputeConfig {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    std::vector<UnpackToDestMode> unpack_to_dest_mode;
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
    bool enable_trisc2_rvv = false;  // of a later chip
    std::vector<std::uint32_t> compile_args;
    std::map<std::string, std::string> defines;
    std::unordered_map<std::string, std::uint32_t> named_compile_args;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O3;
    std::vector<std::filesystem::path> compiler_include_paths;
};
namespace detail {
inline NOC preferred_noc_for_dram_read(ARCH) { return NOC::NOC_0; }
inline NOC preferred_noc_for_dram_write(ARCH) { return NOC::NOC_1; }
inline NOC GetPreferredNOCForDRAMRead(ARCH) { return NOC::NOC_0; }
inline NOC GetPreferredNOCForDRAMWrite(ARCH) { return NOC::NOC_1; }
}  // namespace detail

// A core's arguments, to read and to change. An index behind the last is an error here.
struct RuntimeArgsData {
    std::uint32_t* rt_args_data = nullptr;
    std::size_t rt_args_count = 0;
    std::uint32_t& operator[](std::size_t index) { return at(index); }
    const std::uint32_t& operator[](std::size_t index) const { return at(index); }
    std::uint32_t& at(std::size_t index) const {
        TT_FATAL(index < rt_args_count, "runtime argument {} of {} does not exist", index, rt_args_count);
        return rt_args_data[index];
    }
    std::uint32_t* data() const { return rt_args_data; }
    std::size_t size() const { return rt_args_count; }
    std::uint32_t* begin() const { return rt_args_data; }
    std::uint32_t* end() const { return rt_args_data + rt_args_count; }
};

struct ReaderConfigDescriptor {};
struct WriterConfigDescriptor {};
struct DataMovementConfigDescriptor {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
};
struct ComputeConfigDescriptor {
    using UnpackToDestModes = std::vector<UnpackToDestMode>;
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    UnpackToDestModes unpack_to_dest_mode;
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
};
using KernelConfig =
    std::variant<ReaderConfigDescriptor, WriterConfigDescriptor, DataMovementConfigDescriptor, ComputeConfigDescriptor>;

}  // namespace tt::tt_metal
