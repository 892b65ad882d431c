# SPDX-License-Identifier: Apache-2.0
"""C++ templates of an operation's folder in the tt-metal tree; ``tree_code`` fills in ``$names``."""

from string import Template

API_HPP = Template("""\
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ttnn/types.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// $formula
Tensor $name(
    $api_parameters,
    const std::optional<MemoryConfig>& memory_config = std::nullopt);

}  // namespace ttnn
""")

API_CPP = Template("""\
// SPDX-License-Identifier: Apache-2.0
#include "$name.hpp"

#include "device/${name}_device_operation.hpp"

namespace ttnn {

Tensor $name(
    $definition_parameters,
    const std::optional<MemoryConfig>& memory_config) {
    using Operation = operations::$category::$name::${camel}DeviceOperation;
$checks
    return ttnn::device_operation::launch<Operation>(
        Operation::operation_attributes_t{${attribute_values}memory_config.value_or($main.memory_config())},
        Operation::tensor_args_t{$tensors});
}

}  // namespace ttnn
""")

NANOBIND_HPP = Template("""\
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttnn-nanobind/nanobind_fwd.hpp"

namespace ttnn::operations::$category::detail {
void bind_$name(nanobind::module_& mod);
}  // namespace ttnn::operations::$category::detail
""")

NANOBIND_CPP = Template("""\
// SPDX-License-Identifier: Apache-2.0
#include "${name}_nanobind.hpp"

#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "$name.hpp"
#include "ttnn-nanobind/bind_function.hpp"

namespace ttnn::operations::$category::detail {

void bind_$name(nb::module_& mod) {
    ttnn::bind_function<"$name">(
        mod,
        R"doc($formula)doc",
        &ttnn::$name,
$bound
        nb::kw_only(),
        nb::arg("memory_config") = nb::none());
}

}  // namespace ttnn::operations::$category::detail
""")

OPERATION_HPP = Template("""\
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "ttnn/device_operation.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/types.hpp"

namespace ttnn::operations::$category::$name {

struct ${camel}DeviceOperation {
    struct operation_attributes_t {
$attribute_members
        MemoryConfig memory_config;
    };
    struct tensor_args_t {
$tensor_members
    };
    using spec_return_value_t = tt::tt_metal::TensorSpec;
    using tensor_return_value_t = Tensor;

    struct ProgramFactory {
        struct shared_variables_t {
            std::vector<tt::tt_metal::KernelHandle> kernels;
            std::vector<tt::tt_metal::CoreCoord> cores;
            std::size_t variant = 0;
        };
        using cached_program_t = ttnn::device_operation::CachedProgram<shared_variables_t>;
        static cached_program_t create(const operation_attributes_t&, const tensor_args_t&, tensor_return_value_t&);
        static void override_runtime_arguments(
            cached_program_t&, const operation_attributes_t&, const tensor_args_t&, tensor_return_value_t&);
    };
    using program_factory_t = std::variant<ProgramFactory>;

    static program_factory_t select_program_factory(const operation_attributes_t&, const tensor_args_t&);
    static void validate_on_program_cache_miss(const operation_attributes_t&, const tensor_args_t&);
    static void validate_on_program_cache_hit(const operation_attributes_t&, const tensor_args_t&);
    static spec_return_value_t compute_output_specs(const operation_attributes_t&, const tensor_args_t&);
    static tensor_return_value_t create_output_tensors(const operation_attributes_t&, const tensor_args_t&);
};

}  // namespace ttnn::operations::$category::$name
""")

OPERATION_CPP = Template("""\
// SPDX-License-Identifier: Apache-2.0
#include "${name}_device_operation.hpp"

#include "ttnn/tensor/tensor_ops.hpp"

namespace ttnn::operations::$category::$name {

using namespace tt::tt_metal;

${camel}DeviceOperation::program_factory_t ${camel}DeviceOperation::select_program_factory(
    const operation_attributes_t&, const tensor_args_t&) {
    return ProgramFactory{};
}

void ${camel}DeviceOperation::validate_on_program_cache_miss(
    [[maybe_unused]] const operation_attributes_t& attributes, const tensor_args_t& args) {
$checks
}

void ${camel}DeviceOperation::validate_on_program_cache_hit(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    validate_on_program_cache_miss(attributes, args);
}

TensorSpec ${camel}DeviceOperation::compute_output_specs(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    Shape shape = args.$main.logical_shape();
$output_shape
    return TensorSpec(
        shape, TensorLayout($output_dtype, PageConfig(Layout::ROW_MAJOR), attributes.memory_config));
}

Tensor ${camel}DeviceOperation::create_output_tensors(
    const operation_attributes_t& attributes, const tensor_args_t& args) {
    return create_device_tensor(compute_output_specs(attributes, args), args.$main.device());
}

}  // namespace ttnn::operations::$category::$name
""")

