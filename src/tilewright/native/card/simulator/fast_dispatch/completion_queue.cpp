// SPDX-License-Identifier: Apache-2.0
#include "completion_queue.h"

#include <algorithm>

namespace card {

static constexpr uint32_t kUnit = 16, kToggleBit = 31, kPointerMask = 0x7fffffff;

CompletionQueue::CompletionQueue(Memory& memory, const HostMemory& host, const Numbers& defines, NocPlace core) :
    memory_(memory),
    host_(host),
    core_(core),
    begin_(defines.at("COMPLETION_QUEUE_BASE_ADDR")),
    bytes_(defines.at("COMPLETION_QUEUE_SIZE")),
    page_bytes_(1ull << defines.at("DISPATCH_CB_LOG_PAGE_SIZE")),
    write_pointer_on_core_(defines.at("DEV_COMPLETION_Q_WR_PTR")),
    read_pointer_on_core_(defines.at("DEV_COMPLETION_Q_RD_PTR")),
    write_pointer_on_host_(defines.at("COMMAND_QUEUE_BASE_ADDR") + defines.at("HOST_COMPLETION_Q_WR_PTR")) {
    uint32_t pointer = 0;
    memory_.read(core_.x, core_.y, write_pointer_on_core_, &pointer, sizeof(pointer));
    position_ = static_cast<uint64_t>(pointer & kPointerMask) * kUnit;
    toggle_ = pointer >> kToggleBit;
}

uint64_t CompletionQueue::free_bytes() {
    uint32_t pointer = 0;
    memory_.read(core_.x, core_.y, read_pointer_on_core_, &pointer, sizeof(pointer));
    const uint64_t read = static_cast<uint64_t>(pointer & kPointerMask) * kUnit;
    return pointer >> kToggleBit != toggle_ ? read - position_ : bytes_ - (position_ - read);
}

uint64_t CompletionQueue::write(const uint8_t* data, uint64_t bytes) {
    uint64_t done = 0;
    while (done < bytes) {
        const uint64_t room = std::min(free_bytes() / page_bytes_ * page_bytes_, begin_ + bytes_ - position_);
        const uint64_t part = std::min(bytes - done, room);
        if (part == 0) {
            break;
        }
        host_.write(position_, data + done, part);
        done += part;
        position_ += (part + page_bytes_ - 1) / page_bytes_ * page_bytes_;
        if (position_ >= begin_ + bytes_) {
            position_ = begin_;
            toggle_ ^= 1;
        }
        notify_host();
    }
    return done;
}

void CompletionQueue::notify_host() {
    const uint32_t pointer = static_cast<uint32_t>(position_ / kUnit) | toggle_ << kToggleBit;
    memory_.write(core_.x, core_.y, write_pointer_on_core_, &pointer, sizeof(pointer));
    host_.write(write_pointer_on_host_, &pointer, sizeof(pointer));
}

}  // namespace card
