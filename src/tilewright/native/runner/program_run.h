// SPDX-License-Identifier: Apache-2.0
// One run of a loaded program: its arguments out of a message, its record into another.
#pragma once

#include "runner/channel.h"

namespace tw {

// Returns whether the process must go after the answer.
bool run_program(void* program, const TwRunRequest& header, MessageReader& request, MessageWriter& answer);

}  // namespace tw
