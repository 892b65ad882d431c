// SPDX-License-Identifier: Apache-2.0
// Replaces tt-metal's RISC-V compiler. Kernels are compiled for this machine when they are launched, so this program
// only stores the command line beside the objects. The "linked" file is a minimal RISC-V executable whose text is the
// name of its build directory; the host writes it into L1, and the launch finds its kernel by it
// (_card/launches/kernel_record.py).
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// tt-metal separates objects of different compilers by this line.
constexpr const char* kVersion = "riscv-tt-elf-g++ (tilewright stand-in 2) 15.1.0";
constexpr const char* kCommandFile = "tilewright.command";
constexpr char kTextMagic[] = "TWKERNEL";
// Of every kernel: tt-metal lays out the kernels of all programs of a mesh's workload alike.
constexpr size_t kTextBytes = 512;

// Writes all of the file or nothing: processes that build the same kernel share the directory.
void write_file(const fs::path& path, const std::string& content) {
    const fs::path temporary = path.string() + "." + std::to_string(getpid());
    std::ofstream file(temporary, std::ios::binary);
    file << content;
    file.close();
    if (!file) {
        throw std::runtime_error("cannot write " + path.string());
    }
    fs::rename(temporary, path);
}

std::string after(const std::vector<std::string>& arguments, const std::string& option) {
    const auto found = std::find(arguments.begin(), arguments.end(), option);
    return found == arguments.end() || found + 1 == arguments.end() ? "" : *(found + 1);
}

struct ElfHeader {
    uint8_t identity[16] = {0x7f, 'E', 'L', 'F', 1, 1, 1};  // 32 bits, little-endian
    uint16_t type = 2, machine = 243;                       // executable, RISC-V
    uint32_t version = 1, entry = 0, program_headers = 0, section_headers = 0, flags = 0;
    uint16_t header_bytes = sizeof(ElfHeader), program_header_bytes = 32, num_program_headers = 1;
    uint16_t section_header_bytes = 40, num_sections = 0, names_section = 0;
};
struct Segment {
    uint32_t type = 1, offset = 0, virtual_address = 0, physical_address = 0, file_bytes = 0, memory_bytes = 0;
    uint32_t flags = 5, alignment = 16;  // loaded, readable, executable
};
struct Section {
    uint32_t name = 0, type = 0, flags = 0, address = 0, offset = 0, bytes = 0, link = 0, info = 0;
    uint32_t alignment = 0, entry_bytes = 0;
};

template <typename Value>
void append(std::string& to, const Value& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Text, an empty relocation table for it, and the symbol and string tables that it must name.
std::string executable(std::string text) {
    constexpr uint32_t kBase = 0x5000;
    const char names[] = "\0.text\0.rela.text\0.symtab\0.strtab\0.shstrtab";
    text.resize((text.size() + 15) / 16 * 16);
    const auto text_bytes = static_cast<uint32_t>(text.size());
    const uint32_t text_at = sizeof(ElfHeader) + sizeof(Segment);
    const uint32_t symbols_at = text_at + text_bytes, strings_at = symbols_at + 16, names_at = strings_at + 4;
    const uint32_t sections_at = (names_at + sizeof(names) + 3) / 4 * 4;
    const Section sections[] = {
        {},
        {1, 1, 6, kBase, text_at, text_bytes, 0, 0, 16, 0},
        {7, 4, 0x40, 0, symbols_at, 0, 3, 1, 4, 12},
        {18, 2, 0, 0, symbols_at, 16, 4, 1, 4, 16},
        {26, 3, 0, 0, strings_at, 4, 0, 0, 1, 0},
        {34, 3, 0, 0, names_at, sizeof(names), 0, 0, 1, 0},
    };
    ElfHeader header;
    header.entry = kBase;
    header.program_headers = sizeof(ElfHeader);
    header.section_headers = sections_at;
    header.num_sections = std::size(sections);
    header.names_section = std::size(sections) - 1;
    Segment segment;
    segment.offset = text_at;
    segment.virtual_address = segment.physical_address = kBase;
    segment.file_bytes = segment.memory_bytes = text_bytes;
    std::string image;
    append(image, header);
    append(image, segment);
    image += text;
    image.append(names_at - symbols_at, 0);
    image.append(names, sizeof(names));
    image.resize(sections_at);
    append(image, sections);
    return image;
}

void compile(const std::vector<std::string>& arguments, const fs::path& object) {
    std::string command, sources;
    for (const std::string& argument : arguments) {
        command += argument + '\0';
        const std::string extension = fs::path(argument).extension();
        if (argument[0] != '-' && (extension == ".cc" || extension == ".cpp" || extension == ".c")) {
            sources += " " + argument;
        }
    }
    write_file(object.parent_path() / kCommandFile, command);
    write_file(object, "object of the tilewright stand-in compiler\n");
    const std::string named = after(arguments, "-MF");
    const fs::path dependencies = named.empty() ? fs::path(object).replace_extension(".d") : fs::path(named);
    write_file(dependencies, object.string() + ":" + sources + "\n");
}

void link(const fs::path& output) {
    const std::string directory = fs::absolute(output).parent_path();
    std::string text(kTextMagic, sizeof(kTextMagic) - 1);
    append(text, static_cast<uint32_t>(directory.size()));
    text += directory;
    if (text.size() > kTextBytes) {
        throw std::runtime_error(
            "the name of the build directory " + directory + " is too long; set TT_METAL_CACHE to a shorter one");
    }
    text.resize(kTextBytes, 0);
    write_file(output, executable(text));
}

}  // namespace

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    auto given = [&](const char* option) {
        return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
    };
    if (given("--version")) {
        std::puts(kVersion);
        return 0;
    }
    const std::string output = after(arguments, "-o");
    if (output.empty()) {
        std::fprintf(stderr, "riscv-tt-elf-g++ (tilewright stand-in): no -o; it only compiles and links kernels\n");
        return 1;
    }
    try {
        if (given("-c")) {
            compile(arguments, output);
        } else {
            link(output);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "riscv-tt-elf-g++ (tilewright stand-in): %s\n", error.what());
        return 1;
    }
    return 0;
}
