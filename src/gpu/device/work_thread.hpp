// A thread of the library that does one piece of work after another.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace duoblas {

class WorkThread {
 public:
  /// \throws std::system_error if no thread can be started.
  WorkThread();
  /// Waits for all work that was given.
  ~WorkThread();
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  /// `work` does not throw.
  void give(std::function<void()> work);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable given_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace duoblas
