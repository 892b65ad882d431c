// SPDX-License-Identifier: Apache-2.0
// Programs as descriptors: plain structs that a factory fills and returns.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tw_host/host_api.hpp"

namespace tt::tt_metal {

struct CBFormatDescriptor {
    std::uint8_t buffer_index = 0;
    tt::DataFormat data_format = tt::DataFormat::Float32;
    std::uint32_t page_size = 0;
    std::optional<TileDescriptor> tile;
    std::optional<FaceGeometry> face_geometry;
};

struct CBDescriptor {
    using FormatDescriptors = ttsl::SmallVector<CBFormatDescriptor, 1>;
    std::uint32_t total_size = 0;
    CoreRangeSet core_ranges;
    FormatDescriptors format_descriptors;
    FormatDescriptors remote_format_descriptors;
    Buffer* buffer = nullptr;
    const MeshTensor* tensor = nullptr;
    std::uint32_t address_offset = 0;
    const void* global_circular_buffer = nullptr;
};

struct SemaphoreDescriptor {
    std::uint32_t id{};
    CoreType core_type = CoreType::WORKER;
    CoreRangeSet core_ranges;
    std::uint32_t initial_value = 0;
};

struct KernelDescriptor {
    using CompileTimeArgs = std::vector<std::uint32_t>;
    using NamedCompileTimeArgs = std::vector<std::pair<std::string, std::uint32_t>>;
    using Defines = std::vector<std::pair<std::string, std::string>>;
    using IncludePaths = std::vector<std::filesystem::path>;
    using CoreRuntimeArgs = std::vector<std::uint32_t>;
    using RuntimeArgs = std::vector<std::pair<CoreCoord, CoreRuntimeArgs>>;
    using CommonRuntimeArgs = CoreRuntimeArgs;
    using ConfigDescriptor = KernelConfig;
    using TensorReference = std::reference_wrapper<const MeshTensor>;
    enum class SourceType { FILE_PATH, SOURCE_CODE };

    std::string kernel_source;
    SourceType source_type = SourceType::FILE_PATH;
    CoreRangeSet core_ranges;
    CompileTimeArgs compile_time_args;
    NamedCompileTimeArgs named_compile_time_args;
    Defines defines;
    RuntimeArgs runtime_args;
    CommonRuntimeArgs common_runtime_args;
    std::optional<KernelBuildOptLevel> opt_level = std::nullopt;
    ConfigDescriptor config;
    IncludePaths compiler_include_paths;

    // An argument that is a buffer's address: a call that finds the program writes the address of its own buffer there.
    struct BufferBinding {
        CoreCoord core;
        std::uint32_t arg_idx = 0;
        Buffer* buffer = nullptr;
    };
    struct CommonBufferBinding {
        std::uint32_t arg_idx = 0;
        Buffer* buffer = nullptr;
    };
    std::vector<BufferBinding> buffer_bindings;
    std::vector<CommonBufferBinding> common_buffer_bindings;

    class RTArgList {
    public:
        void push_back(std::uint32_t value) { words_.push_back(value); }
        void push_back(Buffer* buffer) { bind(buffer, buffer == nullptr ? 0 : buffer->address()); }
        void push_back(const MeshTensor& tensor) { bind(nullptr, static_cast<std::uint32_t>(tensor.address())); }
        void reserve(std::size_t count) { words_.reserve(count); }
        void append(const std::vector<std::uint32_t>& words) {
            words_.insert(words_.end(), words.begin(), words.end());
        }
        const std::vector<std::uint32_t>& words() const { return words_; }
        const std::vector<CommonBufferBinding>& bindings() const { return bindings_; }

