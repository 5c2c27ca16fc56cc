// Records of what calls showed as bytes, for later processes of the same build on the same machine:
// a header, and the records as they are in memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace duoblas {

/// What the records are. Bytes with another header are refused.
struct RecordsHeader {
  std::uint32_t kind = 0;    ///< whose they are: no other learner's
  std::uint32_t format = 0;  ///< to be increased when the bytes change
  std::uint32_t record_bytes = 0, records = 0;

  friend bool operator==(const RecordsHeader&, const RecordsHeader&) = default;
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

/// Nothing: they are damaged, of another kind or format, or a record is not sound.
template <typename Record>
std::optional<std::vector<Record>> records_of(std::uint32_t kind, std::uint32_t format,
                                              const std::vector<unsigned char>& bytes) {
  RecordsHeader header;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header != RecordsHeader{kind, format, sizeof(Record), header.records} ||
      bytes.size() - sizeof header != std::size_t{header.records} * sizeof(Record))
    return {};
  std::vector<Record> records(header.records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::memcpy(&records[i], bytes.data() + sizeof header + i * sizeof(Record), sizeof(Record));
    if (!records[i].is_sound()) return {};
  }
  return records;
}

/// Whether a number that was read may be that of one of `count` things.
constexpr bool is_below(std::int32_t value, std::size_t count) {
  return value >= 0 && static_cast<std::size_t>(value) < count;
}
/// Whether the first `count` numbers may be times of calls.
inline bool are_times(const double* times, int count) {
  for (int i = 0; i < count; ++i)
    if (!std::isfinite(times[i]) || times[i] <= 0) return false;
  return true;
}
/// Whether a number may be a sum of seconds.
inline bool is_sum_of_seconds(double seconds) {
  return std::isfinite(seconds) && seconds >= 0;
}

}  // namespace duoblas
