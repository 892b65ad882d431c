// SPDX-License-Identifier: Apache-2.0
#include "tw_host/metal2.hpp"

#include "tw_host/values.hpp"

namespace tt::tt_metal::experimental {

using tw::host::enum_name;
using tw::host::List;
using tw::host::Value;

namespace {

Value plain(const std::string& text) { return text; }
Value plain(std::uint32_t number) { return number; }
Value plain(const NodeCoord& node) { return List{node.x, node.y}; }
Value plain(const std::vector<std::uint32_t>& numbers) { return tw::host::list_of(numbers); }
template <typename T, typename Tag>
Value plain(const ttsl::StrongType<T, Tag>& name) {
    return *name;
}
Value plain(const Nodes& nodes) { return tw::host::to_value(as_core_range_set(nodes)); }
template <typename K, typename V>
Value plain(const Table<K, V>& table) {
    List list;
    for (const auto& [key, value] : table) {
        list.push_back(List{plain(key), plain(value)});
    }
    return list;
}
template <typename T>
Value names(const T& group) {
    List list;
    for (const auto& name : group) {
        list.push_back(plain(name));
    }
    return list;
}
Value format(const std::optional<tt::DataFormat>& format) { return format ? Value(enum_name(*format)) : Value(); }
Value tile(const std::optional<Tile>& tile) { return tile ? tw::host::to_value(*tile) : Value(); }

Value hardware(const std::variant<DataMovementHardwareConfig, ComputeHardwareConfig>& config) {
    if (const auto* moving = std::get_if<DataMovementHardwareConfig>(&config)) {
        const DataMovement1XXConfig placed = moving->config_1xx.value_or(DataMovement1XXConfig{});
        return List{
            "data_movement",
            enum_name(placed.processor),
            placed.noc == NOC::NOC_0 ? "NOC_0" : "NOC_1",
            enum_name(placed.noc_mode)};
    }
    const auto& compute = std::get<ComputeHardwareConfig>(config);
    List modes;
    for (const auto& [name, mode] : compute.unpack_modes) {
        modes.push_back(List{*name, mode == UnpackMode::UnpackToDest ? "UnpackToDest" : "UnpackToSrc"});
    }
    const bool precise = compute.bfp_pack_precision_mode == Precision::Precise ||
                         (compute.config_1xx && compute.config_1xx->bfp_pack_precision_mode == Precision::Precise);
    return List{
        "compute",
        enum_name(compute.fpu_math_fidelity),
        enum_name(compute.sfpu_precision_mode),
        compute.enable_32_bit_dest,
        compute.double_buffer_dest,
        modes,
        precise};
}

Value kernel_value(const KernelSpec& kernel) {
    const auto* path = std::get_if<std::filesystem::path>(&kernel.source);
    List dfbs, semaphores, scratchpads, tensors, sequences, paths;
    for (const auto& binding : kernel.dfb_bindings) {
        dfbs.push_back(List{*binding.dfb_spec_name, binding.accessor_name, enum_name(binding.endpoint_type)});
    }
    for (const auto& binding : kernel.semaphore_bindings) {
        semaphores.push_back(List{*binding.semaphore_spec_name, binding.accessor_name});
    }
    for (const auto& binding : kernel.scratchpad_bindings) {
        scratchpads.push_back(List{*binding.scratchpad_spec_name, binding.accessor_name});
    }
    for (const auto& binding : kernel.tensor_bindings) {
        tensors.push_back(List{*binding.tensor_parameter_name, binding.accessor_name});
    }
    for (const auto& sequence : kernel.advanced_options.tensor_binding_sequences) {
        sequences.push_back(List{sequence.sequence_name, names(sequence.members)});
    }
    for (const auto& include : kernel.compiler_options.include_paths) {
        paths.emplace_back(include.string());
    }
    return List{
        *kernel.unique_id,
        path != nullptr ? path->string() : std::get<KernelSpec::SourceCode>(kernel.source).code,
        path == nullptr,
        kernel.num_threads,
        List{paths, plain(kernel.compiler_options.defines), enum_name(kernel.compiler_options.opt_level)},
        dfbs,
        semaphores,
        scratchpads,
        tensors,
        plain(kernel.compile_time_args),
        names(kernel.runtime_arg_schema.runtime_arg_names),
        names(kernel.runtime_arg_schema.common_runtime_arg_names),
        hardware(kernel.hw_config),
        List{
            kernel.advanced_options.num_runtime_varargs,
            kernel.advanced_options.num_common_runtime_varargs,
            plain(kernel.advanced_options.num_runtime_varargs_per_node),
            tw::host::list_of(kernel.advanced_options.compile_time_varargs),
            sequences}};
}

}  // namespace

Value to_value(const ProgramSpec& spec) {
    List kernels, dfbs, semaphores, scratchpads, tensors, units;
    for (const KernelSpec& kernel : spec.kernels) {
        kernels.push_back(kernel_value(kernel));
    }
    for (const DataflowBufferSpec& dfb : spec.dataflow_buffers) {
        dfbs.push_back(
            List{
                *dfb.unique_id,
                dfb.entry_size,
                dfb.num_entries,
                format(dfb.data_format_metadata),
                tile(dfb.tile_format_metadata),
                dfb.borrowed_from ? Value(**dfb.borrowed_from) : Value(),
                names(dfb.advanced_options.alias_with),
                dfb.advanced_options.allow_instance_multi_binding});
    }
    for (const SemaphoreSpec& semaphore : spec.semaphores) {
        semaphores.push_back(
            List{*semaphore.unique_id, plain(semaphore.target_nodes), semaphore.advanced_options.initial_value});
    }
    for (const ScratchpadSpec& scratchpad : spec.scratchpads) {
        scratchpads.push_back(
            List{
                *scratchpad.unique_id,
                scratchpad.size_per_node,
                format(scratchpad.data_format_metadata),
                tile(scratchpad.tile_format_metadata)});
    }
    for (const TensorParameter& tensor : spec.tensor_parameters) {
        tensors.emplace_back(*tensor.unique_id);
    }
    for (const WorkUnitSpec& unit : spec.work_units) {
        units.push_back(List{unit.name, names(unit.kernels), plain(unit.target_nodes)});
    }
    return List{spec.name, kernels, dfbs, semaphores, scratchpads, tensors, units};
}

Value to_value(const ProgramRunArgs& args) {
    List kernels, tensors, overrides;
    for (const KernelRunArgs& kernel : args.kernel_run_args) {
        kernels.push_back(
            List{
                *kernel.kernel,
                plain(kernel.runtime_arg_values),
                plain(kernel.common_runtime_arg_values),
                plain(kernel.advanced_options.runtime_varargs),
                tw::host::list_of(kernel.advanced_options.common_runtime_varargs)});
    }
    for (const auto& [name, tensor] : args.tensor_args) {
        tensors.push_back(List{*name, tensor.get().state()->handle});
    }
    for (const DFBRunOverrides& override : args.dfb_run_overrides) {
        overrides.push_back(
            List{
                *override.dfb,
                override.entry_size ? Value(*override.entry_size) : Value(),
                override.num_entries ? Value(*override.num_entries) : Value()});
    }
    return List{kernels, tensors, overrides};
}

Program MakeProgramFromSpec(distributed::MeshDevice&, const ProgramSpec& spec, bool) {
    Program program;
    program.record().spec = to_value(spec);
    return program;
}
void SetProgramRunArgs(Program& program, const ProgramRunArgs& args, bool) {
    program.record().run_args = to_value(args);
}
void UpdateProgramRunArgs(Program& program, const ProgramRunArgs& args, bool) { SetProgramRunArgs(program, args); }

}  // namespace tt::tt_metal::experimental

namespace ttnn {

tt::tt_metal::experimental::ComputeHardwareConfig to_compute_hardware_config(const ComputeKernelConfig& config) {
    using namespace tt::tt_metal;
    return {
        .fpu_math_fidelity = config.math_fidelity,
        .sfpu_precision_mode = config.math_approx_mode ? Precision::Approximate : Precision::Precise,
        .enable_32_bit_dest = config.fp32_dest_acc_en,
        .double_buffer_dest = !config.dst_full_sync_en};
}

}  // namespace ttnn