PLAN_HPP = Template("""\
// SPDX-License-Identifier: Apache-2.0
// Sizes, blocks, pages of circular buffers and kernel arguments for $lines of tiles that pass through a core.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tt-metalium/tt_backend_api_types.hpp>

#include "ttnn/types.hpp"

namespace ttnn::operations::$category::$name {

constexpr uint32_t TILE = 32;
constexpr bool IN_SLABS = $in_slabs;  // whether tile-rows begin anew with every slab of the last two dimensions

// The lines of tiles of a tensor: its $lines.
struct Lines {
    uint32_t width, height, sticks;

    explicit Lines(const Shape& shape) :
        width(shape[-1]), height(shape[-2]), sticks(static_cast<uint32_t>(shape.volume() / shape[-1])) {
        if (!IN_SLABS) {
            height = sticks;
        }
    }
    uint32_t width_tiles() const { return (width + TILE - 1) / TILE; }
    uint32_t height_tiles() const { return (height + TILE - 1) / TILE; }
    uint32_t slabs() const { return sticks / height; }
    uint32_t last_tile_columns() const { return width - (width_tiles() - 1) * TILE; }
    uint32_t last_tile_rows() const { return height - (height_tiles() - 1) * TILE; }
    uint32_t line_tiles() const { return $line_tiles; }
    uint32_t line_elements() const { return $line_elements; }
    uint32_t count() const { return $line_count; }
};

// What a circular buffer's size follows from: pages for each tile of a line that stays in L1, for each tile of a block,
// in all, and more where the width ends inside a tile. A page is a tile, or with stick_bytes a row of a block.
struct BufferSize {
    const char* name;
    uint32_t index;
    tt::DataFormat format;
    uint32_t per_row, per_block, fixed, partial, tile_bytes, stick_bytes;

    uint32_t pages(const Lines& lines, bool resident, uint32_t block) const {
        const uint32_t row = resident ? lines.line_tiles() : block;
        return per_row * row + per_block * block + fixed + (lines.last_tile_columns() < TILE ? partial : 0);
    }
    uint32_t page_bytes(uint32_t block) const { return stick_bytes != 0 ? block * TILE * stick_bytes : tile_bytes; }
};

// Blocks in the order they are tried. A line that stays is split evenly, into few tiles if at all.
inline std::vector<uint32_t> blocks(uint32_t line_tiles, bool resident) {
    std::vector<uint32_t> all;
    if (!resident) {
        for (uint32_t largest = std::min(64u, line_tiles); largest > 0; --largest) {
            const uint32_t count = (line_tiles + largest - 1) / largest;
            all.push_back((line_tiles + count - 1) / count);
        }
        return all;
    }
    all.push_back(line_tiles);
    std::vector<uint32_t> larger;
    for (uint32_t block = line_tiles / 2; block >= std::min(line_tiles, 8u) && block > 0; --block) {
        if (line_tiles % block == 0) {
            (block <= 16 ? all : larger).push_back(block);
        }
    }
    all.insert(all.end(), larger.begin(), larger.end());
    return all;
}

inline uint32_t float_bits(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

// Everything a kernel may take as a compile-time argument, by name.
inline std::map<std::string, uint32_t> compile_time_values(
    const Lines& lines, uint32_t block, const std::map<std::string, uint32_t>& element_bytes) {
    const uint32_t count = (lines.line_tiles() + block - 1) / block;
    std::map<std::string, uint32_t> values = {
        {"height", lines.height},
        {"height_tiles", lines.height_tiles()},
        {"width_tiles", lines.width_tiles()},
        {"slab_tiles", lines.width_tiles() * lines.height_tiles()},
        {"block_tiles", block},
        {"num_blocks", count},
        {"last_block_tiles", lines.line_tiles() - (count - 1) * block},
        {"last_tile_columns", lines.last_tile_columns()},
        {"last_tile_rows", lines.last_tile_rows()},
        {"inverse_${length}_bits", float_bits(1.0 / lines.line_elements())},
        // A little more than 1/n: the matrix unit cuts a float32 operand to 10 bits, and this makes the cut round.
        {"mean_factor_bits", float_bits((1 + 0x1p-12) / lines.line_elements())},
    };
    for (const auto& [name, size] : element_bytes) {
        const std::string prefix = name.empty() ? "" : name + "_";
        values[prefix + "stick_bytes"] = lines.width * size;
        values[prefix + "block_bytes"] = block * TILE * size;
        values[prefix + "element_bytes"] = size;
    }
    return values;
}

}  // namespace ttnn::operations::$category::$name
""")

