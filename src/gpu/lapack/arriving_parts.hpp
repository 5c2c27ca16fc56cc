// How far a matrix has come to the device that is sent part by part beside a factorisation's steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpu/lapack/background_copies.hpp"
#include "gpu/lapack/matrix_on_device.hpp"

namespace duoblas {

/// For the thread that factorises.
class ArrivingParts {
 public:
  /// Lines before `first` are not sent.
  void begin_at(std::int64_t first) { ready_ = first; }
  /// The next part that is sent ends there.
  void add(std::int64_t end) { ends_.push_back(end); }
  /// Sends columns of LAPACK from `first` on, so many of them at first.
  void send_columns(BackgroundCopies& copies, const MatrixOnDevice& matrix, std::int64_t first,
                    std::int64_t count) {
    // The columns that are sent at once, behind those of the next panel.
    constexpr std::int64_t columns_of_part = 512;
    const LapackProblem& p = matrix.problem();
    begin_at(first);
    std::vector<BackgroundCopies::Part> parts;
    for (std::int64_t column = first; column < p.n; count = columns_of_part) {
      const DeviceArea area{column, 0, std::min(count, p.n - column), p.m};
      parts.push_back({matrix.on_host(area), matrix.at(column, 0), Gaps::free});
      column += area.rows;
      add(column);
    }
    copies.send(std::move(parts));
  }

  /// What is there by now and was not taken; waits until lines before `needed` are. Kernels of the
  /// matrix start after it. Empty: nothing new.
  Interval take(BackgroundCopies& copies, MatrixOnDevice& matrix, std::int64_t needed) {
    const auto last = std::ranges::lower_bound(ends_, needed) - ends_.begin();
    const auto sent = copies.sent(taken_, needed > ready_ ? static_cast<std::size_t>(last) + 1 : 0);
    if (sent.empty()) return {ready_, 0};
    matrix.start_after(*sent.back());
    taken_ += sent.size();
    const std::int64_t before = std::exchange(ready_, ends_[taken_ - 1]);
    return {before, ready_ - before};
  }
  /// Where the parts that were taken end.
  std::int64_t ready() const { return ready_; }

 private:
  std::vector<std::int64_t> ends_;
  std::size_t taken_ = 0;
  std::int64_t ready_ = 0;
};

}  // namespace duoblas
