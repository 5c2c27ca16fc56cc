#include "engine/learned_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace duoblas {
namespace {

struct Header {
  std::uint32_t kind = 0x70617274;  // no format of a learner's own bytes
  std::uint32_t format = 2;
  std::uint64_t calls = 0, variants = 0, lapack = 0;  ///< bytes
};

}  // namespace

std::vector<unsigned char> to_bytes(const LearnedParts& parts) {
  Header header;
  header.calls = parts.calls.size();
  header.variants = parts.variants.size();
  header.lapack = parts.lapack.size();
  std::vector<unsigned char> bytes(sizeof header + parts.calls.size() + parts.variants.size() +
                                   parts.lapack.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto after_calls = std::ranges::copy(parts.calls, bytes.begin() + sizeof header).out;
  const auto after_variants = std::ranges::copy(parts.variants, after_calls).out;
  std::ranges::copy(parts.lapack, after_variants);
  return bytes;
}

std::optional<LearnedParts> learned_parts_from(const std::vector<unsigned char>& bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const Header wanted;
  const std::size_t rest = bytes.size() - sizeof header;
  if (header.kind != wanted.kind || header.format != wanted.format || header.calls > rest ||
      header.variants > rest - header.calls ||
      header.lapack != rest - header.calls - header.variants)
    return std::nullopt;
  const auto calls = bytes.begin() + sizeof header;
  const auto variants = calls + static_cast<std::ptrdiff_t>(header.calls);
  const auto lapack = variants + static_cast<std::ptrdiff_t>(header.variants);
  return LearnedParts{{calls, variants}, {variants, lapack}, {lapack, bytes.end()}};
}

}  // namespace duoblas
