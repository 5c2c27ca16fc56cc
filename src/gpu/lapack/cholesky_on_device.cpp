// Updates of potrf on the device, in strips: so many columns of a lower triangle, or rows of an
// upper one, from the diagonal on. A strip's part of the other triangle is computed too, but not
// used.
#include "gpu/lapack/cholesky_on_device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/lapack/lapack_memory.hpp"
#include "gpu/lapack/solve_on_device.hpp"
#include "gpu/level3/triangle_leaves.hpp"
#include "problem/adjoint.hpp"
#include "problem/element_types.hpp"
#include "problem/rounding.hpp"
#include "problem/triangle_condition.hpp"

namespace duoblas {
namespace {

// The part of a strip's flops that is wasted is half its width over its length.
constexpr std::int64_t strip_lines = 1024;
// Triangles that are inverted, as in LU.
constexpr std::int64_t leaf = PanelNumbers::leaf;

// The block on the diagonal is LAPACK's, column-major: as rows, an upper triangle is a lower one.
Level3Problem triangle_of(const LapackProblem& p, const void* block, std::int64_t width) {
  const bool is_lower = p.uplo == Uplo::lower;
  return solve_with({is_lower ? Side::left : Side::right, is_lower ? Uplo::upper : Uplo::lower,
                     adjoint(p.precision)},
                    p.precision, block, width);
}

// Zeros outside of the factor, where numbers from the device lie.
template <typename T>
void clear_other_triangle(T* block, std::int64_t size, std::int64_t ld, bool lower) {
  for (std::int64_t j = 0; j < size; ++j)
    if (lower)
      std::fill_n(block + j * ld, j, T(0));
    else
      std::fill_n(block + j * ld + j + 1, size - j - 1, T(0));
}

}  // namespace

CholeskyOnDevice::CholeskyOnDevice(const std::shared_ptr<OpenedDevice>& device,
                                   const LapackProblem& p, const KernelParams& kernel,
                                   std::int64_t width)
    : matrix_(device, p, kernel, width), kernel_(kernel), width_(width), copies_(matrix_.queues()) {
  prepare_products(matrix_.device(), p, kernel, width);
  matrix_.flush_later();
  const std::size_t element = element_size(p.precision);
  const std::size_t inverses = static_cast<std::size_t>(width * leaf) * element,
                    block = static_cast<std::size_t>(width * width) * element;
  factor_ = std::make_shared<cl::Buffer>(
      matrix_.device().context.allocate(inverses + block, cl::Access::read_only));
  // The last lines, which are up to twice as many, land where a panel would.
  const std::size_t panel =
      static_cast<std::size_t>(std::max(width * p.n, 4 * width * width)) * element;
  std::byte* memory = matrix_.panel_memory(slots_.size() * (inverses + block + panel));
  for (Slot& slot : slots_) {
    slot = {memory, memory + inverses, memory + inverses + block};
    memory = slot.panel + panel;
  }
}

DeviceArea CholeskyOnDevice::strip(Interval lines) const {
  const std::int64_t length = matrix_.problem().n - lines.first;
  return is_lower() ? DeviceArea{lines.first, lines.first, lines.count, length}
                    : DeviceArea{lines.first, lines.first, length, lines.count};
}

// The strip without its block on the diagonal.
DeviceArea CholeskyOnDevice::behind(Interval panel) const {
  const std::int64_t end = panel.first + panel.count, rest = matrix_.problem().n - end;
  return is_lower() ? DeviceArea{panel.first, end, panel.count, rest}
                    : DeviceArea{end, panel.first, rest, panel.count};
}

// Panels that are solved for lie as in the matrix, but from their own first line on.
BoundOperand CholeskyOnDevice::panel_at(std::size_t panel, std::int64_t line,
                                        std::int64_t of_panel) const {
  const LapackProblem& p = matrix_.problem();
  const std::size_t pitch = panel_pitch(p, width_), element = element_size(p.precision);
  const auto row = static_cast<std::size_t>(is_lower() ? of_panel : line);
  const auto column = static_cast<std::size_t>(is_lower() ? line : of_panel);
  return matrix_.scratch(
      panel % panels_on_device * panel_bytes(p, width_) + row * pitch + column * element, pitch);
}

HostRect CholeskyOnDevice::block_rect(const Slot& slot, Interval lines) const {
  return rect_of(slot.block, lines.count, lines.count, width_, matrix_.problem().precision);
}

// Copies the stored triangle of the block.
void CholeskyOnDevice::copy_block(void* to, std::int64_t to_ld, const void* from,
                                  std::int64_t from_ld, std::int64_t lines) const noexcept {
  const Precision precision = matrix_.problem().precision;
  for (std::int64_t j = 0; j < lines; ++j) {
    const std::int64_t begin = is_lower() ? j : 0, end = is_lower() ? lines : j + 1;
    std::memcpy(element_of(to, to_ld, begin, j, precision),
                element_of(const_cast<void*>(from), from_ld, begin, j, precision),
                static_cast<std::size_t>(end - begin) * element_size(precision));
  }
}

// The host begins with the first block on the diagonal. The first strip holds the first two
// panels.
void CholeskyOnDevice::send(std::int64_t first) {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t lines = std::min(width_, p.n - first);
  copy_block(panel(), width_, element_of(p.a, p.lda, first, first, p.precision), p.lda, lines);
  lines_done_ = first;
  parts_.begin_at(first);
  std::vector<BackgroundCopies::Part> parts;
  for (std::int64_t line = first, count = 2 * width_; line < p.n; count = strip_lines) {
    const DeviceArea area = strip({line, std::min(count, p.n - line)});
    parts.push_back({matrix_.on_host(area), matrix_.at(area.row, area.column), Gaps::untouched});
    line = std::min(line + count, p.n);
    parts_.add(line);
  }
  copies_.send(std::move(parts));
}

void CholeskyOnDevice::send_block(const Slot& slot, Interval panel) {
  const LapackProblem& p = matrix_.problem();
  const double worst =
      invert_leaves(triangle_of(p, slot.block, width_), {0, panel.count}, leaf, inverses_);
  ill_conditioned_.assign(static_cast<std::size_t>(parts(panel.count, leaf)), 0);
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    T* const block = reinterpret_cast<T*>(slot.block);
    clear_other_triangle(block, panel.count, width_, is_lower());
    // Leaves are looked at one by one only where the worst of all is ill-conditioned.
    for (std::int64_t l = 0; !(worst <= harmless_condition) && l < panel.count; l += leaf) {
      const std::int64_t size = std::min(leaf, panel.count - l);
      const double condition =
          largest_row_sum(block + l * (width_ + 1), size, width_) *
          largest_row_sum(reinterpret_cast<const T*>(inverses_.data()) + l * leaf, size, leaf);
      ill_conditioned_[static_cast<std::size_t>(l / leaf)] = !(condition <= harmless_condition);
    }
  });
  std::memcpy(slot.inverses, inverses_.data(), inverses_.size());
  const std::size_t bytes =
      static_cast<std::size_t>(width_ * leaf + (panel.count - 1) * width_ + panel.count) *
      element_size(p.precision);
  // Kernels of the panel before that read it have ended: the block that they led to is back.
  const auto sent = matrix_.send_panel({slot.inverses, 1, bytes, bytes, 1},
                                       {factor_, 0, bytes, SharingMode::staged});
  later_.finish();
  matrix_.start_after(*sent);
}

