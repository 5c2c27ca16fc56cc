// Many products in one call.
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
#include "os/cancellation_disabled.hpp"

namespace duoblas {
namespace {

Outcome run(Engine& engine, CallerBatch&& call) {
  check(call);
  return engine.run(to_row_major(std::move(call)));
}

// The shape of one product, without operands.
template <typename T>
CallerGemm shape(Layout layout, const GemmGroup<T>& g) {
  return caller_gemm<T>(layout, g.op_a, g.op_b, {g.m, g.n, g.k}, g.alpha, {nullptr, g.lda},
                        {nullptr, g.ldb}, g.beta, {nullptr, g.ldc});
}

}  // namespace

template <typename T>
void Context::gemm_strided_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                                   std::int64_t k, Scalar<T> alpha, const T* a, std::int64_t lda,
                                   std::int64_t stride_a, const T* b, std::int64_t ldb,
                                   std::int64_t stride_b, Scalar<T> beta, T* c, std::int64_t ldc,
                                   std::int64_t stride_c, std::int64_t count) {
  const CancellationDisabled whole_call;
  const CallerGemm one = caller_gemm<T>(layout, op_a, op_b, {m, n, k}, alpha, {nullptr, lda},
                                        {nullptr, ldb}, beta, {nullptr, ldc});
  remember_call(
      run(state_->engine,
          caller_batch<T>(BatchForm::strided, one, at_distances(a, stride_a),
                          at_distances(b, stride_b), at_distances<T>(c, stride_c), count)));
}

template <typename T>
void Context::gemm_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                           std::int64_t k, Scalar<T> alpha, const T* const* a, std::int64_t lda,
                           const T* const* b, std::int64_t ldb, Scalar<T> beta, T* const* c,
                           std::int64_t ldc, std::int64_t count) {
  const CancellationDisabled whole_call;
  const CallerGemm one = caller_gemm<T>(layout, op_a, op_b, {m, n, k}, alpha, {nullptr, lda},
                                        {nullptr, ldb}, beta, {nullptr, ldc});
  remember_call(run(state_->engine, caller_batch<T>(BatchForm::pointers, one, at_places(a),
                                                    at_places(b), at_places<T>(c), count)));
}

template <typename T>
void Context::gemm_grouped(Layout layout, const std::vector<GemmGroup<T>>& groups) {
  const CancellationDisabled whole_call;
  CallerBatch call{layout, BatchForm::grouped, {precision_of<T>, {}}};
  call.args.groups.reserve(groups.size());
  for (const GemmGroup<T>& g : groups)
    call.args.groups.push_back({shape_of<T>(shape(layout, g)), at_places(g.a), at_places(g.b),
                                at_places<T>(g.c), g.count});
  remember_call(run(state_->engine, std::move(call)));
}

#define DUOBLAS_BATCHES_OF(T)                                                                     \
  template void Context::gemm_strided_batched<T>(Layout, Op, Op, Size, Size, Size, Scalar<T>,     \
                                                 const T*, Size, Size, const T*, Size, Size,      \
                                                 Scalar<T>, T*, Size, Size, Size);                \
  template void Context::gemm_batched<T>(Layout, Op, Op, Size, Size, Size, Scalar<T>,             \
                                         const T* const*, Size, const T* const*, Size, Scalar<T>, \
                                         T* const*, Size, Size);                                  \
  template void Context::gemm_grouped<T>(Layout, const std::vector<GemmGroup<T>>&)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_BATCHES_OF);
#undef DUOBLAS_BATCHES_OF

}  // namespace duoblas
