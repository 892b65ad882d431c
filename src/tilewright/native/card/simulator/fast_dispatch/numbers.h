// SPDX-License-Identifier: Apache-2.0
// Named numbers that the server sends: constants and field offsets of tt-metal's command structures, and the defines that
// a dispatch kernel was compiled with.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace card {

class Numbers {
public:
    void set(const std::string& name, uint64_t value) { values_[name] = value; }
    // Throws, naming the number, if the release of tt-metal does not define it.
    uint64_t at(const std::string& name) const;
    uint32_t word(const std::string& name) const { return static_cast<uint32_t>(at(name)); }

private:
    std::unordered_map<std::string, uint64_t> values_;
};

}  // namespace card
