// SPDX-License-Identifier: Apache-2.0
// Program specs with named bindings (tt-metal's experimental host API, "metal 2.0").
//
// Names and the order of members are those of the release: host code fills the structs with designated initialisers.
// Python lowers a spec with its run arguments to a program (`tilewright.metal2.lower`).
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tw_host/compute_kernel_config.hpp"
#include "tw_host/host_api.hpp"

namespace tt::tt_metal::experimental {

template <typename T>
using Group = std::vector<T>;

// Entries in the order they were made. The second of two entries with one key is an error.
template <typename K, typename V>
class Table {
public:
    using key_type = K;
    using mapped_type = V;
    using value_type = std::pair<K, V>;
    Table() = default;
    Table(std::initializer_list<value_type> entries) {
        for (const auto& entry : entries) {
            TT_FATAL(insert(entry).second, "Table: duplicate key in initializer list");
        }
    }
    template <typename Range>
        requires requires(const Range& range) {
            range.begin()->first;
            range.begin()->second;
        }
    explicit Table(const Range& entries) {
        for (const auto& [key, value] : entries) {
            insert({key, value});
        }
    }
    auto begin() { return entries_.begin(); }
    auto end() { return entries_.end(); }
    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }
    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    void clear() { entries_.clear(); }
    auto find(const K& key) {
        return std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
    }
    auto find(const K& key) const {
        return std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
    }
    bool contains(const K& key) const { return find(key) != entries_.end(); }
    auto insert(const value_type& entry) {
        const auto found = find(entry.first);
        if (found != entries_.end()) {
            return std::pair(found, false);
        }
        entries_.push_back(entry);
        return std::pair(std::prev(entries_.end()), true);
    }
    template <typename... A>
    auto emplace(A&&... arguments) {
        return insert(value_type(std::forward<A>(arguments)...));
    }
    std::size_t erase(const K& key) {
        return std::erase_if(entries_, [&](const auto& entry) { return entry.first == key; });
    }
    V& operator[](const K& key) { return insert({key, V{}}).first->second; }
    const V& at(const K& key) const {
        const auto found = find(key);
        TT_FATAL(found != entries_.end(), "Table: no such key");
        return found->second;
    }

private:
    std::vector<value_type> entries_;
};

using NodeCoord = CoreCoord;
using NodeRange = CoreRange;
using NodeRangeSet = CoreRangeSet;
using Nodes = std::variant<NodeCoord, NodeRange, NodeRangeSet>;
inline std::vector<NodeCoord> grid_to_nodes(
    std::uint32_t count, std::uint32_t columns, std::uint32_t rows, bool row_wise = false) {
    return grid_to_cores(count, columns, rows, row_wise);
}
inline std::vector<NodeCoord> grid_to_nodes(NodeCoord start, NodeCoord end, bool row_wise = false) {
    return grid_to_cores(start, end, row_wise);
}

using DFBSpecName = ttsl::StrongType<std::string, struct DFBSpecNameTag>;
using KernelSpecName = ttsl::StrongType<std::string, struct KernelSpecNameTag>;
using SemaphoreSpecName = ttsl::StrongType<std::string, struct SemaphoreSpecNameTag>;
using ScratchpadSpecName = ttsl::StrongType<std::string, struct ScratchpadSpecNameTag>;
using TensorParamName = ttsl::StrongType<std::string, struct TensorParamNameTag>;

struct KernelAdvancedOptions {
    struct TensorBindingSequence {
        std::string sequence_name;
        Group<std::string> members;
    };
    std::uint32_t num_runtime_varargs = 0;
    std::uint32_t num_common_runtime_varargs = 0;
    Table<Nodes, std::uint32_t> num_runtime_varargs_per_node;
    std::vector<std::uint32_t> compile_time_varargs;
    Group<TensorBindingSequence> tensor_binding_sequences;
};
using TensorBindingSequence = KernelAdvancedOptions::TensorBindingSequence;
struct DFBAdvancedOptions {
    Group<DFBSpecName> alias_with;
    bool allow_instance_multi_binding = false;
};
struct AdvancedKernelRunArgs {
    using Varargs = std::vector<std::uint32_t>;
    Table<NodeCoord, Varargs> runtime_varargs;
    Varargs common_runtime_varargs;
};
struct SemaphoreAdvancedOptions {
    std::uint32_t initial_value = 0;
};

struct ComputeHardwareConfig {
    using ComputeUnpackModes = Table<DFBSpecName, UnpackMode>;
    struct Compute1XXConfig {
        Precision bfp_pack_precision_mode = Precision::Approximate;
    };
    struct Compute2XXConfig {
        bool enable_2x_src_register = false;
    };
    MathFidelity fpu_math_fidelity = MathFidelity::HiFi4;
    Precision sfpu_precision_mode = Precision::Precise;
    Precision bfp_pack_precision_mode = Precision::Approximate;  // until ttnn 0.80; config_1xx has it since
    bool enable_32_bit_dest = false;
    bool double_buffer_dest = true;
    ComputeUnpackModes unpack_modes;
    std::optional<Compute1XXConfig> config_1xx;
    std::optional<Compute2XXConfig> config_2xx;
};
using Compute1XXConfig = ComputeHardwareConfig::Compute1XXConfig;
using ComputeUnpackModes = ComputeHardwareConfig::ComputeUnpackModes;

