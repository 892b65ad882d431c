// SPDX-License-Identifier: Apache-2.0
// Replay: a record of calls, timed by a model of the card.
#pragma once

#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "machine.h"
#include "steps.h"

namespace tw::replay {

inline constexpr uint32_t kBuffers = 64;
inline constexpr uint32_t kTransactionIds = 16;
inline constexpr double kNever = std::numeric_limits<double>::infinity();

// Total number of pages at a time.
struct Mark {
    uint64_t total;
    double time;
};

// Pages pushed to a circular buffer, or popped; finds when a total was reached.
class PageCount {
public:
    void add(uint32_t pages, double time) {
        total_ += pages;
        marks_.push_back({total_, time});
    }
    uint64_t total() const { return total_; }
    // Null: not reached yet.
    const Mark* reached(uint64_t total);

private:
    uint64_t total_ = 0;
    std::vector<Mark> marks_;
    size_t at_ = 0;
};

struct CircularBuffer {
    uint32_t pages = 0;
    PageCount in, out;
};

// Times of the last few events of a sequence, by their number.
class LastTimes {
public:
    void add(double time) { times_[count_++ % kKept] = time; }
    uint64_t count() const { return count_; }
    double at(uint64_t number) const { return times_[number % kKept]; }

private:
    static constexpr uint64_t kKept = 8;
    uint64_t count_ = 0;
    double times_[kKept] = {};
};

struct SemaphoreChange {
    double time;
    uint32_t value;
    bool is_increment;
};

struct Semaphore {
    uint32_t address = 0, value = 0;
    std::vector<SemaphoreChange> coming;  // by time
};

// When a processor of a core continues, as a copy: most of them are not due when the core is looked at.
struct Turn {
    double time;  // kNever: it has ended
    uint32_t lane;
};

struct CoreState {
    uint32_t x = 0, y = 0, number = 0;
    CircularBuffer cb[kBuffers];
    BufferShape shapes[kBuffers];
    std::deque<Semaphore> semaphores;
    LastTimes unpack_begin, unpack_end, math_end;  // of Src banks
    LastTimes committed, released;                 // halves of DST
    uint64_t acquired = 0;
    uint32_t dst_halves = 2;
    std::vector<Turn> turns;  // of its processors
    double next_time = 0;  // nothing happens before

    Semaphore& semaphore(uint32_t address);
};

struct WaitSum {
    WaitFor what;
    uint32_t cb, times;
    double cycles;
};

// When the transfers of each transaction id have arrived, left, been acknowledged; per NoC.
struct TaggedTimes {
    using OfNoc = double[2][kTransactionIds];
    OfNoc reads = {}, sent = {}, acknowledged = {};
};

struct Lane {
    const Step *next = nullptr, *end = nullptr;
    uint32_t core = 0, kernel = 0, processor = 0;
    double time = 0, begin = 0, busy = 0;
    // When all transfers issued so far have arrived, left, been acknowledged; per NoC. The second: at the last barrier.
    double reads[2][2] = {}, sent[2][2] = {}, acknowledged[2][2] = {};
    std::unique_ptr<TaggedTimes> tagged;  // from the first transfer with an id on
    std::vector<WaitSum> waits;  // a few different ones

    bool is_done() const { return next == end; }
    TaggedTimes& tagged_times() {
        if (!tagged) {
            tagged = std::make_unique<TaggedTimes>();
        }
        return *tagged;
    }
};

class Replay {
public:
    explicit Replay(const ReplayInput& input);
    void run();

    ReplayTotals totals() const;
    const std::vector<ReplayLane>& lanes() const { return lane_reports_; }
    const std::vector<ReplayWait>& waits() const { return wait_reports_; }
    const std::vector<ReplayEvent>& events() const { return events_; }

private:
    void load();
    void load_cores();
    bool advance(CoreState& core, double horizon);
    bool advance(CoreState& core, Lane& lane, double horizon);
    bool take(CoreState& core, Lane& lane, const Step& step);
    bool take_unpack(CoreState& core, Lane& lane, const Step& step);
    bool take_math(CoreState& core, Lane& lane, const Step& step);
    void take_transfer(Lane& lane, const Step& step);
    void take_barrier(Lane& lane, const Step& step);
    void wait_for_all(Lane& lane, const Step& step);
    void wait_for_tagged(Lane& lane, const Step& step);
    bool take_semaphore(Lane& lane, const Step& step);
    void change_semaphore(uint32_t core, uint64_t address, SemaphoreChange change);
    void force();
    void work(Lane& lane, const Step& step);
    void spend(Lane& lane, const Step& step, double cycles);
    void keep_event(const Lane&, EventKind, double begin, double end, uint32_t amount, uint32_t what, uint32_t cb);
    void keep(const Lane& lane, EventKind kind, double begin, double end, uint32_t amount, uint32_t what, uint32_t cb);
    void wait_until(Lane& lane, double time, WaitFor what, uint32_t cb, double poll);
    void report();

    const ReplayInput& input_;
    const Constants& k_;
    Machine machine_;
    std::vector<std::unique_ptr<CoreState>> cores_;
    std::vector<Lane> lanes_;
    std::deque<Steps> programs_;
    std::vector<ReplayLane> lane_reports_;
    std::vector<ReplayWait> wait_reports_;
    std::vector<ReplayEvent> events_;
    Counts counts_;
    uint64_t num_steps_ = 0, num_unfinished_ = 0, forced_ = 0;
};

}  // namespace tw::replay
