// Lines of B and C that a level-3 job has apart from the caller's, in memory of the library's own
// that the device uses where it is: a copy each way, and none through a ring or by the device.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/level3_program.hpp"
#include "gpu/transfer_queues.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

/// One job's. The caller has the device's mutex.
class LinesApart {
 public:
  explicit LinesApart(TransferQueues& queues) : queues_(queues) {}

  /// Before anything: memory for so many bytes in whole pages. \throws std::bad_alloc.
  void begin(std::size_t bytes) { queues_.own_lines.begin(bytes); }

  /// Memory for such lines, rows without gaps. \throws std::bad_alloc.
  HostRect room_for(const HostRect& lines) {
    HostRect apart = lines;
    apart.data = queues_.own_lines.take(lines.rows * lines.row_bytes);
    apart.pitch = lines.row_bytes;
    return apart;
  }
  void copy(const HostRect& from, const HostRect& to) {
    const Stopwatch watch;
    queues_.copiers.copy({to.data, to.pitch, from.data, from.pitch, from.rows, from.row_bytes});
    seconds_ += watch.seconds();
  }
  double copy_seconds() const { return seconds_; }

 private:
  TransferQueues& queues_;
  double seconds_ = 0;
};

/// Of all lines that a job by block columns has apart, each rectangle in whole pages.
std::size_t bytes_apart(const std::vector<DeviceStep>& program, Precision precision);

}  // namespace duoblas
