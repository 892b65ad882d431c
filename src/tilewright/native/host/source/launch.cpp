// SPDX-License-Identifier: Apache-2.0
#include "tw_host/device_operation.hpp"

namespace ttnn::device_operation::detail {

namespace {
bool comparing = false;
}  // namespace

bool compares_with_fresh() { return comparing; }

void compare(const std::string& operation, const Value& cached, const Value& fresh, Compared compared) {
    static constexpr const char* kNames[] = {"structure", "override", "patching"};
    tw::host::call_python("compare_programs", {operation, cached, fresh, kNames[static_cast<int>(compared)]});
}

void compare_factories(const std::string& operation, const std::string& kept, const std::string& selected) {
    tw::host::call_python("compare_factories", {operation, kept, selected});
}

void run(const std::string& operation, const List& tensors, const Value& program, bool from_cache) {
    tw::host::call_python("run_program", {operation, tensors, program, from_cache});
}

void run_spec(
    const std::string& operation, const List& tensors, const ProgramArtifacts& artifacts, const Value& cached_spec) {
    List all = tensors;
    for (const tt::tt_metal::MeshTensor& owned : artifacts.op_owned_tensors) {
        all.insert(all.begin(), owned.state()->handle);
    }
    tw::host::call_python("run_spec", {operation, all, cached_spec, to_value(artifacts.run_params)});
}

}  // namespace ttnn::device_operation::detail

// From here on, a call that finds a cached program is compared with a fresh one.
extern "C" __attribute__((visibility("default"))) void tw_host_compare_with_fresh(int on) {
    ttnn::device_operation::detail::comparing = on != 0;
}
