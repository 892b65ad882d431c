// SPDX-License-Identifier: Apache-2.0
// Findings about marked values that reach a tensor, with their origin.
#include <cstdio>

#include "abi/noc.h"
#include "check/checks.h"
#include "check/memory/memory_names.h"
#include "check/values/values.h"
#include "run/scheduler.h"

namespace tw {

namespace {

bool bit_at(const uint8_t* bits, uint64_t index) { return bits != nullptr && (bits[index / 8] >> (index % 8) & 1); }

const Core* core_at(const Program& program, const uint8_t* address) {
    const std::vector<Core>& cores = program.chip.cores();
    const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - cores.front().l1_base;
    return offset / kL1SlotBytes < cores.size() ? &cores[offset / kL1SlotBytes] : nullptr;
}

uint32_t cb_at(const Core& core, const uint8_t* address) {
    return circular_buffer_at(core, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address)));
}

uint32_t datum_bytes_of(const HostMemory& memory) {
    const uint64_t bytes = memory.page_bytes / kTileElements;
    return memory.page_bytes % kTileElements == 0 && (bytes == 1 || bytes == 2 || bytes == 4)
               ? static_cast<uint32_t>(bytes)
               : 0;
}

// "columns 10 to 31 of tile 0" by the tensor's shape; "elements of tile 0" if that is not known.
std::string padding_place(const HostMemory& memory, uint64_t page) {
    const uint32_t width = datum_bytes_of(memory);
    char text[96];
    if (memory.layout != HostLayout::Tile || width == 0 || memory.outside == nullptr) {
        std::snprintf(
            text,
            sizeof text,
            "elements of %s %llu",
            memory.layout == HostLayout::Tile ? "tile" : "page",
            static_cast<unsigned long long>(page));
        return text;
    }
    const auto outside = [&](uint32_t row, uint32_t column) {
        const uint32_t datum = ((row >> 4) * 2 + (column >> 4)) * kFaceElements + (row & 15) * 16 + (column & 15);
        return bit_at(memory.outside, page * memory.page_bytes + datum * width);
    };
    uint32_t row = 0, column = 0;
    while (row < 32 && !outside(row, 0)) {
        row++;
    }
    while (column < 32 && !outside(0, column)) {
        column++;
    }
    const bool columns = column < 32;
    std::snprintf(
        text,
        sizeof text,
        "%s %u to 31 of tile %llu",
        columns ? "columns" : "rows",
        columns ? column : row,
        static_cast<unsigned long long>(page));
    return text;
}

std::string origin_text(const Program& program, uint32_t kind, const Origin& origin) {
    char text[256];
    switch (origin.kind) {
        case Origin::Kind::Tensor: {
            const HostMemory& memory = program.host_memory[origin.index];
            if (kind == 1) {
                const std::string place = padding_place(memory, origin.page);
                std::snprintf(text, sizeof text, "%s of tensor %u, which are padding", place.c_str(), origin.index);
            } else {
                std::snprintf(
                    text,
                    sizeof text,
                    "%s %llu of tensor %u, which is not all written",
                    memory.layout == HostLayout::Tile ? "tile" : "page",
                    static_cast<unsigned long long>(origin.page),
                    origin.index);
            }
            return text;
        }
        case Origin::Kind::CircularBuffer:
            std::snprintf(text, sizeof text, kind == 1 ? "padding in c_%u" : "unwritten bytes of c_%u", origin.index);
            return text;
        case Origin::Kind::Reduction: {
            const auto axis = static_cast<ReduceAxis>(origin.axis);
            const char* result = axis == ReduceAxis::Row   ? "column 0"
                                 : axis == ReduceAxis::Col ? "row 0"
                                                           : "element [0, 0]";
            if (origin.index == kNoCb) {
                std::snprintf(text, sizeof text, "a reduction in DST, whose result is only %s", result);
            } else {
                std::snprintf(
                    text, sizeof text, "c_%u, where a reduction left its result only in %s", origin.index, result);
            }
            return text;
        }
        case Origin::Kind::None: break;
    }
    return kind == 0 ? "unwritten memory" : kind == 1 ? "padding" : "what lies beside the result of a reduction";
}

