#include "api/job_queue.hpp"

#include <atomic>
#include <exception>
#include <system_error>
#include <utility>

#include <duoblas/error.hpp>
#include <duoblas/job.hpp>

#include "api/context_state.hpp"
#include "os/cancellation_disabled.hpp"
#include "os/fork_state.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas {

struct JobState {
  const unsigned born_in = fork_generation();
  std::atomic<bool> ended{false};
  // Set before `ended`.
  Outcome outcome;
  std::exception_ptr failure;

  void run(const std::function<Outcome()>& work) noexcept {
    try {
      outcome = work();
    } catch (...) {
      failure = std::current_exception();
    }
    ended.store(true, std::memory_order_release);
    ended.notify_all();
  }
  // In a forked child the thread that would end it does not exist.
  bool is_lost() const { return !ended.load() && fork_generation() != born_in; }
};

JobQueue::JobQueue() : born_in_(fork_generation()) {}

// A forked child has no such thread, so there is nothing to wait for.
JobQueue::~JobQueue() {
  if (fork_generation() != born_in_) (void)thread_.release();
}

// Returns false if there is no thread.
bool JobQueue::give(std::function<void()> work) {
  if (fork_generation() != 0) return false;
  const std::lock_guard guard(mutex_);
  if (!thread_) {
    const SignalsBlocked for_new_threads;
    try {
      thread_ = std::make_unique<WorkThread>();
    } catch (const std::system_error&) {
      return false;
    }
  }
  thread_->give(std::move(work));
  return true;
}

std::shared_ptr<JobState> JobQueue::start(std::function<Outcome()> work) {
  auto state = std::make_shared<JobState>();
  if (!give([state, work] { state->run(work); })) state->run(work);
  return state;
}

Job& Job::operator=(Job&& other) noexcept {
  const Job replaced(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

Job::~Job() {
  if (state_ && !state_->is_lost()) state_->ended.wait(false, std::memory_order_acquire);
}

bool Job::done() const noexcept {
  return !state_ || state_->is_lost() || state_->ended.load(std::memory_order_acquire);
}

void Job::wait() {
  const CancellationDisabled whole_call;
  if (!state_) return;
  if (state_->is_lost()) throw Error("the product is the parent process's: this one was forked");
  state_->ended.wait(false, std::memory_order_acquire);
  if (state_->failure) std::rethrow_exception(state_->failure);
  remember_call(state_->outcome);
}

}  // namespace duoblas
