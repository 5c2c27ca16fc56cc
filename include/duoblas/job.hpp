// A product that is computed while the program goes on.
#ifndef DUOBLAS_JOB_HPP
#define DUOBLAS_JOB_HPP

#include <memory>
#include <utility>

#include <duoblas/export.hpp>

namespace duoblas {

struct JobState;

/// The result of gemm_async. Move-only; one thread at a time may use a Job. In a process that was
/// forked after gemm_async the job belongs to the parent. If it had not ended by then, it has no
/// result in the child: done() is true and wait() throws.
class DUOBLAS_API Job {
 public:
  Job() noexcept = default;  ///< no work: done
  Job(Job&&) noexcept = default;
  Job& operator=(Job&& other) noexcept;  ///< waits for the work that is replaced
  ~Job();                                ///< waits for the work

  /// Whether the work has ended, by success or failure, so that wait() would return or throw at
  /// once. Does not wait.
  bool done() const noexcept;
  /// Waits, and makes the product this thread's Context::last_call(). \throws the exception of the
  /// product (CpuBlasError, DeviceError, std::bad_alloc as gemm), at each call; Error in a forked
  /// child.
  void wait();

 private:
  friend class Context;
  explicit Job(std::shared_ptr<JobState> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<JobState> state_;
};

}  // namespace duoblas

#endif
