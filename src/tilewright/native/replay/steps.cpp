// SPDX-License-Identifier: Apache-2.0
// A call of a data-movement kernel is a step of its processor. A call of a compute kernel is compiled for three
// processors, and each gets its own part. Waits for a circular buffer's pages and pops belong to unpack, reservations
// and pushes to pack; a tile operation is an unpack into a Src bank and the math on it; DST goes from math to pack. The
// cost of each part is a constant of the model (constants.inl).
#include "steps.h"

#include <algorithm>
#include <bit>

#include "abi/noc.h"
#include "abi/record.h"
#include "abi/sfpu.h"
#include "abi/tile.h"
#include "wire/record.h"

namespace tw::replay {

namespace {

enum class Width { BlockFloat, Sixteen, ThirtyTwo };

// DataFormat values, as tt-metal numbers them.
Width width_of(uint32_t format) {
    switch (format) {
        case 2:
        case 3:
        case 6:
        case 7:
        case 11:
        case 15: return Width::BlockFloat;
        case 0:
        case 4:
        case 8:
        case 24: return Width::ThirtyTwo;
        default: return Width::Sixteen;
    }
}

uint32_t faces_of(uint32_t mode) {
    switch (static_cast<SfpuFaces>(mode)) {
        case SfpuFaces::All: return 4;
        case SfpuFaces::Row:
        case SfpuFaces::Column: return 2;
        default: return 1;
    }
}

struct Fields {
    RecordedCall call;
    uint32_t a, b, c;
    explicit Fields(const wire::RecordEntry& entry) :
        call(static_cast<RecordedCall>(entry.call)), a(entry.a), b(entry.b), c(entry.c) {}
};

class Reader {
public:
    Reader(const ReplayInput& input, const ReplayKernel& kernel, const BufferShape* buffers) :
        input_(input),
        k_(*reinterpret_cast<const Constants*>(input.constants)),
        kernel_(kernel),
        buffers_(buffers),
        is_compute_(kernel.processor >= 2) {
        set_phases(kernel.fidelity);
    }

    Steps read(const uint64_t* entries, uint64_t count) {
        lane(0).reserve(count);
        for (uint64_t i = 0; i < count; i++) {
            const Fields fields(std::bit_cast<wire::RecordEntry>(entries[i]));
            call_ = static_cast<uint8_t>(fields.call);
            entry_ = static_cast<uint32_t>(std::min<uint64_t>(i, kLastEntry));
            if (has_address(fields.call)) {
                i++;
                transfer(fields, entries[i]);
            } else if (!credits(fields)) {
                is_compute_ ? compute(fields) : move(fields);
            }
        }
        return std::move(steps_);
    }

private:
    void set_phases(uint32_t phases) {
        const uint32_t most = input_.change.most_phases;
        phases_ = std::clamp(most != 0 ? std::min(phases, most) : phases, 1u, 4u);
    }

    std::vector<Step>& lane(uint32_t index) { return steps_.of[is_compute_ ? index : 0]; }

    void work(uint32_t index, double cost) {
        if (cost <= 0) {
            return;
        }
        std::vector<Step>& steps = lane(index);
        steps.push_back({.kind = StepKind::Work, .cost = static_cast<float>(cost), .call = call_, .entry = entry_});
    }
    void step(uint32_t index, StepKind kind, double cost, uint32_t cb = 0, uint32_t count = 0) {
        lane(index).push_back(
            {.kind = kind,
             .cb = static_cast<uint8_t>(cb),
             .count = count,
             .cost = static_cast<float>(cost),
             .call = call_,
             .entry = entry_});
    }
    // Math costs are scaled by the requested change.
    void math(double cost) { work(1, cost * input_.change.math_factor); }
    void tile(double unpack, double math) {
        step(0, StepKind::Unpack, unpack);
        step(1, StepKind::Math, math * input_.change.math_factor);
    }

    bool credits(const Fields& call) {
        switch (call.call) {
            case RecordedCall::CbWaitFront:
                step(0, StepKind::Wait, is_compute_ ? k_.compute_wait : k_.mover_wait, call.a, call.c);
                return true;
            case RecordedCall::CbPopFront:
                step(0, StepKind::Pop, is_compute_ ? k_.compute_pop : k_.mover_pop, call.a, call.c);
                return true;
            case RecordedCall::CbReserveBack:
                step(2, StepKind::Reserve, is_compute_ ? k_.compute_reserve : k_.mover_reserve, call.a, call.c);
                return true;
            case RecordedCall::CbPushBack:
                step(2, StepKind::Push, is_compute_ ? k_.compute_push : k_.mover_push, call.a, call.c);
                return true;
            case RecordedCall::CbPoll:
            case RecordedCall::Poll: steps_.counts.polls++; return true;
            default: return false;
        }
    }

