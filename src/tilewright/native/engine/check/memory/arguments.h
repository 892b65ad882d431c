// SPDX-License-Identifier: Apache-2.0
// Which arguments of a program its kernels read. Arguments that a kernel reads on no core are reported at the end, those
// that a card's host did not write where they are read.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tw {

class Findings;
struct Kernel;
struct KernelInstance;
class Program;

class ArgumentReads {
public:
    // A load of the running kernel from its core's L1.
    void load(KernelInstance& instance, uint32_t address, uint32_t bytes);
    // After a run without an error.
    void note_unread(const Program& program, Findings& findings) const;

private:
    struct Reads {
        std::vector<bool> runtime, common;  // by index, read on any core
    };

    std::unordered_map<const Kernel*, Reads> reads_;
};

}  // namespace tw
