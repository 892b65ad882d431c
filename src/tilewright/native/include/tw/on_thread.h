// SPDX-License-Identifier: Apache-2.0
// Statements for one thread of a compute kernel. A card compiles a kernel once per thread and leaves them out of the
// others; here one compilation serves all three, so the running thread is tested.
#pragma once

#include "../../abi/threads.h"

namespace tw {

struct ThreadScope {
    explicit ThreadScope(uint32_t threads) : runs(tw_begin_thread(threads) != 0) {}
    ~ThreadScope() {
        if (runs) {
            tw_end_thread();
        }
    }
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;
    const bool runs;
};

}  // namespace tw

// UNPACK((call())) becomes an expression, everything else, such as UNPACK(value = read(); send(value);), a statement.
// To distinguish them, a leading group in parentheses is removed: an expression leaves nothing.
#define TW_ON_THREAD(thread, ...) TW_THREAD_FORM(TW_TAKE_GROUP __VA_ARGS__)(thread, __VA_ARGS__)
#define TW_TAKE_GROUP(...)
#define TW_THREAD_FORM(...) TW_FIRST_OF(__VA_OPT__(TW_THREAD_STATEMENT, ) TW_THREAD_EXPRESSION, )
#define TW_FIRST_OF(first, ...) first
#define TW_THREAD_EXPRESSION(thread, ...) \
    (tw_begin_thread(thread) != 0 ? (static_cast<void>(__VA_ARGS__), tw_end_thread()) : static_cast<void>(0))
#define TW_THREAD_STATEMENT(thread, ...) \
    if (const ::tw::ThreadScope tw_thread_scope{thread}; tw_thread_scope.runs) { \
        __VA_ARGS__; \
    }