    void transfer(const Fields& call, uint64_t address) {
        static constexpr StepKind kinds[] = {
            StepKind::Read,
            StepKind::Write,
            StepKind::Multicast,
            StepKind::WriteWord,
            StepKind::WriteWordMulticast,
            StepKind::Increment,
            StepKind::IncrementMulticast};
        StepKind kind;
        switch (call.call) {
            case RecordedCall::SemaphoreEqual: kind = StepKind::SemaphoreEqual; break;
            case RecordedCall::SemaphoreAtLeast: kind = StepKind::SemaphoreAtLeast; break;
            case RecordedCall::SemaphoreSet: kind = StepKind::SemaphoreSet; break;
            default: kind = kinds[static_cast<uint32_t>(call.call) - static_cast<uint32_t>(RecordedCall::NocRead)];
        }
        lane(0).push_back(
            {.kind = kind,
             .cb = static_cast<uint8_t>(call.a >> kRecordedTagShift),
             .noc = static_cast<uint8_t>(call.a & 1u),
             .flags = static_cast<uint8_t>(call.b & 0xf),
             .count = call.c,
             .cost = static_cast<float>(pages_cost(call)),
             .call = call_,
             .entry = entry_,
             .address = address});
        if (kind == StepKind::Read && input_.change.single_reads != 0) {
            barrier(call.a, static_cast<uint32_t>(Barrier::Read));
        }
    }

    // Cost of the page numbers from which the address of a transfer was computed.
    double pages_cost(const Fields& call) const {
        const auto pages = [&](uint32_t kind) { return call.b / kind % (kMostRecordedPages + 1); };
        return pages(kRecordedShiftedPage) * k_.page_shifted + pages(kRecordedDividedPage) * k_.page_divided;
    }

    void barrier(uint32_t noc, uint32_t kind) {
        Step step{.kind = StepKind::Barrier, .cb = static_cast<uint8_t>(kind), .noc = static_cast<uint8_t>(noc & 1u)};
        step.flags = static_cast<uint8_t>(noc >> kRecordedTagShift);
        step.cost = static_cast<float>(k_.mover_barrier);
        step.call = static_cast<uint8_t>(RecordedCall::NocBarrier);
        step.entry = entry_;
        lane(0).push_back(step);
    }

    void move(const Fields& call) {
        if (call.call == RecordedCall::NocBarrier) {
            barrier(call.a, call.b);
        } else if (call.call == RecordedCall::Blocks) {
            work(0, (call.c - std::min<double>(call.c, k_.mover_free_blocks)) * k_.mover_block);
        }
    }

    void compute(const Fields& call) {
        if (!set_up(call) && !registers(call) && !tiles(call)) {
            vector_unit(call);
        }
    }

    bool set_up(const Fields& call) {
        const auto differ = [&](uint32_t from, uint32_t to) {
            return buffers_[from & 63].format != buffers_[to & 63].format;
        };
        switch (call.call) {
            case RecordedCall::Startup:
                work(0, k_.startup_unpack), work(1, k_.startup_math), work(2, k_.startup_pack);
                return true;
            // Each of these is one half of an init; the loop of the other half is a separate call.
            case RecordedCall::BinaryInit: work(1, k_.binary_init_math); return true;
            case RecordedCall::CopyInit: work(0, k_.copy_init_unpack); return true;
            case RecordedCall::MatmulInit: work(0, k_.matmul_init_unpack); return true;
            case RecordedCall::UnpackLoop: work(0, k_.unpack_loop); return true;
            case RecordedCall::MathLoop: work(1, k_.math_loop); return true;
            case RecordedCall::PackLoop: work(2, k_.pack_loop); return true;
            case RecordedCall::PackMask: work(2, k_.pack_mask); return true;
            case RecordedCall::PackConfig: work(2, k_.pack_config); return true;
            case RecordedCall::ReconfigSrcA:
            case RecordedCall::ReconfigSrcB: reconfigure(); return true;
            case RecordedCall::ReconfigPack: work(2, k_.reconfig_pack); return true;
            case RecordedCall::ReconfigSrcAIfDifferent:
            case RecordedCall::ReconfigSrcBIfDifferent:
                if (differ(call.a, call.b)) {
                    reconfigure();
                }
                return true;
            case RecordedCall::ReconfigPackIfDifferent:
                work(2, differ(call.a, call.b) ? k_.reconfig_pack : 0);
                return true;
            case RecordedCall::SfpuInit: work(1, k_.sfpu_init); return true;
            case RecordedCall::MatmulFidelity: set_phases(call.c != 0 ? call.c : kernel_.fidelity); return true;
            default: return false;
        }
    }
    void reconfigure() { work(0, k_.reconfig_unpack), work(1, k_.reconfig_math); }

