// SPDX-License-Identifier: Apache-2.0
#include <tt-metalium/hal.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/work_split.hpp>

#include "layernorm_fused_rm_device_operation.hpp"
#include "layernorm_fused_rm_plan.hpp"

namespace ttnn::operations::reduction::layernorm_fused_rm {

using namespace tt::tt_metal;

namespace {

constexpr const char* KERNELS = "ttnn/cpp/ttnn/operations/reduction/layernorm_fused_rm/device/kernels/";
// What tt-metal keeps of L1 for the configurations of kernels.
constexpr uint32_t KERNEL_CONFIG_BYTES = 69 * 1024;

// A kernel's file and the names of its arguments; a tensor's name among runtime arguments is its address.
struct KernelTable {
    const char* file;
    std::vector<const char*> compile_time, tensors, runtime;
};
struct Variant {
    DataType dtype;
    bool resident;
    std::vector<BufferSize> buffers;
    KernelTable reader, compute, writer;
    std::vector<UnpackToDestMode> unpack_modes;

    const KernelTable& table(std::size_t kernel) const {
        return kernel == 0 ? reader : kernel == 1 ? compute : writer;
    }
};

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = {
        {DataType::BFLOAT16,
            true,
            {
             {"in_rm", 0, tt::DataFormat::Float16_b, 0, 0, 64, 0, 2048, 2},
             {"in_tiled", 1, tt::DataFormat::Float16_b, 1, 0, 0, 0, 2048, 0},
             {"scaler", 2, tt::DataFormat::Float16_b, 0, 0, 1, 1, 2048, 0},
             {"epsilon", 3, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"gamma_rm", 4, tt::DataFormat::Float16_b, 0, 0, 1, 0, 2048, 2},
             {"beta_rm", 5, tt::DataFormat::Float16_b, 0, 0, 1, 0, 2048, 2},
             {"gamma_tiled", 6, tt::DataFormat::Float16_b, 1, 0, 0, 0, 2048, 0},
             {"beta_tiled", 7, tt::DataFormat::Float16_b, 1, 0, 0, 0, 2048, 0},
             {"out_rm", 16, tt::DataFormat::Float16_b, 0, 0, 64, 0, 2048, 2},
             {"variance_parts", 24, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"mean", 25, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"variance", 26, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"inv_std", 27, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
            },
            {"bfloat16_resident/read.cpp", {"num_blocks", "block_tiles", "last_tile_columns", "stick_bytes", "block_bytes"}, {"x", "gamma", "beta"}, {"x", "gamma", "beta", "first_stick", "num_sticks", "epsilon_bits"}},
            {"bfloat16_resident/compute_layernorm_fused_rm.cpp", {"width_tiles", "num_blocks", "block_tiles", "last_tile_columns", "mean_factor_bits"}, {}, {"num_tile_rows"}},
            {"bfloat16_resident/write.cpp", {"stick_bytes", "block_bytes"}, {"output"}, {"output", "first_stick", "num_sticks"}},
            {UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default}},
        {DataType::BFLOAT16,
            true,
            {
             {"in_rm", 0, tt::DataFormat::Float16_b, 0, 0, 64, 0, 2048, 2},
             {"in_tiled", 1, tt::DataFormat::Float16_b, 1, 0, 0, 0, 2048, 0},
             {"scaler", 2, tt::DataFormat::Float16_b, 0, 0, 1, 1, 2048, 0},
             {"epsilon", 3, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"gamma_rm", 4, tt::DataFormat::Float16_b, 0, 0, 1, 0, 2048, 2},
             {"beta_rm", 5, tt::DataFormat::Float16_b, 0, 0, 1, 0, 2048, 2},
             {"gamma_tiled", 6, tt::DataFormat::Float16_b, 0, 1, 0, 0, 2048, 0},
             {"beta_tiled", 7, tt::DataFormat::Float16_b, 0, 1, 0, 0, 2048, 0},
             {"out_rm", 16, tt::DataFormat::Float16_b, 0, 0, 64, 0, 2048, 2},
             {"variance_parts", 24, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"mean", 25, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"variance", 26, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"inv_std", 27, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
            },
            {"bfloat16_partly_resident/read.cpp", {"num_blocks", "block_tiles", "last_tile_columns", "stick_bytes", "block_bytes"}, {"x", "gamma", "beta"}, {"x", "gamma", "beta", "first_stick", "num_sticks", "epsilon_bits"}},
            {"bfloat16_partly_resident/compute_layernorm_fused_rm.cpp", {"width_tiles", "num_blocks", "block_tiles", "last_tile_columns", "mean_factor_bits"}, {}, {"num_tile_rows"}},
            {"bfloat16_partly_resident/write.cpp", {"stick_bytes", "block_bytes"}, {"output"}, {"output", "first_stick", "num_sticks"}},
            {UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default}},
        {DataType::BFLOAT16,
            false,
            {
             {"in_rm", 0, tt::DataFormat::Float16_b, 0, 0, 64, 0, 2048, 2},
             {"in_tiled", 1, tt::DataFormat::Float16_b, 0, 1, 0, 0, 2048, 0},
             {"scaler", 2, tt::DataFormat::Float16_b, 0, 0, 1, 1, 2048, 0},
             {"epsilon", 3, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"gamma_rm", 4, tt::DataFormat::Float16_b, 0, 0, 1, 0, 2048, 2},
             {"beta_rm", 5, tt::DataFormat::Float16_b, 0, 0, 1, 0, 2048, 2},
             {"gamma_tiled", 6, tt::DataFormat::Float16_b, 0, 1, 0, 0, 2048, 0},
             {"beta_tiled", 7, tt::DataFormat::Float16_b, 0, 1, 0, 0, 2048, 0},
             {"out_rm", 16, tt::DataFormat::Float16_b, 0, 0, 64, 0, 2048, 2},
             {"variance_parts", 24, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"mean", 25, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"variance", 26, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"inv_std", 27, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
            },
            {"bfloat16_streaming/read.cpp", {"num_blocks", "block_tiles", "last_tile_columns", "stick_bytes", "block_bytes"}, {"x", "gamma", "beta"}, {"x", "gamma", "beta", "first_stick", "num_sticks", "epsilon_bits"}},
            {"bfloat16_streaming/compute_layernorm_fused_rm.cpp", {"num_blocks", "block_tiles", "last_block_tiles", "last_tile_columns", "mean_factor_bits"}, {}, {"num_tile_rows"}},
            {"bfloat16_streaming/write.cpp", {"stick_bytes", "block_bytes"}, {"output"}, {"output", "first_stick", "num_sticks"}},
            {UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default}},
        {DataType::FLOAT32,
            true,
            {
             {"in_rm", 0, tt::DataFormat::Float32, 0, 0, 64, 0, 4096, 4},
             {"in_tiled", 1, tt::DataFormat::Float32, 1, 0, 0, 0, 4096, 0},
             {"scaler", 2, tt::DataFormat::Float16_b, 0, 0, 1, 1, 2048, 0},
             {"epsilon", 3, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"gamma_rm", 4, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 4},
             {"beta_rm", 5, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 4},
             {"gamma_tiled", 6, tt::DataFormat::Float32, 1, 0, 0, 0, 4096, 0},
             {"beta_tiled", 7, tt::DataFormat::Float32, 1, 0, 0, 0, 4096, 0},
             {"out_rm", 16, tt::DataFormat::Float32, 0, 0, 64, 0, 4096, 4},
             {"variance_parts", 24, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"mean", 25, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"variance", 26, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"inv_std", 27, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
            },
            {"float32_resident/read.cpp", {"num_blocks", "block_tiles", "last_tile_columns", "stick_bytes", "block_bytes"}, {"x", "gamma", "beta"}, {"x", "gamma", "beta", "first_stick", "num_sticks", "epsilon_bits"}},
            {"float32_resident/compute_layernorm_fused_rm.cpp", {"width_tiles", "num_blocks", "block_tiles", "last_tile_columns", "mean_factor_bits"}, {}, {"num_tile_rows"}},
            {"float32_resident/write.cpp", {"stick_bytes", "block_bytes"}, {"output"}, {"output", "first_stick", "num_sticks"}},
            {UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default}},
        {DataType::FLOAT32,
            true,
            {
             {"in_rm", 0, tt::DataFormat::Float32, 0, 0, 64, 0, 4096, 4},
             {"in_tiled", 1, tt::DataFormat::Float32, 1, 0, 0, 0, 4096, 0},
             {"scaler", 2, tt::DataFormat::Float16_b, 0, 0, 1, 1, 2048, 0},
             {"epsilon", 3, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"gamma_rm", 4, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 4},
             {"beta_rm", 5, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 4},
             {"gamma_tiled", 6, tt::DataFormat::Float32, 0, 1, 0, 0, 4096, 0},
             {"beta_tiled", 7, tt::DataFormat::Float32, 0, 1, 0, 0, 4096, 0},
             {"out_rm", 16, tt::DataFormat::Float32, 0, 0, 64, 0, 4096, 4},
             {"variance_parts", 24, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"mean", 25, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"variance", 26, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"inv_std", 27, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
            },
            {"float32_partly_resident/read.cpp", {"num_blocks", "block_tiles", "last_tile_columns", "stick_bytes", "block_bytes"}, {"x", "gamma", "beta"}, {"x", "gamma", "beta", "first_stick", "num_sticks", "epsilon_bits"}},
            {"float32_partly_resident/compute_layernorm_fused_rm.cpp", {"width_tiles", "num_blocks", "block_tiles", "last_tile_columns", "mean_factor_bits"}, {}, {"num_tile_rows"}},
            {"float32_partly_resident/write.cpp", {"stick_bytes", "block_bytes"}, {"output"}, {"output", "first_stick", "num_sticks"}},
            {UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default}},
        {DataType::FLOAT32,
            false,
            {
             {"in_rm", 0, tt::DataFormat::Float32, 0, 0, 64, 0, 4096, 4},
             {"in_tiled", 1, tt::DataFormat::Float32, 0, 1, 0, 0, 4096, 0},
             {"scaler", 2, tt::DataFormat::Float16_b, 0, 0, 1, 1, 2048, 0},
             {"epsilon", 3, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"gamma_rm", 4, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 4},
             {"beta_rm", 5, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 4},
             {"gamma_tiled", 6, tt::DataFormat::Float32, 0, 1, 0, 0, 4096, 0},
             {"beta_tiled", 7, tt::DataFormat::Float32, 0, 1, 0, 0, 4096, 0},
             {"out_rm", 16, tt::DataFormat::Float32, 0, 0, 64, 0, 4096, 4},
             {"variance_parts", 24, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"mean", 25, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"variance", 26, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
             {"inv_std", 27, tt::DataFormat::Float32, 0, 0, 1, 0, 4096, 0},
            },
            {"float32_streaming/read.cpp", {"num_blocks", "block_tiles", "last_tile_columns", "stick_bytes", "block_bytes"}, {"x", "gamma", "beta"}, {"x", "gamma", "beta", "first_stick", "num_sticks", "epsilon_bits"}},
            {"float32_streaming/compute_layernorm_fused_rm.cpp", {"num_blocks", "block_tiles", "last_block_tiles", "last_tile_columns", "mean_factor_bits"}, {}, {"num_tile_rows"}},
            {"float32_streaming/write.cpp", {"stick_bytes", "block_bytes"}, {"output"}, {"output", "first_stick", "num_sticks"}},
            {UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default, UnpackToDestMode::Default}},
    };
    return all;
}

// The tensors of a call by the names that kernels give them.
std::map<std::string, const Tensor*> named_tensors(
    const LayernormFusedRmDeviceOperation::tensor_args_t& args, const Tensor& output) {
    return {{"x", &args.x}, {"gamma", &args.gamma}, {"beta", &args.beta}, {"output", &output}};
}

// Words that differ from call to call: addresses and numbers.
std::map<std::string, uint32_t> call_values(
    [[maybe_unused]] const LayernormFusedRmDeviceOperation::operation_attributes_t& attributes,
    const LayernormFusedRmDeviceOperation::tensor_args_t& args,
    const Tensor& output) {
    std::map<std::string, uint32_t> values;
    for (const auto& [name, tensor] : named_tensors(args, output)) {
        values[name] = tensor->buffer()->address();
    }
    values["epsilon_bits"] = float_bits(attributes.epsilon);
    return values;
}

// The first variant and block whose circular buffers fit L1.
std::pair<std::size_t, uint32_t> fitting(const Lines& lines, DataType dtype) {
    const uint32_t budget = hal::get_max_worker_l1_unreserved_size() - KERNEL_CONFIG_BYTES;
    for (std::size_t index = 0; index < variants().size(); ++index) {
        const Variant& variant = variants()[index];
        if (variant.dtype != dtype) {
            continue;
        }
        for (const uint32_t block : blocks(lines.line_tiles(), variant.resident)) {
            uint64_t bytes = 0;
            for (const BufferSize& buffer : variant.buffers) {
                bytes += uint64_t{buffer.pages(lines, variant.resident, block)} * buffer.page_bytes(block);
            }
            if (bytes <= budget) {
                return {index, block};
            }
        }
    }
    TT_THROW("rows of {} elements do not fit the {} bytes of L1", lines.width, budget);
}

}  // namespace

LayernormFusedRmDeviceOperation::ProgramFactory::cached_program_t LayernormFusedRmDeviceOperation::ProgramFactory::create(
    const operation_attributes_t& attributes, const tensor_args_t& args, tensor_return_value_t& output) {
    Program program = CreateProgram();
    const Lines lines(args.x.logical_shape());
    const auto [index, block] = fitting(lines, args.x.dtype());
    const Variant& variant = variants()[index];
    const auto grid = args.x.device()->compute_with_storage_grid_size();
    const auto [num_cores, all_cores, group_1, group_2, lines_1, lines_2] = split_work_to_cores(grid, lines.count());

    for (const BufferSize& buffer : variant.buffers) {
        const uint32_t page_bytes = buffer.page_bytes(block);
        const uint32_t pages = buffer.pages(lines, variant.resident, block);
        CircularBufferConfig config(pages * page_bytes, {{buffer.index, buffer.format}});
        CreateCircularBuffer(program, all_cores, config.set_page_size(buffer.index, page_bytes));
    }

    const auto tensors = named_tensors(args, output);
    std::map<std::string, uint32_t> element_bytes = {{"", args.x.element_size()}};
    for (const auto& [name, tensor] : tensors) {
        element_bytes[name] = tensor->element_size();
    }
    const auto values = compile_time_values(lines, block, element_bytes);
    const auto compile_time_args = [&](const KernelTable& kernel) {
        std::vector<uint32_t> words;
        for (const char* name : kernel.compile_time) {
            words.push_back(values.at(name));
        }
        for (const char* name : kernel.tensors) {
            TensorAccessorArgs(*tensors.at(name)->buffer()).append_to(words);
        }
        return words;
    };
    const std::string folder = KERNELS;
    const std::vector<KernelHandle> kernels = {
        CreateKernel(
            program,
            folder + variant.reader.file,
            all_cores,
            ReaderDataMovementConfig(compile_time_args(variant.reader))),
        CreateKernel(
            program,
            folder + variant.compute.file,
            all_cores,
            ComputeConfig{
                .math_fidelity = MathFidelity::HiFi4,
                .fp32_dest_acc_en = true,
                .dst_full_sync_en = false,
                .unpack_to_dest_mode = variant.unpack_modes,
                .math_approx_mode = false,
                .compile_args = compile_time_args(variant.compute)}),
        CreateKernel(
            program,
            folder + variant.writer.file,
            all_cores,
            WriterDataMovementConfig(compile_time_args(variant.writer)))};

    std::vector<CoreCoord> cores;
    auto words = call_values(attributes, args, output);
    uint32_t first = 0;
    for (const auto& [group, count] : {std::pair(group_1, lines_1), std::pair(group_2, lines_2)}) {
        for (const CoreCoord& core : corerange_to_cores(group)) {
            words["first_tile_row"] = first;
            words["num_tile_rows"] = count;
            words["first_stick"] = first * TILE;
            words["num_sticks"] = std::min(count * TILE, lines.sticks - std::min(lines.sticks, first * TILE));
            for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
                std::vector<uint32_t> arguments;
                for (const char* name : variant.table(kernel).runtime) {
                    arguments.push_back(words.at(name));
                }
                SetRuntimeArgs(program, kernels[kernel], core, arguments);
            }
            cores.push_back(core);
            first += count;
        }
    }
    return {std::move(program), {kernels, cores, index}};
}

void LayernormFusedRmDeviceOperation::ProgramFactory::override_runtime_arguments(
    cached_program_t& cached,
    const operation_attributes_t& attributes,
    const tensor_args_t& args,
    tensor_return_value_t& output) {
    const auto& shared = cached.shared_variables;
    const Variant& variant = variants()[shared.variant];
    const auto words = call_values(attributes, args, output);
    for (std::size_t kernel = 0; kernel < shared.kernels.size(); ++kernel) {
        const KernelTable& table = variant.table(kernel);
        for (const CoreCoord& core : shared.cores) {
            auto& arguments = GetRuntimeArgs(cached.program, shared.kernels[kernel], core);
            for (std::size_t position = 0; position < table.runtime.size(); ++position) {
                const auto word = words.find(table.runtime[position]);
                if (word != words.end()) {
                    arguments[position] = word->second;
                }
            }
        }
    }
}

}  // namespace ttnn::operations::reduction::layernorm_fused_rm
