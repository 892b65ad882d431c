// SPDX-License-Identifier: Apache-2.0
#include "shared_l1.h"

#include "program.h"

namespace tw {

void L1Turns::enter(Core& core) {
    if (!allowed_ || program_.turns.cores_met) {
        return;
    }
    if (shared_base_ == 0) {
        shared_base_ = core.l1_base;
    }
    program_.move_circular_buffers(core, shared_base_);
}

void L1Turns::leave(Core& core, bool finished) {
    if (!finished) {
        program_.turns.cores_met = true;
    } else if (core.circular_base == shared_base_) {
        core.memory_state->given_up = program_.turns.range;
    }
}

}  // namespace tw
