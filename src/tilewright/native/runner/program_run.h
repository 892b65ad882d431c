// SPDX-License-Identifier: Apache-2.0
// One run of a loaded program: its arguments out of a message, its record into another.
#pragma once

#include "runner/channel.h"

namespace tw {

class Program;

// Returns whether the process must end after the answer.
bool run_program(Program& program, const wire::RunRequest& header, MessageReader& request, MessageWriter& answer);

}  // namespace tw
