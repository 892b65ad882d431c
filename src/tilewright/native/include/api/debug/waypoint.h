// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks where a card is when it hangs; the simulator knows the source line.
#define WAYPOINT(x)
