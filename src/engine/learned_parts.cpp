#include "engine/learned_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace duoblas {
namespace {

struct Header {
  std::uint32_t kind = 0x70617274;  // no format of a learner's own bytes
  std::uint32_t format = 2;
  std::uint64_t calls = 0, ways = 0, lapack = 0;  ///< bytes
};

}  // namespace

std::vector<unsigned char> to_bytes(const LearnedParts& parts) {
  Header header;
  header.calls = parts.calls.size();
  header.ways = parts.ways.size();
  header.lapack = parts.lapack.size();
  std::vector<unsigned char> bytes(sizeof header + parts.calls.size() + parts.ways.size() +
                                   parts.lapack.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto after_calls = std::ranges::copy(parts.calls, bytes.begin() + sizeof header).out;
  const auto after_ways = std::ranges::copy(parts.ways, after_calls).out;
  std::ranges::copy(parts.lapack, after_ways);
  return bytes;
}

std::optional<LearnedParts> learned_parts_from(const std::vector<unsigned char>& bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const Header wanted;
  const std::size_t rest = bytes.size() - sizeof header;
  if (header.kind != wanted.kind || header.format != wanted.format || header.calls > rest ||
      header.ways > rest - header.calls || header.lapack != rest - header.calls - header.ways)
    return std::nullopt;
  const auto calls = bytes.begin() + sizeof header;
  const auto ways = calls + static_cast<std::ptrdiff_t>(header.calls);
  const auto lapack = ways + static_cast<std::ptrdiff_t>(header.ways);
  return LearnedParts{{calls, ways}, {ways, lapack}, {lapack, bytes.end()}};
}

}  // namespace duoblas
