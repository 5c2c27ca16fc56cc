// QR on a device that works on copies: products with block reflectors from the left, of the matrix
// itself (geqrf), of what is to become Q (orgqr), or of another matrix (ormqr: the problem's A).
//
// For geqrf and ormqr the matrix is sent during the host's panels (background_copies.hpp). V, T and
// geqrf's panels use page-locked memory. Columns that arrive late get the earlier reflectors then.
//
// C -= V op(T) V^H C of each block of columns, in three products. Rows of the device are columns of
// the host, so that they are W' = C' conj(V), W' op(T)' and C' -= W' V', with C' and V' as they lie
// there.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/lapack/background_copies.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/lapack/matrix_on_device.hpp"
#include "problem/adjoint.hpp"
#include "problem/element_types.hpp"
#include "problem/rounding.hpp"

namespace duoblas {

class QrOnDevice final : public FactorsOnDevice {
 public:
  QrOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
             const KernelParams& kernel, std::int64_t width);

  /// orgqr: sends an identity.
  void send(std::int64_t first) override;
  ReflectorMemory reflector_memory() override;
  void reflect(const PanelReflector& reflector) override;
  void* panel() override { return landing_; }
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void finish() override;
  std::int64_t abandon() noexcept override;

 private:
  /// Memory for a panel's V and T. Slots alternate: one is made while others are sent.
  struct Slot {
    std::byte *v = nullptr, *t = nullptr;
    std::shared_ptr<const cl::Event> sent;
  };
  /// A product with a panel's reflectors.
  struct Step {
    Interval panel;
    Op op = Op::none;
    std::shared_ptr<const cl::Buffer> triangle;
    std::size_t triangle_pitch = 0;
  };
  bool is_orgqr() const { return matrix_.problem().routine == LapackRoutine::orgqr; }
  Slot& slot() { return slots_[steps_.size() % slots_.size()]; }
  void make_slots();
  void send_identity();
  void take_arrived(std::int64_t needed);
  void update(const Step& step, Interval columns);
  BoundOperand v(Interval panel, std::int64_t row) const;

  MatrixOnDevice matrix_;
  const std::int64_t width_, ldv_;
  std::array<Slot, 3> slots_;
  std::byte* landing_ = nullptr;  ///< of geqrf
  std::vector<Step> steps_;
  ArrivingParts parts_{copies_, matrix_};  ///< with all steps but the last
  MatrixOnDevice::Download next_download_;
  bool is_last_ = false;
  std::size_t arrived_ = 0;  ///< of the last columns
  BackgroundCopies copies_;
};

namespace {

template <typename T>
std::vector<std::byte> identity(std::int64_t order) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(order * order) * sizeof(T));
  auto* const values = reinterpret_cast<T*>(bytes.data());
  for (std::int64_t i = 0; i < order; ++i) values[i * order + i] = 1;
  return bytes;
}

// Rows of V on the way start at multiples of this many elements.
constexpr std::int64_t v_unit = 16;

}  // namespace

QrOnDevice::QrOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                       const KernelParams& kernel, std::int64_t width)
    : matrix_(device, p, kernel, width),
      width_(width),
      ldv_(round_up(p.m, v_unit)),
      copies_(matrix_.queues()) {
  prepare_products(matrix_.device(), p, kernel, width);
  if (!is_orgqr()) make_slots();
}

void QrOnDevice::make_slots() {
  const LapackProblem& p = matrix_.problem();
  const auto bytes_of = [&](std::int64_t elements) {
    return static_cast<std::size_t>(round_up(elements, v_unit)) * element_size(p.precision);
  };
  const std::size_t of_v = bytes_of(ldv_ * width_), of_t = bytes_of(width_ * width_);
  const std::size_t of_landing = p.routine == LapackRoutine::geqrf ? bytes_of(p.m * width_) : 0;
  std::byte* memory = matrix_.panel_memory(slots_.size() * (of_v + of_t) + of_landing);
  for (Slot& slot : slots_) {
    slot.v = memory;
    slot.t = memory + of_v;
    memory = slot.t + of_t;
  }
  if (of_landing > 0) landing_ = memory;
}

void QrOnDevice::send(std::int64_t first) {
  if (is_orgqr()) return send_identity();
  parts_.send_columns(first, width_);
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
  parts_.begin_at(p.n);
}

// Columns that are there by now, up to `needed` at least, get all steps but the last.
void QrOnDevice::take_arrived(std::int64_t needed) {
  const Interval come = parts_.take(needed);
  if (come.count == 0) return;
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) update(steps_[i], come);
}

