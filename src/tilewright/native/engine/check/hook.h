// SPDX-License-Identifier: Apache-2.0
// Calls from the engine into the rules. A hook is called where something happens that a rule may check; in a plain run
// it is a test for null and no call.
#pragma once

// `checked::name` is the checked run's function. `subject` is the parameter that holds its state: the kernel, or its
// compute state.
#define TW_HOOK(subject, name, parameters, arguments) \
    namespace checked { \
    void name parameters; \
    } \
    inline void name parameters { \
        if (subject.checks != nullptr) [[unlikely]] { \
            checked::name arguments; \
        } \
    }
