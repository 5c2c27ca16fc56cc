// Records of what calls showed as bytes, for later processes of the same build on the same machine:
// a header, and the records as they are in memory. Bytes of several kinds may follow each other.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace duoblas {

/// What the records are.
struct RecordsHeader {
  std::uint32_t kind = 0;    ///< whose they are: no other learner's
  std::uint32_t format = 0;  ///< to be increased when the bytes change
  std::uint32_t record_bytes = 0, records = 0;
};

/// \pre no record has padding: no bytes that nobody writes.
template <typename Record>
std::vector<unsigned char> bytes_of(std::uint32_t kind, std::uint32_t format,
                                    const std::vector<Record>& records) {
  static_assert(std::is_trivially_copyable_v<Record>);
  const RecordsHeader header{kind, format, sizeof(Record),
                             static_cast<std::uint32_t>(records.size())};
  std::vector<unsigned char> bytes(sizeof header + records.size() * sizeof(Record));
  std::memcpy(bytes.data(), &header, sizeof header);
  for (std::size_t i = 0; i < records.size(); ++i)
    std::memcpy(bytes.data() + sizeof header + i * sizeof(Record), &records[i], sizeof(Record));
  return bytes;
}

/// Those of this kind, of bytes that hold such records of several kinds, one after another.
/// Nothing: the bytes are damaged, have none of them or of another format, or a record is not
/// sound.
template <typename Record>
std::optional<std::vector<Record>> records_of(std::uint32_t kind, std::uint32_t format,
                                              const std::vector<unsigned char>& bytes) {
  std::optional<std::vector<Record>> found;
  for (std::size_t at = 0; at < bytes.size();) {
    RecordsHeader header;
    if (bytes.size() - at < sizeof header) return {};
    std::memcpy(&header, &bytes[at], sizeof header);
    at += sizeof header;
    const std::size_t size = std::size_t{header.record_bytes} * header.records;
    if (bytes.size() - at < size) return {};
    if (header.kind == kind) {
      if (header.format != format || header.record_bytes != sizeof(Record)) return {};
      found.emplace(header.records);
      for (std::size_t i = 0; i < found->size(); ++i) {
        std::memcpy(&(*found)[i], &bytes[at + i * sizeof(Record)], sizeof(Record));
        if (!(*found)[i].is_sound()) return {};
      }
    }
    at += size;
  }
  return found;
}

/// Whether a number may be a sum of seconds.
inline bool is_sum_of_seconds(double seconds) {
  return std::isfinite(seconds) && seconds >= 0;
}

}  // namespace duoblas
