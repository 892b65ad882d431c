// SPDX-License-Identifier: Apache-2.0
// The runner: a process that runs programs for its owner on shared memory. Its arguments are the numbers of open files:
// socket, lifeline, crash record, and the chip's three memory files. It answers one message after another (_wire/runner.py)
// and ends with its owner.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "engine/run/scheduler.h"
#include "engine/signals/crash_record.h"
#include "runner/debug_channel.h"
#include "runner/program_run.h"
#include "runner/program_store.h"
#include "runner/protection.h"

namespace tw {

using namespace wire;

static Channel* g_channel = nullptr;

static void send_line(uint32_t core_x, uint32_t core_y, const std::string& kernel, const std::string& line) {
    MessageWriter message;
    message.put(PrintedLine{core_x, core_y, static_cast<uint32_t>(kernel.size()), static_cast<uint32_t>(line.size())});
    message.put_text(kernel);
    message.put_text(line);
    g_channel->send(MessageKind::Printed, message);
}

static Chip* make_chip(Channel& channel, const MemoryFiles& files) {
    std::vector<uint8_t> body;
    channel.receive(body);
    MessageReader request(body);
    const auto& header = request.take<ChipRequest>();
    MessageWriter answer;
    Chip* chip = nullptr;
    try {
        chip = new Chip(header.config, request.take_array<uint8_t>(2 * header.num_nodes), files, true);
    } catch (const std::exception& error) {
        answer.put_text(error.what());
        channel.send(MessageKind::Failed, answer);
        end_process(1);
    }
    if (header.num_l1_banks != 0) {
        chip->set_l1_banks(request.take_array<uint16_t>(header.num_l1_banks));
    }
    chip->set_fabric(request.take_array<wire::FabricRouter>(header.num_routers), header.num_routers);
    answer.put(ReadyAnswer{filter_system_calls()});
    channel.send(MessageKind::Ready, answer);
    return chip;
}

[[noreturn]] static void serve(Channel& channel, ProgramStore& programs) {
    std::vector<uint8_t> body;
    MessageWriter answer;
    for (;;) {
        const MessageKind kind = channel.receive(body);
        MessageReader request(body);
        answer.clear();
        bool is_spent = false;
        MessageKind answers = kind == MessageKind::Load ? MessageKind::Loaded : MessageKind::Ran;
        try {
            if (kind == MessageKind::Load) {
                programs.load(request, answer);
            } else {
                const auto& header = request.take<RunRequest>();
                is_spent = run_program(programs.program(header.program), header, request, answer);
            }
        } catch (const std::exception& error) {
            g_crash_record->activity = RunnerActivity::Nothing;
            answer.clear();
            answer.put_text(error.what());
            answers = MessageKind::Failed;
        }
        channel.send(answers, answer);
        if (is_spent) {
            end_process(0);
        }
    }
}

// Static constructors of kernels may overflow the stack as well.
static void use_signal_stack() {
    static uint8_t memory[128 * 1024];
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = sizeof memory;
    sigaltstack(&stack, nullptr);
}

static void map_crash_record(int file) {
    void* memory = mmap(nullptr, sizeof(CrashRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) {
        g_crash_record = static_cast<CrashRecord*>(memory);
        g_crash_record->place = kNoPlace;
    }
}

}  // namespace tw

// A checked run needs much memory for a short time, and so does the next one.
static void keep_freed_memory() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

int main(int count, char** arguments) {
    using namespace tw;
    if (count != 7) {
        std::fprintf(stderr, "this program is started by tilewright, not by hand\n");
        return 2;
    }
    const auto file = [&](int index) { return std::atoi(arguments[index]); };
    end_with_owner(file(2));
    prefer_as_oom_victim();
    keep_freed_memory();
    map_crash_record(file(3));
    use_signal_stack();
    install_signal_handlers();
    Channel channel(file(1));
    g_channel = &channel;
    use_debug_channel(channel);
    ProgramStore programs(*make_chip(channel, {file(4), file(5), file(6)}), send_line);
    serve(channel, programs);
}
