// SPDX-License-Identifier: Apache-2.0
// The replay as a library of C functions. It runs no foreign code, so it is loaded into the caller's process.
#include "api.h"

#include <algorithm>
#include <string>

#include "abi/record.h"
#include "abi/sfpu.h"
#include "replay.h"

using tw::replay::Replay;

namespace {

const char* const kConstants[] = {
#define TW_NAME(name) #name,
    TW_REPLAY_CONSTANTS(TW_NAME)};
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

// Names in the order of the tables in TwReplayInput; null behind the last.
const char* tw_replay_constant(uint32_t index) { return name_at(kConstants, index); }
const char* tw_replay_call(uint32_t index) { return name_at(kCalls, index); }
const char* tw_replay_sfpu_unary(uint32_t index) { return name_at(kUnary, index); }
const char* tw_replay_sfpu_binary(uint32_t index) { return name_at(kBinary, index); }
const char* tw_replay_sfpu_ternary(uint32_t index) { return name_at(kTernary, index); }

void tw_replay_sizes(uint32_t* sizes) {
    const size_t all[] = {
        sizeof(TwReplayKernel),
        sizeof(TwReplayBuffer),
        sizeof(TwReplaySemaphore),
        sizeof(TwReplayNode),
        sizeof(TwReplayInput),
        sizeof(TwReplayLane),
        sizeof(TwReplayWait),
        sizeof(TwReplayEvent),
        sizeof(TwReplayTotals)};
    std::copy(std::begin(all), std::end(all), sizes);
}

void* tw_replay_run(const TwReplayInput* input, TwReplayTotals* totals) {
    auto* replay = new Replay(*input);
    replay->run();
    *totals = replay->totals();
    totals->num_lanes = replay->lanes().size();
    totals->num_waits = replay->waits().size();
    totals->num_events = replay->events().size();
    return replay;
}

void tw_replay_report(void* handle, TwReplayLane* lanes, TwReplayWait* waits, TwReplayEvent* events) {
    const Replay& replay = *static_cast<Replay*>(handle);
    std::copy(replay.lanes().begin(), replay.lanes().end(), lanes);
    std::copy(replay.waits().begin(), replay.waits().end(), waits);
    std::copy(replay.events().begin(), replay.events().end(), events);
}

void tw_replay_free(void* handle) { delete static_cast<Replay*>(handle); }
}
#pragma GCC visibility pop
