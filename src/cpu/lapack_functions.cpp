#include "cpu/lapack_functions.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace duoblas {
namespace {

constexpr LapackRoutine all_routines[] = {
    LapackRoutine::getrf, LapackRoutine::potrf, LapackRoutine::gesv,  LapackRoutine::posv,
    LapackRoutine::getrs, LapackRoutine::potrs, LapackRoutine::getri, LapackRoutine::potri,
    LapackRoutine::laswp, LapackRoutine::geqrf, LapackRoutine::orgqr, LapackRoutine::ormqr,
    LapackRoutine::gels};

int narrow(std::int64_t size) {
  return static_cast<int>(size);
}

// Fortran compilers append the lengths of character arguments.
constexpr std::size_t one = 1;

int call_getrf(void* function, const LapackProblem& p) {
  const int m = narrow(p.m), n = narrow(p.n), lda = narrow(p.lda);
  int info = 0;
  using Getrf = void (*)(const int*, const int*, void*, const int*, std::int32_t*, int*);
  reinterpret_cast<Getrf>(function)(&m, &n, p.a, &lda, p.pivots, &info);
  return info;
}

// potrf and potri.
int call_on_triangle(void* function, const LapackProblem& p) {
  const char uplo = p.uplo == Uplo::upper ? 'U' : 'L';
  const int n = narrow(p.n), lda = narrow(p.lda);
  int info = 0;
  using OnTriangle = void (*)(const char*, const int*, void*, const int*, int*, std::size_t);
  reinterpret_cast<OnTriangle>(function)(&uplo, &n, p.a, &lda, &info, one);
  return info;
}

int call_gesv(void* function, const LapackProblem& p) {
  const int n = narrow(p.n), sides = narrow(p.right_sides), lda = narrow(p.lda),
            ldb = narrow(p.ldb);
  int info = 0;
  using Gesv =
      void (*)(const int*, const int*, void*, const int*, std::int32_t*, void*, const int*, int*);
  reinterpret_cast<Gesv>(function)(&n, &sides, p.a, &lda, p.pivots, p.b, &ldb, &info);
  return info;
}

int call_getrs(void* function, const LapackProblem& p) {
  const char op = p.op == Op::none ? 'N' : p.op == Op::transpose ? 'T' : 'C';
  const int n = narrow(p.n), sides = narrow(p.right_sides), lda = narrow(p.lda),
            ldb = narrow(p.ldb);
  int info = 0;
  using Getrs = void (*)(const char*, const int*, const int*, const void*, const int*,
                         const std::int32_t*, void*, const int*, int*, std::size_t);
  reinterpret_cast<Getrs>(function)(&op, &n, &sides, p.a, &lda, p.pivots, p.b, &ldb, &info, one);
  return info;
}

// posv and potrs.
int call_definite(void* function, const LapackProblem& p) {
  const char uplo = p.uplo == Uplo::upper ? 'U' : 'L';
  const int n = narrow(p.n), sides = narrow(p.right_sides), lda = narrow(p.lda),
            ldb = narrow(p.ldb);
  int info = 0;
  using Definite = void (*)(const char*, const int*, const int*, void*, const int*, void*,
                            const int*, int*, std::size_t);
  reinterpret_cast<Definite>(function)(&uplo, &n, &sides, p.a, &lda, p.b, &ldb, &info, one);
  return info;
}

using Work = LapackFunctions::Work;

// Clamped to what an int holds, which is enough for every legal call.
int length_of(const Work& work) {
  return narrow(std::min<std::int64_t>(work.elements, std::numeric_limits<int>::max()));
}

int call_getri(void* function, const LapackProblem& p, const Work& work) {
  const int n = narrow(p.n), lda = narrow(p.lda), length = length_of(work);
  int info = 0;
  using Getri =
      void (*)(const int*, void*, const int*, const std::int32_t*, void*, const int*, int*);
  reinterpret_cast<Getri>(function)(&n, p.a, &lda, p.pivots, work.memory, &length, &info);
  return info;
}

int call_geqrf(void* function, const LapackProblem& p, const Work& work) {
  const int m = narrow(p.m), n = narrow(p.n), lda = narrow(p.lda), length = length_of(work);
  int info = 0;
  using Geqrf = void (*)(const int*, const int*, void*, const int*, void*, void*, const int*, int*);
  reinterpret_cast<Geqrf>(function)(&m, &n, p.a, &lda, p.tau, work.memory, &length, &info);
  return info;
}

int call_orgqr(void* function, const LapackProblem& p, const Work& work) {
  const int m = narrow(p.m), n = narrow(p.n), k = narrow(p.reflectors), lda = narrow(p.lda),
            length = length_of(work);
  int info = 0;
  using Orgqr = void (*)(const int*, const int*, const int*, void*, const int*, const void*, void*,
                         const int*, int*);
  reinterpret_cast<Orgqr>(function)(&m, &n, &k, p.a, &lda, p.tau, work.memory, &length, &info);
  return info;
}

// The letter for the adjoint; unitary routines need it too.
char letter_of_adjoint(const LapackProblem& p) {
  return p.op == Op::none ? 'N' : is_complex(p.precision) ? 'C' : 'T';
}

int call_ormqr(void* function, const LapackProblem& p, const Work& work) {
  const bool is_left = p.side == Side::left;
  const char side = is_left ? 'L' : 'R', op = letter_of_adjoint(p);
  const int m = narrow(is_left ? p.m : p.right_sides), n = narrow(is_left ? p.right_sides : p.m),
            k = narrow(p.n), lda = narrow(p.lda), ldb = narrow(p.ldb), length = length_of(work);
  int info = 0;
  using Ormqr = void (*)(const char*, const char*, const int*, const int*, const int*, const void*,
                         const int*, const void*, void*, const int*, void*, const int*, int*,
                         std::size_t, std::size_t);
  reinterpret_cast<Ormqr>(function)(&side, &op, &m, &n, &k, p.a, &lda, p.tau, p.b, &ldb,
                                    work.memory, &length, &info, one, one);
  return info;
}

int call_gels(void* function, const LapackProblem& p, const Work& work) {
  const char op = letter_of_adjoint(p);
  const int m = narrow(p.m), n = narrow(p.n), sides = narrow(p.right_sides), lda = narrow(p.lda),
            ldb = narrow(p.ldb), length = length_of(work);
  int info = 0;
  using Gels = void (*)(const char*, const int*, const int*, const int*, void*, const int*, void*,
                        const int*, void*, const int*, int*, std::size_t);
  reinterpret_cast<Gels>(function)(&op, &m, &n, &sides, p.a, &lda, p.b, &ldb, work.memory, &length,
                                   &info, one);
  return info;
}

void call_laswp(void* function, const LapackProblem& p) {
  const int n = narrow(p.n), lda = narrow(p.lda), first = narrow(p.first_row + 1),
            last = narrow(p.last_row), step = 1;
  using Laswp = void (*)(const int*, void*, const int*, const int*, const int*, const std::int32_t*,
                         const int*);
  reinterpret_cast<Laswp>(function)(&n, p.a, &lda, &first, &last, p.pivots, &step);
}

}  // namespace

