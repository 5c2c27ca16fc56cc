// Searches as straight code: a coroutine that is suspended wherever a batch is to be measured.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace duoblas {

/// What a Walk ends with.
template <typename T>
struct WalkValue {
  std::optional<T> value;
  void return_value(T result) { value = std::move(result); }
  T take() { return std::move(*value); }
};

template <>
struct WalkValue<void> {
  void return_void() {}
  void take() {}
};

/// A part of a search. `co_await part` runs it to its end, through any number of batches, and gives
/// its result; an exception in it comes out there. It starts when it is awaited, or by start().
template <typename T>
class Walk {
 public:
  struct promise_type : WalkValue<T> {
    std::coroutine_handle<> after = std::noop_coroutine();
    std::exception_ptr error;

    Walk get_return_object() { return Walk(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return GoOn{}; }
    void unhandled_exception() { error = std::current_exception(); }
  };
  using Handle = std::coroutine_handle<promise_type>;

  Walk(Walk&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Walk& operator=(Walk&&) = delete;
  ~Walk() {
    if (handle_) handle_.destroy();
  }

  void start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  /// \pre done(). \throws what the walk threw.
  T result() {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return handle_.promise().take();
  }

  bool await_ready() const noexcept { return false; }
  // Without a batch to wait for, the caller goes on here, not from within the part that ended:
  // where a compiler does not make tail calls, each of a thousand such parts would take stack.
  bool await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.resume();
    if (handle_.done()) return false;
    handle_.promise().after = caller;
    return true;
  }
  T await_resume() { return result(); }

 private:
  // Goes on with whoever awaited this walk.
  struct GoOn {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle finished) noexcept {
      return finished.promise().after;
    }
    void await_resume() const noexcept {}
  };

  explicit Walk(Handle handle) : handle_(handle) {}
  Handle handle_;
};

}  // namespace duoblas