    bool registers(const Fields& call) {
        switch (call.call) {
            case RecordedCall::DstAcquire:
            case RecordedCall::DstAcquireBoth: step(1, StepKind::Acquire, k_.dst_acquire); return true;
            case RecordedCall::DstCommit: step(1, StepKind::Commit, k_.dst_commit); return true;
            case RecordedCall::DstWait: step(2, StepKind::AwaitCommit, k_.dst_wait); return true;
            case RecordedCall::DstRelease: step(2, StepKind::Release, k_.dst_release); return true;
            case RecordedCall::DstReleaseBoth:
                step(1, StepKind::Commit, k_.dst_commit);
                step(2, StepKind::AwaitCommit, 0);
                step(2, StepKind::Release, k_.dst_release);
                return true;
            default: return false;
        }
    }

    double multiply_cost() const {
        const double costs[] = {k_.multiply_math_1, k_.multiply_math_2, k_.multiply_math_3, k_.multiply_math_4};
        return costs[phases_ - 1];
    }
    double binary_cost(uint32_t op) const {
        return static_cast<BinaryOp>(op) == BinaryOp::Mul ? multiply_cost() : k_.add_math;
    }
    double reduce_cost(uint32_t pool, uint32_t axis) const {
        const double* sums[] = {&k_.reduce_row_math_1, &k_.reduce_column_math_1, &k_.reduce_scalar_math_1};
        const double largest[] = {k_.reduce_row_max_math, k_.reduce_column_max_math, k_.reduce_scalar_max_math};
        axis = std::min(axis, 2u);
        return pool >= static_cast<uint32_t>(Pool::Max) ? largest[axis] : sums[axis][phases_ - 1];
    }
    double copy_cost(uint32_t cb) const {
        const BufferShape& buffer = buffers_[cb & 63];
        switch (width_of(buffer.format)) {
            case Width::BlockFloat: return k_.copy_unpack_block_float;
            case Width::ThirtyTwo: return buffer.to_dest ? k_.copy_unpack_to_dest : k_.copy_unpack_fp32;
            default: return k_.copy_unpack;
        }
    }
    double binary_unpack_cost(uint32_t cb) const {
        switch (width_of(buffers_[cb & 63].format)) {
            case Width::BlockFloat: return k_.binary_unpack_block_float;
            case Width::ThirtyTwo: return k_.binary_unpack_fp32;
            default: return k_.binary_unpack;
        }
    }
    double matmul_unpack_cost(uint32_t cb) const {
        return width_of(buffers_[cb & 63].format) == Width::BlockFloat ? k_.matmul_unpack_block_float
                                                                       : k_.matmul_unpack;
    }
    double pack_cost(uint32_t cb) const {
        switch (width_of(buffers_[cb & 63].format)) {
            case Width::BlockFloat: return k_.pack_block_float;
            case Width::ThirtyTwo: return k_.pack_32;
            default: return k_.pack_16;
        }
    }
    void product(uint32_t a, uint32_t b, uint32_t columns, uint32_t rows, double call_cost) {
        const double tiles = static_cast<double>(columns) * rows;
        const double phase = k_.matmul_math_phase * (kernel_.fp32_dest != 0 ? k_.matmul_fp32_factor : 1.0);
        tile(
            rows * matmul_unpack_cost(a) + columns * matmul_unpack_cost(b),
            tiles * (phase * phases_ + k_.matmul_math_tile) + call_cost);
        steps_.counts.matmul_tiles += tiles;
        steps_.counts.matmul_phases += tiles * phases_;
    }
    // Tiles that go from unpack to pack without further calls, `at_once` of them in DST at a time.
    void through_dst(uint32_t tiles_in_all, uint32_t at_once, double unpack, double pack_tile, double pack_block) {
        for (uint32_t done = 0; done < tiles_in_all; done += at_once) {
            const uint32_t now = std::min(at_once, tiles_in_all - done);
            step(1, StepKind::Acquire, 0);
            for (uint32_t i = 0; i < now; i++) {
                tile(unpack, k_.copy_math);
            }
            step(1, StepKind::Commit, 0);
            step(2, StepKind::AwaitCommit, 0);
            step(2, StepKind::Pack, now * pack_tile + pack_block);
            step(2, StepKind::Release, 0);
        }
    }

