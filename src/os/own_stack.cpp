#include "os/own_stack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>

#include "os/cancellation_disabled.hpp"
#include "os/fork_state.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas {
namespace {

constexpr std::size_t least_stack = std::size_t{8} << 20;
// Far longer than a thread takes to start.
constexpr std::chrono::seconds patience{2};

constinit thread_local bool is_own_thread = false;

class StackSize {
 public:
  StackSize() {
    pthread_attr_init(&attributes_);
    std::size_t usual = 0;
    pthread_attr_t usual_ones;
    if (pthread_getattr_default_np(&usual_ones) == 0) {
      pthread_attr_getstacksize(&usual_ones, &usual);
      pthread_attr_destroy(&usual_ones);
    }
    pthread_attr_setstacksize(&attributes_, std::max(usual, least_stack));
  }
  ~StackSize() { pthread_attr_destroy(&attributes_); }
  StackSize(const StackSize&) = delete;
  StackSize& operator=(const StackSize&) = delete;

  const pthread_attr_t* attributes() const { return &attributes_; }

 private:
  pthread_attr_t attributes_;
};

struct Beginning {
  void* (*run)(void*);
  void* argument;
};

void* begin(void* beginning) {
  const std::unique_ptr<Beginning> own(static_cast<Beginning*>(beginning));
  const Beginning copy = *own;
  is_own_thread = true;
  return copy.run(copy.argument);
}

// Work that waits for a thread. It outlives a caller that withdraws it: the thread looks at it
// later.
struct PostedWork {
  enum class State { waiting, taken, withdrawn, done };

  std::mutex mutex;
  std::condition_variable changed;
  State state = State::waiting;
  void (*run)(void*) = nullptr;
  void* work = nullptr;
  std::exception_ptr failure;

  bool take() {
    const std::lock_guard lock(mutex);
    if (state != State::waiting) return false;
    set(State::taken);
    return true;
  }
  void end() {
    const std::lock_guard lock(mutex);
    set(State::done);
  }
  // False: nobody has taken it.
  bool await() {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, patience, [&] { return state != State::waiting; })) {
      state = State::withdrawn;
      return false;
    }
    changed.wait(lock, [&] { return state == State::done; });
    return true;
  }

 private:
  void set(State next) {
    state = next;
    changed.notify_all();
  }
};

// A null name is the program itself, which is there.
void pass_the_loaders_lock() {
  if (void* const program = dlopen(nullptr, RTLD_LAZY)) dlclose(program);
}

void* serve(void* given) {
  const std::unique_ptr<std::shared_ptr<PostedWork>> own(
      static_cast<std::shared_ptr<PostedWork>*>(given));
  const std::shared_ptr<PostedWork> posted_work = *own;
  pass_the_loaders_lock();
  if (!posted_work->take()) return nullptr;
  {
    const ForkGuardOfWaiter no_fork;
    try {
      posted_work->run(posted_work->work);
    } catch (...) {
      posted_work->failure = std::current_exception();
    }
  }
  posted_work->end();
  return nullptr;
}

// False: there is no memory or no thread for it.
bool give(const std::shared_ptr<PostedWork>& posted_work) {
  auto given = std::make_unique<std::shared_ptr<PostedWork>>(posted_work);
  OwnThread thread;
  if (!start_own_thread(thread, serve, given.get())) return false;
  (void)given.release();  // the thread's
  pthread_detach(thread);
  return true;
}

std::shared_ptr<PostedWork> posted(void (*run)(void*), void* work) try {
  auto posted_work = std::make_shared<PostedWork>();
  posted_work->run = run;
  posted_work->work = work;
  return give(posted_work) ? posted_work : nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace

void join_own_thread(OwnThread thread) noexcept {
  pthread_join(thread, nullptr);
}

void let_go_of(OwnThread thread) noexcept {
  pthread_detach(thread);
}

bool start_own_thread(OwnThread& thread, void* (*run)(void*), void* argument) noexcept {
  auto* const beginning = new (std::nothrow) Beginning{run, argument};
  if (beginning == nullptr) return false;
  const StackSize of_our_own;
  const SignalsBlocked for_new_threads;
  if (pthread_create(&thread, of_our_own.attributes(), begin, beginning) == 0) return true;
  delete beginning;
  return false;
}

void own_stack::run_and_wait(void (*run)(void*), void* work) {
  if (is_own_thread) return run(work);
  const CancellationDisabled until_it_is_done;
  // The caller may have a mutex for which another thread waits, and a fork for that one: so nobody
  // waits for the fork here.
  const ForkGuardIfOpen no_fork;
  const std::shared_ptr<PostedWork> posted_work = posted(run, work);
  if (posted_work == nullptr || !posted_work->await()) {
    const SignalsBlocked for_new_threads;
    return run(work);
  }
  if (posted_work->failure) std::rethrow_exception(std::move(posted_work->failure));
}

}  // namespace duoblas
