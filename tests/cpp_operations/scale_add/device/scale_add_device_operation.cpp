// SPDX-License-Identifier: Apache-2.0
#include "scale_add_device_operation.hpp"
#include <tt-metalium/constants.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/work_split.hpp>
#include "ttnn/operations/cb_utils.hpp"
namespace ttnn::operations::scale_add {
using namespace tt;
using namespace tt::tt_metal;
using namespace tt::constants;
using Op = ScaleAddDeviceOperation;
Op::program_factory_t Op::select_program_factory(const operation_attributes_t& a, const tensor_args_t& t) {
    if (t.input.is_sharded())
        return Sharded{};
    if (t.input.physical_volume() <= TILE_HW)
        return SingleCore{};
    return MultiCore{};
}
void Op::validate_on_program_cache_miss(const operation_attributes_t& a, const tensor_args_t& t) {
    const auto& x = t.input;
    TT_FATAL(x.storage_type() == StorageType::DEVICE, "Operands to scale_add need to be on device!");
    TT_FATAL(x.buffer() != nullptr, "Operands need to be allocated in buffers on device!");
    TT_FATAL(x.layout() == Layout::TILE, "scale_add: layout must be TILE, got {}", x.layout());
    TT_FATAL(
        x.dtype() == DataType::BFLOAT16,
        "scale_add: dtype {} of {:>8} is not {}",
        x.dtype(),
        x.logical_shape(),
        DataType::BFLOAT16);
    TT_FATAL(std::abs(a.scale) < 1e3f, "scale {:.3f} is too large (limit {:#x})", a.scale, 1000);
    if (t.other.has_value()) {
        TT_FATAL(
            t.other->logical_shape() == x.logical_shape(),
            "shapes differ: {} vs {}",
            t.other->logical_shape(),
            x.logical_shape());
    }
}
void Op::validate_on_program_cache_hit(const operation_attributes_t& a, const tensor_args_t& t) {
    validate_on_program_cache_miss(a, t);
}
Op::spec_return_value_t Op::compute_output_specs(const operation_attributes_t& a, const tensor_args_t& t) {
    return TensorSpec(
        t.input.logical_shape(), TensorLayout(t.input.dtype(), PageConfig(t.input.layout()), a.memory_config));
}
Op::tensor_return_value_t Op::create_output_tensors(const operation_attributes_t& a, const tensor_args_t& t) {
    return create_device_tensor(compute_output_specs(a, t), t.input.device());
}
std::tuple<Op::operation_attributes_t, Op::tensor_args_t> Op::invoke(
    const Tensor& input,
    const std::optional<const Tensor>& other,
    float scale,
    const MemoryConfig& memory_config,
    const CoreCoord& grid,
    const DeviceComputeKernelConfig& config) {
    return {
        operation_attributes_t{scale, memory_config, grid, config},
        tensor_args_t{input, other ? std::optional<Tensor>(*other) : std::nullopt}};
}
static const char* DIR = "ttnn/cpp/ttnn/operations/scale_add/device/kernels/";
static std::tuple<KernelHandle, KernelHandle, KernelHandle> kernels(
    Program& program,
    const CoreRangeSet& cores,
    const Op::operation_attributes_t& a,
    const Op::tensor_args_t& t,
    const Tensor& out) {
    const auto fmt = datatype_to_dataformat_converter(t.input.dtype());
    const uint32_t tile = tt::tile_size(fmt);
    create_cb(CBIndex::c_0, program, cores, tile, 2, fmt);
    create_cb(CBIndex::c_1, program, cores, tile, 2, fmt);
    create_cb(CBIndex::c_2, program, cores, tile, 2, fmt);
    std::vector<uint32_t> ra = {t.other.has_value()};
    TensorAccessorArgs(*t.input.buffer()).append_to(ra);
    TensorAccessorArgs(t.other ? t.other->buffer() : t.input.buffer()).append_to(ra);
    std::vector<uint32_t> wa;
    TensorAccessorArgs(*out.buffer()).append_to(wa);
    auto reader = CreateKernel(program, std::string(DIR) + "reader.cpp", cores, ReaderDataMovementConfig(ra));
    auto writer = CreateKernel(program, std::string(DIR) + "writer.cpp", cores, WriterDataMovementConfig(wa));
    std::map<std::string, std::string> defines;
    if (t.other)
        defines["HAS_OTHER"] = "1";
    auto [fidelity, approx, fp32, l1acc, full] =
        get_compute_kernel_config_args(t.input.device()->arch(), a.compute_kernel_config);
    auto compute = CreateKernel(
        program,
        std::string(DIR) + "compute.cpp",
        cores,
        ComputeConfig{
            .math_fidelity = fidelity,
            .fp32_dest_acc_en = fp32,
            .math_approx_mode = approx,
            .compile_args = {},
            .defines = defines});
    SetCommonRuntimeArgs(program, compute, {std::bit_cast<uint32_t>(a.scale)});
    return {reader, compute, writer};
}
Op::SingleCore::cached_program_t Op::SingleCore::create(
    const operation_attributes_t& a, const tensor_args_t& t, tensor_return_value_t& out) {
    Program program = CreateProgram();
    CoreCoord core{0, 0};
    auto [r, c, w] = kernels(program, CoreRangeSet(CoreRange(core)), a, t, out);
    SetRuntimeArgs(program, r, core, {t.input.buffer()->address(), t.other ? t.other->buffer()->address() : 0, 0u, 1u});
    SetRuntimeArgs(program, c, core, {1u});
    SetRuntimeArgs(program, w, core, {out.buffer()->address(), 0u, 1u});
    return {std::move(program), {r, c, w}};
}
void Op::SingleCore::override_runtime_arguments(
    cached_program_t& cached, const operation_attributes_t& a, const tensor_args_t& t, tensor_return_value_t& out) {
    auto& p = cached.program;
    CoreCoord core{0, 0};
    auto& ra = GetRuntimeArgs(p, cached.shared_variables.reader, core);
    ra[0] = t.input.buffer()->address();
    if (t.other)
        ra[1] = t.other->buffer()->address();
    GetRuntimeArgs(p, cached.shared_variables.writer, core)[0] = out.buffer()->address();
    GetCommonRuntimeArgs(p, cached.shared_variables.compute)[0] = std::bit_cast<uint32_t>(a.scale);
}
Op::MultiCore::cached_program_t Op::MultiCore::create(
    const operation_attributes_t& a, const tensor_args_t& t, tensor_return_value_t& out) {
    Program program{};
    const uint32_t tiles = t.input.physical_volume() / TILE_HW;
    auto [num, all, g1, g2, n1, n2] = split_work_to_cores(a.grid, tiles);
    auto [r, c, w] = kernels(program, all, a, t, out);
    uint32_t start = 0;
    auto cores = corerange_to_cores(all, std::nullopt, true);
    for (const auto& core : cores) {
        const uint32_t n = g1.contains(core) ? n1 : n2;
        SetRuntimeArgs(
            program, r, core, {t.input.buffer()->address(), t.other ? t.other->buffer()->address() : 0, start, n});
        SetRuntimeArgs(program, c, core, {n});
        SetRuntimeArgs(program, w, core, {out.buffer()->address(), start, n});
        start += n;
    }
    return {std::move(program), {r, c, w, cores}};
}
void Op::MultiCore::override_runtime_arguments(
    cached_program_t& cached, const operation_attributes_t& a, const tensor_args_t& t, tensor_return_value_t& out) {
    auto& v = cached.shared_variables;
    auto& rargs = GetRuntimeArgs(cached.program, v.reader);
    auto& wargs = GetRuntimeArgs(cached.program, v.writer);
    for (const auto& core : v.cores) {
        rargs[core.x][core.y][0] = t.input.buffer()->address();
        if (t.other)
            rargs[core.x][core.y][1] = t.other->buffer()->address();
        wargs[core.x][core.y][0] = out.buffer()->address();
    }
    GetCommonRuntimeArgs(cached.program, v.compute)[0] = std::bit_cast<uint32_t>(a.scale);
}
Op::Sharded::cached_program_t Op::Sharded::create(
    const operation_attributes_t& a, const tensor_args_t& t, tensor_return_value_t& out) {
    Program program = CreateProgram();
    const auto spec = t.input.shard_spec().value();
    const auto fmt = datatype_to_dataformat_converter(t.input.dtype());
    const uint32_t tile = tt::tile_size(fmt), n = spec.numel() / TILE_HW;
    auto sharded_cb = [&](uint32_t index, Buffer* buffer) {
        CircularBufferConfig config(n * tile, {{index, fmt}});
        config.set_page_size(index, tile).set_globally_allocated_address(*buffer);
        return CreateCircularBuffer(program, spec.grid, config);
    };
    auto in = sharded_cb(CBIndex::c_0, t.input.buffer());
    auto other = t.other ? sharded_cb(CBIndex::c_1, t.other->buffer()) : in;
    auto o = sharded_cb(CBIndex::c_2, out.buffer());
    std::map<std::string, std::string> defines = {{"SHARDED", "1"}};
    if (t.other)
        defines["HAS_OTHER"] = "1";
    auto compute = CreateKernel(
        program,
        std::string(DIR) + "compute.cpp",
        spec.grid,
        ComputeConfig{.math_fidelity = MathFidelity::HiFi4, .defines = defines});
    SetCommonRuntimeArgs(program, compute, {std::bit_cast<uint32_t>(a.scale)});
    SetRuntimeArgs(program, compute, spec.grid, {n});
    return {std::move(program), {compute, in, other, o}};
}
void Op::Sharded::override_runtime_arguments(
    cached_program_t& cached, const operation_attributes_t& a, const tensor_args_t& t, tensor_return_value_t& out) {
    auto& v = cached.shared_variables;
    UpdateDynamicCircularBufferAddress(cached.program, v.in, *t.input.buffer());
    if (t.other)
        UpdateDynamicCircularBufferAddress(cached.program, v.other, *t.other->buffer());
    UpdateDynamicCircularBufferAddress(cached.program, v.out, *out.buffer());
    GetCommonRuntimeArgs(cached.program, v.compute)[0] = std::bit_cast<uint32_t>(a.scale);
}
}  // namespace ttnn::operations::scale_add
