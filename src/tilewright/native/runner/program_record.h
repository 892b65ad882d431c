// SPDX-License-Identifier: Apache-2.0
// The record of a program's last run in the words of a message.
#pragma once

#include "engine/program.h"
#include "runner/channel.h"

namespace tw {

// Where each kernel stands; of a compute kernel whose threads are split, each thread. Returns how many were put.
uint64_t put_instances(const Program& program, MessageWriter& message);
uint64_t put_circular_buffers(Program& program, MessageWriter& message);
// A RanAnswer and all that it counts.
void put_record(Program& program, RunStatus status, MessageWriter& answer);

}  // namespace tw
