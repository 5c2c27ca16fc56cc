#include "gpu/lapack/background_copies.hpp"

#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include <duoblas/error.hpp>

#include "os/signals_blocked.hpp"

namespace duoblas {

BackgroundCopies::BackgroundCopies(TransferQueues& queues) : queues_(queues) {
  const SignalsBlocked for_new_thread;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error& error) {
    throw DeviceError(std::string("no thread for the copies: ") + error.what());
  }
}

void BackgroundCopies::send(std::vector<Part> parts) {
  {
    const std::lock_guard guard(mutex_);
    parts_ = std::move(parts);
    sent_.reserve(parts_.size());
  }
  changed_.notify_all();
}

template <typename Done>
void BackgroundCopies::wait(std::unique_lock<std::mutex>& lock, Done&& done) {
  changed_.wait(lock, [&] { return failure_ != nullptr || done(); });
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

std::vector<BackgroundCopies::Event> BackgroundCopies::sent(std::size_t known,
                                                            std::size_t at_least) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return sent_.size() >= at_least; });
  return {sent_.begin() + static_cast<std::ptrdiff_t>(known), sent_.end()};
}

void BackgroundCopies::publish(Event arrived, std::function<void(CopyThreads&)> copy) {
  {
    const std::lock_guard guard(mutex_);
    arrived_.push_back({std::move(arrived), std::move(copy)});
  }
  changed_.notify_all();
}

void BackgroundCopies::wait_until_published(std::size_t count) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return published_ >= count; });
}

std::size_t BackgroundCopies::stop() noexcept {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  return published_;
}

void BackgroundCopies::serve() noexcept {
  std::unique_lock lock(mutex_);
  try {
    for (;;) {
      changed_.wait(lock,
                    [&] { return stopping_ || !arrived_.empty() || sent_.size() < parts_.size(); });
      if (stopping_) break;
      work(lock);
      changed_.notify_all();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    failure_ = std::current_exception();
    changed_.notify_all();
  }
  queues_.operands.expect_nothing();
}

// Does one piece. Only this thread removes pieces.
void BackgroundCopies::work(std::unique_lock<std::mutex>& lock) {
  const Part* const part = sent_.size() < parts_.size() ? &parts_[sent_.size()] : nullptr;
  const Arrived* const first = arrived_.empty() ? nullptr : &arrived_.front();
  lock.unlock();
  const bool is_there =
      first != nullptr && (!first->arrived || queues_.downloads.has_ended(*first->arrived));
  if (is_there || part == nullptr) {
    if (first->arrived) queues_.downloads.wait(*first->arrived);
    first->copy(queues_.copiers);
    lock.lock();
    arrived_.pop_front();
    ++published_;
    return;
  }
  if (part == &parts_.front())
    for (const Part& coming : parts_)
      queues_.operands.expect(coming.from, coming.to.pitch_bytes, coming.gaps);
  Event sent = queues_.operands.upload(part->from, *part->to.buffer, part->to.offset_bytes,
                                       part->to.pitch_bytes, part->gaps);
  queues_.uploads.flush();
  lock.lock();
  sent_.push_back(std::move(sent));
}

}  // namespace duoblas
