// SPDX-License-Identifier: Apache-2.0
// The Python that the host program is written in, if it is. Its functions are looked up in the process when they are
// needed, so this library needs none of them, and a host in C++ does without.
#pragma once

#include <string>

namespace card {

// What a function without arguments of a module returns, as text. Empty where this thread runs no Python, where the
// module cannot be imported, and where the function raises or returns something else.
std::string ask_host_python(const char* module, const char* function);

// The operation of ttnn that this thread is in; empty where it is in none.
std::string current_operation();

// The tensors on a device that it was given, as _card/tensors.py reads them; empty where it is in none.
std::string current_tensors();

// Whether ttnn launches the next program only when the one this thread launches is done, as far as it can be told.
bool waits_for_each_program();

}  // namespace card
