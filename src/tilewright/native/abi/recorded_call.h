// SPDX-License-Identifier: Apache-2.0
// How a recorded kernel calls a function of the engine: TW_RECORDED_CALL records it (record.h), then calls it.
#pragma once

#include <type_traits>

#include "noc.h"
#include "record.h"

namespace tw::recorded {

using Call = RecordedCall;

// Records calls. A kernel is compiled without inlining, so these are inlined by force. They count as the basic blocks
// they would be as functions: one each, and one for each recorded argument.
struct Note {
    uint32_t blocks;

    [[gnu::always_inline]] void operator()(Call call, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) const {
        tw_record(static_cast<uint32_t>(call), a, b, c, blocks + 1);
    }
    [[gnu::always_inline]] void at(Call call, uint64_t a, uint64_t b, uint64_t c, uint64_t address) const {
        tw_record_address(static_cast<uint32_t>(call), a, b, c, address, blocks + 1);
    }
};
template <typename T>
[[gnu::always_inline]] inline uint64_t number(T given) {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<uintptr_t>(given);
    } else if constexpr (std::is_null_pointer_v<T>) {
        return 0;
    } else {
        return static_cast<uint64_t>(given);
    }
}
// noc_semaphore_set is a plain store, so its header records it here.
[[gnu::always_inline]] inline void semaphore_set(const volatile uint32_t* address, uint32_t value) {
    Note{2}.at(Call::SemaphoreSet, 0, 0, value, number(address));
}

// The transaction id among the arguments, in its place beside the NoC.
[[gnu::always_inline]] inline uint64_t tag(const uint64_t* arguments, uint32_t which) {
    return arguments[which] == kNoTransactionId ? 0 : (arguments[which] + 1) << kRecordedTagShift;
}

// Number of arguments that a text records.
consteval uint32_t noted(const char* text) {
    uint32_t count = 0;
    for (; *text != 0; text++) {
        count += text[0] == 'a' && text[1] == 'r' && text[2] == 'g' && text[3] == '[' ? 1 : 0;
    }
    return count;
}

// The function, and the recorded part of its arguments.
#define TW_RECORDED_CALL(name, ...) \
    template <typename... Arguments> \
    [[gnu::always_inline]] inline auto name(Arguments... arguments) { \
        [[maybe_unused]] const uint64_t arg[] = {number(arguments)..., 0}; \
        [[maybe_unused]] constexpr Note note{noted(#__VA_ARGS__) + 1}; \
        __VA_ARGS__; \
        return ::tw_##name(arguments...); \
    }

}  // namespace tw::recorded
