// SPDX-License-Identifier: Apache-2.0
#include "shared_l1.h"

#include "program.h"

namespace tw {

void SharedL1::enter(Core& core) {
    if (!allowed_ || program_.shared_l1.cores_met) {
        return;
    }
    if (shared_base_ == 0) {
        shared_base_ = core.l1_base;
    }
    program_.move_circular_buffers(core, shared_base_);
}

void SharedL1::leave(Core& core, bool finished) {
    if (!finished) {
        program_.shared_l1.cores_met = true;
    } else if (core.circular_base == shared_base_) {
        core.memory_state->overwritten = program_.shared_l1.range;
    }
}

}  // namespace tw
