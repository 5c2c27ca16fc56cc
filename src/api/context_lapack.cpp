// Context's linear equations.
#include <complex>
#include <cstdint>

#include <duoblas/context.hpp>
#include <duoblas/lapack.hpp>

#include "api/context_state.hpp"
#include "api/lapack_arguments.hpp"

namespace duoblas {
std::int64_t run_checked(Engine& engine, const CallerLapack& call) {
  const CancellationDisabled whole_call;
  check(call);
  LapackProblem problem = call.args;
  const NarrowPivots pivots(problem, call.pivots);
  const LapackOutcome did = run_lapack(engine, problem);
  pivots.publish();
  remember_call(did.outcome);
  return did.info;
}

template <typename T>
std::int64_t Context::getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda,
                            std::int64_t* pivots) {
  LapackArguments<T> call(LapackRoutine::getrf, n, a, lda);
  call.args.m = m;
  call.pivots = pivots;
  return run_checked(state_->engine, call);
}

template <typename T>
std::int64_t Context::potrf(Uplo uplo, std::int64_t n, T* a, std::int64_t lda) {
  LapackArguments<T> call(LapackRoutine::potrf, n, a, lda);
  call.args.uplo = uplo;
  return run_checked(state_->engine, call);
}

template <typename T>
std::int64_t Context::gesv(std::int64_t n, std::int64_t right_sides, T* a, std::int64_t lda,
                           std::int64_t* pivots, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::gesv, n, a, lda);
  call.right_sides(right_sides, b, ldb);
  call.pivots = pivots;
  return run_checked(state_->engine, call);
}

template <typename T>
std::int64_t Context::posv(Uplo uplo, std::int64_t n, std::int64_t right_sides, T* a,
                           std::int64_t lda, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::posv, n, a, lda);
  call.args.uplo = uplo;
  call.right_sides(right_sides, b, ldb);
  return run_checked(state_->engine, call);
}

template <typename T>
void Context::getrs(Op op, std::int64_t n, std::int64_t right_sides, const T* a, std::int64_t lda,
                    const std::int64_t* pivots, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::getrs, n, a, lda);
  call.args.op = op;
  call.right_sides(right_sides, b, ldb);
  call.pivots = const_cast<std::int64_t*>(pivots);
  run_checked(state_->engine, call);
}

template <typename T>
void Context::potrs(Uplo uplo, std::int64_t n, std::int64_t right_sides, const T* a,
                    std::int64_t lda, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::potrs, n, a, lda);
  call.args.uplo = uplo;
  call.right_sides(right_sides, b, ldb);
  run_checked(state_->engine, call);
}

template <typename T>
std::int64_t Context::getri(std::int64_t n, T* a, std::int64_t lda, const std::int64_t* pivots) {
  LapackArguments<T> call(LapackRoutine::getri, n, a, lda);
  call.pivots = const_cast<std::int64_t*>(pivots);
  return run_checked(state_->engine, call);
}

template <typename T>
std::int64_t Context::potri(Uplo uplo, std::int64_t n, T* a, std::int64_t lda) {
  LapackArguments<T> call(LapackRoutine::potri, n, a, lda);
  call.args.uplo = uplo;
  return run_checked(state_->engine, call);
}

#define DUOBLAS_SIZE std::int64_t
#define DUOBLAS_LAPACK_OF(T)                                                                     \
  template DUOBLAS_SIZE Context::getrf<T>(DUOBLAS_SIZE, DUOBLAS_SIZE, T*, DUOBLAS_SIZE,          \
                                          DUOBLAS_SIZE*);                                        \
  template DUOBLAS_SIZE Context::potrf<T>(Uplo, DUOBLAS_SIZE, T*, DUOBLAS_SIZE);                 \
  template DUOBLAS_SIZE Context::gesv<T>(DUOBLAS_SIZE, DUOBLAS_SIZE, T*, DUOBLAS_SIZE,           \
                                         DUOBLAS_SIZE*, T*, DUOBLAS_SIZE);                       \
  template DUOBLAS_SIZE Context::posv<T>(Uplo, DUOBLAS_SIZE, DUOBLAS_SIZE, T*, DUOBLAS_SIZE, T*, \
                                         DUOBLAS_SIZE);                                          \
  template DUOBLAS_SIZE Context::getri<T>(DUOBLAS_SIZE, T*, DUOBLAS_SIZE, const DUOBLAS_SIZE*);  \
  template DUOBLAS_SIZE Context::potri<T>(Uplo, DUOBLAS_SIZE, T*, DUOBLAS_SIZE);                 \
  template void Context::getrs<T>(Op, DUOBLAS_SIZE, DUOBLAS_SIZE, const T*, DUOBLAS_SIZE,        \
                                  const DUOBLAS_SIZE*, T*, DUOBLAS_SIZE);                        \
  template void Context::potrs<T>(Uplo, DUOBLAS_SIZE, DUOBLAS_SIZE, const T*, DUOBLAS_SIZE, T*,  \
                                  DUOBLAS_SIZE)
DUOBLAS_LAPACK_OF(float);
DUOBLAS_LAPACK_OF(double);
DUOBLAS_LAPACK_OF(std::complex<float>);
DUOBLAS_LAPACK_OF(std::complex<double>);
#undef DUOBLAS_LAPACK_OF
#undef DUOBLAS_SIZE

}  // namespace duoblas
