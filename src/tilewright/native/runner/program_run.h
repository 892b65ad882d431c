// SPDX-License-Identifier: Apache-2.0
// One run of a loaded program: arguments from a message, the record into another.
#pragma once

#include "runner/channel.h"

namespace tw {

// Returns whether the process must end after the answer.
bool run_program(void* program, const TwRunRequest& header, MessageReader& request, MessageWriter& answer);

}  // namespace tw
