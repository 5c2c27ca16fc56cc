// Context's linear equations and QR.
#include <complex>
#include <cstdint>

#include <duoblas/context.hpp>
#include <duoblas/lapack.hpp>

#include "api/context_state.hpp"
#include "api/every_type.hpp"
#include "lapack/lapack_call.hpp"
#include "os/cancellation_disabled.hpp"
#include "problem/caller_lapack.hpp"

namespace duoblas {
namespace {

template <typename T>
struct LapackArguments : CallerLapack {
  // An operand that is only read is never written through this pointer.
  LapackArguments(LapackRoutine routine, std::int64_t n, const T* a, std::int64_t lda) {
    args.routine = routine;
    args.precision = precision_of<T>;
    args.n = n;
    args.a = const_cast<T*>(a);
    args.lda = lda;
  }
  void right_sides(std::int64_t count, T* b, std::int64_t ldb) {
    args.right_sides = count;
    args.b = b;
    args.ldb = ldb;
  }
};

// Returns LAPACK's info.
std::int64_t run(Engine& engine, const CallerLapack& call) {
  const CancellationDisabled whole_call;
  check(call);
  LapackProblem problem = call.args;
  const NarrowPivots pivots(problem, call.pivots);
  const LapackOutcome did = run_lapack(engine, problem);
  pivots.publish();
  remember_call(did.outcome);
  return did.info;
}

}  // namespace

template <typename T>
std::int64_t Context::getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda,
                            std::int64_t* pivots) {
  LapackArguments<T> call(LapackRoutine::getrf, n, a, lda);
  call.args.m = m;
  call.pivots = pivots;
  return run(state_->engine, call);
}

template <typename T>
std::int64_t Context::potrf(Uplo uplo, std::int64_t n, T* a, std::int64_t lda) {
  LapackArguments<T> call(LapackRoutine::potrf, n, a, lda);
  call.args.uplo = uplo;
  return run(state_->engine, call);
}

template <typename T>
std::int64_t Context::gesv(std::int64_t n, std::int64_t right_sides, T* a, std::int64_t lda,
                           std::int64_t* pivots, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::gesv, n, a, lda);
  call.right_sides(right_sides, b, ldb);
  call.pivots = pivots;
  return run(state_->engine, call);
}

template <typename T>
std::int64_t Context::posv(Uplo uplo, std::int64_t n, std::int64_t right_sides, T* a,
                           std::int64_t lda, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::posv, n, a, lda);
  call.args.uplo = uplo;
  call.right_sides(right_sides, b, ldb);
  return run(state_->engine, call);
}

template <typename T>
void Context::getrs(Op op, std::int64_t n, std::int64_t right_sides, const T* a, std::int64_t lda,
                    const std::int64_t* pivots, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::getrs, n, a, lda);
  call.args.op = op;
  call.right_sides(right_sides, b, ldb);
  call.pivots = const_cast<std::int64_t*>(pivots);
  run(state_->engine, call);
}

template <typename T>
void Context::potrs(Uplo uplo, std::int64_t n, std::int64_t right_sides, const T* a,
                    std::int64_t lda, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::potrs, n, a, lda);
  call.args.uplo = uplo;
  call.right_sides(right_sides, b, ldb);
  run(state_->engine, call);
}

template <typename T>
std::int64_t Context::getri(std::int64_t n, T* a, std::int64_t lda, const std::int64_t* pivots) {
  LapackArguments<T> call(LapackRoutine::getri, n, a, lda);
  call.pivots = const_cast<std::int64_t*>(pivots);
  return run(state_->engine, call);
}

template <typename T>
void Context::geqrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda, T* tau) {
  LapackArguments<T> call(LapackRoutine::geqrf, n, a, lda);
  call.args.m = m;
  call.args.tau = tau;
  run(state_->engine, call);
}

template <typename T>
void Context::orgqr(std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t lda,
                    const T* tau) {
  LapackArguments<T> call(LapackRoutine::orgqr, n, a, lda);
  call.args.m = m;
  call.args.reflectors = k;
  call.args.tau = const_cast<T*>(tau);
  run(state_->engine, call);
}

template <typename T>
void Context::ormqr(Side side, Op op, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
                    std::int64_t lda, const T* tau, T* c, std::int64_t ldc) {
  LapackArguments<T> call(LapackRoutine::ormqr, k, a, lda);
  const bool is_right = side == Side::right;
  call.args.side = side;
  call.args.op = op;
  call.args.m = is_right ? n : m;
  call.args.tau = const_cast<T*>(tau);
  call.right_sides(is_right ? m : n, c, ldc);
  run(state_->engine, call);
}

#define DUOBLAS_LAPACK_OF(T)                                                              \
  template Size Context::getrf<T>(Size, Size, T*, Size, Size*);                           \
  template Size Context::potrf<T>(Uplo, Size, T*, Size);                                  \
  template Size Context::gesv<T>(Size, Size, T*, Size, Size*, T*, Size);                  \
  template Size Context::posv<T>(Uplo, Size, Size, T*, Size, T*, Size);                   \
  template Size Context::getri<T>(Size, T*, Size, const Size*);                           \
  template void Context::getrs<T>(Op, Size, Size, const T*, Size, const Size*, T*, Size); \
  template void Context::potrs<T>(Uplo, Size, Size, const T*, Size, T*, Size);            \
  template void Context::geqrf<T>(Size, Size, T*, Size, T*);                              \
  template void Context::orgqr<T>(Size, Size, Size, T*, Size, const T*);                  \
  template void Context::ormqr<T>(Side, Op, Size, Size, Size, const T*, Size, const T*, T*, Size)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_LAPACK_OF);
#undef DUOBLAS_LAPACK_OF

}  // namespace duoblas
