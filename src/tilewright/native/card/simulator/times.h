// SPDX-License-Identifier: Apache-2.0
// Where the time of a host program goes: into this library's reads and writes, into launches, and of those into kernels.
// Whatever is left is the host's own. Nothing is counted until somebody asks for the first time.
#pragma once

#include <chrono>
#include <cstdint>

namespace card {

// _card/times.py has the same in Python.
struct Times {
    uint64_t launches, bytes_read, bytes_written;
    double reading, writing;  // seconds, without launches that began in there
    double launching;  // seconds from the last GO to the answer
    double running;  // seconds of those in which the engine ran kernels
};

Times& times();
bool times_are_kept();
void keep_times();

// Adds how long it lived to the times of reading or writing.
class TransferTime {
public:
    TransferTime(double Times::* seconds, uint64_t Times::* moved, uint64_t bytes);
    ~TransferTime();
    TransferTime(const TransferTime&) = delete;
    TransferTime& operator=(const TransferTime&) = delete;

private:
    double Times::* const seconds_;
    const bool is_kept_ = times_are_kept();
    double launching_before_ = 0;
    std::chrono::steady_clock::time_point begin_;
};

// Adds how long it lived to the time of launches.
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
