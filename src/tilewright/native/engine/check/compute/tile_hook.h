// SPDX-License-Identifier: Apache-2.0
// Hooks of tile operations. They stand where every tile passes, so a plain run makes no call: it tests for null.
#pragma once

#include "compute_state.h"

// `checked::name` is what a checked run does; its first parameter is the ComputeState `state`.
#define TW_TILE_HOOK(name, parameters, arguments) \
    namespace checked { \
    void name parameters; \
    } \
    inline void name parameters { \
        if (state.checks != nullptr) [[unlikely]] { \
            checked::name arguments; \
        } \
    }