// "row 3, column 0 of tile 2" or "byte 12 of page 5"; elements are named only if each has whole bytes.
std::string place_text(const TensorPlace& place, uint32_t datum_bytes) {
    char text[128];
    if (place.memory->layout != HostLayout::Tile || datum_bytes == 0) {
        std::snprintf(
            text,
            sizeof text,
            "byte %llu of page %llu",
            static_cast<unsigned long long>(place.offset),
            static_cast<unsigned long long>(place.page));
        return text;
    }
    const uint64_t datum = place.offset / datum_bytes;
    const uint64_t face = datum / kFaceElements % 4, in_face = datum % kFaceElements;
    std::snprintf(
        text,
        sizeof text,
        "row %llu, column %llu of tile %llu",
        static_cast<unsigned long long>(face / 2 * 16 + in_face / 16),
        static_cast<unsigned long long>(face % 2 * 16 + in_face % 16),
        static_cast<unsigned long long>(place.page));
    return text;
}

constexpr Rule kRules[kTaintKinds] = {Rule::ValueUninitialised, Rule::ValuePadding, Rule::BroadcastRegion};

void note_value(
    KernelInstance& instance,
    uint32_t kind,
    const TensorPlace& place,
    const uint8_t* to,
    uint32_t cb,
    const Origins& origins) {
    const Program& program = instance.scheduler->program;
    const uint32_t buffer = cb == kNoCb ? kNoCircularBuffer : cb;
    const std::string text = "tensor " + std::to_string(place.tensor) + ", " +
                             place_text(place, datum_bytes_of(*place.memory)) + " takes in " +
                             origin_text(program, kind, origins.of[kind]);
    const Origin& origin = origins.of[kind];
    const CallPlace* taken_in = origin.taken_in != nullptr ? origin.taken_in : origin.read_by;
    if (taken_in == nullptr) {
        const char* rest = kRules[kind] == Rule::BroadcastRegion ? "; no broadcast has read it" : "";
        note_finding(instance, kRules[kind], buffer, reinterpret_cast<uintptr_t>(to), "%s%s", text.c_str(), rest);
        return;
    }
    // The finding is made where the value came in, because the cure belongs there.
    instance.checks->findings.add(
        *taken_in->instance,
        kRules[kind],
        kNoCircularBuffer,
        0,
        taken_in->frames,
        taken_in->num_frames,
        text,
        call_place(instance));
}

}  // namespace

void check_tensor_bytes(
    KernelInstance& instance,
    const uint8_t* to,
    uint32_t bytes,
    uint64_t unwritten,
    uint64_t padding,
    uint64_t beside,
    uint32_t cb,
    const Origins& origins) {
    const TensorPlace place = instance.checks->tensors.find(to);
    if (place.memory == nullptr) {
        return;
    }
    bool noted[kTaintKinds] = {};
    const uint64_t marks[kTaintKinds] = {unwritten, padding, beside};
    for (uint32_t byte = 0; byte < bytes; byte++) {
        const uint64_t in_page = place.offset + byte;
        if (in_page >= place.memory->page_bytes ||
            bit_at(place.memory->outside, place.page * place.memory->page_bytes + in_page)) {
            continue;
        }
        for (uint32_t kind = 0; kind < kTaintKinds; kind++) {
            if ((marks[kind] >> byte & 1) && !noted[kind]) {
                noted[kind] = true;
                note_value(instance, kind, {place.memory, place.tensor, place.page, in_page}, to + byte, cb, origins);
            }
        }
    }
}

Origins origins_of_cb(KernelInstance& instance, uint32_t cb, const uint8_t* bytes) {
    ValueChecks& values = instance.checks->values;
    Origins origins = values.origins[{instance.core->l1_base, cb}];
    for (uint32_t kind = 0; kind < 2; kind++) {
        if (origins.of[kind].kind == Origin::Kind::None) {
            const TensorPlace place = instance.checks->tensors.find(bytes);
            origins.of[kind] = place.memory != nullptr ? Origin{Origin::Kind::Tensor, 0, place.tensor, place.page}
                                                       : Origin{Origin::Kind::CircularBuffer, 0, cb, 0};
        }
    }
    return origins;
}

void remember_origins(KernelInstance& instance, uint32_t cb, const Origins& origins, uint8_t kinds) {
    for (uint32_t kind = 0; kind < kTaintKinds; kind++) {
        if (kinds >> kind & 1) {
            instance.checks->values.origins[{instance.core->l1_base, cb}].of[kind] = origins.of[kind];
        }
    }
}

void taint_defined(KernelInstance& instance, const void* memory, uint64_t bytes) {
    instance.checks->memory.define(memory, bytes);
    instance.checks->values.beside.define(memory, bytes);
}

