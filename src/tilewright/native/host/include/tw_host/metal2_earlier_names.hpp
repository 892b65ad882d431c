// SPDX-License-Identifier: Apache-2.0
// Hardware configs of program specs as they were until ttnn 0.80: one struct for each generation of chips.
// The last part of metal2.hpp.
#pragma once

namespace tt::tt_metal::experimental {

using DataMovementGen1Config = DataMovement1XXConfig;
inline DataMovementGen1Config CreateReaderGen1DataMovementConfig() noexcept {
    return {DataMovementProcessor::RISCV_1, NOC::NOC_0};
}
inline DataMovementGen1Config CreateWriterGen1DataMovementConfig() noexcept {
    return {DataMovementProcessor::RISCV_0, NOC::NOC_1};
}

using ComputeGen1Config = ComputeHardwareConfig;  // where tt-metal has a variant, whose first type this is

// Members of a config by functions; one that is not const is changed in its place.
template <typename Config>
    requires std::is_same_v<std::remove_const_t<Config>, ComputeHardwareConfig>
auto& fpu_math_fidelity(Config& config) {
    return config.fpu_math_fidelity;
}
template <typename Config>
    requires std::is_same_v<std::remove_const_t<Config>, ComputeHardwareConfig>
auto& sfpu_precision_mode(Config& config) {
    return config.sfpu_precision_mode;
}
template <typename Config>
    requires std::is_same_v<std::remove_const_t<Config>, ComputeHardwareConfig>
auto& enable_32_bit_dest(Config& config) {
    return config.enable_32_bit_dest;
}
template <typename Config>
    requires std::is_same_v<std::remove_const_t<Config>, ComputeHardwareConfig>
auto& double_buffer_dest(Config& config) {
    return config.double_buffer_dest;
}
template <typename Config>
    requires std::is_same_v<std::remove_const_t<Config>, ComputeHardwareConfig>
auto& unpack_modes(Config& config) {
    return config.unpack_modes;
}

}  // namespace tt::tt_metal::experimental

namespace std {
template <typename Wanted, typename Config>
    requires is_same_v<Wanted, tt::tt_metal::experimental::ComputeGen1Config> &&
             is_same_v<remove_const_t<Config>, Wanted>
Config& get(Config& config) {
    return config;
}
template <typename Wanted>
    requires is_same_v<Wanted, tt::tt_metal::experimental::ComputeGen1Config>
bool holds_alternative(const Wanted&) {
    return true;
}
}  // namespace std

namespace ttnn {
// A template: the release that symbols are compared with has no such function.
template <typename Arch>
    requires std::is_same_v<Arch, tt::ARCH>
tt::tt_metal::experimental::ComputeHardwareConfig to_compute_hardware_config(Arch, const ComputeKernelConfig& config) {
    return to_compute_hardware_config(config);
}
}  // namespace ttnn
