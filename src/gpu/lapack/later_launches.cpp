#include "gpu/lapack/later_launches.hpp"

#include <system_error>
#include <utility>

#include "os/signals_blocked.hpp"

namespace duoblas {

LaterLaunches::LaterLaunches() {
  const SignalsBlocked for_new_thread;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    // The caller's thread can do the work.
  }
}

void LaterLaunches::start(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    work_ = std::move(work);
    state_ = State::waiting;
  }
  changed_.notify_all();
}

void LaterLaunches::finish() {
  std::unique_lock lock(mutex_);
  if (state_ == State::waiting) {
    state_ = State::idle;
    lock.unlock();
    work_();
    return;
  }
  changed_.wait(lock, [this] { return state_ == State::idle; });
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool LaterLaunches::is_done() {
  const std::lock_guard guard(mutex_);
  return state_ == State::idle;
}

void LaterLaunches::stop() noexcept {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    if (state_ == State::waiting) state_ = State::idle;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LaterLaunches::serve() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || state_ == State::waiting; });
    if (stopping_) return;
    state_ = State::under_way;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work_();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = std::move(failure);
    state_ = State::idle;
    changed_.notify_all();
  }
}

}  // namespace duoblas