    private:
        void bind(Buffer* buffer, std::uint32_t address) {
            bindings_.push_back({static_cast<std::uint32_t>(words_.size()), buffer});
            words_.push_back(address);
        }
        std::vector<std::uint32_t> words_;
        std::vector<CommonBufferBinding> bindings_;
    };
    using WordOrBuffer = std::variant<std::uint32_t, Buffer*>;
    using WordOrTensor = std::variant<std::uint32_t, TensorReference>;
    void emplace_runtime_args(const CoreCoord& core, std::initializer_list<std::uint32_t> args) {
        runtime_args.emplace_back(core, args);
    }
    void emplace_runtime_args(const CoreCoord& core, std::initializer_list<WordOrBuffer> args) {
        emplace_runtime_args(core, list_of(args));
    }
    void emplace_runtime_args(const CoreCoord& core, std::initializer_list<WordOrTensor> args) {
        emplace_runtime_args(core, list_of(args));
    }
    void emplace_runtime_args(const CoreCoord& core, const std::vector<WordOrBuffer>& args) {
        emplace_runtime_args(core, list_of(args));
    }
    void emplace_runtime_args(const CoreCoord& core, const std::vector<WordOrTensor>& args) {
        emplace_runtime_args(core, list_of(args));
    }
    void emplace_runtime_args(const CoreCoord& core, const RTArgList& args) {
        runtime_args.emplace_back(core, args.words());
        for (const CommonBufferBinding& bound : args.bindings()) {
            buffer_bindings.push_back({core, bound.arg_idx, bound.buffer});
        }
    }
    void emplace_common_runtime_args(std::initializer_list<std::uint32_t> args) {
        common_runtime_args.insert(common_runtime_args.end(), args.begin(), args.end());
    }
    void emplace_common_runtime_args(std::initializer_list<WordOrBuffer> args) {
        emplace_common_runtime_args(list_of(args));
    }
    void emplace_common_runtime_args(std::initializer_list<WordOrTensor> args) {
        emplace_common_runtime_args(list_of(args));
    }
    void emplace_common_runtime_args(const RTArgList& args) {
        const auto before = static_cast<std::uint32_t>(common_runtime_args.size());
        common_runtime_args.insert(common_runtime_args.end(), args.words().begin(), args.words().end());
        for (const CommonBufferBinding& bound : args.bindings()) {
            common_buffer_bindings.push_back({before + bound.arg_idx, bound.buffer});
        }
    }

private:
    static void add(RTArgList& list, const TensorReference& tensor) { list.push_back(tensor.get()); }
    template <typename T>
    static void add(RTArgList& list, const T& word_or_buffer) {
        list.push_back(word_or_buffer);
    }
    template <typename Range>
    static RTArgList list_of(const Range& args) {
        RTArgList list;
        for (const auto& each : args) {
            std::visit([&](const auto& content) { add(list, content); }, each);
        }
        return list;
    }
};

struct ProgramDescriptor {
    using KernelDescriptors = ttsl::SmallVector<KernelDescriptor, 3>;
    using SemaphoreDescriptors = ttsl::SmallVector<SemaphoreDescriptor, 3>;
    using CBDescriptors = ttsl::SmallVector<CBDescriptor, 5>;
    KernelDescriptors kernels;
    SemaphoreDescriptors semaphores;
    CBDescriptors cbs;
    std::optional<std::uint64_t> custom_program_hash;
    std::optional<std::uint32_t> find_available_semaphore_id(const CoreCoord& core, CoreType core_type) const;
};

Program program_of(const ProgramDescriptor& descriptor);
void apply_descriptor_runtime_args(Program& program, const ProgramDescriptor& descriptor);

// Arguments that an operation sets in a program it finds, though they are not in its hash.
struct DynamicRuntimeArg {
    std::uint32_t kernel_idx = 0;
    CoreCoord core{};  // of no meaning for a common argument
    std::uint32_t arg_idx = 0;
    std::uint32_t value = 0;
    bool is_common = false;
};
void apply_dynamic_runtime_args(Program& program, ttsl::Span<const DynamicRuntimeArg> dynamic_args);

struct WorkloadDescriptor;

}  // namespace tt::tt_metal

namespace tw::host {
bool binds_arguments(const tt::tt_metal::ProgramDescriptor& descriptor);
bool binds_circular_buffers(const tt::tt_metal::ProgramDescriptor& descriptor);
// Writes the addresses of bound arguments and of circular buffers in tensors into a cached program.
void apply_bindings(tt::tt_metal::Program& program, const tt::tt_metal::ProgramDescriptor& descriptor);
// Writes every argument too.
void apply_all(tt::tt_metal::Program& program, const tt::tt_metal::ProgramDescriptor& descriptor);
}  // namespace tw::host

namespace ttnn {
tt::tt_metal::CBDescriptor cb_descriptor_from_sharded_tensor(
    std::uint8_t cb_index,
    const Tensor& tensor,
    std::uint32_t address_offset = 0,
    std::uint32_t total_size = 0,
    const std::optional<tt::tt_metal::CoreRangeSet>& core_ranges = std::nullopt);
}
