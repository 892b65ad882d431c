// SPDX-License-Identifier: Apache-2.0
// State that NoC calls of a kernel leave for later calls: on a card, registers of its command buffers.
#pragma once

#include <cstdint>

#include "context.h"
#include "noc.h"

namespace tw {

struct NocState {
    uint64_t read_source = 0;  // set by read "set_state"; calls "with_state" replace its lower 32 bits
    uint32_t read_bytes = 0;
    uint32_t read_transaction_id = kNoTransactionId;  // stays until changed, as on a card
    uint64_t write_destination = 0;
    uint32_t write_bytes = 0;
    uint32_t write_flags = 0;
    uint32_t write_transaction_id = kNoTransactionId;
    uint64_t inline_destination = 0;
    uint32_t inline_value = 0;
    uint32_t inline_byte_enable = 0xF;
    uint32_t inline_flags = 0;
};

}  // namespace tw

extern "C" {
// State of the running kernel on one NoC; fresh when a kernel starts.
tw::NocState* tw_noc_state(uint32_t noc);
}
