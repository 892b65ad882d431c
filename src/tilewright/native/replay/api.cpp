// SPDX-License-Identifier: Apache-2.0
// The replay as a library of C functions. It runs no foreign code, so it is loaded into the caller's process.
#include <algorithm>
#include <string>

#include "abi/record.h"
#include "abi/sfpu.h"
#include "replay.h"

namespace tw::wire {

using replay::Replay;

namespace {

#define TW_NAME(name) #name,
const char* const kCalls[] = {"None", TW_RECORDED_CALLS(TW_NAME)};
#undef TW_NAME
const char* const kUnary[] = {
#define TW_SFPU_UNARY(name, ...) #name,
#include "abi/sfpu_functions.inl"
};
const char* const kBinary[] = {
#define TW_SFPU_BINARY(name, ...) #name,
#include "abi/sfpu_functions.inl"
};
const char* const kTernary[] = {
#define TW_SFPU_TERNARY(name, ...) #name,
#include "abi/sfpu_functions.inl"
};

template <size_t N>
const char* name_at(const char* const (&names)[N], uint32_t index) {
    return index < N ? names[index] : nullptr;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const char* tw_replay_call(uint32_t index) { return name_at(kCalls, index); }
const char* tw_replay_sfpu_unary(uint32_t index) { return name_at(kUnary, index); }
const char* tw_replay_sfpu_binary(uint32_t index) { return name_at(kBinary, index); }
const char* tw_replay_sfpu_ternary(uint32_t index) { return name_at(kTernary, index); }

uint32_t tw_replay_call_has_address(uint32_t index) {
    return replay::has_address(static_cast<RecordedCall>(index)) ? 1 : 0;
}

void* tw_replay_run(const ReplayInput* input, ReplayTotals* totals) {
    auto* replay = new Replay(*input);
    replay->run();
    *totals = replay->totals();
    totals->num_lanes = replay->lanes().size();
    totals->num_waits = replay->waits().size();
    totals->num_events = replay->events().size();
    return replay;
}

void tw_replay_report(void* handle, ReplayLane* lanes, ReplayWait* waits, ReplayEvent* events) {
    const Replay& replay = *static_cast<Replay*>(handle);
    std::copy(replay.lanes().begin(), replay.lanes().end(), lanes);
    std::copy(replay.waits().begin(), replay.waits().end(), waits);
    std::copy(replay.events().begin(), replay.events().end(), events);
}

void tw_replay_free(void* handle) { delete static_cast<Replay*>(handle); }
}
#pragma GCC visibility pop

}  // namespace tw::wire