// In leaves of the panel's lines, one after another: X = inv(L) B, then the update of the rest of B
// with it. The device has L^T: X = op(inverse) B for a lower triangle, X = B op(inverse) for an
// upper one.
void CholeskyOnDevice::solve(std::size_t number) {
  const LapackProblem& p = matrix_.problem();
  const Interval& panel = panels_[number];
  const std::size_t element = element_size(p.precision);
  const std::int64_t end = panel.first + panel.count, rest = p.n - end;
  const auto factor_at = [&](std::int64_t row, std::int64_t column) {
    return BoundOperand{factor_,
                        static_cast<std::size_t>(width_ * leaf + row * width_ + column) * element,
                        static_cast<std::size_t>(width_) * element, SharingMode::staged};
  };
  const auto multiply = [&](double alpha, double beta, std::int64_t lines, std::int64_t depth,
                            const BoundOperand& triangle, const BoundOperand& x,
                            const BoundOperand& c) {
    GemmProblem g = product_of(p.precision, is_lower() ? lines : rest, is_lower() ? rest : lines,
                               depth, alpha, beta);
    (is_lower() ? g.op_a : g.op_b) = adjoint(g.precision);
    matrix_.multiply(g, is_lower() ? triangle : x, is_lower() ? x : triangle, c);
  };
  const auto in_matrix = [&](std::int64_t l) {
    return is_lower() ? matrix_.at(panel.first + l, end) : matrix_.at(end, panel.first + l);
  };
  for (std::int64_t l = 0; l < panel.count; l += leaf) {
    const std::int64_t size = std::min(leaf, panel.count - l), left = panel.count - l - size;
    const BoundOperand inverse{factor_, static_cast<std::size_t>(l * leaf) * element,
                               static_cast<std::size_t>(leaf) * element, SharingMode::staged};
    const BoundOperand b = in_matrix(l), x = panel_at(number, end, l);
    multiply(1, 0, size, size, inverse, b, x);
    if (ill_conditioned_[static_cast<std::size_t>(l / leaf)]) {
      multiply(-1, 1, size, size, factor_at(l, l), x, b);
      multiply(1, 1, size, size, inverse, b, x);
    }
    // L of the remaining lines, in the columns of this leaf; for an upper triangle the same,
    // mirrored.
    const BoundOperand below = is_lower() ? factor_at(l, l + size) : factor_at(l + size, l);
    if (left > 0) multiply(-1, 1, left, size, below, x, in_matrix(l + size));
  }
}

