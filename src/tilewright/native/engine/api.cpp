// SPDX-License-Identifier: Apache-2.0
#include "api.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <span>
#include <string>

#include "program.h"
#include "run/scheduler.h"
#include "run/threads.h"

using namespace tw;

static thread_local std::string t_last_error;

static std::vector<CoreXY> to_cores(const uint16_t* xy, uint64_t count) {
    std::vector<CoreXY> cores(count);
    for (uint64_t i = 0; i < count; i++) {
        cores[i] = {xy[2 * i], xy[2 * i + 1]};
    }
    return cores;
}

static uint32_t wait_have(const Core& core, const FiberStatus& fiber) {
    switch (fiber.wait_kind) {
        case WaitKind::CbWaitFront: return core.cb[fiber.wait_cb].occupied();
        case WaitKind::CbReserveBack: return core.cb[fiber.wait_cb].free_pages();
        case WaitKind::SemaphoreEqual:
        case WaitKind::SemaphoreAtLeast: return *fiber.wait_address;
        default: return 0;
    }
}

static uint32_t kernel_index(const Program& program, const Kernel* kernel) {
    for (uint32_t index = 0; index < program.kernels.size(); index++) {
        if (program.kernels[index].get() == kernel) {
            return index;
        }
    }
    return 0xffffffffu;
}

static HostMemory to_host_memory(const TwHostMemory& from) {
    HostMemory memory;
    memory.is_dram = from.is_dram != 0;
    memory.address = from.address;
    memory.page_bytes = from.page_bytes;
    memory.stride = from.stride;
    memory.num_pages = from.num_pages;
    memory.layout = from.layout;
    memory.element_bytes = from.element_bytes;
    memory.poison = from.poison;
    memory.host_wrote = from.host_wrote != 0;
    memory.poison_is_a_value = from.poison_is_a_value != 0;
    memory.zeros_pad = from.zeros_pad != 0;
    memory.outside = from.outside;
    return memory;
}

