// The queue of a context's asynchronous products: gemm_async adds them, duoblas::Job waits for
// them. One thread, started for the first one, computes them in order. The queue owns the thread. A
// JobState is shared with the Job, and holds the outcome or the exception.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "engine/engine.hpp"
#include "gpu/device/work_thread.hpp"

namespace duoblas {

struct JobState;

/// Runs work in order, on a thread that is started for the first piece. Thread-safe.
class JobQueue {
 public:
  JobQueue();
  ~JobQueue();  ///< waits for all work that was started

  /// In a forked child, or if no thread can be started, the work is done before this returns.
  /// \throws std::bad_alloc; then nothing was started.
  std::shared_ptr<JobState> start(std::function<Outcome()> work);

 private:
  bool give(std::function<void()> work);

  const unsigned born_in_;
  std::mutex mutex_;
  std::unique_ptr<WorkThread> thread_;
};

}  // namespace duoblas