void CholeskyOnDevice::update(std::size_t panel, const DeviceArea& area) {
  if (area.empty()) return;
  GemmProblem g =
      product_of(matrix_.problem().precision, area.rows, area.columns, panels_[panel].count, -1, 1);
  (is_lower() ? g.op_a : g.op_b) = adjoint(g.precision);
  matrix_.multiply(g, panel_at(panel, area.row, 0), panel_at(panel, area.column, 0),
                   matrix_.at(area.row, area.column));
}

void CholeskyOnDevice::update_strips(std::size_t panel, std::int64_t first, std::int64_t end) {
  for (std::int64_t line = first; line < end; line += strip_lines)
    update(panel, strip({line, std::min(strip_lines, end - line)}));
}

// Lines that are there by now, up to `needed` at least, get the panels that are applied already.
void CholeskyOnDevice::take_arrived(std::int64_t needed) {
  const Interval come = parts_.take(needed);
  if (come.count == 0) return;
  for (std::size_t panel = 0; panel < panels_.size(); ++panel)
    update_strips(panel, come.first, come.first + come.count);
}

// Fetches what is behind the block of the panel that was applied last.
void CholeskyOnDevice::start_download(const Slot& slot, Interval panel) {
  const DeviceArea below = behind(panel);
  leaving_ = matrix_
                 .start_download(panel_at(panels_.size() - 1, panel.first + panel.count, 0),
                                 landing_place(slot, below))
                 .arrived;
}

HostRect CholeskyOnDevice::landing_place(const Slot& slot, const DeviceArea& below) const {
  return rect_of(slot.panel, below.rows, below.columns, below.columns, matrix_.problem().precision);
}

