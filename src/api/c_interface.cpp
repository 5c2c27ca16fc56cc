// The C functions of duoblas.h but for the rest of level 3 (c_level3.cpp).
#include <duoblas/duoblas.h>

#include <complex>
#include <cstring>
#include <optional>
#include <type_traits>

#include <duoblas/context.hpp>
#include <duoblas/registration.hpp>

#include "api/c_arguments.hpp"
#include "api/c_gemm.hpp"
#include "api/c_status.hpp"
#include "memory/host_memory.hpp"

namespace {

using duoblas::CComplexGemm;
using duoblas::CGemm;
using duoblas::guarded;
using duoblas::layout_of;
using duoblas::op_of;

#define DUOBLAS_TEXT_OF(x) #x
#define DUOBLAS_VERSION_TEXT(major, minor, patch) \
  DUOBLAS_TEXT_OF(major) "." DUOBLAS_TEXT_OF(minor) "." DUOBLAS_TEXT_OF(patch)

template <typename T>
void multiply(const CGemm<T>& g) {
  duoblas::Context::process_default().gemm(layout_of(g.layout), op_of(g.op_a), op_of(g.op_b), g.m,
                                           g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c,
                                           g.ldc);
}

template <typename T>
duoblas_status run(const CGemm<T>& g) noexcept {
  return guarded([&] { multiply(g); });
}

template <typename T>
duoblas_status run_complex(const CComplexGemm& g) noexcept {
  return guarded([&] { multiply(duoblas::typed<T>(g)); });
}

}  // namespace

namespace {

// C may pass any number. C++ must not read one that is too large for the enumerators as the
// enumeration: that is undefined.
template <typename Enumeration>
auto number_of(const Enumeration& value) {
  std::underlying_type_t<Enumeration> number{};
  std::memcpy(&number, &value, sizeof number);
  return number;
}

}  // namespace

extern "C" {

duoblas_status duoblas_sgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
                             int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
                             const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  return run<float>({layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

duoblas_status duoblas_dgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
                             int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
                             const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  return run<double>({layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

duoblas_status duoblas_cgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
                             int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
                             const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return run_complex<std::complex<float>>(
      {layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

duoblas_status duoblas_zgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
                             int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
                             const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return run_complex<std::complex<double>>(
      {layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

void* duoblas_malloc(size_t bytes) {
  return duoblas::allocate_host(bytes);
}

void duoblas_free(void* memory) {
  const duoblas::CancellationDisabled whole_call;
  duoblas::free_host(memory);
}

duoblas_status duoblas_register(const void* memory, size_t bytes) {
  return guarded([&] { duoblas::register_memory(memory, bytes); });
}

duoblas_status duoblas_unregister(const void* memory) {
  return guarded([&] { duoblas::unregister_memory(memory); });
}

duoblas_status duoblas_set_split(int gpu_parts, int parts) {
  return guarded([&] {
    duoblas::Context::process_default().set_split(duoblas::Share{gpu_parts, parts});
  });
}

duoblas_status duoblas_clear_split(void) {
  return guarded([&] { duoblas::Context::process_default().set_split(std::nullopt); });
}

duoblas_status duoblas_set_math(duoblas_math mode) {
  return guarded([&] {
    const auto number = number_of(mode);
    if (number != DUOBLAS_MATH_EXACT && number != DUOBLAS_MATH_TF32X3)
      throw duoblas::ArgumentError(1, "mode", "must be DUOBLAS_MATH_EXACT or DUOBLAS_MATH_TF32X3");
    duoblas::Context::process_default().set_math(
        number == DUOBLAS_MATH_EXACT ? duoblas::MathMode::exact : duoblas::MathMode::tf32x3);
  });
}

duoblas_status duoblas_set_check(duoblas_check mode) {
  return guarded([&] {
    const auto number = number_of(mode);
    if (number > DUOBLAS_CHECK_ALWAYS)
      throw duoblas::ArgumentError(
          1, "mode", "must be DUOBLAS_CHECK_OFF, DUOBLAS_CHECK_SAMPLED or DUOBLAS_CHECK_ALWAYS");
    duoblas::Context::process_default().set_check(static_cast<duoblas::CheckMode>(number));
  });
}

const char* duoblas_version(void) {
  return DUOBLAS_VERSION_TEXT(DUOBLAS_VERSION_MAJOR, DUOBLAS_VERSION_MINOR, DUOBLAS_VERSION_PATCH);
}

}  // extern "C"
