// SPDX-License-Identifier: Apache-2.0
#include "tw_host/asserts.hpp"

namespace tt::host_detail {

void raise(
    const char* file, int line, const char* kind, const char* condition, bool with_info, const std::string& info) {
    std::string text = std::string(kind) + " @ " + file + ":" + std::to_string(line) + ": " + condition + "\n";
    if (with_info) {
        text += "info:\n" + info + "\n";
    }
    throw std::runtime_error(text);
}

}  // namespace tt::host_detail
