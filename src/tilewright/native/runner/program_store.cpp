// SPDX-License-Identifier: Apache-2.0
#include "runner/program_store.h"

#include <dlfcn.h>

#include "engine/signals/crash_record.h"

namespace tw {

void* ProgramStore::program(uint64_t number) const {
    const auto found = programs_.find(number);
    if (found == programs_.end()) {
        throw std::runtime_error("the runner has no such program");
    }
    return found->second;
}

// Static constructors run here: the status page shows whose. Libraries in the cache are named by content, so each is
// loaded once.
ProgramStore::Library& ProgramStore::library(const std::string& path, const TwKernelCode& offsets) {
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
    loaded.entry = entry;
    loaded.base = tw_library_base(entry);
    const auto* statics = reinterpret_cast<const uint8_t*>(loaded.base + reinterpret_cast<uintptr_t>(offsets.statics));
    loaded.initial_statics.assign(statics, statics + offsets.statics_bytes);
    return libraries_[path] = std::move(loaded);
}

TwKernelCode ProgramStore::load_library(MessageReader& request, std::vector<uint64_t>& bases) {
    const auto& header = request.take<TwLibraryHeader>();
    const std::string path = request.take_text(header.path_bytes);
    TwKernelCode code = request.take<TwKernelCode>();
    const Library& loaded = library(path, code);
    code.entry = loaded.entry;
    code.statics = reinterpret_cast<void*>(loaded.base + reinterpret_cast<uintptr_t>(code.statics));
    code.text_begin += loaded.base;
    code.text_end += loaded.base;
    // Another program's run may have changed them.
    std::memcpy(code.statics, loaded.initial_statics.data(), loaded.initial_statics.size());
    bases.push_back(loaded.base);
    return code;
}

void ProgramStore::load_kernel(void* program, uint32_t index, MessageReader& request, std::vector<uint64_t>& bases) {
    const auto& header = request.take<TwKernelHeader>();
    const std::string name = request.take_text(header.name_bytes);
    TwKernelSpec spec = request.take<TwKernelSpec>();
    spec.cores = request.take_array<uint16_t>(2 * spec.num_cores);
    g_watch->place = {index, spec.num_cores != 0 ? spec.cores[0] : 0u, spec.num_cores != 0 ? spec.cores[1] : 0u};
    g_watch->doing = kLoadingKernel;
    std::vector<TwKernelCode> code;
    for (uint32_t library = 0; library < header.num_libraries; library++) {
        code.push_back(load_library(request, bases));
    }
    g_watch->doing = kDoingNothing;
    spec.name = name.c_str();
    tw_program_add_kernel(program, &spec, code.data(), code.size());
}

void ProgramStore::load(MessageReader& request, MessageWriter& answer) {
    const auto& header = request.take<TwLoadRequest>();
    const auto* forgotten = request.take_array<uint64_t>(header.num_forgotten);
    for (uint32_t index = 0; index < header.num_forgotten; index++) {
        const auto found = programs_.find(forgotten[index]);
        if (found != programs_.end()) {
            tw_program_free(found->second);
            programs_.erase(found);
        }
    }
    void* program = programs_[header.program] = tw_program_new(chip_);
    tw_program_set_print(program, print_);
    const auto* bases = request.take_array<TwSemaphoreBase>(header.num_semaphore_bases);
    for (uint32_t index = 0; index < header.num_semaphore_bases; index++) {
        tw_program_set_semaphore_base(program, bases[index].x, bases[index].y, bases[index].offset);
    }
    std::vector<uint64_t> bases_of_libraries;
    for (uint32_t index = 0; index < header.num_kernels; index++) {
        load_kernel(program, index, request, bases_of_libraries);
    }
    answer.put(TwLoadedAnswer{bases_of_libraries.size()});
    for (const uint64_t base : bases_of_libraries) {
        answer.put(base);
    }
    for (uint32_t index = 0; index < header.num_circular_buffers; index++) {
        TwCircularBufferSpec spec = request.take<TwCircularBufferSpec>();
        spec.cores = request.take_array<uint16_t>(2 * spec.num_cores);
        tw_program_add_circular_buffer(program, &spec);
    }
    for (uint32_t index = 0; index < header.num_semaphores; index++) {
        const auto& spec = request.take<TwSemaphoreSpec>();
        const auto* cores = request.take_array<uint16_t>(2 * spec.num_cores);
        tw_program_add_semaphore(program, spec.id, spec.initial, cores, spec.num_cores);
    }
    for (uint32_t index = 0; index < header.num_scratchpads; index++) {
        const auto& spec = request.take<TwScratchpadSpec>();
        const auto* cores = request.take_array<uint16_t>(2 * spec.num_cores);
        tw_program_add_scratchpad(program, spec.offset, spec.bytes, cores, spec.num_cores);
    }
}

}  // namespace tw