// The columns of a panel that is factorised are of no more use on the device.
BoundOperand QrOnDevice::v(Interval panel, std::int64_t row) const {
  return matrix_.problem().routine == LapackRoutine::geqrf ? matrix_.at(panel.first, row)
                                                           : matrix_.reflector(panel.first, row);
}

// What will be overwritten there was sent before.
ReflectorMemory QrOnDevice::reflector_memory() {
  if (is_orgqr()) return {};
  Slot& next = slot();
  if (next.sent) matrix_.queues().panels.wait(*std::exchange(next.sent, nullptr));
  return {next.v, ldv_, next.t, width_};
}

void QrOnDevice::reflect(const PanelReflector& reflector) {
  const LapackProblem& p = matrix_.problem();
  const Interval panel = reflector.panel;
  const std::size_t element = element_size(p.precision);
  const HostRect from =
      rect_of(reflector.v, panel.count, p.m - panel.first, reflector.ldv, p.precision);
  Step step{panel, reflector.op, nullptr, static_cast<std::size_t>(reflector.ldt) * element};
  const std::size_t bytes =
      static_cast<std::size_t>((panel.count - 1) * reflector.ldt + panel.count) * element;
  if (is_orgqr()) {
    matrix_.send(from, v(panel, panel.first));
    step.triangle = matrix_.send_bytes(reflector.t, bytes);
  } else {
    matrix_.send_panel(from, v(panel, panel.first));
    step.triangle = std::make_shared<cl::Buffer>(
        matrix_.device().context.allocate(std::max<std::size_t>(bytes, 16), cl::Access::read_only));
    Slot& own = slot();
    own.sent = matrix_.send_panel({const_cast<void*>(reflector.t), 1, bytes, bytes, 1},
                                  {step.triangle, 0, bytes, SharingMode::staged});
    matrix_.start_after(*own.sent);  // and after V, which was sent before
  }
  steps_.push_back(std::move(step));
}

void QrOnDevice::update(const Step& step, Interval columns) {
  if (columns.count <= 0) return;
  const LapackProblem& p = matrix_.problem();
  const Interval panel = step.panel;
  const BoundOperand c = matrix_.at(columns.first, panel.first);
  const BoundOperand inner = matrix_.panel_scratch(columns.first, 0),
                     turned = matrix_.panel_scratch(columns.first, width_);
  const BoundOperand vt = v(panel, panel.first);
  GemmProblem g = product_of(p.precision, columns.count, panel.count, p.m - panel.first, 1, 0);
  g.op_b = adjoint(p.precision);
  matrix_.multiply(g, c, vt, inner);
  g.k = panel.count;
  // As rows of the device T is T' already.
  g.op_b = step.op == Op::none ? Op::none : adjoint(p.precision);
  matrix_.multiply(g, inner, {step.triangle, 0, step.triangle_pitch, SharingMode::staged}, turned);
  g.n = p.m - panel.first;
  g.op_b = Op::none;
  g.alpha = -1.0;
  g.beta = 1.0;
  matrix_.multiply(g, turned, vt, c);
}

// geqrf's next panel goes to where the host factorises it from; all others are results.
void QrOnDevice::apply(Interval, Interval next) {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t end = next.first + next.count;
  const Step& step = steps_.back();
  is_last_ = next.count > 0 && end == p.n;
  if (next.count > 0) {
    take_arrived(end);
    update(step, next);
    const DeviceArea area{next.first, 0, next.count, p.m};
    if (is_last_)
      matrix_.fetch(area, matrix_.on_host(area), arrived_);
    else
      next_download_ = matrix_.start_download(matrix_.at(next.first, 0),
                                              rect_of(landing_, next.count, p.m, p.m, p.precision));
  }
  if (is_last_) return;
  take_arrived(0);
  update(step, {end, parts_.ready() - end});
}

// A panel becomes the caller's as soon as it is factorised: so kernels before it are asked now.
void QrOnDevice::wait_for_next() {
  if (is_last_) return matrix_.wait_for_results();
  matrix_.wait_for(next_download_);
  matrix_.require_earlier(next_download_);
}

void QrOnDevice::finish() {
  copies_.stop();
  matrix_.finish();
}

std::int64_t QrOnDevice::abandon() noexcept {
  copies_.stop();
  matrix_.drain();
  return static_cast<std::int64_t>(arrived_);
}

std::unique_ptr<FactorsOnDevice> make_qr(const std::shared_ptr<OpenedDevice>& device,
                                         const LapackProblem& p, const KernelParams& kernel,
                                         std::int64_t width) {
  return std::make_unique<QrOnDevice>(device, p, kernel, width);
}

}  // namespace duoblas
