// The products that a context was given to compute beside the program's threads: what gemm_async
// starts and duoblas::Job waits for. One thread, started for the first, does them in their order.
// The queue owns the thread; a JobState is shared with the Job, and holds outcome or exception.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "engine/engine.hpp"
#include "gpu/work_thread.hpp"

namespace duoblas {

struct JobState;

/// One after another, on a thread that is started for the first. Thread-safe.
class JobQueue {
 public:
  JobQueue();
  ~JobQueue();  ///< after everything that was started

  /// In a forked child, and where there can be no thread, the work is done before this returns.
  /// \throws std::bad_alloc where nothing was started.
  std::shared_ptr<JobState> start(std::function<Outcome()> work);

 private:
  bool give(std::function<void()> work);

  const unsigned born_in_;
  std::mutex mutex_;
  std::unique_ptr<WorkThread> thread_;
};

}  // namespace duoblas
