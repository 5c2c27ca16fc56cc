#include "cli/needed_libraries.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include <duoblas/error.hpp>

#include "os/child_process.hpp"
#include "os/file_status.hpp"
#include "os/native_elf.hpp"
#include "os/process.hpp"

namespace duoblas::cli {
namespace {

constexpr int most_milliseconds = 2000;

template <typename T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& value) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof value));
}

// "libblas.so.3 => /usr/lib/libblas.so.3 (0x...)", a line per library.
std::string listed_by(const std::string& loader, const std::string& path) {
  std::string text;
  try {
    ChildProcess child({loader, "--list", path});
    while (child.has_output(most_milliseconds) && child.receive(text)) {
    }
  } catch (const Error&) {
    return "";
  }
  return text;
}

}  // namespace

std::string found_program(const std::string& program, const char* search_path) {
  if (program.find('/') != std::string::npos || search_path == nullptr) return program;
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + '/' + program;
    std::error_code failed;
    if (may(FileRight::execute, path) && std::filesystem::is_regular_file(path, failed))
      return path;
  }
  return program;
}

std::optional<std::string> loader_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfHeader header;
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != elf_class_here)
    return std::nullopt;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfSegment part;
    if (!read_at(file, header.e_phoff + i * sizeof part, part)) return std::nullopt;
    if (part.p_type != PT_INTERP || part.p_filesz > 4096) continue;
    std::string name(part.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    if (!file.read(name.data(), static_cast<std::streamsize>(name.size()))) return std::nullopt;
    return std::string(name.c_str());
  }
  return std::nullopt;
}

std::optional<std::string> system_loader(const std::string& loader) {
  std::error_code failed;
  const auto real = std::filesystem::canonical(loader, failed);
  const std::string path = real.string();
  const bool is_below =
      std::ranges::any_of(std::initializer_list<const char*>{"/lib/", "/lib64/", "/usr/lib/",
                                                             "/usr/lib64/"},  // a merged /lib64
                          [&](const char* folder) { return path.starts_with(folder); });
  const auto file = file_status(path);
  if (failed || !loader.starts_with('/') || !is_below ||
      !real.filename().string().starts_with("ld-") || !file || file->user != root_user)
    return std::nullopt;
  return path;
}

std::vector<std::string> listed_libraries(const std::string& loader, const std::string& path) {
  std::vector<std::string> libraries;
  std::istringstream lines(listed_by(loader, path));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find("=> "), end = line.rfind(" (0x");
    if (arrow == std::string::npos || end == std::string::npos || end < arrow + 3) continue;
    std::error_code failed;
    const auto real = std::filesystem::canonical(line.substr(arrow + 3, end - arrow - 3), failed);
    if (!failed) libraries.push_back(real.string());
  }
  return libraries;
}

std::vector<std::string> needed_libraries(const std::string& program, const char* search_path) {
  const std::string path = found_program(program, search_path);
  const auto loader = loader_of(path);
  return loader ? listed_libraries(*loader, path) : std::vector<std::string>();
}

}  // namespace duoblas::cli
