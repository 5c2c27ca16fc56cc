// A product that is computed while the program goes on.
#ifndef DUOBLAS_JOB_HPP
#define DUOBLAS_JOB_HPP

#include <memory>
#include <utility>

#include <duoblas/export.hpp>

namespace duoblas {

struct JobState;

/// What gemm_async returned. Move-only; one thread at a time may use one. In a process that was
/// forked after gemm_async the job is the parent's. If it had not ended by then, it is done here
/// without a result: wait() throws, and nothing waits.
class DUOBLAS_API Job {
 public:
  Job() noexcept = default;  ///< no work: done
  Job(Job&&) noexcept = default;
  Job& operator=(Job&& other) noexcept;  ///< waits for the work that is replaced
  ~Job();                                ///< waits

  /// Whether wait() would return or throw at once: the work has ended, by success or failure. Does
  /// not wait.
  bool done() const noexcept;
  /// Waits, and makes the product this thread's Context::last_call(). \throws what the product
  /// threw (CpuBlasError, SettingError, DeviceError as gemm), each time; Error in a forked child.
  void wait();

 private:
  friend class Context;
  explicit Job(std::shared_ptr<JobState> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<JobState> state_;
};

}  // namespace duoblas

#endif
