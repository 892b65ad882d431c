// SPDX-License-Identifier: Apache-2.0
// Restrictions that the runner sets on itself before it runs a kernel: no files, network, new processes, signal
// handlers or access to other processes. A forbidden call is refused, and the run ends with an error that names it.
#pragma once

namespace tw {

// Ends the process with its owner: `lifeline` is a pipe whose other end only the owner has.
void end_with_owner(int lifeline);
// Lets the system kill this process first when memory runs out, and disables core files.
void prefer_as_oom_victim();
// Filters system calls from here on. Returns 0, or the error why the system cannot.
int filter_system_calls();

}  // namespace tw
