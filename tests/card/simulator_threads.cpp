// SPDX-License-Identifier: Apache-2.0
// A host program whose threads use the card's library while one of them opens and closes it: every call works or
// raises. Arguments: the library, and how often it is opened.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
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
    void* library = count == 3 ? dlopen(values[1], RTLD_NOW) : nullptr;
    if (library == nullptr) {
        std::fprintf(stderr, "cannot load the library: %s\n", dlerror());
        return 2;
    }
    auto* init = function<void()>(library, "libttsim_init");
    auto* exit_card = function<void()>(library, "libttsim_exit");
    auto* write = function<void(uint32_t, uint32_t, uint64_t, const void*, uint32_t)>(library, "libttsim_tile_wr_bytes");
    auto* read = function<void(uint32_t, uint32_t, uint64_t, void*, uint32_t)>(library, "libttsim_tile_rd_bytes");
    std::atomic<bool> ended{false};
    std::atomic<uint64_t> worked{0}, raised{0}, wrong{0};
    const auto use = [&](uint64_t address) {
        std::vector<uint8_t> data(4096, static_cast<uint8_t>(address >> 12)), got(4096);
        while (!ended) {
            try {
                write(18, 18, address, data.data(), 4096);
                worked++;
                read(18, 18, address, got.data(), 4096);
                wrong += got[0] != data[0] && got[0] != 0;  // 0: of a card that was opened in between
            } catch (const std::runtime_error& error) {
                raised++;
                wrong += std::string(error.what()).find("before it was initialised") == std::string::npos;
            }
        }
    };
    std::vector<std::thread> threads;
    for (uint64_t number = 0; number < 3; number++) {
        threads.emplace_back(use, 0x40000 + number * 0x1000);
    }
    for (int round = 0; round < std::atoi(values[2]); round++) {
        init();
        const uint64_t before = worked;
        while (worked < before + 100) {
            std::this_thread::yield();
        }
        exit_card();
    }
    ended = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::printf("worked %d raised %d wrong %d\n", worked > 0, raised > 0, wrong > 0);
}
