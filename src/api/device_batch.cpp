// Batches in OpenCL buffers of the program's own.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "api/device_blas_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "os/cancellation_disabled.hpp"
#include "os/fork_state.hpp"

namespace duoblas {
namespace {

// The matrices of one operand of a batch.
struct NamedMatrices {
  BufferPlace at;
  std::int64_t stride = 0;
  const std::vector<std::int64_t>* offsets = nullptr;  ///< null: strided, from `at` on
  int position = 0;
  const char* name = "";

  /// The handle of the buffer stands in for an address, which is not read through.
  BatchOperand operand(Precision precision) const {
    return {at.buffer, stride, nullptr, element_size(precision)};
  }
};

struct GivenBatch {
  Layout layout;
  BatchForm form;
  GemmProblem shape;  // as given, without places
  NamedMatrices a, b, c;
  std::int64_t count = 0;
};

// \throws ArgumentError if they have lists of offsets, and one is not as long as the last one.
void check_lists(std::initializer_list<const NamedMatrices*> operands) {
  const NamedMatrices& last = **(operands.end() - 1);
  for (const NamedMatrices* operand : operands)
    if (last.offsets != nullptr && operand->offsets->size() != last.offsets->size())
      throw ArgumentError(operand->position, operand->name,
                          std::string("has another number of offsets than ") + last.name);
}

// \throws ArgumentError unless all are within a buffer of the queue's context.
void check_within(const QueuedProducts& products, Precision precision, const NamedMatrices& given,
                  std::int64_t rows, std::int64_t columns, std::int64_t count) {
  const auto check = [&](std::int64_t offset) {
    check_place(
        products, precision,
        {{given.at.buffer, offset, given.at.ld}, given.position, given.name, rows, columns});
  };
  // The matrix that begins first, and the one that begins last.
  if (given.offsets == nullptr) {
    check(given.at.offset);
    check(given.at.offset + (count - 1) * given.stride);
  } else {
    const auto [least, most] = std::ranges::minmax(*given.offsets);
    check(least);
    check(most);
  }
}

// The offsets of all operands' first matrices, then of their second ones ...; empty: strided.
std::vector<std::uint64_t> places_of(std::initializer_list<const NamedMatrices*> operands) {
  std::vector<std::uint64_t> places;
  const auto* const offsets = (*operands.begin())->offsets;
  if (offsets == nullptr) return places;
  places.reserve(operands.size() * offsets->size());
  for (std::size_t i = 0; i < offsets->size(); ++i)
    for (const NamedMatrices* operand : operands)
      places.push_back(static_cast<std::uint64_t>((*operand->offsets)[i]));
  return places;
}

// Checks shape, strides and overlaps by the check for host memory. Matrices C at offsets may
// overlap; the program must keep them apart.
BatchProblem checked(const GivenBatch& given) {
  CallerBatch call{given.layout, given.form, {given.shape.precision, {}}};
  const Precision precision = given.shape.precision;
  call.args.groups.push_back({given.shape, given.a.operand(precision), given.b.operand(precision),
                              given.c.operand(precision), given.count});
  check(call);
  return to_row_major(std::move(call));
}

// `State`: that of DeviceBlas.
template <typename State>
void enqueue_batch(GivenBatch& given, State& state, const DeviceEvents& events) {
  QueuedProducts& products = state.products;
  check_lists({&given.a, &given.b, &given.c});
  BatchProblem batch = checked(given);
  const BatchGroup& group = batch.groups.front();
  const GemmProblem& shape = group.shape;
  if (given.layout == Layout::column_major) std::swap(given.a, given.b);
  refuse_in_child();
  if (!group.empty()) {
    check_within(products, shape.precision, given.c, shape.m, shape.n, group.count);
    if (!shape.only_scales_c()) {
      check_within(products, shape.precision, given.a, stored_rows_a(shape), stored_cols_a(shape),
                   group.count);
      check_within(products, shape.precision, given.b, stored_rows_b(shape), stored_cols_b(shape),
                   group.count);
    }
  }
  const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
  const KernelParams kernel = batched_kernel(shape, products.limits());
  QueuedBatch queued{shape,          kernel,
                     given.a.at,     given.b.at,
                     given.c.at,     given.a.stride,
                     given.b.stride, given.c.stride,
                     group.count,    places_of({&given.a, &given.b, &given.c})};
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
      {{a.buffer, a.offset, a.ld}, stride_a, nullptr, 8, "a"},
      {{b.buffer, b.offset, b.ld}, stride_b, nullptr, 11, "b"},
      {{c.buffer, c.offset, c.ld}, stride_c, nullptr, 15, "c"},
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
      {{a.buffer, 0, a.ld}, 0, &a.offsets, 8, "a"},
      {{b.buffer, 0, b.ld}, 0, &b.offsets, 10, "b"},
      {{c.buffer, 0, c.ld}, 0, &c.offsets, 13, "c"},
      static_cast<std::int64_t>(c.offsets.size())};
  enqueue_batch(given, *state_, events);
}

#define DUOBLAS_DEVICE_BATCHES_OF(T)                                                               \
  template void DeviceBlas::gemm_strided_batched<T>(                                               \
      Layout, Op, Op, Size, Size, Size, Scalar<T>, const DeviceMatrix&, Size, const DeviceMatrix&, \
      Size, Scalar<T>, const DeviceMatrix&, Size, Size, const DeviceEvents&);                      \
  template void DeviceBlas::gemm_batched<T>(Layout, Op, Op, Size, Size, Size, Scalar<T>,           \
                                            const DeviceMatrices&, const DeviceMatrices&,          \
                                            Scalar<T>, const DeviceMatrices&, const DeviceEvents&)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_DEVICE_BATCHES_OF);
#undef DUOBLAS_DEVICE_BATCHES_OF

}  // namespace duoblas
