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

// Work on offer. It outlives a caller that has withdrawn it: the thread looks at it later.
struct Offer {
  enum class State { offered, taken, withdrawn, done };

  std::mutex mutex;
  std::condition_variable changed;
  State state = State::offered;
  void (*run)(void*) = nullptr;
  void* work = nullptr;
  std::exception_ptr failure;

  bool take() {
    const std::lock_guard lock(mutex);
    if (state != State::offered) return false;
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
    if (!changed.wait_for(lock, patience, [&] { return state != State::offered; })) {
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
  const std::unique_ptr<std::shared_ptr<Offer>> own(static_cast<std::shared_ptr<Offer>*>(given));
  const std::shared_ptr<Offer> offer = *own;
  pass_the_loaders_lock();
  if (!offer->take()) return nullptr;
  {
    const ForkGuardOfWaiter no_fork;
    try {
      offer->run(offer->work);
    } catch (...) {
      offer->failure = std::current_exception();
    }
  }
  offer->end();
  return nullptr;
}

// False: there is no memory or no thread for it.
bool give(const std::shared_ptr<Offer>& offer) {
  auto given = std::make_unique<std::shared_ptr<Offer>>(offer);
  OwnThread thread;
  if (!start_own_thread(thread, serve, given.get())) return false;
  (void)given.release();  // the thread's
  pthread_detach(thread);
  return true;
}

std::shared_ptr<Offer> offered(void (*run)(void*), void* work) try {
  auto offer = std::make_shared<Offer>();
  offer->run = run;
  offer->work = work;
  return give(offer) ? offer : nullptr;
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
  const std::shared_ptr<Offer> offer = offered(run, work);
  if (offer == nullptr || !offer->await()) {
    const SignalsBlocked for_new_threads;
    return run(work);
  }
  if (offer->failure) std::rethrow_exception(std::move(offer->failure));
}

}  // namespace duoblas
