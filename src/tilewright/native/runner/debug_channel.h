// SPDX-License-Identifier: Apache-2.0
// The debug channel: reports a stopped kernel and the program's state to the owner, and receives how to continue.
#pragma once

#include <memory>

#include "engine/debug/debugger.h"
#include "runner/channel.h"

namespace tw {

// Sets the channel, at the runner's start.
void use_debug_channel(Channel& channel);
// The debugger of a run whose request contains one; else null.
std::unique_ptr<Debugger> debugger_of(Program& program, const wire::RunRequest& header, MessageReader& request);

}  // namespace tw
