// SPDX-License-Identifier: Apache-2.0
// With an owner who debugs a run: what a stopped kernel and the program look like, and how to go on.
#pragma once

#include <memory>

#include "engine/debug/debugger.h"
#include "runner/channel.h"

namespace tw {

// Whom to ask, from the runner's start on.
void use_debug_channel(Channel& channel);
// The debugger of a run whose request asks for one; else none.
std::unique_ptr<Debugger> debugger_of(void* program, const TwRunRequest& header, MessageReader& request);

}  // namespace tw
