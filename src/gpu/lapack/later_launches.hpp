// Enqueues launches in a second thread while the caller's thread does something else. A launch
// takes the host 10 us and more, and a step of a factorisation has a dozen that nobody waits for.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace duoblas {

/// For one caller, which does not touch the objects that `work` uses until finish().
class LaterLaunches {
 public:
  /// If no thread can be started, finish() does the work.
  LaterLaunches();
  ~LaterLaunches() { stop(); }
  LaterLaunches(const LaterLaunches&) = delete;
  LaterLaunches& operator=(const LaterLaunches&) = delete;

  /// \pre finish() was called for the work before.
  void start(std::function<void()> work);
  /// Waits until the started work has ended; the caller does it if it has not begun. \throws what
  /// the work threw.
  void finish();
  /// Whether finish() has nothing to wait for.
  bool is_done();
  /// The same, but that work which is not begun never is; nothing can be started any more.
  void stop() noexcept;

 private:
  enum class State { idle, waiting, under_way };
  void serve() noexcept;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  State state_ = State::idle;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace duoblas
