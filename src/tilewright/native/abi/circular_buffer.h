// SPDX-License-Identifier: Apache-2.0
// Circular-buffer calls of the engine. Page counts are those of the CB's own page size.
// wait/reserve block the calling kernel; asking for more pages than the CB has ends the run with an error.
#pragma once

#include <cstdint>

extern "C" {
void tw_cb_wait_front(uint32_t cb, uint32_t pages);
void tw_cb_reserve_back(uint32_t cb, uint32_t pages);
void tw_cb_push_back(uint32_t cb, uint32_t pages);
void tw_cb_pop_front(uint32_t cb, uint32_t pages);
uint32_t tw_cb_pages_at_front(uint32_t cb);  // pushed and not popped
uint32_t tw_cb_pages_free(uint32_t cb);      // reservable
// Register that counts the pages pushed (acked: popped) since the program began.
volatile uint32_t* tw_cb_counter(uint32_t cb, uint32_t acked);
uint32_t tw_register_read(uint32_t address);
void tw_register_write(uint32_t address, uint32_t value);
}

#if defined(TW_RECORDED)
#include "recorded_call.h"

namespace tw::recorded {
TW_RECORDED_CALL(cb_wait_front, note(Call::CbWaitFront, arg[0], 0, arg[1]))
TW_RECORDED_CALL(cb_reserve_back, note(Call::CbReserveBack, arg[0], 0, arg[1]))
TW_RECORDED_CALL(cb_push_back, note(Call::CbPushBack, arg[0], 0, arg[1]))
TW_RECORDED_CALL(cb_pop_front, note(Call::CbPopFront, arg[0], 0, arg[1]))
TW_RECORDED_CALL(cb_pages_at_front, note(Call::CbPoll, arg[0]))
TW_RECORDED_CALL(cb_pages_free, note(Call::CbPoll, arg[0]))
TW_RECORDED_CALL(cb_counter, note(Call::CbPoll, arg[0]))
}  // namespace tw::recorded
#endif
