// SPDX-License-Identifier: Apache-2.0
// What the runner gives up before it runs anybody's kernel: files, the network, new processes, handlers of signals,
// other processes. A kernel computes; what it has no business with is refused, and the run ends with an error that
// says so.
#pragma once

namespace tw {

// Whatever happens to the owner, the process ends with it: `lifeline` is a pipe whose other end only the owner has.
void end_with_owner(int lifeline);
// Lets the system take this process first when memory runs out, and writes no core files.
void be_expendable();
// Filters system calls from here on. 0, or the error that kept the system from doing it.
int filter_system_calls();

}  // namespace tw
