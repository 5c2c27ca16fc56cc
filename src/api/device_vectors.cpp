// gemv in OpenCL buffers of the program's own.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "api/device_blas_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
#include "gpu/device/computable.hpp"
#include "gpu/streams/gemv.hpp"
#include "os/cancellation_disabled.hpp"

namespace duoblas {
namespace {

// Stands in for a pointer to elements, and is not read through.
template <typename Place>
void* stand_in(const Place& place) {
  return place.buffer != nullptr ? const_cast<Place*>(&place) : nullptr;
}

struct NamedVector {
  const DeviceVector& vector;
  std::int64_t size;
  int position;
  const char* name;
};

// The place of element 0, which is the last one in memory if the increment is negative.
VectorPlace place_of(const NamedVector& of) {
  const std::int64_t increment = of.size > 1 ? of.vector.increment : 1;
  const std::int64_t back = increment < 0 && of.size > 0 ? (of.size - 1) * -increment : 0;
  return {of.vector.buffer, of.vector.offset + back, increment};
}

void check_vector(const QueuedProducts& products, Precision precision, const NamedVector& of) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const std::int64_t increment = of.vector.increment;
  if (of.size > 1 && (increment > most || increment < -most))
    throw ArgumentError(of.position + 1, of.name[0] == 'x' ? "incx" : "incy",
                        "is larger than kernels take (" + std::to_string(most) + ")");
  const std::int64_t apart = of.size > 1 ? std::abs(increment) : 1;
  check_place(products, precision,
              {{of.vector.buffer, of.vector.offset, apart}, of.position, of.name, of.size, 1});
}

void check_extents(std::int64_t rows, std::int64_t columns) {
  if (std::max(rows, columns) > most_routine_extent)
    throw DeviceError("the matrix is larger than kernels of this routine take (" +
                      std::to_string(most_routine_extent) + " rows or columns)");
}

}  // namespace

template <typename T>
void DeviceBlas::gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha,
                      const DeviceMatrix& a, const DeviceVector& x, Scalar<T> beta,
                      const DeviceVector& y, const DeviceEvents& events) {
  const CancellationDisabled whole_call;
  CallerGemv call = caller_gemv<T>(layout, op, {m, n}, alpha, static_cast<const T*>(stand_in(a)),
                                   a.ld, {static_cast<const T*>(stand_in(x)), x.increment}, beta,
                                   {static_cast<T*>(stand_in(y)), y.increment});
  check(call);
  call.a = call.x = nullptr;
  call.y = nullptr;
  const GemvProblem problem = to_row_major(call);
  refuse_in_child();
  QueuedProducts& products = state_->products;
  const NamedVector of_x{x, problem.terms(), 8, "x"}, of_y{y, problem.outputs(), 11, "y"};
  if (!problem.empty()) {
    check_extents(problem.rows, problem.columns);
    check_vector(products, precision_of<T>, of_y);
    if (!problem.only_scales_y()) {
      check_place(products, precision_of<T>,
                  {{a.buffer, a.offset, a.ld}, 6, "a", problem.rows, problem.columns});
      check_vector(products, precision_of<T>, of_x);
    }
  }
  run(products,
      QueuedGemv{
          problem,
          products.gemv_kernels().kernel(products.limits(), precision_of<T>, problem.transposes),
          {a.buffer, a.offset, a.ld},
          place_of(of_x),
          place_of(of_y)},
      events);
}

template <typename T>
std::int64_t DeviceBlas::gemv_workspace_bytes(Layout layout, Op op, std::int64_t m, std::int64_t n,
                                              std::int64_t incx) const {
  const CancellationDisabled whole_call;
  if (incx == 0) throw ArgumentError(5, "incx", "is 0");
  // Only the sizes are checked; pointers and the leading dimension are made up and legal.
  T anything{};
  const CallerGemv call =
      caller_gemv<T>(layout, op, {m, n}, T(1), &anything, std::max({m, n, std::int64_t{1}}),
                     {&anything, incx}, T(0), {&anything, 1});
  check(call);
  GemvProblem problem = to_row_major(call);
  refuse_in_child();
  if (problem.empty()) return 0;
  check_extents(problem.rows, problem.columns);
  problem.x.increment = problem.terms() > 1 ? incx : 1;
  problem.y.increment = 1;
  QueuedProducts& products = state_->products;
  return static_cast<std::int64_t>(products.workspace_bytes(
      problem,
      products.gemv_kernels().kernel(products.limits(), precision_of<T>, problem.transposes)));
}

#define DUOBLAS_DEVICE_VECTORS_OF(T)                                                        \
  template void DeviceBlas::gemv<T>(Layout, Op, Size, Size, Scalar<T>, const DeviceMatrix&, \
                                    const DeviceVector&, Scalar<T>, const DeviceVector&,    \
                                    const DeviceEvents&);                                   \
  template Size DeviceBlas::gemv_workspace_bytes<T>(Layout, Op, Size, Size, Size) const
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_DEVICE_VECTORS_OF);
#undef DUOBLAS_DEVICE_VECTORS_OF

}  // namespace duoblas
