// SPDX-License-Identifier: Apache-2.0
// What stuck kernels would still do. A kernel that never came to its first push of a circular buffer cannot be told
// from one that never pushes it, so after a deadlock the stuck kernels run on with every wait let through, and only
// which buffers they push and pop is kept. Nothing they do reaches memory outside their own core.
#pragma once

namespace tw {

struct KernelInstance;
struct Scheduler;

// Fills `would_push` and `would_pop` of the scheduler's stuck kernels; everything else a report shows stays as it was.
void look_ahead(Scheduler& scheduler);
// A kernel that is followed on calls: after too many it is left.
void count_lookahead_call(KernelInstance& instance);

}  // namespace tw
