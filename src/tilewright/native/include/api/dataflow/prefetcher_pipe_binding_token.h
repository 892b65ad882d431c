// SPDX-License-Identifier: Apache-2.0
// How a kernel names a prefetcher pipe of its program (prefetcher_pipe.h).
#pragma once

#include <cstdint>

struct PrefetcherPipeBindingToken {
    explicit constexpr PrefetcherPipeBindingToken(uint8_t pipe) noexcept : pipe_(pipe) {}
    constexpr uint8_t prefetcher_pipe_id() const noexcept { return pipe_; }

private:
    uint8_t pipe_;
};
