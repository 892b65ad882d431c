// SPDX-License-Identifier: Apache-2.0
// Which processor the runner runs on.
//
// While a program runs its owner waits. A small run is over before another processor has woken up, so it is best done
// where the owner waits, with what both use still in that processor's cache. A long one goes wherever the system likes,
// and may use all of them.
#pragma once

namespace tw {

// Goes to the owner's processor, or leaves the choice to the system; nothing happens where it is that way already.
void run_beside_owner(bool is_small);

}  // namespace tw
