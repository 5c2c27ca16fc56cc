#include "engine/learned_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace duoblas {
namespace {

constexpr auto members =
    std::to_array({&LearnedParts::calls, &LearnedParts::ways, &LearnedParts::checks});

struct Header {
  std::uint32_t kind = 0x70617274;  // no format of a learner's own bytes
  std::uint32_t format = 4;
  std::array<std::uint64_t, members.size()> bytes{};  ///< of each part
};

}  // namespace

std::vector<unsigned char> to_bytes(const LearnedParts& parts) {
  Header header;
  std::size_t size = sizeof header;
  for (std::size_t i = 0; i < members.size(); ++i)
    size += header.bytes[i] = (parts.*members[i]).size();
  std::vector<unsigned char> bytes(size);
  std::memcpy(bytes.data(), &header, sizeof header);
  auto next = bytes.begin() + sizeof header;
  for (const auto member : members) next = std::ranges::copy(parts.*member, next).out;
  return bytes;
}

std::optional<LearnedParts> learned_parts_from(const std::vector<unsigned char>& bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const Header wanted;
  if (header.kind != wanted.kind || header.format != wanted.format) return std::nullopt;
  LearnedParts parts;
  auto next = bytes.begin() + sizeof header;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (header.bytes[i] > static_cast<std::size_t>(bytes.end() - next)) return std::nullopt;
    const auto end = next + static_cast<std::ptrdiff_t>(header.bytes[i]);
    (parts.*members[i]).assign(next, end);
    next = end;
  }
  if (next != bytes.end()) return std::nullopt;
  return parts;
}

}  // namespace duoblas
