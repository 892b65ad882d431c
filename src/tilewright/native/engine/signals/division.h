// SPDX-License-Identifier: Apache-2.0
// Integer division as a card's processors do it.
#pragma once

namespace tw {

// A signal handler's answer to a division that the host's processor refused: when the interrupted instruction is an
// integer division, its result becomes what RISC-V gives and the kernel goes on behind it.
bool divide_as_on_a_card(void* signal_context);

}  // namespace tw
