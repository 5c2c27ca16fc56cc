// The C functions of duoblas.h: the one place where exceptions become status codes.
#include <duoblas/duoblas.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>
#include <type_traits>

#include <duoblas/context.hpp>

#include "memory/host_memory.hpp"

namespace {

using duoblas::Layout;
using duoblas::Op;

#define DUOBLAS_TEXT_OF(x) #x
#define DUOBLAS_VERSION_TEXT(major, minor, patch) \
  DUOBLAS_TEXT_OF(major) "." DUOBLAS_TEXT_OF(minor) "." DUOBLAS_TEXT_OF(patch)

// A plain array: static destructors of the program may call after those of the thread's variables
// have run. A longer text is cut.
constinit thread_local char last_error[1024] = "";

duoblas_status failed(duoblas_status status, const char* what) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s", what);
  std::replace(std::begin(last_error), std::end(last_error), '\n', ' ');  // one line, as promised
  return status;
}

template <typename Body>
duoblas_status guarded(Body&& body) noexcept {
  try {
    body();
    return DUOBLAS_OK;
  } catch (const duoblas::ArgumentError& error) {
    return failed(DUOBLAS_INVALID_ARGUMENT, error.what());
  } catch (const duoblas::SettingError& error) {
    return failed(DUOBLAS_INVALID_SETTING, error.what());
  } catch (const duoblas::CpuBlasError& error) {
    return failed(DUOBLAS_NO_CPU_BLAS, error.what());
  } catch (const std::bad_alloc&) {
    return failed(DUOBLAS_OUT_OF_MEMORY, "memory is short");
  } catch (const std::exception& error) {
    return failed(DUOBLAS_INTERNAL_ERROR, error.what());
  } catch (...) {
    return failed(DUOBLAS_INTERNAL_ERROR, "an unknown exception");
  }
}

// A value that is none of the enumerators stays illegal, for check() to name.
Layout layout_of(duoblas_layout layout) {
  switch (layout) {
    case DUOBLAS_ROW_MAJOR: return Layout::row_major;
    case DUOBLAS_COLUMN_MAJOR: return Layout::column_major;
  }
  return static_cast<Layout>(-1);
}

Op op_of(duoblas_op op) {
  switch (op) {
    case DUOBLAS_NO_TRANS: return Op::none;
    case DUOBLAS_TRANS: return Op::transpose;
    case DUOBLAS_CONJ_TRANS: return Op::conj_transpose;
  }
  return static_cast<Op>(-1);
}

template <typename T>
struct CGemm {
  duoblas_layout layout;
  duoblas_op op_a, op_b;
  int64_t m, n, k;
  T alpha;
  const T* a;
  int64_t lda;
  const T* b;
  int64_t ldb;
  T beta;
  T* c;
  int64_t ldc;
};

template <typename T>
duoblas_status run(const CGemm<T>& g) noexcept {
  return guarded([&] {
    duoblas::Context::process_default().gemm(layout_of(g.layout), op_of(g.op_a), op_of(g.op_b), g.m,
                                             g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c,
                                             g.ldc);
  });
}

template <typename T>
duoblas_status run_complex(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
                           int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
                           const void* b, int64_t ldb, const void* beta, void* c,
                           int64_t ldc) noexcept {
  if (alpha == nullptr) {
    return failed(DUOBLAS_INVALID_ARGUMENT, "argument 7 (alpha) is a null pointer");
  }
  if (beta == nullptr) {
    return failed(DUOBLAS_INVALID_ARGUMENT, "argument 12 (beta) is a null pointer");
  }
  return run<T>({layout, op_a, op_b, m, n, k, *static_cast<const T*>(alpha),
                 static_cast<const T*>(a), lda, static_cast<const T*>(b), ldb,
                 *static_cast<const T*>(beta), static_cast<T*>(c), ldc});
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
  return run_complex<std::complex<float>>(layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta,
                                          c, ldc);
}

duoblas_status duoblas_zgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
                             int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
                             const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return run_complex<std::complex<double>>(layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta,
                                           c, ldc);
}

void* duoblas_malloc(size_t bytes) {
  return duoblas::allocate_host(bytes);
}

void duoblas_free(void* memory) {
  duoblas::free_host(memory);
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
  // C may pass any number, and to read one beyond the enumerators' bits as the enumeration is
  // undefined here.
  std::underlying_type_t<duoblas_math> number{};
  std::memcpy(&number, &mode, sizeof number);
  return guarded([&] {
    if (number != DUOBLAS_MATH_EXACT && number != DUOBLAS_MATH_TF32X3)
      throw duoblas::ArgumentError(1, "mode", "must be DUOBLAS_MATH_EXACT or DUOBLAS_MATH_TF32X3");
    duoblas::Context::process_default().set_math(
        number == DUOBLAS_MATH_EXACT ? duoblas::MathMode::exact : duoblas::MathMode::tf32x3);
  });
}

const char* duoblas_last_error(void) {
  return last_error;
}

const char* duoblas_version(void) {
  return DUOBLAS_VERSION_TEXT(DUOBLAS_VERSION_MAJOR, DUOBLAS_VERSION_MINOR, DUOBLAS_VERSION_PATCH);
}

}  // extern "C"