std::string LapackFunctions::name_of(LapackRoutine routine, Precision precision) {
  return name(routine, precision) + "_";
}

void LapackFunctions::find_in(void* handle) {
  for (const LapackRoutine routine : all_routines)
    for (const Precision precision : all_precisions)
      functions_[static_cast<std::size_t>(routine)][precision_index(precision)] =
          dlsym(handle, name_of(routine, precision).c_str());
}

// The routines are faster with memory for a whole block, which is 64 columns wide. ormqr's
// triangular factor takes 65 x 64 elements.
std::int64_t LapackFunctions::good_work(const LapackProblem& p) {
  constexpr std::int64_t block = 64;
  switch (p.routine) {
    case LapackRoutine::getri:
    case LapackRoutine::geqrf:
    case LapackRoutine::orgqr: return block * p.n;
    case LapackRoutine::ormqr: return block * std::max<std::int64_t>(p.right_sides, 1) + block * 65;
    case LapackRoutine::gels:
      return std::min(p.m, p.n) + block * std::max({std::min(p.m, p.n), p.right_sides, p.n}) +
             block * 65;
    default: return 0;
  }
}

std::int64_t LapackFunctions::least_work(const LapackProblem& p) {
  switch (p.routine) {
    case LapackRoutine::getri:
    case LapackRoutine::geqrf:
    case LapackRoutine::orgqr: return std::max<std::int64_t>(p.n, 1);
    case LapackRoutine::ormqr: return std::max<std::int64_t>(p.right_sides, 1);
    case LapackRoutine::gels: {
      const std::int64_t small = std::min(p.m, p.n);
      return std::max<std::int64_t>(small + std::max(small, p.right_sides), 1);
    }
    default: return 0;
  }
}

int LapackFunctions::call(const LapackProblem& p, const Work& work) const {
  void* const found = function(p.routine, p.precision);
  switch (p.routine) {
    case LapackRoutine::getrf: return call_getrf(found, p);
    case LapackRoutine::potrf:
    case LapackRoutine::potri: return call_on_triangle(found, p);
    case LapackRoutine::gesv: return call_gesv(found, p);
    case LapackRoutine::posv:
    case LapackRoutine::potrs: return call_definite(found, p);
    case LapackRoutine::getrs: return call_getrs(found, p);
    case LapackRoutine::getri: return call_getri(found, p, work);
    case LapackRoutine::laswp: call_laswp(found, p); return 0;
    case LapackRoutine::geqrf: return call_geqrf(found, p, work);
    case LapackRoutine::orgqr: return call_orgqr(found, p, work);
    case LapackRoutine::ormqr: return call_ormqr(found, p, work);
    case LapackRoutine::gels: return call_gels(found, p, work);
  }
  return 0;
}

}  // namespace duoblas
