// Batches in OpenCL buffers of the program's own.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "api/device_blas_state.hpp"
#include "api/typed_batch.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "os/cancellation_disabled.hpp"
#include "os/fork_state.hpp"

namespace duoblas {
namespace {

// One operand of the call, from the program.
struct Given {
  _cl_mem* buffer = nullptr;
  std::int64_t ld = 0;
  std::int64_t offset = 0, stride = 0;
  const std::vector<std::int64_t>* offsets = nullptr;  // null: strided
  int position = 0;
  const char* name = "";

  // The offsets of the matrix that begins first and of the one that begins last.
  std::pair<std::int64_t, std::int64_t> first_and_last(std::int64_t count) const {
    if (offsets == nullptr) return {offset, offset + (count - 1) * stride};
    const auto [least, most] = std::ranges::minmax(*offsets);
    return {least, most};
  }
};

struct GivenBatch {
  Layout layout;
  BatchForm form;
  GemmProblem shape;  // as given, without places
  Given a, b, c;
  std::int64_t count = 0;
};

// Checks shape, strides and overlaps by the check for host memory. The handle of a buffer stands in
// for an address there; it is not read through.
BatchProblem checked(const GivenBatch& given) {
  const auto operand = [&](const Given& of) {
    return BatchOperand{of.buffer, of.stride, nullptr, element_size(given.shape.precision)};
  };
  CallerBatch call{given.layout, given.form, {given.shape.precision, {}}};
  call.args.groups.push_back(
      {given.shape, operand(given.a), operand(given.b), operand(given.c), given.count});
  check(call);
  return to_row_major(std::move(call));
}

// Matrices C at offsets may overlap; the program must keep them apart.
void check_lists(const GivenBatch& given) {
  if (given.form == BatchForm::strided) return;
  for (const Given* operand : {&given.a, &given.b, &given.c})
    if (static_cast<std::int64_t>(operand->offsets->size()) != given.count)
      throw ArgumentError(operand->position, operand->name, "has another number of offsets than c");
}

void check_within(const QueuedProducts& products, const GemmProblem& shape, const Given& given,
                  std::int64_t rows, std::int64_t columns, std::int64_t count) {
  const auto [first, last] = given.first_and_last(count);
  for (const std::int64_t offset : {first, last})
    check_place(products, shape.precision,
                {{given.buffer, offset, given.ld}, given.position, given.name, rows, columns});
}

std::vector<std::uint64_t> places_of(const Given& a, const Given& b, const Given& c) {
  std::vector<std::uint64_t> places;
  if (a.offsets == nullptr) return places;
  places.reserve(3 * a.offsets->size());
  for (std::size_t i = 0; i < a.offsets->size(); ++i)
    for (const Given* operand : {&a, &b, &c})
      places.push_back(static_cast<std::uint64_t>((*operand->offsets)[i]));
  return places;
}

// `State`: that of DeviceBlas.
template <typename State>
void enqueue_batch(GivenBatch& given, State& state, const DeviceEvents& events) {
  QueuedProducts& products = state.products;
  check_lists(given);
  BatchProblem batch = checked(given);
  const BatchGroup& group = batch.groups.front();
  const GemmProblem& shape = group.shape;
  if (given.layout == Layout::column_major) std::swap(given.a, given.b);
  refuse_in_child();
  if (!group.empty()) {
    check_within(products, shape, given.c, shape.m, shape.n, group.count);
    if (!shape.only_scales_c()) {
      check_within(products, shape, given.a, stored_rows_a(shape), stored_cols_a(shape),
                   group.count);
      check_within(products, shape, given.b, stored_rows_b(shape), stored_cols_b(shape),
                   group.count);
    }
  }
  const auto place = [](const Given& of) { return BufferPlace{of.buffer, of.offset, of.ld}; };
  const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
  const KernelParams kernel = batched_kernel(shape, products.limits());
  QueuedBatch queued{shape,          kernel,
                     place(given.a), place(given.b),
                     place(given.c), given.a.stride,
                     given.b.stride, given.c.stride,
                     group.count,    places_of(given.a, given.b, given.c)};
  enqueue_with(kernel, state, shape.precision, events,
               [&](const KernelParams& used, std::span<void* const> after, void** done) {
                 queued.kernel = used;
                 products.enqueue(queued, after, done);
               });
}

template <typename T>
GemmProblem shape_without_places(Layout layout, Op op_a, Op op_b, const GemmSizes& sizes, T alpha,
                                 T beta, const std::array<std::int64_t, 3>& lds) {
  return shape_of<T>(caller_gemm<T>(layout, op_a, op_b, sizes, alpha, {nullptr, lds[0]},
                                    {nullptr, lds[1]}, beta, {nullptr, lds[2]}));
}

}  // namespace

template <typename T>
void DeviceBlas::gemm_strided_batched(Layout layout, Op op_a, Op op_b, std::int64_t m,
                                      std::int64_t n, std::int64_t k, Scalar<T> alpha,
                                      const DeviceMatrix& a, std::int64_t stride_a,
                                      const DeviceMatrix& b, std::int64_t stride_b, Scalar<T> beta,
                                      const DeviceMatrix& c, std::int64_t stride_c,
                                      std::int64_t count, const DeviceEvents& events) {
  const CancellationDisabled whole_call;
  GivenBatch given{
      layout,
      BatchForm::strided,
      shape_without_places<T>(layout, op_a, op_b, {m, n, k}, alpha, beta, {a.ld, b.ld, c.ld}),
      {a.buffer, a.ld, a.offset, stride_a, nullptr, 8, "a"},
      {b.buffer, b.ld, b.offset, stride_b, nullptr, 11, "b"},
      {c.buffer, c.ld, c.offset, stride_c, nullptr, 15, "c"},
      count};
  enqueue_batch(given, *state_, events);
}

template <typename T>
void DeviceBlas::gemm_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                              std::int64_t k, Scalar<T> alpha, const DeviceMatrices& a,
                              const DeviceMatrices& b, Scalar<T> beta, const DeviceMatrices& c,
                              const DeviceEvents& events) {
  const CancellationDisabled whole_call;
  GivenBatch given{
      layout,
      BatchForm::pointers,
      shape_without_places<T>(layout, op_a, op_b, {m, n, k}, alpha, beta, {a.ld, b.ld, c.ld}),
      {a.buffer, a.ld, 0, 0, &a.offsets, 8, "a"},
      {b.buffer, b.ld, 0, 0, &b.offsets, 10, "b"},
      {c.buffer, c.ld, 0, 0, &c.offsets, 13, "c"},
      static_cast<std::int64_t>(c.offsets.size())};
  enqueue_batch(given, *state_, events);
}

#define DUOBLAS_DEVICE_BATCHES_OF(T)                                                              \
  template void DeviceBlas::gemm_strided_batched<T>(                                              \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const DeviceMatrix&,   \
      std::int64_t, const DeviceMatrix&, std::int64_t, Scalar<T>, const DeviceMatrix&,            \
      std::int64_t, std::int64_t, const DeviceEvents&);                                           \
  template void DeviceBlas::gemm_batched<T>(                                                      \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const DeviceMatrices&, \
      const DeviceMatrices&, Scalar<T>, const DeviceMatrices&, const DeviceEvents&)
DUOBLAS_DEVICE_BATCHES_OF(float);
DUOBLAS_DEVICE_BATCHES_OF(double);
DUOBLAS_DEVICE_BATCHES_OF(std::complex<float>);
DUOBLAS_DEVICE_BATCHES_OF(std::complex<double>);
#undef DUOBLAS_DEVICE_BATCHES_OF

}  // namespace duoblas
