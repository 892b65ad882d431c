// SPDX-License-Identifier: Apache-2.0
// Programs the runner has loaded, by the number their owner gave them, and the kernels' libraries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/program.h"
#include "runner/channel.h"

namespace tw {

class ProgramStore {
public:
    ProgramStore(Chip& chip, PrintFunction print) : chip_(chip), print_(print) {}

    // Loads the program of a LOAD and writes the answer; a library that cannot be loaded is a std::runtime_error.
    void load(MessageReader& request, MessageWriter& answer);
    Program& program(uint64_t number) const;

private:
    struct Library {
        void (*entry)() = nullptr;
        uint64_t base = 0;
        std::vector<uint8_t> initial_statics;
    };
    Library& library(const std::string& path, const wire::LibraryMessage& offsets);
    KernelCode load_library(MessageReader& request, std::vector<uint64_t>& bases);
    void load_kernel(Program& program, MessageReader& request, std::vector<uint64_t>& bases);

    Chip& chip_;
    PrintFunction print_;
    std::unordered_map<uint64_t, std::unique_ptr<Program>> programs_;
    std::unordered_map<std::string, Library> libraries_;
};

}  // namespace tw
