// SPDX-License-Identifier: Apache-2.0
#include "times.h"

namespace card {

static Times g_times{};
static bool g_kept = false;

Times& times() { return g_times; }
bool times_are_kept() { return g_kept; }
void keep_times() { g_kept = true; }

static double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TransferTime::TransferTime(double Times::* seconds, uint64_t Times::* moved, uint64_t bytes) : seconds_(seconds) {
    if (is_kept_) {
        g_times.*moved += bytes;
        launching_before_ = g_times.launching;
        begin_ = std::chrono::steady_clock::now();
    }
}

TransferTime::~TransferTime() {
    if (is_kept_) {
        g_times.*seconds_ += seconds_since(begin_) - (g_times.launching - launching_before_);
    }
}

LaunchTime::LaunchTime() { g_times.launches++; }

LaunchTime::~LaunchTime() { g_times.launching += seconds_since(begin_); }

}  // namespace card
