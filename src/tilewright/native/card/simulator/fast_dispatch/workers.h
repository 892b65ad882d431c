// SPDX-License-Identifier: Apache-2.0
// Worker firmware under fast dispatch. Each worker has a ring of launch messages and a read pointer into it. A GO that
// the dispatcher multicasts starts the message under the pointer on every worker that listens to this go word; the
// workers with kernels form the program. Afterwards each worker clears its message, advances its pointer and counts one
// completion on the dispatch core that its go word names.
//
// An error of a program leaves the call that posts its commands after the host has counted the workers to wait for, and
// before it has moved on in the ring. So a worker keeps its pointer after a failed launch. In a trace it goes on, because
// the programs after it have their places in the ring; so it does with several cards, whose programs run later.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "card/simulator/memory.h"
#include "noc_place.h"
#include "numbers.h"
#include "wire/card.h"

namespace card {

// An error of a launch; `launch` is the number of the device operation, which its message carries.
class LaunchError : public std::runtime_error {
public:
    LaunchError(const std::string& text, uint32_t launch, bool in_trace) :
        std::runtime_error(text), launch(launch), in_trace(in_trace) {}

    uint32_t launch;
    bool in_trace;
};

// Where commands come from: the place of their batch in the order of all batches, and whether they are a trace's.
struct Origin {
    uint64_t order = 0;
    bool in_trace = false;
};

// The program of workers that were told to go. Their launch messages carry the number of the device operation. On a mesh
// cards without a program are told to go, too: it then has no cores.
struct WorkerLaunch {
    std::vector<LaunchedCore> cores;
    uint32_t number;
    Origin origin;
    // Has the workers leave their launch messages, and move on in the ring; the program may still run.
    std::function<void(bool advances)> leave;
    // Counts their completions.
    std::function<void()> complete;

    void finish(bool advances) const {
        leave(advances);
        complete();
    }
};

class Workers {
public:
    // Runs the program and finishes its launch, now or later.
    using Run = std::function<void(WorkerLaunch)>;

    using Finish = std::function<void()>;

    // Waits for the program that was posted first (launches.h) and has its workers complete; false: there is none.
    // Throws its error.
    using Collect = std::function<bool()>;

    Workers(Memory& memory, const Numbers& numbers, Run run, Finish finish);

    // Runs programs that wait for others, before the host learns of anything that follows them.
    void finish() { finish_(); }

    // Writes go word number `index` of every worker in a rectangle and does what firmware does with it.
    void send_go(const NocRectangle& rectangle, uint32_t index, uint32_t word, const Origin& origin);
    // Completions counted on one dispatch core are counted on another, too.
    void count_also_on(NocPlace dispatch_core, NocPlace other) { also_[key_of(dispatch_core)] = key_of(other); }
    uint32_t completions(NocPlace dispatch_core, uint32_t stream) const;
    // The same when every program that workers have left is complete.
    uint32_t expected_completions(NocPlace dispatch_core, uint32_t stream) const;
    void clear_completions(NocPlace dispatch_core, uint32_t stream);
    void clear_completions(NocPlace dispatch_core);

private:
    static uint32_t key_of(NocPlace core) { return core.x | core.y << 8u; }
    bool listens_to(NocPlace worker, uint32_t index);
    bool take_launch(NocPlace worker, std::vector<LaunchedCore>& launched);
    void reset_pointer(NocPlace worker);
    void leave_launch(NocPlace worker, bool advances);
    uint32_t read_word(NocPlace worker, uint64_t address);
    // By dispatch core and stream.
    using Counts = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;
    void add(Counts& counts, uint32_t go_word, uint32_t number);
    void count_completion(uint32_t go_word) { add(completions_, go_word, 1); }

    Memory& memory_;
    Run run_;
    Finish finish_;
    uint64_t go_words_, go_index_, read_pointer_, launch_, launch_bytes_, num_launches_;
    uint64_t mode_, enables_, preload_, enables_bytes_, host_id_;
    uint32_t mode_device_;
    uint8_t go_, done_, reset_, replay_;
    Counts completions_;
    Counts left_;  // launches whose programs may still run
    std::map<uint32_t, uint32_t> also_;  // dispatch cores
};

}  // namespace card
