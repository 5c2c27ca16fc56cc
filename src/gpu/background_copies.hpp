// The host's copies of a factorisation, on a thread of their own beside the one that factorises
// panels: parts of the matrix go to the device in their order, and panels that have arrived in
// page-locked memory go from there to the caller's.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/transfer_queues.hpp"
#include "memory/bound_operand.hpp"

namespace duoblas {

/// For one caller, which leaves the queues' rings and copy threads alone while something is left to
/// be done here.
class BackgroundCopies {
 public:
  /// \throws DeviceError where there can be no thread.
  explicit BackgroundCopies(TransferQueues& queues);
  ~BackgroundCopies() { stop(); }
  BackgroundCopies(const BackgroundCopies&) = delete;
  BackgroundCopies& operator=(const BackgroundCopies&) = delete;

  struct Part {
    HostRect from;
    BoundOperand to;
    Gaps gaps = Gaps::kept;
  };
  using Event = std::shared_ptr<const cl::Event>;

  /// Parts without rows are none. Once.
  void send(std::vector<Part> parts);
  /// Events of the parts behind the first `known`, and of so many in all at least, for which this
  /// waits: what comes after one comes after all before. Flushed. \throws what the thread threw.
  std::vector<Event> sent(std::size_t known, std::size_t at_least);

  /// Once `arrived` has ended (null: now), and before other parts are sent. `copy` does not throw.
  void publish(Event arrived, std::function<void(CopyThreads&)> copy);
  /// Waits until the first so many have been published. \throws what the thread threw.
  void wait_until_published(std::size_t count);

  /// Nothing more is begun; what was has ended when this returns. How many have been published.
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
  std::deque<Arrived> arrived_;  ///< elements that are not published
  std::size_t published_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace duoblas
