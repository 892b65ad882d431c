// SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <stdexcept>

namespace card {

uint64_t Numbers::at(NumberName name) const {
    const auto found = values_.find(name.hash);
    if (found == values_.end()) {
        throw std::runtime_error(
            std::string(
                "tilewright: fast dispatch of this release of tt-metal is not understood: it does not define ") +
            name.text + "; use --dispatch slow");
    }
    return found->second;
}

}  // namespace card
