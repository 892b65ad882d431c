// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include "program.h"

namespace tw {

void Recorder::pushed(const KernelInstance& instance, uint32_t cb, uint32_t pages) {
    if ((circular_buffers_ >> cb & 1) == 0) {
        return;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t shift = instance.context.compute_words ? 4 : 0;
    const uint32_t begin = instance.context.cb[cb].fifo_wr_ptr << shift;
    const auto* first = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(begin));
    RecordedPush push{&instance, cb, pages, buffer.page_bytes, bytes_.size(), 0, {}};
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    push.num_frames = walk_frames(*instance.stack, here, push.frames, kRecordedFrames);
    bytes_.insert(bytes_.end(), first, first + static_cast<size_t>(pages) * buffer.page_bytes);
    pushes_.push_back(push);
}

}  // namespace tw