struct DataMovementHardwareConfig {
    struct DataMovement1XXConfig {
        DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
        NOC noc = NOC::RISCV_0_default;
        NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
    };
    struct DataMovement2XXConfig {
        Group<DFBSpecName> disable_dfb_implicit_sync_for;
        bool disable_dfb_implicit_sync_for_all = false;
    };
    std::optional<DataMovement1XXConfig> config_1xx;
    std::optional<DataMovement2XXConfig> config_2xx;
};
using DataMovement1XXConfig = DataMovementHardwareConfig::DataMovement1XXConfig;

struct DataflowBufferSpec {
    DFBSpecName unique_id;
    std::uint32_t entry_size = 0;
    std::uint32_t num_entries = 0;
    std::optional<tt::DataFormat> data_format_metadata = std::nullopt;
    std::optional<Tile> tile_format_metadata = std::nullopt;
    std::optional<FaceGeometry> unpack_face_geometry_metadata = std::nullopt;
    std::optional<TensorParamName> borrowed_from = std::nullopt;
    DFBAdvancedOptions advanced_options;
};
struct SemaphoreSpec {
    SemaphoreSpecName unique_id;
    Nodes target_nodes;
    SemaphoreAdvancedOptions advanced_options;
};
struct ScratchpadSpec {
    ScratchpadSpecName unique_id;
    std::uint32_t size_per_node = 0;
    std::optional<tt::DataFormat> data_format_metadata = std::nullopt;
    std::optional<Tile> tile_format_metadata = std::nullopt;
};
struct TensorSpecRelaxations {
    bool match_padded_shape_only = false;
    bool dynamic_tensor_shape = false;
};
struct TensorParameter {
    TensorParamName unique_id;
    TensorSpec spec;
    TensorSpecRelaxations advanced_options;
};

struct KernelSpec {
    KernelSpecName unique_id;
    struct SourceCode {
        std::string code;
    };
    std::variant<std::filesystem::path, SourceCode> source;
    std::uint32_t num_threads = 1;
    struct CompilerOptions {
        using IncludePaths = std::vector<std::filesystem::path>;
        using Defines = Table<std::string, std::string>;
        using OptLevel = KernelBuildOptLevel;
        IncludePaths include_paths;
        Defines defines;
        OptLevel opt_level = OptLevel::O2;
    };
    CompilerOptions compiler_options = {};
    struct DFBBinding {
        enum class EndpointType { PRODUCER, CONSUMER, RELAY };
        enum class AccessPattern { STRIDED, ALL, BLOCKED };
        DFBSpecName dfb_spec_name;
        std::string accessor_name;
        EndpointType endpoint_type;
        AccessPattern access_pattern = AccessPattern::STRIDED;
    };
    Group<DFBBinding> dfb_bindings;
    struct SemaphoreBinding {
        SemaphoreSpecName semaphore_spec_name;
        std::string accessor_name;
    };
    Group<SemaphoreBinding> semaphore_bindings;
    struct ScratchpadBinding {
        ScratchpadSpecName scratchpad_spec_name;
        std::string accessor_name;
    };
    Group<ScratchpadBinding> scratchpad_bindings;
    struct TensorBinding {
        TensorParamName tensor_parameter_name;
        std::string accessor_name;
    };
    Group<TensorBinding> tensor_bindings;
    using CompileTimeArgs = Table<std::string, std::uint32_t>;
    CompileTimeArgs compile_time_args;
    struct RuntimeArgSchema {
        Group<std::string> runtime_arg_names;
        Group<std::string> common_runtime_arg_names;
    };
    RuntimeArgSchema runtime_arg_schema{};
    std::variant<DataMovementHardwareConfig, ComputeHardwareConfig> hw_config;
    KernelAdvancedOptions advanced_options;
    bool is_compute_kernel() const { return std::holds_alternative<ComputeHardwareConfig>(hw_config); }
    bool is_data_movement_kernel() const { return !is_compute_kernel(); }
};
using DFBBinding = KernelSpec::DFBBinding;
using DFBEndpointType = KernelSpec::DFBBinding::EndpointType;
using DFBAccessPattern = KernelSpec::DFBBinding::AccessPattern;
using TensorBinding = KernelSpec::TensorBinding;
using SemaphoreBinding = KernelSpec::SemaphoreBinding;
using ScratchpadBinding = KernelSpec::ScratchpadBinding;

inline DFBBinding ProducerOf(DFBSpecName name, std::string accessor) {
    return {std::move(name), std::move(accessor), DFBEndpointType::PRODUCER};
}
inline DFBBinding ConsumerOf(DFBSpecName name, std::string accessor) {
    return {std::move(name), std::move(accessor), DFBEndpointType::CONSUMER};
}
inline DFBBinding StridedConsumerOf(DFBSpecName name, std::string accessor) {
    return ConsumerOf(std::move(name), std::move(accessor));
}
inline DFBBinding AllConsumerOf(DFBSpecName name, std::string accessor) {
    return {std::move(name), std::move(accessor), DFBEndpointType::CONSUMER, DFBAccessPattern::ALL};
}

