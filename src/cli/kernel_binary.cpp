#include "cli/kernel_binary.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "os/native_elf.hpp"

namespace duoblas::cli {
namespace {

bool is_printable(unsigned char c) {
  return c >= 0x20 && c < 0x7f;
}

// The object at the start of `rest`. It ends with its table of sections, as linkers write it. Empty
// if there is no whole object of this machine.
std::span<const unsigned char> object_at_start(std::span<const unsigned char> rest) {
  Elf64_Ehdr header;
  if (rest.size() < sizeof header) return {};
  std::memcpy(&header, rest.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != elf_machine_here) return {};
  const std::uint64_t table = std::uint64_t{header.e_shentsize} * header.e_shnum;
  if (table == 0 || header.e_shoff > rest.size() || table > rest.size() - header.e_shoff) return {};
  return rest.first(header.e_shoff + table);
}

// The path that ends shortly before an object: PoCL writes a file's name and its length in 4 bytes.
std::string path_before(std::span<const unsigned char> before) {
  constexpr std::size_t most = 512, behind = 4;
  if (before.size() < behind) return {};
  const std::span<const unsigned char> name = before.first(before.size() - behind);
  std::size_t start = name.size();
  while (start > 0 && name.size() - start < most && is_printable(name[start - 1])) --start;
  const std::string text(name.begin() + static_cast<std::ptrdiff_t>(start), name.end());
  const auto slash = text.find('/');
  return slash == std::string::npos || !text.ends_with(".so") ? std::string() : text.substr(slash);
}

}  // namespace

std::optional<std::string> as_text(std::span<const unsigned char> binary) {
  while (!binary.empty() && binary.back() == 0) binary = binary.first(binary.size() - 1);
  const bool is_text = std::ranges::all_of(binary, [](unsigned char c) {
    return is_printable(c) || c == '\n' || c == '\t' || c == '\r';
  });
  if (binary.empty() || !is_text) return std::nullopt;
  return std::string(binary.begin(), binary.end());
}

std::vector<MachineCode> machine_code(std::span<const unsigned char> binary) {
  constexpr std::string_view magic(ELFMAG, SELFMAG);
  std::vector<MachineCode> objects;
  for (auto at = binary.begin();;) {
    at = std::search(at, binary.end(), magic.begin(), magic.end(),
                     [](unsigned char x, char y) { return x == static_cast<unsigned char>(y); });
    if (at == binary.end()) return objects;
    const auto start = static_cast<std::size_t>(at - binary.begin());
    const auto bytes = object_at_start(binary.subspan(start));
    if (!bytes.empty()) {
      MachineCode object;
      object.path = path_before(binary.first(start));
      if (!object.path.empty()) object.kernel = object.path.substr(1, object.path.find('/', 1) - 1);
      object.bytes = bytes;
      objects.push_back(std::move(object));
    }
    at += static_cast<std::ptrdiff_t>(bytes.empty() ? magic.size() : bytes.size());
  }
}

const MachineCode* code_of_kernel(const std::vector<MachineCode>& objects,
                                  const std::string& kernel) {
  // The code for any size is in "0-0-0". Code for small grids has longer names and is used less.
  const auto rank = [](const MachineCode& object) {
    const bool for_any_size = object.path.find("/0-0-0") != std::string::npos;
    return std::pair(for_any_size, object.path.size());
  };
  const MachineCode* best = nullptr;
  for (const MachineCode& object : objects) {
    if (object.kernel != kernel) continue;
    if (best == nullptr || rank(object) < rank(*best)) best = &object;
  }
  return best;
}

}  // namespace duoblas::cli
