// SPDX-License-Identifier: Apache-2.0
// Where every field of the structures lies that Python has a mirror of, so that it can refuse an engine built from other
// sources. A structure that gains a field here or there is noticed: the two lists, or the sizes, differ.
#include <cstddef>
#include <string>

#include "api.h"
#include "chip.h"
#include "last_words.h"
#include "runner/messages.h"

using tw::ChipConfig;

static std::string g_layout;

static void add(const char* name, size_t place, size_t bytes) {
    g_layout += std::string(name) + " " + std::to_string(place) + " " + std::to_string(bytes) + "\n";
}

#define STRUCT(type) add(#type, 0, sizeof(type))
#define FIELD(type, field) add("  " #field, offsetof(type, field), sizeof(type::field))

static void describe() {
    STRUCT(ChipConfig);
    FIELD(ChipConfig, grid_x);
    FIELD(ChipConfig, grid_y);
    FIELD(ChipConfig, l1_bytes);
    FIELD(ChipConfig, dram_banks);
    FIELD(ChipConfig, dram_bank_bytes);
    FIELD(ChipConfig, num_circular_buffers);
    FIELD(ChipConfig, config_base);
    FIELD(ChipConfig, config_bytes);
    FIELD(ChipConfig, unreserved_base);
    FIELD(ChipConfig, poison);
    FIELD(ChipConfig, has_l1_cache);
    FIELD(ChipConfig, brisc_local_bytes);
    FIELD(ChipConfig, trisc_local_bytes);
    FIELD(ChipConfig, dram_read_alignment);
    FIELD(ChipConfig, multicasts_keep_order);
    STRUCT(TwMemoryFiles);
    FIELD(TwMemoryFiles, l1);
    FIELD(TwMemoryFiles, dram);
    FIELD(TwMemoryFiles, state);
    FIELD(TwMemoryFiles, reserved);
    FIELD(TwMemoryFiles, l1_slot_bytes);
    FIELD(TwMemoryFiles, dram_bank_stride);
    STRUCT(TwKernelSpec);
    FIELD(TwKernelSpec, entry);
    FIELD(TwKernelSpec, name);
    FIELD(TwKernelSpec, kind);
    FIELD(TwKernelSpec, processor);
    FIELD(TwKernelSpec, noc_index);
    FIELD(TwKernelSpec, noc_mode);
    FIELD(TwKernelSpec, fp32_dest);
    FIELD(TwKernelSpec, full_sync);
    FIELD(TwKernelSpec, fidelity);
    FIELD(TwKernelSpec, math_approx);
    FIELD(TwKernelSpec, statics);
    FIELD(TwKernelSpec, statics_bytes);
    FIELD(TwKernelSpec, text_begin);
    FIELD(TwKernelSpec, text_end);
    FIELD(TwKernelSpec, cores);
    FIELD(TwKernelSpec, num_cores);
    FIELD(TwKernelSpec, has_arguments_in_l1);
    FIELD(TwKernelSpec, args_offset);
    FIELD(TwKernelSpec, num_args);
    FIELD(TwKernelSpec, common_args_offset);
    FIELD(TwKernelSpec, num_common_args);
    FIELD(TwKernelSpec, reserved);
    STRUCT(TwCircularBufferSpec);
    FIELD(TwCircularBufferSpec, index);
    FIELD(TwCircularBufferSpec, offset);
    FIELD(TwCircularBufferSpec, total_bytes);
    FIELD(TwCircularBufferSpec, page_bytes);
    FIELD(TwCircularBufferSpec, owns_memory);
    FIELD(TwCircularBufferSpec, format);
    FIELD(TwCircularBufferSpec, num_faces);
    FIELD(TwCircularBufferSpec, face_rows);
    FIELD(TwCircularBufferSpec, tile_rows);
    FIELD(TwCircularBufferSpec, tile_cols);
    FIELD(TwCircularBufferSpec, tile_bytes);
    FIELD(TwCircularBufferSpec, unpack_to_dest_fp32);
    FIELD(TwCircularBufferSpec, cores);
    FIELD(TwCircularBufferSpec, num_cores);
    STRUCT(TwHostMemory);
    FIELD(TwHostMemory, is_dram);
    FIELD(TwHostMemory, layout);
    FIELD(TwHostMemory, address);
    FIELD(TwHostMemory, page_bytes);
    FIELD(TwHostMemory, stride);
    FIELD(TwHostMemory, num_pages);
    FIELD(TwHostMemory, element_bytes);
    FIELD(TwHostMemory, poison);
    FIELD(TwHostMemory, host_wrote);
    FIELD(TwHostMemory, poison_is_a_value);
    FIELD(TwHostMemory, outside);
    STRUCT(TwInstanceReport);
    FIELD(TwInstanceReport, kernel);
    FIELD(TwInstanceReport, core_x);
    FIELD(TwInstanceReport, core_y);
    FIELD(TwInstanceReport, thread);
    FIELD(TwInstanceReport, state);
    FIELD(TwInstanceReport, wait_kind);
    FIELD(TwInstanceReport, wait_cb);
    FIELD(TwInstanceReport, wait_amount);
    FIELD(TwInstanceReport, wait_have);
    FIELD(TwInstanceReport, wait_address);
    FIELD(TwInstanceReport, would_push);
    FIELD(TwInstanceReport, would_pop);
    FIELD(TwInstanceReport, is_error);
    FIELD(TwInstanceReport, num_frames);
    FIELD(TwInstanceReport, frames);
    STRUCT(TwTrafficReport);
    FIELD(TwTrafficReport, kernel);
    FIELD(TwTrafficReport, core_x);
    FIELD(TwTrafficReport, core_y);
    FIELD(TwTrafficReport, cb);
    FIELD(TwTrafficReport, push_calls);
    FIELD(TwTrafficReport, pop_calls);
    FIELD(TwTrafficReport, wait_calls);
    FIELD(TwTrafficReport, reserve_calls);
    FIELD(TwTrafficReport, pages_pushed);
    FIELD(TwTrafficReport, pages_popped);
    FIELD(TwTrafficReport, blocked_waits);
    FIELD(TwTrafficReport, blocked_reserves);
    FIELD(TwTrafficReport, largest_wait);
    FIELD(TwTrafficReport, largest_reserve);
    STRUCT(TwCircularBufferReport);
    FIELD(TwCircularBufferReport, core_x);
    FIELD(TwCircularBufferReport, core_y);
    FIELD(TwCircularBufferReport, index);
    FIELD(TwCircularBufferReport, num_pages);
    FIELD(TwCircularBufferReport, page_bytes);
    FIELD(TwCircularBufferReport, peak);
    FIELD(TwCircularBufferReport, pushed);
    FIELD(TwCircularBufferReport, popped);
    STRUCT(TwRunReport);
    FIELD(TwRunReport, status);
    FIELD(TwRunReport, fault_signal);
    FIELD(TwRunReport, fault_address);
    FIELD(TwRunReport, switches);
    FIELD(TwRunReport, l1_base);
    FIELD(TwRunReport, spent);
    FIELD(TwRunReport, error_text);
    FIELD(TwRunReport, error_rule);
    STRUCT(TwPushReport);
    FIELD(TwPushReport, kernel);
    FIELD(TwPushReport, core_x);
    FIELD(TwPushReport, core_y);
    FIELD(TwPushReport, cb);
    FIELD(TwPushReport, pages);
    FIELD(TwPushReport, page_bytes);
    FIELD(TwPushReport, data);
    FIELD(TwPushReport, num_frames);
    FIELD(TwPushReport, frames);
    STRUCT(TwFindingReport);
    FIELD(TwFindingReport, rule);
    FIELD(TwFindingReport, text);
    FIELD(TwFindingReport, kernel);
    FIELD(TwFindingReport, core_x);
    FIELD(TwFindingReport, core_y);
    FIELD(TwFindingReport, cb);
    FIELD(TwFindingReport, address);
    FIELD(TwFindingReport, count);
    FIELD(TwFindingReport, num_frames);
    FIELD(TwFindingReport, frames);
    FIELD(TwFindingReport, related_kernel);
    FIELD(TwFindingReport, related_x);
    FIELD(TwFindingReport, related_y);
    FIELD(TwFindingReport, related_num_frames);
    FIELD(TwFindingReport, related_frames);
    STRUCT(TwPlace);
    FIELD(TwPlace, kernel);
    FIELD(TwPlace, core_x);
    FIELD(TwPlace, core_y);
    STRUCT(TwWatch);
    FIELD(TwWatch, doing);
    FIELD(TwWatch, place);
    FIELD(TwWatch, beats);
    FIELD(TwWatch, said);
    FIELD(TwWatch, signal_number);
    FIELD(TwWatch, address);
    FIELD(TwWatch, l1_base);
    FIELD(TwWatch, who);
    FIELD(TwWatch, num_frames);
    FIELD(TwWatch, frames);
    FIELD(TwWatch, text);
    STRUCT(TwMessageHeader);
    FIELD(TwMessageHeader, kind);
    FIELD(TwMessageHeader, reserved);
    FIELD(TwMessageHeader, bytes);
    STRUCT(TwChipRequest);
    FIELD(TwChipRequest, config);
    FIELD(TwChipRequest, num_nodes);
    FIELD(TwChipRequest, num_l1_banks);
    STRUCT(TwReadyAnswer);
    FIELD(TwReadyAnswer, filter_error);
    FIELD(TwReadyAnswer, reserved);
    STRUCT(TwLoadRequest);
    FIELD(TwLoadRequest, program);
    FIELD(TwLoadRequest, num_forgotten);
    FIELD(TwLoadRequest, num_kernels);
    FIELD(TwLoadRequest, num_circular_buffers);
    FIELD(TwLoadRequest, num_semaphores);
    FIELD(TwLoadRequest, num_scratchpads);
    FIELD(TwLoadRequest, semaphore_base);
    STRUCT(TwKernelHeader);
    FIELD(TwKernelHeader, path_bytes);
    FIELD(TwKernelHeader, name_bytes);
    STRUCT(TwSemaphoreSpec);
    FIELD(TwSemaphoreSpec, id);
    FIELD(TwSemaphoreSpec, initial);
    FIELD(TwSemaphoreSpec, num_cores);
    STRUCT(TwScratchpadSpec);
    FIELD(TwScratchpadSpec, offset);
    FIELD(TwScratchpadSpec, bytes);
    FIELD(TwScratchpadSpec, num_cores);
    STRUCT(TwLoadedAnswer);
    FIELD(TwLoadedAnswer, num_kernels);
    STRUCT(TwRunRequest);
    FIELD(TwRunRequest, program);
    FIELD(TwRunRequest, time_limit);
    FIELD(TwRunRequest, spin_limit);
    FIELD(TwRunRequest, seed);
    FIELD(TwRunRequest, recorded_circular_buffers);
    FIELD(TwRunRequest, threads);
    FIELD(TwRunRequest, checked);
    FIELD(TwRunRequest, keep_l1);
    FIELD(TwRunRequest, num_host_buffers);
    STRUCT(TwArguments);
    FIELD(TwArguments, num_offsets);
    FIELD(TwArguments, num_words);
    FIELD(TwArguments, num_common);
    FIELD(TwArguments, reserved);
    STRUCT(TwHostBuffer);
    FIELD(TwHostBuffer, buffer);
    FIELD(TwHostBuffer, outside_bytes);
    STRUCT(TwPrintedLine);
    FIELD(TwPrintedLine, core_x);
    FIELD(TwPrintedLine, core_y);
    FIELD(TwPrintedLine, kernel_bytes);
    FIELD(TwPrintedLine, line_bytes);
    STRUCT(TwRanAnswer);
    FIELD(TwRanAnswer, report);
    FIELD(TwRanAnswer, text_bytes);
    FIELD(TwRanAnswer, rule_bytes);
    FIELD(TwRanAnswer, num_instances);
    FIELD(TwRanAnswer, num_traffic);
    FIELD(TwRanAnswer, num_circular_buffers);
    FIELD(TwRanAnswer, num_findings);
    FIELD(TwRanAnswer, num_pushes);
    FIELD(TwRanAnswer, num_calls);
    STRUCT(TwFindingText);
    FIELD(TwFindingText, rule_bytes);
    FIELD(TwFindingText, text_bytes);
}

extern "C" const char* tw_api_layout() {
    if (g_layout.empty()) {
        describe();
    }
    return g_layout.c_str();
}
