// SPDX-License-Identifier: Apache-2.0
// Integer division with the results of a card's processors.
#pragma once

namespace tw {

// For a signal handler: if the interrupted instruction is an integer division that the host's processor refused, sets
// the result that RISC-V defines and continues behind it. False otherwise.
bool divide_as_on_a_card(void* signal_context);

}  // namespace tw
