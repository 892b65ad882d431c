// SPDX-License-Identifier: Apache-2.0
// Named numbers that the server sends: constants and field offsets of tt-metal's command structures, and the defines that
// a dispatch kernel was compiled with. Every command looks up several of them, so names are hashed by the compiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace card {

constexpr uint64_t hash_of(std::string_view name) {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char letter : name) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    }
    return hash;
}

struct NumberName {
    // NOLINTNEXTLINE(google-explicit-constructor): a literal is a name.
    consteval NumberName(const char* name) : text(name), hash(hash_of(name)) {}

    const char* text;
    uint64_t hash;
};

class Numbers {
public:
    void set(const std::string& name, uint64_t value) { values_[hash_of(name)] = value; }
    // Throws, naming the number, if the release of tt-metal does not define it.
    uint64_t at(NumberName name) const;
    bool has(NumberName name) const { return values_.contains(name.hash); }
    uint32_t word(NumberName name) const { return static_cast<uint32_t>(at(name)); }

private:
    std::unordered_map<uint64_t, uint64_t> values_;
};

}  // namespace card