// Origins of a transfer's marks: the tensor it reads, or those of the source's circular buffer.
static Origins origins_at(KernelInstance& instance, const uint8_t* from) {
    const Program& program = instance.scheduler->program;
    Origins origins;
    const TensorPlace place = instance.checks->tensors.find(from);
    if (place.memory != nullptr) {
        origins.of[0] = origins.of[1] = {Origin::Kind::Tensor, 0, place.tensor, place.page};
        return origins;
    }
    const Core* core = core_at(program, from);
    const uint32_t cb = core != nullptr ? cb_at(*core, from) : kNoCb;
    if (cb == kNoCb) {
        return origins;
    }
    origins = instance.checks->values.origins[{core->l1_base, cb}];
    for (uint32_t kind = 0; kind < 2; kind++) {
        if (origins.of[kind].kind == Origin::Kind::None) {
            origins.of[kind] = {Origin::Kind::CircularBuffer, 0, cb, 0};
        }
    }
    return origins;
}

// In DRAM outside the tensors that the checker knows (as for most results of the real ttnn), it is not known which
// bytes matter; but some of a transfer do.
static void check_unknown_dram(
    KernelInstance& instance, const uint8_t* to, const uint8_t* from, uint64_t bytes, const Core* source, uint32_t cb) {
    const Checks& checks = *instance.checks;
    const bool is_known =
        core_at(instance.scheduler->program, to) != nullptr || checks.tensors.find(to).memory != nullptr;
    if (is_known || cb == kNoCb || !checks.memory.all_undefined(from, bytes) ||
        checks.memory.any_padding(from, bytes)) {
        return;
    }
    const auto address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from));
    const std::string place = l1_place_name(*source, address);
    const CallPlace* push = checks.cb_access.last_push(*source, cb);
    if (push == nullptr) {
        const char* text = "writes %llu unwritten bytes of %s to DRAM";
        note_finding(instance, kRules[0], cb, address, text, static_cast<unsigned long long>(bytes), place.c_str());
        return;
    }
    // The page should have been filled before it was pushed.
    const std::string text = "pushes " + place + ", but none of the " + std::to_string(bytes) + " bytes of it that " +
                             instance.kernel->name + " writes to DRAM has been written";
    instance.checks->findings.add(
        *push->instance, kRules[0], cb, address, push->frames, push->num_frames, text, call_place(instance));
}

void taint_noc_copy(KernelInstance& instance, const uint8_t* to, const uint8_t* from, uint64_t bytes, bool is_read) {
    Checks& checks = *instance.checks;
    checks.values.beside.copy(to, from, bytes);
    if (!checks.memory.any_undefined(from, bytes) && !checks.values.beside.any_undefined(from, bytes)) {
        return;
    }
    const Origins origins = origins_at(instance, from);
    const Core* source = core_at(instance.scheduler->program, from);
    const uint32_t source_cb = source != nullptr ? cb_at(*source, from) : kNoCb;
    if (!is_read) {
        check_unknown_dram(instance, to, from, bytes, source, source_cb);
    }
    uint8_t kinds = 0;
    for (uint64_t done = 0; done < bytes; done += 64) {
        const auto part = static_cast<uint32_t>(bytes - done < 64 ? bytes - done : 64);
        const uint64_t undefined = checks.memory.undefined_bits(from + done, part);
        const uint64_t padding = checks.memory.padding_bits(from + done, part) & undefined;
        const uint64_t beside = checks.values.beside.undefined_bits(from + done, part);
        kinds |= static_cast<uint8_t>(
            ((undefined & ~padding) ? kUnwritten : 0) | (padding ? kPadding : 0) | (beside ? kBeside : 0));
        if (!is_read && (undefined | beside) != 0) {
            check_tensor_bytes(instance, to + done, part, undefined & ~padding, padding, beside, source_cb, origins);
        }
    }
    const Core* target = core_at(instance.scheduler->program, to);
    const uint32_t target_cb = target != nullptr ? cb_at(*target, to) : kNoCb;
    if (target_cb != kNoCb) {
        Origins& known = checks.values.origins[{target->l1_base, target_cb}];
        for (uint32_t kind = 0; kind < kTaintKinds; kind++) {
            if (kinds >> kind & 1) {
                known.of[kind] = origins.of[kind];
            }
        }
    }
}

}  // namespace tw
