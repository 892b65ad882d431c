// SPDX-License-Identifier: Apache-2.0
#include "runner/program_store.h"

#include <dlfcn.h>

#include "engine/signals/crash_record.h"

namespace tw {

using namespace wire;

static std::vector<CoreXY> take_cores(MessageReader& request, uint64_t count) {
    const auto* cores = request.take_array<CoreXY>(count);
    return {cores, cores + count};
}

static uint64_t load_address(void (*function)()) {
    Dl_info info;
    const bool is_known = dladdr(reinterpret_cast<void*>(function), &info) != 0;
    return is_known ? reinterpret_cast<uintptr_t>(info.dli_fbase) : 0;
}

Program& ProgramStore::program(uint64_t number) const {
    const auto found = programs_.find(number);
    if (found == programs_.end()) {
        throw std::runtime_error("the runner has no such program");
    }
    return *found->second;
}

// Static constructors run here: the crash record names the kernel. Libraries in the cache are named by content, so each
// is loaded once.
ProgramStore::Library& ProgramStore::library(const std::string& path, const LibraryMessage& offsets) {
    const auto known = libraries_.find(path);
    if (known != libraries_.end()) {
        return known->second;
    }
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* entry = handle != nullptr ? dlsym(handle, "tw_kernel_entry") : nullptr;
    if (entry == nullptr) {
        const char* reason = dlerror();
        throw std::runtime_error(reason != nullptr ? reason : "the library has no entry");
    }
    Library loaded;
    loaded.entry = reinterpret_cast<void (*)()>(entry);
    loaded.base = load_address(loaded.entry);
    const auto* statics = reinterpret_cast<const uint8_t*>(loaded.base + offsets.statics);
    loaded.initial_statics.assign(statics, statics + offsets.statics_bytes);
    return libraries_[path] = std::move(loaded);
}

KernelCode ProgramStore::load_library(MessageReader& request, std::vector<uint64_t>& bases) {
    const auto& offsets = request.take<LibraryMessage>();
    const Library& loaded = library(request.take_text(offsets.path_bytes), offsets);
    KernelCode code;
    code.entry = loaded.entry;
    code.statics = reinterpret_cast<uint8_t*>(loaded.base + offsets.statics);
    code.statics_bytes = static_cast<uint32_t>(offsets.statics_bytes);
    code.text_begin = loaded.base + offsets.text_begin;
    code.text_end = loaded.base + offsets.text_end;
    // Another program's run may have left them changed.
    std::memcpy(code.statics, loaded.initial_statics.data(), loaded.initial_statics.size());
    bases.push_back(loaded.base);
    return code;
}

static std::unique_ptr<Kernel> make_kernel(const KernelMessage& message, MessageReader& request) {
    auto kernel = std::make_unique<Kernel>();
    kernel->name = request.take_text(message.name_bytes);
    kernel->cores = take_cores(request, message.num_cores);
    kernel->kind = static_cast<KernelKind>(message.kind);
    kernel->processor = static_cast<uint8_t>(message.processor);
    kernel->noc_index = static_cast<uint8_t>(message.noc_index);
    kernel->noc_mode = static_cast<uint8_t>(message.noc_mode);
    kernel->fp32_dest = static_cast<uint8_t>(message.fp32_dest);
    kernel->full_sync = static_cast<uint8_t>(message.full_sync);
    kernel->fidelity = static_cast<uint8_t>(message.fidelity);
    kernel->has_arguments_in_l1 = message.has_arguments_in_l1 != 0;
    kernel->args_offset = message.args_offset;
    kernel->num_args = message.num_args;
    kernel->common_args_offset = message.common_args_offset;
    kernel->num_common_args = message.num_common_args;
    return kernel;
}

void ProgramStore::load_kernel(Program& program, MessageReader& request, std::vector<uint64_t>& bases) {
    const auto& message = request.take<KernelMessage>();
    auto kernel = make_kernel(message, request);
    const CoreXY first = kernel->cores.empty() ? CoreXY{0, 0} : kernel->cores.front();
    g_crash_record->place = {static_cast<uint32_t>(program.kernels.size()), first.x, first.y};
    g_crash_record->activity = RunnerActivity::Loading;
    for (uint32_t library = 0; library < message.num_libraries; library++) {
        kernel->code.push_back(load_library(request, bases));
        kernel->statics_bytes += kernel->code.back().statics_bytes;
    }
    g_crash_record->activity = RunnerActivity::Nothing;
    kernel->statics_initial.resize(kernel->statics_bytes);
    kernel->save_statics(kernel->statics_initial.data());
    program.kernels.push_back(std::move(kernel));
}

static ProgramCircularBuffer take_circular_buffer(MessageReader& request) {
    const auto& message = request.take<CircularBufferMessage>();
    ProgramCircularBuffer buffer;
    buffer.index = message.index;
    buffer.offset = message.offset;
    buffer.total_bytes = message.total_bytes;
    buffer.page_bytes = message.page_bytes;
    buffer.owns_memory = message.owns_memory != 0;
    buffer.is_over_tensor = message.is_over_tensor != 0;
    buffer.geometry.format = static_cast<DataFormat>(message.format);
    buffer.geometry.num_faces = static_cast<uint8_t>(message.num_faces);
    buffer.geometry.face_rows = static_cast<uint8_t>(message.face_rows);
    buffer.geometry.tile_rows = static_cast<uint8_t>(message.tile_rows);
    buffer.geometry.tile_cols = static_cast<uint8_t>(message.tile_cols);
    buffer.geometry.tile_bytes = message.tile_bytes;
    buffer.geometry.unpack_to_dest_fp32 = static_cast<uint8_t>(message.unpack_to_dest_fp32);
    buffer.cores = take_cores(request, message.num_cores);
    return buffer;
}

static void take_semaphore_bases(Program& program, uint32_t count, MessageReader& request) {
    const auto* bases = request.take_array<SemaphoreBase>(count);
    for (uint32_t index = 0; index < count; index++) {
        const size_t core = bases[index].y * program.chip.config().grid_x + bases[index].x;
        program.semaphore_bases.at(core) = bases[index].offset;
    }
}

void ProgramStore::load(MessageReader& request, MessageWriter& answer) {
    const auto& header = request.take<LoadRequest>();
    const auto* forgotten = request.take_array<uint64_t>(header.num_forgotten);
    for (uint32_t index = 0; index < header.num_forgotten; index++) {
        programs_.erase(forgotten[index]);
    }
    Program& program = *(programs_[header.program] = std::make_unique<Program>(chip_));
    program.print = print_;
    take_semaphore_bases(program, header.num_semaphore_bases, request);
    std::vector<uint64_t> bases_of_libraries;
    for (uint32_t index = 0; index < header.num_kernels; index++) {
        load_kernel(program, request, bases_of_libraries);
    }
    answer.put(LoadedAnswer{bases_of_libraries.size()});
    for (const uint64_t base : bases_of_libraries) {
        answer.put(base);
    }
    for (uint32_t index = 0; index < header.num_circular_buffers; index++) {
        program.circular_buffers.push_back(take_circular_buffer(request));
    }
    for (uint32_t index = 0; index < header.num_semaphores; index++) {
        const auto& message = request.take<SemaphoreMessage>();
        program.semaphores.push_back({message.id, message.initial, take_cores(request, message.num_cores)});
    }
    for (uint32_t index = 0; index < header.num_scratchpads; index++) {
        const auto& message = request.take<ScratchpadMessage>();
        program.scratchpads.push_back({message.offset, message.bytes, take_cores(request, message.num_cores)});
    }
}

}  // namespace tw
