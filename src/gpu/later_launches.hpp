// Launches that nobody waits for, by a thread beside the caller's, which does something else
// meanwhile: a launch takes the host 10 us and more, and a step of a factorisation has a dozen.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace duoblas {

/// For one caller, which leaves what `work` uses alone until finish().
class LaterLaunches {
 public:
  /// Where there can be no thread, finish() does the work.
  LaterLaunches();
  ~LaterLaunches() { stop(); }
  LaterLaunches(const LaterLaunches&) = delete;
  LaterLaunches& operator=(const LaterLaunches&) = delete;

  /// \pre finish() after the one before.
  void start(std::function<void()> work);
  /// Until the work that was started has ended; the caller does what is not begun by then. \throws
  /// what it threw.
  void finish();
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
