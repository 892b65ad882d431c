// SPDX-License-Identifier: Apache-2.0
// Time profile of a host program: this library's reads and writes, launches, and kernels as a part of those. The rest
// is the host's own. Counting starts with the first query.
#pragma once

#include <chrono>
#include <cstdint>

namespace card {

// _card/times.py has the same in Python.
struct Times {
    uint64_t launches, programs, bytes_read, bytes_written;  // programs: launched for the first time
    double reading, writing;  // seconds, without launches and other transfers that began in there
    double launching;  // seconds from the last GO to the answer
    double running;  // seconds of launching in which the engine ran kernels
};

Times times();
bool times_are_kept();
void keep_times();
// A launch that ran; `programs` is 1 if it was its program's first.
void add_run(double seconds, uint64_t programs);

// Adds its lifetime to the time of reads or writes, without what others that began in there add.
class TransferTime {
public:
    TransferTime(double Times::* seconds, uint64_t Times::* moved, uint64_t bytes);
    ~TransferTime();
    TransferTime(const TransferTime&) = delete;
    TransferTime& operator=(const TransferTime&) = delete;

private:
    double Times::* const seconds_;
    const bool is_kept_ = times_are_kept();
    double around_ = 0;
    std::chrono::steady_clock::time_point begin_;
};

// Adds its lifetime to the time of launches.
class LaunchTime {
public:
    LaunchTime();
    ~LaunchTime();
    LaunchTime(const LaunchTime&) = delete;
    LaunchTime& operator=(const LaunchTime&) = delete;

private:
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace card
