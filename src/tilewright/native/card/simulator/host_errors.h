// SPDX-License-Identifier: Apache-2.0
// Errors returned to tt-metal.
//
// tt-metal expects exceptions of the C++ library it uses, libstdc++. This library may contain another one (that of
// zig), whose exceptions tt-metal could not catch and whose unwinder cannot pass through the host's frames. So an error
// is caught here, and thrown again by a function of the host's library. Between the two lie only frames with nothing to
// destroy: the unwinder of one C++ library must not meet a handler of the other.
#pragma once

#include <exception>

namespace card {

// Throws a std::runtime_error of the host's C++ library.
[[noreturn]] void throw_in_host(const char* text);

// A copy that stays until the thread's next one. Nothing is to be destroyed when the thread ends: the host may have
// unloaded this library by then.
const char* kept_text(const char* text);

// Calls `access`; returns the error text, or null. Not inlined: the caller's frame must stay without a handler.
template <typename Access>
[[gnu::noinline]] const char* failure_of(const Access& access) noexcept {
    try {
        access();
        return nullptr;
    } catch (const std::exception& error) {
        return kept_text(error.what());
    } catch (...) {
        return "tilewright: an error of an unknown kind in the simulated card's library";
    }
}

template <typename Access>
void in_host(const Access& access) {
    if (const char* failure = failure_of(access)) {
        throw_in_host(failure);
    }
}

}  // namespace card
