// SPDX-License-Identifier: Apache-2.0
// Replacements of C library functions that would end the process or start threads. Kernels are loaded after the runner,
// so they bind to these. A kernel that calls one gets an error with its line.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>

#include "engine/core.h"
#include "engine/run/scheduler.h"
#include "engine/signals/crash_record.h"

namespace tw {

[[noreturn]] static void refuse_end(const char* call) {
    if (is_in_kernel()) {
        kernel_error("called %s: a kernel ends by returning from kernel_main, and may not end the process", call);
    }
    write_crash_record(
        RunStatus::Fault,
        nullptr,
        0,
        0,
        g_crash_record->activity == RunnerActivity::Loading ? "a static constructor ended the process"
                                                            : "the process was ended");
    end_process(1);
}

}  // namespace tw

using namespace tw;

extern "C" {

void exit(int) { refuse_end("exit()"); }
void _exit(int) { refuse_end("_exit()"); }
void _Exit(int) { refuse_end("_Exit()"); }
void quick_exit(int) { refuse_end("quick_exit()"); }
void pthread_exit(void*) { refuse_end("pthread_exit()"); }

// Kernels are compiled to check, at the end of a function with arrays, whether it has written past them.
void __stack_chk_fail() {
    if (is_in_kernel()) {
        kernel_error("overran an array among its local variables");
    }
    write_crash_record(RunStatus::Fault, nullptr, 0, 0, "an array among local variables was overrun");
    end_process(1);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    if (is_in_kernel()) {
        kernel_error("called pthread_create(): a kernel runs on one processor and starts no threads");
    }
    if (g_crash_record->activity == RunnerActivity::Loading) {
        write_crash_record(RunStatus::Fault, nullptr, 0, 0, "a static constructor starts a thread");
        end_process(1);
    }
    return create(thread, attributes, start, argument);
}
}
