#include "gpu/device/work_thread.hpp"

#include <utility>

namespace duoblas {

WorkThread::WorkThread() : thread_([this] { serve(); }) {}

WorkThread::~WorkThread() {
  {
    const std::lock_guard guard(mutex_);
    ending_ = true;
  }
  given_.notify_one();
  thread_.join();
}

void WorkThread::give(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    waiting_.push_back(std::move(work));
  }
  given_.notify_one();
}

void WorkThread::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    given_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace duoblas
