// SPDX-License-Identifier: Apache-2.0
#include "runner/program_run.h"

#include <cstdio>

#include "engine/program.h"
#include "runner/debug_channel.h"
#include "runner/processor.h"

namespace tw {

static void set_arguments(void* program, MessageReader& request) {
    const size_t kernels = static_cast<Program*>(program)->kernels.size();
    for (uint32_t kernel = 0; kernel < kernels; kernel++) {
        const auto& header = request.take<TwArguments>();
        const auto* offsets = request.take_array<uint32_t>(header.num_offsets);
        const auto* words = request.take_array<uint32_t>(header.num_words);
        const auto* common = request.take_array<uint32_t>(header.num_common);
        tw_program_set_args(program, kernel, words, offsets, header.num_offsets, common, header.num_common);
    }
}

static void set_host_memory(void* program, const TwRunRequest& header, MessageReader& request) {
    std::vector<TwHostMemory> buffers;
    for (uint32_t index = 0; index < header.num_host_buffers; index++) {
        const auto& each = request.take<TwHostBuffer>();
        buffers.push_back(each.buffer);
        buffers.back().outside = each.outside_bytes != 0 ? request.take_array<uint8_t>(each.outside_bytes) : nullptr;
    }
    tw_program_set_host_memory(program, buffers.data(), buffers.size(), header.host_buffers_are_all);
}

static void put_findings(void* program, uint64_t count, MessageWriter& answer) {
    std::vector<TwFindingReport> findings(count);
    tw_program_findings(program, findings.data(), count);
    for (const TwFindingReport& finding : findings) {
        answer.put(finding);
        answer.put(TwFindingText{std::strlen(finding.rule), std::strlen(finding.text)});
        answer.put_text(finding.rule);
        answer.put_text(finding.text);
    }
}

static void put_pushes(void* program, uint64_t count, MessageWriter& answer) {
    std::vector<TwPushReport> pushes(count);
    tw_program_pushes(program, pushes.data(), count);
    for (const TwPushReport& push : pushes) {
        answer.put(push);
        answer.put_bytes(push.data, static_cast<uint64_t>(push.pages) * push.page_bytes);
    }
}

// Where kernels stand is reported only if not all of them finished.
static void put_record(void* program, const TwRunReport& report, MessageWriter& answer) {
    const std::string text = report.error_text != nullptr ? report.error_text : "";
    const std::string rule = report.error_rule != nullptr ? report.error_rule : "";
    TwRanAnswer record{};
    record.report = report;
    record.text_bytes = text.size();
    record.rule_bytes = rule.size();
    record.num_instances = report.status != 0 ? tw_program_num_instances(program) : 0;
    record.num_raises = report.status != 0 ? tw_program_raises(program, nullptr, 0) : 0;
    record.num_traffic = tw_program_traffic(program, nullptr, 0);
    record.num_circular_buffers = tw_program_circular_buffers(program, nullptr, 0);
    record.num_findings = tw_program_findings(program, nullptr, 0);
    record.num_pushes = tw_program_pushes(program, nullptr, 0);
    record.num_calls = tw_program_calls(program, nullptr, 0);
    answer.put(record);
    answer.put_text(text);
    answer.put_text(rule);
    if (record.num_instances != 0) {
        void* instances = answer.add(record.num_instances * sizeof(TwInstanceReport));
        tw_program_instances(program, static_cast<TwInstanceReport*>(instances));
    }
    void* raises = answer.add(record.num_raises * sizeof(TwRaiseReport));
    tw_program_raises(program, static_cast<TwRaiseReport*>(raises), record.num_raises);
    void* traffic = answer.add(record.num_traffic * sizeof(TwTrafficReport));
    tw_program_traffic(program, static_cast<TwTrafficReport*>(traffic), record.num_traffic);
    void* buffers = answer.add(record.num_circular_buffers * sizeof(TwCircularBufferReport));
    tw_program_circular_buffers(program, static_cast<TwCircularBufferReport*>(buffers), record.num_circular_buffers);
    put_findings(program, record.num_findings, answer);
    put_pushes(program, record.num_pushes, answer);
    void* calls = answer.add(record.num_calls * sizeof(uint64_t));
    tw_program_calls(program, static_cast<uint64_t*>(calls), record.num_calls);
}

bool run_program(void* program, const TwRunRequest& header, MessageReader& request, MessageWriter& answer) {
    set_arguments(program, request);
    set_host_memory(program, header, request);
    const std::unique_ptr<Debugger> debugger = debugger_of(program, header, request);
    const double last = static_cast<Program*>(program)->work_seconds;
    choose_cpu(header.threads <= 1 && last > 0 && last < Program::kWorthThreads);
    TwRunReport report{};
    tw_program_run(
        program,
        header.threads,
        header.time_limit,
        header.spin_limit,
        header.checked,
        header.seed,
        header.recorded_circular_buffers,
        header.keep_l1,
        &report);
    put_record(program, report, answer);
    if (report.spent == 0) {
        std::fflush(stdout);  // output of a kernel that prints by itself
    }
    return report.spent != 0;
}

}  // namespace tw