// Called a step later, so that the thread that publishes need not wait for the transfer.
void CholeskyOnDevice::publish_arrived() {
  if (!leaving_) return;
  const Interval panel = panels_.back();
  const Slot& slot = slot_of(panels_.size() - 1);
  const DeviceArea below = behind(panel);
  const HostRect from = landing_place(slot, below), to = matrix_.on_host(below);
  copies_.publish(
      std::exchange(leaving_, nullptr),
      [this, &slot, panel, from, to, behind_kernels = next_download_](CopyThreads& threads) {
        matrix_.require_earlier(behind_kernels);
        const LapackProblem& of = matrix_.problem();
        threads.copy({to.data, to.pitch, from.data, from.pitch, from.rows, from.row_bytes});
        copy_block(element_of(of.a, of.lda, panel.first, panel.first, of.precision), of.lda,
                   slot.block, width_, panel.count);
      });
}

void CholeskyOnDevice::apply(Interval panel, Interval next) {
  const LapackProblem& p = matrix_.problem();
  const std::size_t number = panels_.size();
  const std::int64_t end = next.first + next.count;
  next_ = next;
  is_last_ = end == p.n;
  Slot& slot = slot_of(number);
  publish_arrived();
  send_block(slot, panel);
  // This panel overwrites an earlier one, which late columns still need.
  take_arrived(number >= panels_on_device ? p.n : end);
  panels_.push_back(panel);
  solve(number);

  // First what the host waits for.
  update(number, {next.first, next.first, next.count, next.count});
  if (number + 2 > slots_.size()) copies_.wait_until_published(number + 2 - slots_.size());
  Slot& next_slot = slot_of(number + 1);
  next_download_ = matrix_.start_download(
      matrix_.at(next.first, next.first),
      is_last_ ? rect_of(next_slot.panel, next.count, next.count, next.count, p.precision)
               : block_rect(next_slot, next));
  start_download(slot, panel);
  if (keeps_factors_) keep_panel();
  if (is_last_) return;
  later_.start([this, number, next, end] {
    update(number, behind(next));
    update_strips(number, end, parts_.ready());
    take_arrived(0);
    matrix_.flush();
  });
}

// Copies what is behind the block of the panel that was applied last to its place in the matrix.
void CholeskyOnDevice::keep_panel() {
  const DeviceArea below = behind(panels_.back());
  matrix_.copy(panel_at(panels_.size() - 1, panels_.back().first + panels_.back().count, 0),
               matrix_.at(below.row, below.column), below.rows, below.columns);
}

// The last lines are to be the caller's only when all else is there.
void CholeskyOnDevice::wait_for_next() {
  matrix_.wait_for(next_download_);
  if (!is_last_) return;
  finish();
  const LapackProblem& p = matrix_.problem();
  copy_block(element_of(p.a, p.lda, next_.first, next_.first, p.precision), p.lda,
             slot_of(panels_.size()).panel, next_.count, next_.count);
}

void CholeskyOnDevice::finish() {
  later_.finish();
  publish_arrived();
  copies_.wait_until_published(panels_.size());
  copies_.stop();
  matrix_.finish();
}

std::unique_ptr<FactorsOnDevice> CholeskyOnDevice::solver(const LapackProblem& potrs) {
  const auto needs = device_bytes(potrs, kernel_, width_, matrix_.device().free_limits());
  if (!keeps_factors_ || !needs || !matrix_.make_more_room(*needs, needs->b + needs->c))
    return nullptr;
  return std::make_unique<SolveOnDevice>(matrix_, potrs, kernel_, width_,
                                         panels_.back().first + panels_.back().count);
}

std::int64_t CholeskyOnDevice::abandon() noexcept {
  later_.stop();
  const std::size_t published = copies_.stop();
  matrix_.drain();
  if (published > 0) lines_done_ = panels_[published - 1].first + panels_[published - 1].count;
  return 0;
}

}  // namespace duoblas