struct WorkUnitSpec {
    std::string name;
    Group<KernelSpecName> kernels;
    Nodes target_nodes;
};
struct ProgramSpec {
    std::string name;
    Group<KernelSpec> kernels;
    Group<DataflowBufferSpec> dataflow_buffers;
    Group<SemaphoreSpec> semaphores;
    Group<ScratchpadSpec> scratchpads;
    Group<TensorParameter> tensor_parameters;
    Group<WorkUnitSpec> work_units;
};

struct ProgramRunArgs {
    struct KernelRunArgs {
        KernelSpecName kernel;
        using RuntimeArgValues = Table<std::string, Table<NodeCoord, std::uint32_t>>;
        RuntimeArgValues runtime_arg_values;
        using CommonRuntimeArgValues = Table<std::string, std::uint32_t>;
        CommonRuntimeArgValues common_runtime_arg_values;
        AdvancedKernelRunArgs advanced_options;
    };
    Group<KernelRunArgs> kernel_run_args;
    // A tensor by reference: the call's tensors outlive its program.
    class TensorArgument {
    public:
        TensorArgument(const MeshTensor& tensor) : tensor_(&tensor) {}
        TensorArgument(std::reference_wrapper<const MeshTensor> tensor) : tensor_(&tensor.get()) {}
        const MeshTensor& get() const { return *tensor_; }

    private:
        const MeshTensor* tensor_;
    };
    class TensorArguments : public std::vector<std::pair<TensorParamName, TensorArgument>> {
    public:
        using std::vector<std::pair<TensorParamName, TensorArgument>>::vector;
        void emplace(const TensorParamName& name, const TensorArgument& tensor) { emplace_back(name, tensor); }
        void insert(const std::pair<TensorParamName, TensorArgument>& entry) { push_back(entry); }
    };
    TensorArguments tensor_args;
    struct DFBRunOverrides {
        DFBSpecName dfb;
        std::optional<std::uint32_t> entry_size = std::nullopt;
        std::optional<std::uint32_t> num_entries = std::nullopt;
    };
    Group<DFBRunOverrides> dfb_run_overrides;
};
using KernelRunArgs = ProgramRunArgs::KernelRunArgs;
using DFBRunOverrides = ProgramRunArgs::DFBRunOverrides;
using TensorArgument = ProgramRunArgs::TensorArgument;

inline void AddRuntimeArgsForNode(
    KernelRunArgs::RuntimeArgValues& values,
    const NodeCoord& node,
    std::initializer_list<std::pair<std::string, std::uint32_t>> named) {
    for (const auto& [name, value] : named) {
        values[name][node] = value;
    }
}
inline KernelRunArgs::RuntimeArgValues MakeRuntimeArgsForSingleNode(
    const NodeCoord& node, std::initializer_list<std::pair<std::string, std::uint32_t>> named) {
    KernelRunArgs::RuntimeArgValues values;
    AddRuntimeArgsForNode(values, node, named);
    return values;
}

tw::host::Value to_value(const ProgramSpec& spec);
tw::host::Value to_value(const ProgramRunArgs& args);

Program MakeProgramFromSpec(distributed::MeshDevice& device, const ProgramSpec& spec, bool skip_checks = false);
void SetProgramRunArgs(Program& program, const ProgramRunArgs& args, bool skip_checks = false);
// Arguments are always validated here, whatever the flag says.
void UpdateProgramRunArgs(Program& program, const ProgramRunArgs& args, bool skip_validation = false);

}  // namespace tt::tt_metal::experimental

namespace ttnn {
// The flag says that dataflow buffers do not synchronise by themselves, which these chips' never do.
inline tt::tt_metal::experimental::DataMovementHardwareConfig create_reader_datamovement_config(bool = false) {
    using namespace tt::tt_metal;
    return {
        .config_1xx = tt::tt_metal::experimental::DataMovement1XXConfig{DataMovementProcessor::RISCV_1, NOC::NOC_0}};
}
inline tt::tt_metal::experimental::DataMovementHardwareConfig create_writer_datamovement_config(bool = false) {
    using namespace tt::tt_metal;
    return {
        .config_1xx = tt::tt_metal::experimental::DataMovement1XXConfig{DataMovementProcessor::RISCV_0, NOC::NOC_1}};
}
inline tt::tt_metal::experimental::DataMovementHardwareConfig create_reader_datamovement_config(
    tt::ARCH, bool = false) {
    return create_reader_datamovement_config();
}
inline tt::tt_metal::experimental::DataMovementHardwareConfig create_writer_datamovement_config(
    tt::ARCH, bool = false) {
    return create_writer_datamovement_config();
}
tt::tt_metal::experimental::ComputeHardwareConfig to_compute_hardware_config(const ComputeKernelConfig& config);
}  // namespace ttnn

#include "tw_host/metal2_earlier_names.hpp"
