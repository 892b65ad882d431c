// SPDX-License-Identifier: Apache-2.0
// Deadlock look-ahead: which circular buffers the stuck kernels would still push and pop.
//
// A kernel stuck before its first push of a buffer looks the same as one that never pushes it. So after a deadlock each
// stuck kernel runs on with all waits passed, and only its pushes and pops are recorded. Its stores reach no memory
// outside its own core.
#pragma once

namespace tw {

struct KernelInstance;
struct Scheduler;

// Fills `would_push` and `would_pop` of the scheduler's stuck kernels. Everything else in the report keeps its value.
void look_ahead(Scheduler& scheduler);
// Counts a call during the look-ahead. A kernel that makes too many is abandoned.
void count_lookahead_call(KernelInstance& instance);

}  // namespace tw
