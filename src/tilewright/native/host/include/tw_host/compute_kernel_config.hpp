// SPDX-License-Identifier: Apache-2.0
// The options of compute kernels that users give an operation.
#pragma once

#include <optional>
#include <ostream>
#include <tuple>

#include "tw_host/types.hpp"

namespace ttnn::operations::compute_throttle_utils {
enum class ThrottleLevel : std::uint32_t { NO_THROTTLE = 0, LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_4, LEVEL_5 };
}

namespace ttnn {

struct ComputeKernelConfig {
    tt::tt_metal::MathFidelity math_fidelity = tt::tt_metal::MathFidelity::LoFi;
    bool math_approx_mode = true;
    bool fp32_dest_acc_en = false;
    bool packer_l1_acc = false;
    bool dst_full_sync_en = false;
    operations::compute_throttle_utils::ThrottleLevel throttle_level =
        operations::compute_throttle_utils::ThrottleLevel::NO_THROTTLE;
    friend bool operator==(const ComputeKernelConfig&, const ComputeKernelConfig&) = default;
};
using DeviceComputeKernelConfig = ComputeKernelConfig;
using WormholeComputeKernelConfig = ComputeKernelConfig;
using BlackholeComputeKernelConfig = ComputeKernelConfig;

DeviceComputeKernelConfig init_device_compute_kernel_config(
    tt::ARCH arch,
    const std::optional<const DeviceComputeKernelConfig>& given,
    tt::tt_metal::MathFidelity default_fidelity = tt::tt_metal::MathFidelity::LoFi,
    bool default_approx_mode = true,
    bool default_fp32_acc = false,
    bool default_l1_acc = false,
    bool default_dst_full_sync_en = false,
    operations::compute_throttle_utils::ThrottleLevel default_throttle_level =
        operations::compute_throttle_utils::ThrottleLevel::NO_THROTTLE);
bool get_fp32_dest_acc_en(const std::optional<DeviceComputeKernelConfig>& config);
bool get_dst_full_sync_en(const std::optional<DeviceComputeKernelConfig>& config);
tt::tt_metal::MathFidelity get_math_fidelity(const std::optional<DeviceComputeKernelConfig>& config);
std::tuple<tt::tt_metal::MathFidelity, bool, bool, bool, bool> get_compute_kernel_config_args(
    tt::ARCH arch, const DeviceComputeKernelConfig& config);
std::uint32_t get_dest_reg_count(
    const DeviceComputeKernelConfig& config, std::optional<std::array<std::uint32_t, 2>> tile_shape = std::nullopt);

}  // namespace ttnn
