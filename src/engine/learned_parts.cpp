#include "engine/learned_parts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace duoblas {
namespace {

constexpr auto members = std::to_array(
    {&LearnedParts::calls, &LearnedParts::variants, &LearnedParts::lapack, &LearnedParts::checks});

struct Header {
  std::uint32_t kind = 0x70617274;  // no format of a learner's own bytes
  std::uint32_t format = 3;
  std::array<std::uint64_t, members.size()> bytes{};  ///< of each part
};

}  // namespace

std::vector<unsigned char> to_bytes(const LearnedParts& parts) {
  Header header;
  std::vector<unsigned char> bytes(sizeof header);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& part = parts.*members[i];
    header.bytes[i] = part.size();
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  std::memcpy(bytes.data(), &header, sizeof header);
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
