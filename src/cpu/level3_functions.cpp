#include "cpu/level3_functions.hpp"

#include <cstdint>

#include <dlfcn.h>

#include "cpu/cblas_constants.hpp"
#include "cpu/cblas_scalar.hpp"

namespace duoblas {
namespace {

int side(const Level3Problem& p) {
  return p.side == Side::left ? 141 : 142;
}
int uplo(const Level3Problem& p) {
  return p.uplo == Uplo::upper ? 121 : 122;
}
int diag(const Level3Problem& p) {
  return p.diag == Diag::non_unit ? 131 : 132;
}
int narrow(std::int64_t size) {
  return static_cast<int>(size);
}

template <typename Alpha, typename Beta>
void call_symm(void* function, const Level3Problem& p) {
  using Symm = void (*)(int, int, int, int, int, typename Alpha::Given, const void*, int,
                        const void*, int, typename Beta::Given, void*, int);
  reinterpret_cast<Symm>(function)(cblas_row_major, side(p), uplo(p), narrow(p.m), narrow(p.n),
                                   Alpha(p.alpha).given(), p.a, narrow(p.lda), p.b, narrow(p.ldb),
                                   Beta(p.beta).given(), p.c, narrow(p.ldc));
}

template <typename Alpha, typename Beta>
void call_rank_k(void* function, const Level3Problem& p) {
  using RankK = void (*)(int, int, int, int, int, typename Alpha::Given, const void*, int,
                         typename Beta::Given, void*, int);
  reinterpret_cast<RankK>(function)(cblas_row_major, uplo(p), cblas_op(p.op, p.precision),
                                    narrow(p.n), narrow(p.k), Alpha(p.alpha).given(), p.a,
                                    narrow(p.lda), Beta(p.beta).given(), p.c, narrow(p.ldc));
}

template <typename Alpha, typename Beta>
void call_rank_2k(void* function, const Level3Problem& p) {
  using Rank2k = void (*)(int, int, int, int, int, typename Alpha::Given, const void*, int,
                          const void*, int, typename Beta::Given, void*, int);
  reinterpret_cast<Rank2k>(function)(cblas_row_major, uplo(p), cblas_op(p.op, p.precision),
                                     narrow(p.n), narrow(p.k), Alpha(p.alpha).given(), p.a,
                                     narrow(p.lda), p.b, narrow(p.ldb), Beta(p.beta).given(), p.c,
                                     narrow(p.ldc));
}

template <typename Alpha>
void call_in_place(void* function, const Level3Problem& p) {
  using InPlace = void (*)(int, int, int, int, int, int, int, typename Alpha::Given, const void*,
                           int, void*, int);
  reinterpret_cast<InPlace>(function)(
      cblas_row_major, side(p), uplo(p), cblas_op(p.op, p.precision), diag(p), narrow(p.m),
      narrow(p.n), Alpha(p.alpha).given(), p.a, narrow(p.lda), p.c, narrow(p.ldc));
}

// Value: what a scalar of the matrices' type is. herk has two real scalars, her2k a real beta.
template <typename Value, typename Real>
void call_with(void* function, const Level3Problem& p) {
  switch (p.routine) {
    case Routine::symm:
    case Routine::hemm: return call_symm<Value, Value>(function, p);
    case Routine::syrk: return call_rank_k<Value, Value>(function, p);
    case Routine::herk: return call_rank_k<Real, Real>(function, p);
    case Routine::syr2k: return call_rank_2k<Value, Value>(function, p);
    case Routine::her2k: return call_rank_2k<Value, Real>(function, p);
    case Routine::trmm:
    case Routine::trsm: return call_in_place<Value>(function, p);
  }
}

constexpr Routine all_routines[] = {Routine::symm,  Routine::hemm,  Routine::syrk, Routine::herk,
                                    Routine::syr2k, Routine::her2k, Routine::trmm, Routine::trsm};

}  // namespace

std::string Level3Functions::name_of(Routine routine, Precision precision) {
  return std::string("cblas_") + letter(precision) + name(routine);
}

void Level3Functions::find_in(void* handle) {
  for (const Routine routine : all_routines)
    for (const Precision precision : all_precisions)
      functions_[static_cast<std::size_t>(routine)][precision_index(precision)] =
          dlsym(handle, name_of(routine, precision).c_str());
}

void Level3Functions::call(const Level3Problem& p) const {
  void* const found = function(p.routine, p.precision);
  switch (p.precision) {
    case Precision::s: return call_with<ByValue<float>, ByValue<float>>(found, p);
    case Precision::d: return call_with<ByValue<double>, ByValue<double>>(found, p);
    case Precision::c: return call_with<ByAddress<float>, ByValue<float>>(found, p);
    case Precision::z: return call_with<ByAddress<double>, ByValue<double>>(found, p);
  }
}

}  // namespace duoblas