FACTORY_CPP = Template("""\
// SPDX-License-Identifier: Apache-2.0
#include <tt-metalium/hal.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/work_split.hpp>

#include "${name}_device_operation.hpp"
#include "${name}_plan.hpp"

namespace ttnn::operations::$category::$name {

using namespace tt::tt_metal;

namespace {

constexpr const char* KERNELS = "ttnn/cpp/ttnn/operations/$category/$name/device/kernels/";
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
$variants
    };
    return all;
}

// The tensors of a call by the names that kernels give them.
std::map<std::string, const Tensor*> named_tensors(
    const ${camel}DeviceOperation::tensor_args_t& args, const Tensor& output) {
    return {$tensor_items};
}

// Words that differ from call to call: addresses and numbers.
std::map<std::string, uint32_t> call_values(
    [[maybe_unused]] const ${camel}DeviceOperation::operation_attributes_t& attributes,
    const ${camel}DeviceOperation::tensor_args_t& args,
    const Tensor& output) {
    std::map<std::string, uint32_t> values;
    for (const auto& [name, tensor] : named_tensors(args, output)) {
        values[name] = tensor->buffer()->address();
    }
$numbers
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

${camel}DeviceOperation::ProgramFactory::cached_program_t ${camel}DeviceOperation::ProgramFactory::create(
    const operation_attributes_t& attributes, const tensor_args_t& args, tensor_return_value_t& output) {
    Program program = CreateProgram();
    const Lines lines(args.$main.logical_shape());
    const auto [index, block] = fitting(lines, args.$main.dtype());
    const Variant& variant = variants()[index];
    const auto grid = args.$main.device()->compute_with_storage_grid_size();
    const auto [num_cores, all_cores, group_1, group_2, lines_1, lines_2] = split_work_to_cores(grid, lines.count());

    for (const BufferSize& buffer : variant.buffers) {
        const uint32_t page_bytes = buffer.page_bytes(block);
        const uint32_t pages = buffer.pages(lines, variant.resident, block);
        CircularBufferConfig config(pages * page_bytes, {{buffer.index, buffer.format}});
        CreateCircularBuffer(program, all_cores, config.set_page_size(buffer.index, page_bytes));
    }

    const auto tensors = named_tensors(args, output);
    std::map<std::string, uint32_t> element_bytes = {{"", args.$main.element_size()}};
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
                .math_fidelity = MathFidelity::$fidelity,
                .fp32_dest_acc_en = $fp32_dest,
                .dst_full_sync_en = $full_sync,
                .unpack_to_dest_mode = variant.unpack_modes,
                .math_approx_mode = $approximate,
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
            words["first_${counter}"] = first;
            words["num_${counter}s"] = count;
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

void ${camel}DeviceOperation::ProgramFactory::override_runtime_arguments(
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

}  // namespace ttnn::operations::$category::$name
""")

CMAKE = Template("""\
# Sources of $name for ttnn/cpp/ttnn/operations/$category/sources.cmake, relative to that file.
$name/$name.cpp
$name/device/${name}_device_operation.cpp
$name/device/${name}_program_factory.cpp
# And for the list of nanobind sources there; ${category}_nanobind.cpp calls what it binds.
$name/${name}_nanobind.cpp
""")
