// One private instance of a CPU BLAS: its own link namespace, core type, threads and cores.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cpu/blas_functions.hpp"
#include "os/host_functions.hpp"
#include "os/semaphore.hpp"
#include "os/writer_first_lock.hpp"

namespace duoblas {

/// What an instance is made from. Everything is resolved except the library and the core type,
/// which may be empty: the best installed library, and the best type that it has for this
/// processor.
struct InstanceRequest {
  std::string library;
  std::string core_type;
  int threads = 1;
  bool as_detected = false;  ///< if there is no core type: the library's choice, even a bad one
  /// The cores that the workers are bound to; empty: those of the loading thread.
  std::vector<int> cores;

  friend bool operator==(const InstanceRequest&, const InstanceRequest&) = default;
};

class BlasInstance {
 public:
  /// A private copy in a link namespace of its own, or nullptr; `tried` then gets one line per
  /// name, with the reason why it failed. A loaded library is never unloaded.
  static BlasInstance* load_private(const InstanceRequest& request, std::string& tried);
  /// An instance by plain dlopen, if there is no namespace left. If the host has this library
  /// loaded, the instance is the host's own, and its number of threads stays as it is.
  static BlasInstance* load_at_hand(const InstanceRequest& request, std::string& tried);

  /// One call of cblas_?gemm. \pre not empty, not only_scales_c, every size and leading dimension
  /// fits an int; a ForkGuard exists. Thread-safe. Calls of an instance with one thread run in
  /// parallel on the calling threads.
  void gemm(const GemmProblem& p);

  /// One call of cblas_?syrk, cblas_?gemv and so on, with at most `most_threads` threads (0: the
  /// instance's number), if the number can be changed. Calls of other threads with another number
  /// wait meanwhile. The preconditions are those of BlasFunctions::call. \throws CpuBlasError as
  /// require() does.
  template <typename Problem>
  void run(const Problem& p, int most_threads = 0);
  /// The same for one call of LAPACK; returns its info. \throws std::bad_alloc too.
  int lapack(const LapackProblem& p, int most_threads = 0);
  /// Whether a call may use fewer threads. The host's own library keeps the number that the host
  /// set.
  bool may_have_fewer_threads() const { return !private_ || set_num_threads_ != nullptr; }
  /// \throws CpuBlasError if the library lacks this routine.
  template <typename AnyRoutine>
  void require(AnyRoutine routine, Precision precision) const {
    if (!functions_.has(routine, precision)) lack(function_name(routine, precision));
  }

  /// Stops the workers; the next call starts them anew. \pre no call is running.
  void stop_workers();

  const std::string& path() const { return path_; }
  /// "OpenBLAS 0.3.21 ... ", as the library reports it; its path if it reports nothing.
  const std::string& config() const { return config_; }
  const std::string& core_name() const { return core_name_; }
  bool is_private() const { return private_; }
  /// Of one that is not: what load_private() tried, a line each.
  const std::string& why_not_private() const { return why_not_private_; }
  void set_why_not_private(const std::string& tried) { why_not_private_ = tried; }
  /// The result of openblas_get_num_threads(); for a private copy when it was loaded. The requested
  /// number if the library lacks that function.
  int threads() const;
  /// Whether it is a private copy with the requested core type and threads.
  bool is_as_requested() const;
  const InstanceRequest& request() const { return request_; }

 private:
  explicit BlasInstance(const InstanceRequest& request) : request_(request) {}
  /// Takes the library's functions. Empty: done; otherwise why it cannot be used.
  std::string adopt(void* handle);
  [[noreturn]] void lack(const std::string& function) const;
  void start_workers();
  template <typename Call>
  void with_workers(int most_threads, Call&& call);
  template <typename Call>
  void with_number_of_threads(int number, Call&& call);

  InstanceRequest request_;
  bool private_ = false;
  int threads_ = 0;  ///< of a private copy
  ThreadPreparation preparation_;
  std::string path_;
  std::string config_;
  std::string core_name_;
  std::string why_not_private_;
  BlasFunctions functions_;
  void (*before_fork_)() = nullptr;  ///< stops its workers
  int (*pause_openmp_)(int kind) = nullptr;
  int (*get_num_threads_)() = nullptr;
  void (*set_num_threads_)(int) = nullptr;
  std::atomic<bool> workers_stopped_{false};
  std::unique_ptr<Semaphore> callers_;  ///< calls that may still begin
  /// Guards the number of threads, which holds for all calls of the instance. Calls with the copy's
  /// own number share the lock. A call that changes the number gets priority: otherwise it would
  /// wait for ever while many threads multiply.
  WriterFirstLock number_;
};

/// The process's instance for this request, loaded at the first call, shared by all callers.
/// Thread-safe; takes no lock once it is loaded. If no further namespace can be had (about 11 fit),
/// the most similar instance: its request() then differs from this one.
/// \pre a ForkGuard exists, so that no fork copies the lock while it is taken.
/// \throws CpuBlasError.
BlasInstance& blas_instance(const InstanceRequest& request);

/// One that is loaded; null: none is. For calls that have no memory for a request.
BlasInstance* loaded_instance() noexcept;

/// Whether this thread is inside a CPU BLAS that DuoBLAS called. If that is not a private copy, it
/// may call BLAS functions by name, and so reach a drop-in that comes before it.
bool inside_cpu_blas() noexcept;

}  // namespace duoblas
