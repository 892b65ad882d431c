// SPDX-License-Identifier: Apache-2.0
#include "host_python.h"

#include <dlfcn.h>

namespace card {

template <typename Function>
static Function* python_function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// A thread that never ran Python has no thread state, and might wait for a lock that its own caller holds.
static bool runs_python() {
    auto* is_initialized = python_function<int()>("Py_IsInitialized");
    auto* state_of_thread = python_function<void*()>("PyGILState_GetThisThreadState");
    return is_initialized != nullptr && state_of_thread != nullptr && is_initialized() != 0 &&
           state_of_thread() != nullptr;
}

static std::string call_host_python(const char* module, const char* function, const char* argument) {
    if (!runs_python()) {
        return "";
    }
    auto* import = python_function<void*(const char*)>("PyImport_ImportModule");
    auto* call = python_function<void*(void*, const char*, const char*, ...)>("PyObject_CallMethod");
    auto* text_of = python_function<const char*(void*)>("PyUnicode_AsUTF8");
    auto* release = python_function<void(void*)>("Py_DecRef");
    const int lock = python_function<int()>("PyGILState_Ensure")();
    void* imported = import(module);
    void* answer = nullptr;
    if (imported != nullptr) {
        answer = argument != nullptr ? call(imported, function, "s", argument) : call(imported, function, nullptr);
    }
    const char* text = answer != nullptr ? text_of(answer) : nullptr;
    const std::string result = text != nullptr ? text : "";
    python_function<void()>("PyErr_Clear")();
    release(answer);
    release(imported);
    python_function<void(int)>("PyGILState_Release")(lock);
    return result;
}

std::string call_host_python(const char* module, const char* function) {
    return call_host_python(module, function, static_cast<const char*>(nullptr));
}

std::string call_host_python(const char* module, const char* function, const std::string& argument) {
    return call_host_python(module, function, argument.c_str());
}

std::string launched_operation(uint32_t launch) {
    return call_host_python("tilewright._card.traces", "launched_operation", std::to_string(launch));
}

bool waits_for_each_program() { return call_host_python("tilewright._card.host", "waits_for_each_program") == "yes"; }

std::string current_operation() { return call_host_python("tilewright._card.host", "current_operation"); }

LaunchingCall launching_call(std::optional<uint32_t> launch) {
    if (!launch) {
        return {current_operation(), call_host_python("tilewright._card.host", "current_tensors")};
    }
    const char* module = "tilewright._card.traces";
    const std::string number = std::to_string(*launch);
    return {
        call_host_python(module, "operation_of_launch", number), call_host_python(module, "tensors_of_launch", number)};
}

}  // namespace card
