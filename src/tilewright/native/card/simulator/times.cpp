// SPDX-License-Identifier: Apache-2.0
#include "times.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace card {

static std::mutex g_counting;
static Times g_times{};
static std::atomic<bool> g_kept{false};
static thread_local double t_inside = 0;  // seconds that are counted already, of the transfer this thread is in

Times times() {
    const std::lock_guard lock(g_counting);
    return g_times;
}
bool times_are_kept() { return g_kept; }
void keep_times() { g_kept = true; }

void add_run(double seconds, uint64_t programs) {
    const std::lock_guard lock(g_counting);
    g_times.programs += programs;
    g_times.running += seconds;
}

static double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TransferTime::TransferTime(double Times::* seconds, uint64_t Times::* moved, uint64_t bytes) : seconds_(seconds) {
    if (is_kept_) {
        const std::lock_guard lock(g_counting);
        g_times.*moved += bytes;
        around_ = std::exchange(t_inside, 0);
        begin_ = std::chrono::steady_clock::now();
    }
}

TransferTime::~TransferTime() {
    if (is_kept_) {
        const std::lock_guard lock(g_counting);
        const double seconds = seconds_since(begin_);
        g_times.*seconds_ += seconds - t_inside;
        t_inside = around_ + seconds;
    }
}

LaunchTime::LaunchTime() {
    const std::lock_guard lock(g_counting);
    g_times.launches++;
}

LaunchTime::~LaunchTime() {
    const std::lock_guard lock(g_counting);
    const double seconds = seconds_since(begin_);
    g_times.launching += seconds;
    t_inside += seconds;
}

}  // namespace card
