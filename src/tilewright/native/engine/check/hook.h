// SPDX-License-Identifier: Apache-2.0
// The one way from the engine to the rules. A hook is called where something happens that a rule may look at; in a plain
// run it is a test for null and no call.
#pragma once

// `checked::name` is what a checked run does. `subject` is the parameter that knows of it: the kernel, or its compute
// state.
#define TW_HOOK(subject, name, parameters, arguments) \
    namespace checked { \
    void name parameters; \
    } \
    inline void name parameters { \
        if (subject.checks != nullptr) [[unlikely]] { \
            checked::name arguments; \
        } \
    }
