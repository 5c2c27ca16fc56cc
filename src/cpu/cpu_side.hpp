// The CPU's side of a product: a CPU BLAS, private to this library.
//
//   run(problem, configuration) ─> instance of this core type and number of threads ─> tiles, or
//                                  one call with the BLAS's own threads ─> C
//
// In: problems in host memory. Out: the result, when run() returns. It owns the instances
// (blas_instance.hpp), and never touches the BLAS of the host program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu/adjoint_copy.hpp"
#include "cpu/blas_functions.hpp"
#include "cpu/cpu_limits.hpp"
#include "problem/batch_problem.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/gemv_problem.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

/// Runs products on private instances of the CPU BLAS, each in its own link namespace, loaded at
/// its first use. Configurations share an instance if it would be the same: all those with tiles,
/// or with one thread, use one per library and core type. Thread-safe.
///
/// It stays usable in a forked child: fork() waits until no product is running (fork_state.hpp), so
/// the child finds every instance at rest. If the calling thread has a ScopedThreadBound, no more
/// threads than that are used, and no instance is loaded for that number.
class CpuSide {
 public:
  /// `library`: DUOBLAS_CPU_BLAS, or empty for the best one installed.
  CpuSide(CpuLimits limits, std::string library);
  ~CpuSide();

  /// C = alpha op(A) op(B) + beta C on the configuration's cores and threads, for any size (sizes
  /// over 32 bits are done in pieces). The same configuration gives the same bits each time; with
  /// tiles too, whatever the order of threads. \throws CpuBlasError if no CPU BLAS can be loaded.
  void run(const GemmProblem& part, const CpuConfig& config);

  /// Many products. If there are enough of them, each is done by one thread on the configuration's
  /// cores. \throws CpuBlasError likewise.
  void run(const BatchProblem& part, const CpuConfig& config);

  /// The CPU BLAS's own syrk, trsm and so on: in tiles if those are faster (level3_tiles.hpp), else
  /// in one call with threads of its own, whether or not the configuration has tiles. A fork waits
  /// for it to end. \pre every size and leading dimension fits an int; src/level3 ensures that and
  /// bounds the work. \throws CpuBlasError.
  void run(const Level3Problem& part, const CpuConfig& config);
  /// A trsm as a trmm with the inverse of A, which has a few dozen lines (triangle_inverse.hpp). By
  /// the BLAS's own trsm if A is ill-conditioned, or memory is short.
  void solve_by_inverse(const Level3Problem& part, const CpuConfig& config);
  /// The same for the CPU BLAS's own LAPACK; returns info. \pre as above; no argument is illegal.
  /// \throws CpuBlasError; std::bad_alloc (getri).
  int run(const LapackProblem& part, const CpuConfig& config);
  /// y = alpha op(A) x + beta y by the CPU BLAS's own gemv, with threads of its own if the
  /// configuration has tiles; for any size. beta == 0: y is not read. \throws CpuBlasError.
  void run(const GemvProblem& part, const CpuConfig& config);
  /// B = A^H, with the configuration's threads.
  void run(const AdjointCopy& part, const CpuConfig& config);
  /// Loads the instance for this configuration. \throws CpuBlasError, also if the library lacks
  /// this routine.
  template <typename AnyRoutine>
  void require(AnyRoutine routine, Precision precision, const CpuConfig& config);

  /// Loads the instance of this configuration now, instead of at its first product. True: products
  /// run as the configuration says. False: products are right, but another instance does them,
  /// because no link namespace was left (about 11 fit in a process) or the library lacks the core
  /// type or the threads. A measurement would then measure that instance. \throws CpuBlasError.
  bool prepare(const CpuConfig& config);

  const CpuLimits& limits() const;
  /// All allowed cores and threads with the given core type.
  CpuConfig all_cores(const std::string& core_type) const;

  /// Name and version of the library ("OpenBLAS 0.3.21 ... Cooperlake"), and its path.
  std::string description(const CpuConfig& config);
  std::string library_path();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
