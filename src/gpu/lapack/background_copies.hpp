// The host's copies for a factorisation, on a thread of their own beside the thread that factorises
// panels. Parts of the matrix go to the device in order. Panels that have arrived in page-locked
// memory go from there to the caller's memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/device/transfer_queues.hpp"
#include "memory/bound_operand.hpp"

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
    Gaps gaps = Gaps::kept;
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

}  // namespace duoblas
