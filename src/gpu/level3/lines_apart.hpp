// Lines of B and C that a level-3 job has apart from the caller's, in memory of the library's own
// that the device uses where it is: a copy each way, and none through a ring or by the device.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/device/transfer_pipeline.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

/// Bytes between the starts of rows apart: an odd number of lines of the cache. Rows that lie a
/// power of two apart fall into few sets of it, where a kernel that does not pack B reads them.
constexpr std::size_t pitch_apart(std::size_t row_bytes) {
  constexpr std::size_t line = 64;
  return ((row_bytes + line - 1) / line | 1) * line;
}

/// One job's. The caller has the device's mutex.
class LinesApart {
 public:
  explicit LinesApart(TransferQueues& queues) : queues_(queues) {}

  /// Before anything: memory for so many bytes in whole pages. \throws std::bad_alloc.
  void begin(std::size_t bytes) { queues_.own_lines.begin(bytes); }

  /// Memory for such lines, pitch_apart() from one to the next. \throws std::bad_alloc.
  HostRect room_for(const HostRect& lines) {
    HostRect apart = lines;
    apart.pitch = pitch_apart(lines.row_bytes);
    apart.data = queues_.own_lines.take(lines.rows * apart.pitch);
    return apart;
  }
  void copy_in(const HostRect& lines, const HostRect& room) { in_ += copy(lines, room); }
  void copy_out(const HostRect& room, const HostRect& lines) { out_ += copy(room, lines); }
  double seconds_in() const { return in_; }
  double seconds_out() const { return out_; }

 private:
  double copy(const HostRect& from, const HostRect& to) {
    return seconds_of([&] {
      queues_.copiers.copy({to.data, to.pitch, from.data, from.pitch, from.rows, from.row_bytes});
    });
  }

  TransferQueues& queues_;
  double in_ = 0, out_ = 0;
};

}  // namespace duoblas
