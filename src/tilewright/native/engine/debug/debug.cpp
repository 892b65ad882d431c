// SPDX-License-Identifier: Apache-2.0
// Prints, asserts, and errors of kernels.
#include "abi/debug.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "core.h"
#include "run/scheduler.h"
#include "run/threads.h"

namespace tw {

static constexpr size_t kLongestLine = 64 * 1024;

void show_line(KernelInstance& instance, const std::string& line) {
    static std::mutex mutex;  // of several threads
    Program& program = instance.scheduler->program;
    if (program.print != nullptr) {
        const std::lock_guard<std::mutex> lock(mutex);
        program.print(instance.core->x, instance.core->y, instance.kernel->name, line);
    }
}

void flush_print(KernelInstance& instance) {
    if (!instance.printed.empty()) {
        show_line(instance, instance.printed);
        instance.printed.clear();
    }
}

[[noreturn]] static void fail_current(Rule rule, const char* text) {
    Scheduler& scheduler = *this_scheduler();
    if (!scheduler.looking_ahead) {
        scheduler.fail(text, rule);
    }
    scheduler.abandon_current();
}

void kernel_error(const char* format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail_current(Rule::None, text);
}

void rule_error(Rule rule, const char* format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail_current(rule, text);
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_print_text(const char* text, uint32_t length) {
    KernelInstance& instance = current_instance();
    // Of split threads, one prints a line that is for all of them, unless the kernel is compiled per thread.
    const bool is_shown = named_threads(instance) != kAllThreads || runs_on(instance, kUnpackThread) ||
                          instance.kernel->is_compiled_per_thread();
    if (instance.scheduler->looking_ahead || !is_shown) {
        return;
    }
    const char* end = text + length;
    while (text != end) {
        const auto* newline = static_cast<const char*>(std::memchr(text, '\n', static_cast<size_t>(end - text)));
        if (newline == nullptr) {
            instance.printed.append(text, end);
            if (instance.printed.size() > kLongestLine) {
                instance.scheduler->print(instance.printed);
                instance.printed.clear();
            }
            return;
        }
        instance.printed.append(text, newline);
        instance.scheduler->print(instance.printed);
        instance.printed.clear();
        text = newline + 1;
    }
}

void tw_assert_failed(const char* expression) { kernel_error("ASSERT(%s) failed", expression); }

void tw_kernel_failed(const char* sentence) { kernel_error("%s", sentence); }

void tw_argument_missing(const char* call, int32_t index, uint32_t count) {
    rule_error(Rule::ArgMissing, "%s(%d): the kernel was given %u arguments of that kind", call, index, count);
}

void tw_not_modelled(const char* what) { kernel_error("%s is not simulated", what); }
}
