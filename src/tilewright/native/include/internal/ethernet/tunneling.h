// SPDX-License-Identifier: Apache-2.0
// Calls of ethernet cores that headers of the fabric name; worker cores make none of them.
#pragma once

#include <cstdint>

#include "../../../abi/debug.h"
#include "api/dataflow/dataflow_api.h"

namespace internal_ {
[[noreturn]] inline void eth_write_remote_reg_no_txq_check(std::uint32_t, std::uint32_t, std::uint32_t) {
    tw_not_modelled("eth_write_remote_reg on a worker core");
}
}  // namespace internal_

inline void run_routing() {}
