// C -= V op(T) V^H C of each block of columns, in three products. Rows of the device are columns of
// the host, so that they are W' = C' conj(V), W' op(T)' and C' -= W' V', with C' and V' as they lie
// there.
#include "gpu/qr_on_device.hpp"

#include <algorithm>
#include <vector>

#include "problem/adjoint.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

template <typename T>
std::vector<std::byte> identity(std::int64_t order) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(order * order) * sizeof(T));
  auto* const values = reinterpret_cast<T*>(bytes.data());
  for (std::int64_t i = 0; i < order; ++i) values[i * order + i] = 1;
  return bytes;
}

}  // namespace

QrOnDevice::QrOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                       const KernelParams& kernel, std::int64_t width)
    : matrix_(device, p, kernel, width), width_(width) {
  for (const GemmProblem& of_kernel : products_by_kernel(p, kernel, width)) {
    KernelParams any_size = kernel;
    any_size.inline_sizes = false;
    prepare_product(matrix_.device(), any_size, p.precision, of_kernel.op_a, of_kernel.op_b,
                    rows_of(of_kernel, any_size));
  }
}

void QrOnDevice::send(std::int64_t first) {
  const LapackProblem& p = matrix_.problem();
  if (p.routine == LapackRoutine::orgqr) return send_identity();
  matrix_.send({first, 0, p.n - first, p.m});
}

void QrOnDevice::send_identity() {
  const LapackProblem& p = matrix_.problem();
  matrix_.fill_with_zeros();
  const std::vector<std::byte> ones =
      with_element_type(p.precision, [&](auto zero) { return identity<decltype(zero)>(width_); });
  for (std::int64_t i = 0; i < p.n; i += width_) {
    const std::int64_t count = std::min(width_, p.n - i);
    matrix_.send(rect_of(ones.data(), count, count, width_, p.precision), matrix_.at(i, i));
  }
}

// The columns of a panel that is factorised are of no more use on the device.
BoundOperand QrOnDevice::v(Interval panel, std::int64_t row) const {
  return matrix_.problem().routine == LapackRoutine::geqrf ? matrix_.at(panel.first, row)
                                                           : matrix_.reflector(panel.first, row);
}

void QrOnDevice::reflect(const PanelReflector& reflector) {
  const LapackProblem& p = matrix_.problem();
  const Interval panel = reflector.panel;
  arrived_ = 0;  // what came last is a panel by now
  op_ = reflector.op;
  matrix_.send(rect_of(reflector.v, panel.count, p.m - panel.first, reflector.ldv, p.precision),
               v(panel, panel.first));
  const std::size_t element = element_size(p.precision);
  triangle_pitch_ = static_cast<std::size_t>(reflector.ldt) * element;
  triangle_ = matrix_.send_bytes(
      reflector.t,
      static_cast<std::size_t>((panel.count - 1) * reflector.ldt + panel.count) * element);
}

void QrOnDevice::update(Interval panel, Interval columns) {
  if (columns.count <= 0) return;
  const LapackProblem& p = matrix_.problem();
  const BoundOperand c = matrix_.at(columns.first, panel.first);
  const BoundOperand inner = matrix_.panel_scratch(columns.first, 0),
                     turned = matrix_.panel_scratch(columns.first, width_);
  const BoundOperand vt = v(panel, panel.first);
  GemmProblem g;
  g.precision = p.precision;
  g.m = columns.count;
  g.n = panel.count;
  g.k = p.m - panel.first;
  g.op_b = adjoint(p.precision);
  matrix_.multiply(g, c, vt, inner);
  g.k = panel.count;
  // As rows of the device T is T' already.
  g.op_b = op_ == Op::none ? Op::none : adjoint(p.precision);
  matrix_.multiply(g, inner, {triangle_, 0, triangle_pitch_, SharingMode::staged}, turned);
  g.n = p.m - panel.first;
  g.op_b = Op::none;
  g.alpha = -1.0;
  g.beta = 1.0;
  matrix_.multiply(g, turned, vt, c);
}

void QrOnDevice::apply(Interval panel, Interval next) {
  const LapackProblem& p = matrix_.problem();
  arrived_ = 0;
  update(panel, next);
  const DeviceArea area{next.first, 0, next.count, p.m};
  matrix_.fetch(area, matrix_.on_host(area), arrived_);
  const std::int64_t end = next.first + next.count;
  update(panel, {end, p.n - end});
}

void QrOnDevice::wait_for_next() {
  matrix_.wait_for_results();
}

void QrOnDevice::finish() {
  matrix_.finish();
}

std::int64_t QrOnDevice::abandon() noexcept {
  matrix_.drain();
  return static_cast<std::int64_t>(arrived_);
}

}  // namespace duoblas
