// SPDX-License-Identifier: Apache-2.0
// Start-up calls of fused kernels: semaphores between the matrix and the vector unit, then the usual one.
#pragma once

#include <limits>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "ckernel.h"

namespace ckernel {

constexpr std::uint32_t SFPU_FPU = semaphore::UNPACK_MATH_DONE;

}  // namespace ckernel

namespace tw {

ALWI void init_unit_semaphores() {
    MATH((ckernel::t6_semaphore_init(ckernel::semaphore::FPU_SFPU, 0, 1)));
    PACK((ckernel::t6_semaphore_init(ckernel::SFPU_FPU, 0, 1)));
}

}  // namespace tw

template <bool enable_math_reconfig_remap = true>
ALWI void deepseek_compute_kernel_init() {
    tw::init_unit_semaphores();
    ckernel::compute_kernel_hw_startup(0, 0, 0);
}

// From the first circular buffer that the kernel has.
constexpr std::uint32_t DEEPSEEK_NO_PRESENT_CB = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t deepseek_first_present_cb() {
    std::uint32_t index = 0;
    for (const auto format : unpack_src_format) {
        if (format != 255) {
            return index;
        }
        ++index;
    }
    return DEEPSEEK_NO_PRESENT_CB;
}
ALWI void deepseek_compute_kernel_init_present() {
    constexpr std::uint32_t first = deepseek_first_present_cb();
    if constexpr (first != DEEPSEEK_NO_PRESENT_CB) {
        tw::init_unit_semaphores();
        ckernel::compute_kernel_hw_startup(first, first, first);
    }
}

template <bool fp32_dest_acc_en = false>
ALWI void deepseek_compute_kernel_hw_startup(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t ocb) {
    ckernel::compute_kernel_hw_startup(icb0, icb1, ocb);
    tw_set_fp32_dest(fp32_dest_acc_en);
}
