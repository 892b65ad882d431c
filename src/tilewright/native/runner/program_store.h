// SPDX-License-Identifier: Apache-2.0
// Loaded programs, by the number their owner gave them, and the kernels' libraries.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runner/channel.h"

namespace tw {

class ProgramStore {
public:
    ProgramStore(void* chip, TwPrintFunction print) : chip_(chip), print_(print) {}

    // Loads the programs of a kLoad and writes the answer. Throws std::runtime_error if a library cannot be loaded.
    void load(MessageReader& request, MessageWriter& answer);
    void* program(uint64_t number) const;

private:
    struct Library {
        void* entry = nullptr;
        uint64_t base = 0;
        std::vector<uint8_t> initial_statics;
    };
    Library& library(const std::string& path, const TwKernelCode& offsets);
    TwKernelCode load_library(MessageReader& request, std::vector<uint64_t>& bases);
    void load_kernel(void* program, uint32_t index, MessageReader& request, std::vector<uint64_t>& bases);

    void* chip_;
    TwPrintFunction print_;
    std::unordered_map<uint64_t, void*> programs_;
    std::unordered_map<std::string, Library> libraries_;
};

}  // namespace tw
