// The host's copies for a factorisation, on a thread of their own beside the thread that factorises
// panels. Parts of the matrix go to the device in order. Panels that have arrived in page-locked
// memory go from there to the caller's memory.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/lapack/matrix_on_device.hpp"
#include "memory/bound_operand.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// For one caller. It must not use the queues' rings and copy threads while work is left here.
class BackgroundCopies {
 public:
  /// \throws DeviceError if no thread can be started.
  explicit BackgroundCopies(TransferQueues& queues);
  ~BackgroundCopies() { stop(); }
  BackgroundCopies(const BackgroundCopies&) = delete;
  BackgroundCopies& operator=(const BackgroundCopies&) = delete;

  struct Part {
    HostRect from;
    BoundOperand to;
    Gaps gaps = Gaps::untouched;
  };
  using Event = std::shared_ptr<const cl::Event>;

  /// Starts to send these parts; parts without rows are skipped. Call it once.
  void send(std::vector<Part> parts);
  /// The events of the parts behind the first `known`. Waits until there are at least `at_least` in
  /// all. When a part has ended, so have all before it. Flushed. \throws the thread's exception.
  std::vector<Event> sent(std::size_t known, std::size_t at_least);

  /// Calls `copy` once `arrived` has ended (null: now), before later parts are sent. If `copy`
  /// throws it has written nothing, and nothing is published any more.
  void publish(Event arrived, std::function<void(CopyThreads&)> copy);
  /// Waits until the first `count` have been published. \throws the thread's exception.
  void wait_until_published(std::size_t count);

  /// Begins nothing more, and waits for what has begun. Returns how many were published.
  std::size_t stop() noexcept;

 private:
  struct Arrived {
    Event arrived;
    std::function<void(CopyThreads&)> copy;
  };
  void serve() noexcept;
  void work(std::unique_lock<std::mutex>& lock);
  template <typename Done>
  void wait(std::unique_lock<std::mutex>& lock, Done&& done);

  TransferQueues& queues_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Part> parts_;
  std::vector<Event> sent_;
  std::deque<Arrived> arrived_;  ///< not yet published
  std::size_t published_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

/// How far a matrix has come that is sent part by part. For the thread that factorises.
class ArrivingParts {
 public:
  ArrivingParts(BackgroundCopies& copies, MatrixOnDevice& matrix)
      : copies_(copies), matrix_(matrix) {}
  /// Lines before `first` are not sent.
  void begin_at(std::int64_t first) { ready_ = first; }
  /// The next part that is sent ends there.
  void add(std::int64_t end) { ends_.push_back(end); }
  /// Sends columns of LAPACK from `first` on, so many of them at first.
  void send_columns(std::int64_t first, std::int64_t count) {
    // The columns that are sent at once, behind those of the next panel.
    constexpr std::int64_t columns_of_part = 512;
    const LapackProblem& p = matrix_.problem();
    begin_at(first);
    std::vector<BackgroundCopies::Part> parts;
    for (std::int64_t column = first; column < p.n; count = columns_of_part) {
      const DeviceArea area{column, 0, std::min(count, p.n - column), p.m};
      parts.push_back({matrix_.on_host(area), matrix_.at(column, 0), Gaps::free});
      column += area.rows;
      add(column);
    }
    copies_.send(std::move(parts));
  }

  /// What is there by now and was not taken; waits until lines before `needed` are. Kernels of the
  /// matrix start after it. Empty: nothing new.
  Interval take(std::int64_t needed) {
    const auto last = std::ranges::lower_bound(ends_, needed) - ends_.begin();
    const auto sent =
        copies_.sent(taken_, needed > ready_ ? static_cast<std::size_t>(last) + 1 : 0);
    if (sent.empty()) return {ready_, 0};
    matrix_.start_after(*sent.back());
    taken_ += sent.size();
    const std::int64_t before = std::exchange(ready_, ends_[taken_ - 1]);
    return {before, ready_ - before};
  }
  /// Where the parts that were taken end.
  std::int64_t ready() const { return ready_; }

 private:
  BackgroundCopies& copies_;
  MatrixOnDevice& matrix_;
  std::vector<std::int64_t> ends_;
  std::size_t taken_ = 0;
  std::int64_t ready_ = 0;
};

}  // namespace duoblas
