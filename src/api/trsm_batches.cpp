// Many triangular solves in one call: in the caller's memory, and in OpenCL buffers of a program's
// own.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <duoblas/context.hpp>
#include <duoblas/error.hpp>
#include <duoblas/opencl.hpp>

#include "api/context_state.hpp"
#include "api/device_blas_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
#include "gpu/device/computable.hpp"
#include "gpu/streams/trsm_batched.hpp"
#include "level3/trsm_batch.hpp"
#include "os/cancellation_disabled.hpp"

namespace duoblas {
namespace {

template <typename T>
TrsmBatch batch_of(const TrsmGroup<T>& g, const BatchOperand& a, const BatchOperand& b) {
  TrsmBatch batch;
  Level3Problem& p = batch.shape;
  p.routine = Routine::trsm;
  p.precision = precision_of<T>;
  p.side = g.side;
  p.uplo = g.uplo;
  p.op = g.op;
  p.diag = g.diag;
  p.m = g.m;
  p.n = g.n;
  p.alpha = std::complex<double>(g.alpha);
  p.lda = g.lda;
  p.ldc = g.ldb;
  batch.a = a;
  batch.b = b;
  batch.count = g.count;
  return batch;
}

void run(Engine& engine, CallerTrsmBatch&& call) {
  check(call);
  remember_call(run_trsm_batches(engine, to_row_major(std::move(call))));
}

// Matrices B at offsets may overlap; the program must keep them apart.
void enqueue(QueuedProducts& products, CallerTrsmBatch&& call, const NamedMatrices& a,
             const NamedMatrices& b, const DeviceEvents& events) {
  check_lists({&a, &b});
  check(call);
  const TrsmBatch batch = to_row_major(std::move(call)).front();
  const Level3Problem& p = batch.shape;
  refuse_in_child();
  QueuedWork work{p.precision, {a.at, b.at}, {}};
  if (!batch.empty()) {
    if (std::max(p.m, p.n) > most_routine_extent)
      throw DeviceError("the matrices are larger than kernels of this routine take");
    check_within(products, p.precision, b, p.m, p.n, batch.count);
    if (p.only_scales_c())
      work.operands.front() = b.at;  // A is not read
    else
      check_within(products, p.precision, a, order(p), order(p), batch.count);
    work.submit = [batch, places = places_of({&a, &b})](OpenedDevice& device,
                                                        const std::vector<AdoptedOperand>& bound) {
      TrsmOperands operands{bound[0].operand, bound[1].operand, batch.a.stride, batch.b.stride};
      if (!places.empty())
        operands.places = std::make_shared<cl::Buffer>(
            device.context.allocate_copy(places.data(), places.size() * sizeof places.front()));
      return submit_trsm_batch(device, batch.shape, batch.count, operands);
    };
  }
  run(products, work, events);
}

}  // namespace

template <typename T>
void Context::trsm_strided_batched(Layout layout, Side side, Uplo uplo, Op op, Diag diag,
                                   std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* a,
                                   std::int64_t lda, std::int64_t stride_a, T* b, std::int64_t ldb,
                                   std::int64_t stride_b, std::int64_t count) {
  const CancellationDisabled whole_call;
  const TrsmGroup<T> group{side, uplo, op, diag, m, n, alpha, nullptr, lda, nullptr, ldb, count};
  run(state_->engine, {layout,
                       BatchForm::strided,
                       {batch_of(group, at_distances(a, stride_a), at_distances<T>(b, stride_b))}});
}

template <typename T>
void Context::trsm_batched(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m,
                           std::int64_t n, Scalar<T> alpha, const T* const* a, std::int64_t lda,
                           T* const* b, std::int64_t ldb, std::int64_t count) {
  const CancellationDisabled whole_call;
  const TrsmGroup<T> group{side, uplo, op, diag, m, n, alpha, nullptr, lda, nullptr, ldb, count};
  run(state_->engine,
      {layout, BatchForm::pointers, {batch_of(group, at_places(a), at_places<T>(b))}});
}

template <typename T>
void Context::trsm_grouped(Layout layout, const std::vector<TrsmGroup<T>>& groups) {
  const CancellationDisabled whole_call;
  CallerTrsmBatch call{layout, BatchForm::grouped, {}};
  for (const TrsmGroup<T>& g : groups)
    call.groups.push_back(batch_of(g, at_places(g.a), at_places<T>(g.b)));
  run(state_->engine, std::move(call));
}

template <typename T>
void DeviceBlas::trsm_strided_batched(Layout layout, Side side, Uplo uplo, Op op, Diag diag,
                                      std::int64_t m, std::int64_t n, Scalar<T> alpha,
                                      const DeviceMatrix& a, std::int64_t stride_a,
                                      const DeviceMatrix& b, std::int64_t stride_b,
                                      std::int64_t count, const DeviceEvents& events) {
  const CancellationDisabled whole_call;
  const NamedMatrices of_a{{a.buffer, a.offset, a.ld}, stride_a, nullptr, 9, "a"};
  const NamedMatrices of_b{{b.buffer, b.offset, b.ld}, stride_b, nullptr, 12, "b"};
  const TrsmGroup<T> group{side, uplo, op, diag, m, n, alpha, nullptr, a.ld, nullptr, b.ld, count};
  enqueue(state_->products,
          {layout,
           BatchForm::strided,
           {batch_of(group, of_a.operand(precision_of<T>), of_b.operand(precision_of<T>))}},
          of_a, of_b, events);
}

template <typename T>
void DeviceBlas::trsm_batched(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m,
                              std::int64_t n, Scalar<T> alpha, const DeviceMatrices& a,
                              const DeviceMatrices& b, const DeviceEvents& events) {
  const CancellationDisabled whole_call;
  const NamedMatrices of_a{{a.buffer, 0, a.ld}, 0, &a.offsets, 9, "a"};
  const NamedMatrices of_b{{b.buffer, 0, b.ld}, 0, &b.offsets, 11, "b"};
  const TrsmGroup<T> group{side, uplo,    op,    diag,
                           m,    n,       alpha, nullptr,
                           a.ld, nullptr, b.ld,  static_cast<std::int64_t>(b.offsets.size())};
  enqueue(state_->products,
          {layout,
           BatchForm::pointers,
           {batch_of(group, of_a.operand(precision_of<T>), of_b.operand(precision_of<T>))}},
          of_a, of_b, events);
}

#define DUOBLAS_TRSM_BATCHES_OF(T)                                                                \
  template void Context::trsm_strided_batched<T>(Layout, Side, Uplo, Op, Diag, Size, Size,        \
                                                 Scalar<T>, const T*, Size, Size, T*, Size, Size, \
                                                 Size);                                           \
  template void Context::trsm_batched<T>(Layout, Side, Uplo, Op, Diag, Size, Size, Scalar<T>,     \
                                         const T* const*, Size, T* const*, Size, Size);           \
  template void Context::trsm_grouped<T>(Layout, const std::vector<TrsmGroup<T>>&);               \
  template void DeviceBlas::trsm_strided_batched<T>(                                              \
      Layout, Side, Uplo, Op, Diag, Size, Size, Scalar<T>, const DeviceMatrix&, Size,             \
      const DeviceMatrix&, Size, Size, const DeviceEvents&);                                      \
  template void DeviceBlas::trsm_batched<T>(Layout, Side, Uplo, Op, Diag, Size, Size, Scalar<T>,  \
                                            const DeviceMatrices&, const DeviceMatrices&,         \
                                            const DeviceEvents&)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_TRSM_BATCHES_OF);
#undef DUOBLAS_TRSM_BATCHES_OF

}  // namespace duoblas
