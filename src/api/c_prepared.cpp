// The C functions for prepared matrices.
#include <duoblas/duoblas.h>

#include <complex>
#include <memory>
#include <variant>

#include <duoblas/context.hpp>

#include "api/c_arguments.hpp"
#include "api/c_gemm.hpp"
#include "api/c_operand.hpp"
#include "api/c_status.hpp"

namespace {

using duoblas::CComplexGemm;
using duoblas::CGemm;
using duoblas::Context;
using duoblas::guarded;
using duoblas::operand_of;

struct CMatrix {
  duoblas_layout layout;
  int64_t rows, columns;
  const void* data;
  int64_t ld;
};

template <typename T>
duoblas_status prepare(const CMatrix& m, duoblas_prepared** prepared) noexcept {
  return guarded([&] {
    if (prepared == nullptr) throw duoblas::ArgumentError(6, "prepared", "is a null pointer");
    *prepared = nullptr;
    auto made = std::make_unique<duoblas_prepared>();
    made->matrix = Context::process_default().prepare(
        duoblas::layout_of(m.layout), m.rows, m.columns, static_cast<const T*>(m.data), m.ld);
    *prepared = made.release();
  });
}

template <typename T>
void multiply(const CGemm<T>& g, const duoblas_operand& a, const duoblas_operand& b) {
  Context::process_default().gemm(
      duoblas::layout_of(g.layout), duoblas::op_of(g.op_a), duoblas::op_of(g.op_b), g.m, g.n, g.k,
      g.alpha, operand_of<T>(a, 8, "a"), operand_of<T>(b, 10, "b"), g.beta, g.c, g.ldc);
}

template <typename T>
duoblas_status run(const CGemm<T>& g, const duoblas_operand& a, const duoblas_operand& b) noexcept {
  return guarded([&] { multiply(g, a, b); });
}

template <typename T>
duoblas_status run_complex(const CComplexGemm& g, const duoblas_operand& a,
                           const duoblas_operand& b) noexcept {
  return guarded([&] { multiply(duoblas::typed<T>(g), a, b); });
}

}  // namespace

extern "C" {

duoblas_status duoblas_sprepare(duoblas_layout layout, int64_t rows, int64_t columns,
                                const float* data, int64_t ld, duoblas_prepared** prepared) {
  return prepare<float>({layout, rows, columns, data, ld}, prepared);
}

duoblas_status duoblas_sgemm_prepared(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                      int64_t m, int64_t n, int64_t k, float alpha,
                                      duoblas_operand a, duoblas_operand b, float beta, float* c,
                                      int64_t ldc) {
  return run<float>({layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, c, ldc}, a,
                    b);
}

duoblas_status duoblas_dprepare(duoblas_layout layout, int64_t rows, int64_t columns,
                                const double* data, int64_t ld, duoblas_prepared** prepared) {
  return prepare<double>({layout, rows, columns, data, ld}, prepared);
}

duoblas_status duoblas_dgemm_prepared(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                      int64_t m, int64_t n, int64_t k, double alpha,
                                      duoblas_operand a, duoblas_operand b, double beta, double* c,
                                      int64_t ldc) {
  return run<double>({layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, c, ldc}, a,
                     b);
}

duoblas_status duoblas_cprepare(duoblas_layout layout, int64_t rows, int64_t columns,
                                const void* data, int64_t ld, duoblas_prepared** prepared) {
  return prepare<std::complex<float>>({layout, rows, columns, data, ld}, prepared);
}

duoblas_status duoblas_cgemm_prepared(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                      int64_t m, int64_t n, int64_t k, const void* alpha,
                                      duoblas_operand a, duoblas_operand b, const void* beta,
                                      void* c, int64_t ldc) {
  return run_complex<std::complex<float>>(
      {layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, c, ldc}, a, b);
}

duoblas_status duoblas_zprepare(duoblas_layout layout, int64_t rows, int64_t columns,
                                const void* data, int64_t ld, duoblas_prepared** prepared) {
  return prepare<std::complex<double>>({layout, rows, columns, data, ld}, prepared);
}

duoblas_status duoblas_zgemm_prepared(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                      int64_t m, int64_t n, int64_t k, const void* alpha,
                                      duoblas_operand a, duoblas_operand b, const void* beta,
                                      void* c, int64_t ldc) {
  return run_complex<std::complex<double>>(
      {layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, c, ldc}, a, b);
}

int duoblas_prepared_on_device(const duoblas_prepared* prepared) {
  if (prepared == nullptr) return 0;
  return std::visit([](const auto& matrix) { return matrix.on_device(); }, prepared->matrix) ? 1
                                                                                             : 0;
}

void duoblas_prepared_free(duoblas_prepared* prepared) {
  const duoblas::CancellationDisabled whole_call;
  delete prepared;
}

}  // extern "C"