    bool tiles(const Fields& call) {
        switch (call.call) {
            case RecordedCall::CopyTile: tile(copy_cost(call.a), k_.copy_math); return true;
            case RecordedCall::UnaryBroadcast: tile(copy_cost(call.a), k_.copy_math); return true;
            case RecordedCall::TransposeTile: tile(k_.transpose_unpack, k_.copy_math); return true;
            case RecordedCall::BinaryTiles:
                tile(std::max(binary_unpack_cost(call.a), binary_unpack_cost(call.c)), binary_cost(call.b));
                return true;
            case RecordedCall::BinaryReuseDest: tile(k_.reuse_unpack, binary_cost(call.b) + k_.reuse_math); return true;
            case RecordedCall::ReduceTile: {
                const uint32_t axis = call.b >> 4;
                const bool is_scalar = static_cast<ReduceAxis>(axis) == ReduceAxis::Scalar;
                tile(is_scalar ? k_.reduce_scalar_unpack : k_.reduce_unpack, reduce_cost(call.b & 15, axis));
                return true;
            }
            case RecordedCall::UnpackTilize: step(0, StepKind::Work, call.c * k_.tilize_unpack); return true;
            case RecordedCall::ReduceTileMath: tile(0, reduce_cost(call.b & 15, call.b >> 4)); return true;
            case RecordedCall::MatmulTiles: product(call.a, call.b, 1, 1, 0); return true;
            case RecordedCall::MatmulBlock:
                product(call.a, call.b, call.c & 0xffff, call.c >> 16, k_.matmul_math_call);
                return true;
            case RecordedCall::TransposeDest: math(k_.transpose_dest_math); return true;
            case RecordedCall::PackTile: step(2, StepKind::Pack, pack_cost(call.a)); return true;
            case RecordedCall::PackRows: step(2, StepKind::Pack, k_.pack_16); return true;
            case RecordedCall::TilizeBlock: through_dst(call.c, 1, k_.tilize_unpack, k_.tilize_pack, 0); return true;
            case RecordedCall::UntilizeBlock:
                through_dst(call.c, 1, k_.untilize_unpack, k_.untilize_pack, 0);
                return true;
            case RecordedCall::PackUntilizeBlock:
                for (uint32_t row = 0; row < (call.c >> 16); row++) {
                    through_dst(
                        call.c & 0xffff,
                        std::max(1u, call.c & 0xffff),
                        k_.pack_untilize_unpack,
                        k_.pack_untilize_pack_tile,
                        k_.pack_untilize_pack_block);
                }
                return true;
            case RecordedCall::PackUntilizeDest: pack_untilized(call); return true;
            default: return false;
        }
    }

    // Row by row of the tiles' faces, two of which lie side by side.
    void pack_untilized(const Fields& call) {
        const uint32_t rows = (call.b & 0xff) != 0 ? call.b & 0xff : 16, faces = call.b >> 8 != 0 ? call.b >> 8 : 4;
        const double tile = k_.pack_untilize_pack_tile * rows * faces / 64;
        const double block = k_.pack_untilize_pack_block * rows * (faces > 2 ? 2 : 1) / 32;
        step(2, StepKind::Pack, (call.c >> 16) * ((call.c & 0xffff) * tile + block));
    }

    double measured_or(double measured, double otherwise) {
        if (measured >= 0) {
            return measured;
        }
        steps_.counts.unmeasured += otherwise;
        return otherwise;
    }

    void vector_unit(const Fields& call) {
        switch (call.call) {
            case RecordedCall::SfpuUnary: {
                const double* costs = input_.sfpu_unary + 2 * static_cast<size_t>(call.b);
                const double face = kernel_.fp32_dest != 0 && costs[1] >= 0 ? costs[1] : costs[0];
                const double part = faces_of(call.a) * call.c / static_cast<double>(kSfpuVectorsPerFace);
                math(measured_or(face >= 0 ? face * part : -1, k_.sfpu_unary_default * part));
                break;
            }
            case RecordedCall::SfpuBinary: math(measured_or(input_.sfpu_binary[call.b], k_.sfpu_binary_default)); break;
            case RecordedCall::SfpuTernary:
                math(measured_or(input_.sfpu_ternary[call.b], k_.sfpu_ternary_default));
                break;
            case RecordedCall::SfpuTypecast:
                math(measured_or(
                    input_.sfpu_typecast[(call.b & 31) * 32 + (call.b >> 8 & 31)], k_.sfpu_typecast_default));
                break;
            case RecordedCall::SfpuOther: math(measured_or(-1, k_.sfpu_other_default)); break;
            default: break;
        }
    }

    const ReplayInput& input_;
    const Constants& k_;
    const ReplayKernel& kernel_;
    const BufferShape* buffers_;
    const bool is_compute_;
    uint32_t phases_ = 4;
    uint8_t call_ = 0;  // being read
    uint32_t entry_ = 0;
    Steps steps_;
};

}  // namespace

Steps steps_of(
    const ReplayInput& input,
    const ReplayKernel& kernel,
    const BufferShape* buffers,
    const uint64_t* entries,
    uint64_t num_entries) {
    return Reader(input, kernel, buffers).read(entries, num_entries);
}

bool has_address(RecordedCall call) {
    return (call >= RecordedCall::NocRead && call <= RecordedCall::NocIncrementMulticast) ||
           (call >= RecordedCall::SemaphoreEqual && call <= RecordedCall::SemaphoreSet);
}

}  // namespace tw::replay