extern "C" {

// Where the library that holds `symbol` is loaded.
uint64_t tw_library_base(void* symbol) {
    Dl_info info;
    return dladdr(symbol, &info) != 0 ? reinterpret_cast<uintptr_t>(info.dli_fbase) : 0;
}

const char* tw_last_error() { return t_last_error.c_str(); }

// A chip with memory of its own; with `files`, on the memory of a chip that some process already has. The numbers in
// `files` stay the caller's. Programs run only on a chip whose L1 kernels can reach (`runs_kernels`).
void* tw_chip_new(const ChipConfig* config, const uint8_t* noc_xy, const TwMemoryFiles* files, uint32_t runs_kernels) {
    try {
        const MemoryFiles given = files != nullptr ? MemoryFiles{files->l1, files->dram, files->state} : MemoryFiles{};
        return new Chip(*config, noc_xy, given, runs_kernels != 0);
    } catch (const std::exception& error) {
        t_last_error = error.what();
        return nullptr;
    }
}

void tw_chip_files(void* chip, TwMemoryFiles* files) {
    const ChipMemory& memory = static_cast<Chip*>(chip)->memory();
    *files = {memory.files().l1, memory.files().dram, memory.files().state, 0, kL1SlotBytes, memory.bank_stride()};
}

// Writes the poison DRAM still owes.
void tw_chip_settle(void* chip) { static_cast<Chip*>(chip)->settle_poison(); }

// Which core (row by row over the grid) each bank of L1 lies in, for as many banks as the chip has cores.
void tw_chip_set_l1_banks(void* chip, const uint16_t* cores) { static_cast<Chip*>(chip)->set_l1_banks(cores); }

void tw_chip_free(void* chip) { delete static_cast<Chip*>(chip); }

// Whether what the core's last run left there is still in its L1.
uint32_t tw_core_kept_l1(void* chip, uint32_t x, uint32_t y, uint32_t offset, uint32_t bytes) {
    const L1Range& overwritten = static_cast<Chip*>(chip)->core(x, y).memory_state->overwritten;
    return offset >= overwritten.end || offset + bytes <= overwritten.begin;
}

uint64_t tw_core_l1(void* chip, uint32_t x, uint32_t y) {
    Chip& target = *static_cast<Chip*>(chip);
    const size_t core = y * target.config().grid_x + x;
    return reinterpret_cast<uintptr_t>(target.memory().l1() + core * kL1SlotBytes);
}

// Pages are spread over the banks in turn; `data` holds them one after another.
void tw_write_pages(
    void* chip,
    uint32_t is_dram,
    uint64_t address,
    uint64_t page_bytes,
    uint64_t stride,
    uint64_t count,
    const uint8_t* data) {
    Chip& target = *static_cast<Chip*>(chip);
    const uint64_t banks = target.num_banks(is_dram != 0);
    for (uint64_t page = 0; page < count; page++) {
        const NocNode& bank = target.bank(is_dram != 0, static_cast<uint32_t>(page % banks));
        const uint64_t offset = address + (page / banks) * stride;
        if (bank.poison != nullptr) {
            bank.poison->before_overwrite(offset, page_bytes);
        }
        std::memcpy(bank.memory + offset, data + page * page_bytes, page_bytes);
    }
}

void tw_read_pages(
    void* chip,
    uint32_t is_dram,
    uint64_t address,
    uint64_t page_bytes,
    uint64_t stride,
    uint64_t count,
    uint8_t* data) {
    Chip& target = *static_cast<Chip*>(chip);
    const uint64_t banks = target.num_banks(is_dram != 0);
    for (uint64_t page = 0; page < count; page++) {
        const NocNode& bank = target.bank(is_dram != 0, static_cast<uint32_t>(page % banks));
        const uint64_t offset = address + (page / banks) * stride;
        if (bank.poison != nullptr) {
            bank.poison->before_access(offset, page_bytes);
        }
        std::memcpy(data + page * page_bytes, bank.memory + offset, page_bytes);
    }
}

void tw_fill_pages(void* chip, uint32_t is_dram, uint64_t address, uint64_t stride, uint64_t count, uint32_t word) {
    Chip& target = *static_cast<Chip*>(chip);
    const uint64_t banks = target.num_banks(is_dram != 0);
    if (is_dram != 0) {
        target.memory().expect_tensor(address, (count + banks - 1) / banks * stride);
    }
    for (uint64_t bank = 0; bank < banks && bank < count; bank++) {
        const uint64_t pages = (count - bank + banks - 1) / banks;
        const NocNode& node = target.bank(is_dram != 0, static_cast<uint32_t>(bank));
        if (node.poison != nullptr) {
            node.poison->fill(address, pages * stride, word);
        } else {
            std::fill_n(reinterpret_cast<uint32_t*>(node.memory + address), pages * stride / sizeof(uint32_t), word);
        }
    }
}

void* tw_program_new(void* chip) { return new Program(*static_cast<Chip*>(chip)); }

void tw_program_free(void* program) { delete static_cast<Program*>(program); }

void tw_program_set_print(void* program, TwPrintFunction print) { static_cast<Program*>(program)->print = print; }

uint32_t tw_program_add_kernel(void* program, const TwKernelSpec* spec, const TwKernelCode* code, uint64_t num_codes) {
    auto& kernels = static_cast<Program*>(program)->kernels;
    auto kernel = std::make_unique<Kernel>();
    kernel->name = spec->name;
    kernel->kind = static_cast<KernelKind>(spec->kind);
    kernel->processor = static_cast<uint8_t>(spec->processor);
    kernel->noc_index = static_cast<uint8_t>(spec->noc_index);
    kernel->noc_mode = static_cast<uint8_t>(spec->noc_mode);
    kernel->fp32_dest = static_cast<uint8_t>(spec->fp32_dest);
    kernel->full_sync = static_cast<uint8_t>(spec->full_sync);
    kernel->fidelity = static_cast<uint8_t>(spec->fidelity);
    kernel->math_approx = static_cast<uint8_t>(spec->math_approx);
    for (const TwKernelCode& each : std::span(code, num_codes)) {
        kernel->code.push_back(
            {reinterpret_cast<void (*)()>(each.entry),
             static_cast<uint8_t*>(each.statics),
             static_cast<uint32_t>(each.statics_bytes),
             each.text_begin,
             each.text_end});
        kernel->statics_bytes += static_cast<uint32_t>(each.statics_bytes);
    }
    kernel->statics_initial.resize(kernel->statics_bytes);
    kernel->save_statics(kernel->statics_initial.data());
    kernel->cores = to_cores(spec->cores, spec->num_cores);
    kernel->has_arguments_in_l1 = spec->has_arguments_in_l1 != 0;
    kernel->args_offset = spec->args_offset;
    kernel->num_args = spec->num_args;
    kernel->common_args_offset = spec->common_args_offset;
    kernel->num_common_args = spec->num_common_args;
    kernels.push_back(std::move(kernel));
    return static_cast<uint32_t>(kernels.size() - 1);
}

void tw_program_add_circular_buffer(void* program, const TwCircularBufferSpec* spec) {
    ProgramCircularBuffer buffer;
    buffer.index = spec->index;
    buffer.offset = spec->offset;
    buffer.total_bytes = spec->total_bytes;
    buffer.page_bytes = spec->page_bytes;
    buffer.owns_memory = spec->owns_memory != 0;
    buffer.is_over_tensor = spec->is_over_tensor != 0;
    buffer.geometry.format = static_cast<DataFormat>(spec->format);
    buffer.geometry.num_faces = static_cast<uint8_t>(spec->num_faces);
    buffer.geometry.face_rows = static_cast<uint8_t>(spec->face_rows);
    buffer.geometry.tile_rows = static_cast<uint8_t>(spec->tile_rows);
    buffer.geometry.tile_cols = static_cast<uint8_t>(spec->tile_cols);
    buffer.geometry.tile_bytes = spec->tile_bytes;
    buffer.geometry.unpack_to_dest_fp32 = static_cast<uint8_t>(spec->unpack_to_dest_fp32);
    buffer.cores = to_cores(spec->cores, spec->num_cores);
    static_cast<Program*>(program)->circular_buffers.push_back(std::move(buffer));
}

// Where the host keeps semaphores, if not where the chip does: the L1 offset of the first on a core.
void tw_program_set_semaphore_base(void* program, uint32_t x, uint32_t y, uint32_t offset) {
    auto& made = *static_cast<Program*>(program);
    made.semaphore_bases.at(y * made.chip.config().grid_x + x) = offset;
}

void tw_program_add_semaphore(void* program, uint32_t id, uint32_t initial, const uint16_t* cores, uint64_t count) {
    static_cast<Program*>(program)->semaphores.push_back({id, initial, to_cores(cores, count)});
}

void tw_program_add_scratchpad(
    void* program, uint32_t offset, uint32_t bytes, const uint16_t* cores, uint64_t num_cores) {
    static_cast<Program*>(program)->scratchpads.push_back({offset, bytes, to_cores(cores, num_cores)});
}

// For the next run, if it is a checked one. The host keeps the bits while it runs.
void tw_program_set_host_memory(void* program, const TwHostMemory* buffers, uint64_t count, uint32_t are_all) {
    Program& target = *static_cast<Program*>(program);
    target.host_memory.clear();
    std::transform(buffers, buffers + count, std::back_inserter(target.host_memory), to_host_memory);
    target.knows_every_buffer = count != 0 && are_all != 0;
}

// How many pages of a tensor hold an element that nobody wrote, and which is the first.
uint64_t tw_unwritten_pages(void* chip, const TwHostMemory* buffer, uint64_t* first) {
    Chip& target = *static_cast<Chip*>(chip);
    target.settle_poison();
    const UnwrittenPages found = unwritten_pages(target, to_host_memory(*buffer));
    *first = found.first;
    return found.count;
}

// offsets has one entry per core of the kernel and one more; args lie one core after another.
void tw_program_set_args(
    void* program,
    uint32_t kernel,
    const uint32_t* args,
    const uint32_t* offsets,
    uint64_t num_offsets,
    const uint32_t* common,
    uint64_t num_common) {
    Kernel& target = *static_cast<Program*>(program)->kernels[kernel];
    target.arg_offsets.assign(offsets, offsets + num_offsets);
    target.args.assign(args, args + (num_offsets == 0 ? 0 : offsets[num_offsets - 1]));
    target.common_args.assign(common, common + num_common);
}

// A fault's address as one in the core's own slot, also where its circular buffers lay in another.
static uint64_t slot_address(const KernelInstance* instance, uint64_t address) {
    const bool is_moved = instance != nullptr && (address & ~uint64_t{kL1OffsetMask}) == instance->core->circular_base;
    return is_moved ? instance->core->l1_base + (address & kL1OffsetMask) : address;
}

void tw_program_run(
    void* program,
    uint32_t threads,
    double time_limit,
    double spin_limit,
    uint32_t checked,
    uint64_t seed,
    uint64_t recorded_circular_buffers,
    uint32_t keep_l1,
    TwRunReport* report) {
    Program& target = *static_cast<Program*>(program);
    RunOptions options;
    options.threads = threads;
    options.time_limit_seconds = time_limit;
    options.spin_limit_seconds = spin_limit;
    options.checked = checked != 0;
    options.seed = seed;
    options.recorded_circular_buffers = recorded_circular_buffers;
    options.keep_l1 = keep_l1 != 0;
    try {
        report->status = static_cast<int32_t>(target.run(options));
    } catch (const std::exception& error) {  // no memory for it
        report->status = static_cast<int32_t>(RunStatus::KernelError);
        target.error_instance = nullptr;
        target.error_text = std::string("the engine cannot run this program here: ") + error.what();
    }
    report->fault_signal = target.fault_signal;
    report->fault_address = slot_address(target.error_instance, target.fault_address);
    report->switches = target.switches;
    report->l1_base = target.error_instance != nullptr ? target.error_instance->core->l1_base : 0;
    report->spent = target.process_must_end.load() ? 1 : 0;
    report->error_text = target.error_text.c_str();
    report->error_rule = target.error_rule;
}

uint64_t tw_program_raises(void* program, TwRaiseReport* reports, uint64_t most) {
    const Program& source = *static_cast<Program*>(program);
    uint64_t count = 0;
    for (const auto& [key, raise] : source.raises) {
        if (count < most) {
            const KernelInstance& by = *source.instances[raise.instance];
            const Core& on = source.chip.cores()[raise.core];
            reports[count] = {
                kernel_index(source, by.kernel),
                by.core->x,
                by.core->y,
                on.x,
                on.y,
                raise.semaphore,
                raise.count,
                raise.later};
        }
        count++;
    }
    return count;
}

uint64_t tw_program_num_instances(void* program) {
    uint64_t count = 0;
    for (const auto& instance : static_cast<Program*>(program)->instances) {
        count += instance->split != nullptr ? kNumThreads : 1;
    }
    return count;
}

static TwInstanceReport report_of(const Program& program, const KernelInstance& instance, const FiberStatus& fiber) {
    TwInstanceReport report{};
    report.kernel = kernel_index(program, instance.kernel);
    report.core_x = instance.core->x;
    report.core_y = instance.core->y;
    report.state = static_cast<uint32_t>(fiber.state);
    report.wait_kind = static_cast<uint32_t>(fiber.wait_kind);
    report.wait_cb = fiber.wait_cb;
    report.wait_amount = fiber.wait_amount;
    report.wait_have = wait_have(*instance.core, fiber);
    report.wait_address = reinterpret_cast<uintptr_t>(fiber.wait_address);
    report.would_push = instance.would_push;
    report.would_pop = instance.would_pop;
    report.is_error = &instance == program.error_instance ? 1 : 0;
    return report;
}

static void add_stack(TwInstanceReport& report, const NotedStack& stack) {
    report.num_frames = stack.num_frames;
    std::copy_n(stack.frames, stack.num_frames, report.frames);
}

void tw_program_instances(void* program, TwInstanceReport* reports) {
    const Program& source = *static_cast<Program*>(program);
    for (const auto& instance : source.instances) {
        if (instance->split == nullptr) {
            *reports = report_of(source, *instance, *instance);
            add_stack(*reports++, instance->noted);
            continue;
        }
        for (uint32_t index = 0; index < kNumThreads; index++) {
            const ParkedThread& thread = instance->split->thread[index];
            *reports = report_of(source, *instance, thread);
            reports->thread = 1u << index;
            const bool failed = thread.state == InstanceState::Failed || thread.wait_kind == WaitKind::Spin;
            reports->is_error &= failed ? 1 : 0;
            add_stack(*reports++, thread.noted);
        }
    }
}

// Fills at most `capacity` reports and returns how many there are.
uint64_t tw_program_traffic(void* program, TwTrafficReport* reports, uint64_t capacity) {
    const Program& source = *static_cast<Program*>(program);
    uint64_t count = 0;
    for (const auto& instance : source.instances) {
        for_each_index(instance->core->configured, [&](uint32_t cb) {
            const CbTraffic& traffic = instance->traffic[cb];
            if ((traffic.push_calls | traffic.pop_calls | traffic.wait_calls | traffic.reserve_calls) == 0) {
                return;
            }
            if (count < capacity) {
                reports[count] = {
                    instance->place.kernel,
                    instance->core->x,
                    instance->core->y,
                    cb,
                    traffic.push_calls,
                    traffic.pop_calls,
                    traffic.wait_calls,
                    traffic.reserve_calls,
                    traffic.pages_pushed,
                    traffic.pages_popped,
                    traffic.blocked_waits,
                    traffic.blocked_reserves,
                    traffic.largest_wait,
                    traffic.largest_reserve};
            }
            count++;
        });
    }
    return count;
}

uint64_t tw_program_circular_buffers(void* program, TwCircularBufferReport* reports, uint64_t capacity) {
    Program& source = *static_cast<Program*>(program);
    uint64_t count = 0;
    for (const ProgramCircularBuffer& buffer : source.circular_buffers) {
        for (const CoreXY& where : buffer.cores) {
            const CoreCircularBuffer& state = source.chip.core(where.x, where.y).cb[buffer.index];
            if (count < capacity) {
                reports[count] = {
                    where.x,
                    where.y,
                    buffer.index,
                    state.num_pages,
                    state.page_bytes,
                    state.peak,
                    state.pushed,
                    state.popped};
            }
            count++;
        }
    }
    return count;
}

// What was pushed into the circular buffers that the run recorded, in order.
uint64_t tw_program_pushes(void* program, TwPushReport* reports, uint64_t capacity) {
    const Program& source = *static_cast<Program*>(program);
    if (!source.recorder) {
        return 0;
    }
    const std::vector<RecordedPush>& pushes = source.recorder->pushes();
    for (uint64_t index = 0; index < pushes.size() && index < capacity; index++) {
        const RecordedPush& push = pushes[index];
        const Core& core = *push.instance->core;
        TwPushReport& report = reports[index];
        report = {
            kernel_index(source, push.instance->kernel),
            core.x,
            core.y,
            push.cb,
            push.pages,
            push.page_bytes,
            source.recorder->data(push),
            push.num_frames,
            {}};
        std::copy_n(push.frames, push.num_frames, report.frames);
    }
    return pushes.size();
}

// The record of a recorded run (call_record.h).
uint64_t tw_program_calls(void* program, uint64_t* words, uint64_t capacity) {
    return copy_calls(*static_cast<Program*>(program), words, capacity);
}

// What a kernel calls the address: slot pointers are this machine's.
static uint64_t own_address(const Program& program, uint64_t address) {
    const std::vector<Core>& cores = program.chip.cores();
    const bool is_slot_pointer =
        address >= cores.front().l1_base && address < static_cast<uint64_t>(cores.back().l1_base) + kL1SlotBytes;
    return is_slot_pointer ? address & kL1OffsetMask : address;
}

// Fills at most `capacity` reports and returns how many there are. Texts live until the program's next run.
uint64_t tw_program_findings(void* program, TwFindingReport* reports, uint64_t capacity) {
    const Program& source = *static_cast<Program*>(program);
    if (!source.checks) {
        return 0;
    }
    const std::vector<Finding>& findings = source.checks->findings.all();
    for (uint64_t index = 0; index < findings.size() && index < capacity; index++) {
        const Finding& finding = findings[index];
        const Core& core = *finding.instance->core;
        TwFindingReport& report = reports[index];
        report = {};
        report.rule = finding.rule;
        report.text = finding.text.c_str();
        report.kernel = kernel_index(source, finding.instance->kernel);
        report.core_x = core.x;
        report.core_y = core.y;
        report.cb = finding.cb;
        report.address = own_address(source, finding.address);
        report.count = finding.count;
        report.num_frames = finding.num_frames;
        std::copy_n(finding.frames, finding.num_frames, report.frames);
        report.related_kernel = 0xffffffffu;
        if (const KernelInstance* related = finding.related.instance) {
            report.related_kernel = kernel_index(source, related->kernel);
            report.related_x = related->core->x;
            report.related_y = related->core->y;
            report.related_num_frames = finding.related.num_frames;
            std::copy_n(finding.related.frames, finding.related.num_frames, report.related_frames);
        }
    }
    return findings.size();
}
}
