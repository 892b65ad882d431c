// SPDX-License-Identifier: Apache-2.0
// Output and errors of a kernel: prints, asserts, and ending the run.
#pragma once

#include <cstdint>

extern "C" {
// Text is collected until a newline, then shown with core and kernel in front.
void tw_print_text(const char* text, uint32_t length);
// Ends the run: ASSERT that failed. Never returns.
[[noreturn]] void tw_assert_failed(const char* expression);
// Ends the run with a sentence about what the kernel did. Never returns.
[[noreturn]] void tw_kernel_failed(const char* sentence);
// A kernel reads argument `index` of `count`.
[[noreturn]] void tw_argument_missing(const char* call, int32_t index, uint32_t count);
// Ends the run: a call of the kernel API that is not modelled. Never returns.
[[noreturn]] void tw_not_modelled(const char* what);
}
