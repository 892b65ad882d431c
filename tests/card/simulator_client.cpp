// SPDX-License-Identifier: Apache-2.0
// A host program without Python: loads the card's library and does what it reads on stdin, through window 0 as tt-metal
// does. Lines are
//   write X Y ADDRESS HEX        bytes to one node
//   multicast X Y X Y ADDRESS HEX
//   read X Y ADDRESS COUNT       prints the bytes
// An error of the library is printed as `error: text`.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

template <typename Function>
Function* function(void* library, const char* name) {
    void* found = dlsym(library, name);
    if (found == nullptr) {
        std::fprintf(stderr, "no %s\n", name);
        std::exit(2);
    }
    return reinterpret_cast<Function*>(found);
}

int main(int count, char** values) {
    void* library = count == 2 ? dlopen(values[1], RTLD_NOW) : nullptr;
    if (library == nullptr) {
        std::fprintf(stderr, "cannot load the library: %s\n", dlerror());
        return 2;
    }
    auto* config = function<uint32_t(uint32_t, uint32_t)>(library, "libttsim_pci_config_rd32");
    auto* write = function<void(uint64_t, const void*, uint32_t)>(library, "libttsim_pci_mem_wr_bytes");
    auto* read = function<void(uint64_t, void*, uint32_t)>(library, "libttsim_pci_mem_rd_bytes");
    try {
        function<void()>(library, "libttsim_init")();
    } catch (const std::exception& error) {
        std::printf("error: %s\n", error.what());
        return 1;
    }
    const uint64_t bar = (config(0, 0x10) & ~15ull) | static_cast<uint64_t>(config(0, 0x14)) << 32;
    std::printf("pci %08x %08x\n", config(0, 0), config(1, 0));
    constexpr uint64_t kWindow = 1 << 20;
    // Window 0 of Wormhole: 1 MiB at the start of the BAR; its register is the first.
    auto point = [&](uint64_t x0, uint64_t y0, uint64_t x1, uint64_t y1, uint64_t address, uint64_t multicast) {
        const uint64_t value = address / kWindow | x1 << 16 | y1 << 22 | x0 << 28 | y0 << 34 | multicast << 41;
        write(bar + 0x1fc00000, &value, sizeof(value));
        return bar + address % kWindow;
    };
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string verb, hex;
        uint64_t x0 = 0, y0 = 0, x1 = 0, y1 = 0, address = 0, bytes = 0;
        words >> verb >> x0 >> y0;
        x1 = x0, y1 = y0;
        if (verb == "multicast") {
            words >> x1 >> y1;
        }
        words >> address;
        try {
            const uint64_t at = point(x0, y0, x1, y1, address, verb == "multicast");
            if (verb == "read") {
                words >> bytes;
                std::vector<uint8_t> data(bytes);
                read(at, data.data(), static_cast<uint32_t>(bytes));
                for (const uint8_t byte : data) {
                    std::printf("%02x", byte);
                }
                std::printf("\n");
            } else {
                words >> hex;
                std::vector<uint8_t> data;
                for (size_t digit = 0; digit + 1 < hex.size(); digit += 2) {
                    data.push_back(static_cast<uint8_t>(std::stoul(hex.substr(digit, 2), nullptr, 16)));
                }
                write(at, data.data(), static_cast<uint32_t>(data.size()));
            }
        } catch (const std::exception& error) {
            std::printf("error: %s\n", error.what());
        }
    }
    function<void()>(library, "libttsim_exit")();
}
