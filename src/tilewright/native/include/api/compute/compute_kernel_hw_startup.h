// SPDX-License-Identifier: Apache-2.0
// The first call of a compute kernel: formats of operands and output.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/sentinel/compute_kernel_sentinel.h"
#include "api/compute/src_order.h"

namespace ckernel {

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tw_hw_startup(reverse ? icb1 : icb0, reverse ? icb0 : icb1, ocb);
}

ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb) { compute_kernel_hw_startup(icb0, icb0, ocb); }

ALWI void enable_fp32_dest_acc() { tw_set_fp32_dest(1); }
ALWI void disable_fp32_dest_acc() { tw_set_fp32_dest(0); }

// Both act only when the kernel's own mode differs; that mode is known in tw/generated_dependent_compute.h.
template <bool enable>
void set_fp32_dest_acc();
template <bool enable>
void restore_fp32_dest_acc();

}  // namespace ckernel
