// SPDX-License-Identifier: Apache-2.0
// The host program's Python, if it has one. Its functions are looked up in the process when needed, so this library
// depends on none of them, and a host in C++ works without.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace card {

// The text that a function of a module returns, called without arguments. Empty if this thread runs no Python, the
// module cannot be imported, or the function raises or returns something else.
std::string call_host_python(const char* module, const char* function);

// The same with a text as its argument.
std::string call_host_python(const char* module, const char* function, const std::string& argument);

// The operation of ttnn that a launch came from, if the operation has returned; empty: not known.
std::string launched_operation(uint32_t launch);

// The operation of ttnn that this thread executes; empty: none.
std::string current_operation();

// The call of ttnn that a program was launched in; empty: not known.
struct LaunchingCall {
    std::string operation;
    std::string tensors;  // given to the operation, as _card/tensors.py reads them
};

// The call that launched a program which runs now. `launch` is the number of its device operation, if there is one: with
// command queues a program may run later than its call, or in a trace. Without a number it is this thread's call.
LaunchingCall launching_call(std::optional<uint32_t> launch);

// Whether ttnn launches the next program only after this thread's launch is done, as far as is known.
bool waits_for_each_program();

}  // namespace card
