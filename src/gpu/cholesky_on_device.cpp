// Updates of potrf on the device, in strips: so many columns of a lower triangle, or rows of an
// upper one, from the diagonal on. What a strip has of the other triangle is computed too, and
// nobody looks at it.
#include "gpu/cholesky_on_device.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include <duoblas/error.hpp>

#include "problem/adjoint.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// The part of a strip's flops that is wasted is half its width over its length.
constexpr std::int64_t strip_lines = 1024;
// Triangles that are inverted, as in LU.
constexpr std::int64_t leaf = 64;
// An inverse loses as many digits as its triangle's condition has: beyond this the solution is
// corrected once.
constexpr double harmless_condition = 1e3;

// The block on the diagonal is LAPACK's, column-major: as rows, an upper triangle is a lower one.
Level3Problem triangle_of(const LapackProblem& p, const void* block, std::int64_t width) {
  Level3Problem triangle;
  triangle.routine = Routine::trsm;
  triangle.precision = p.precision;
  triangle.side = p.uplo == Uplo::lower ? Side::left : Side::right;
  triangle.uplo = p.uplo == Uplo::lower ? Uplo::upper : Uplo::lower;
  triangle.op = adjoint(p.precision);
  triangle.diag = Diag::non_unit;
  triangle.a = block;
  triangle.lda = width;
  return triangle;
}

template <typename T>
double largest_row_sum(const T* block, std::int64_t size, std::int64_t ld) {
  double largest = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < size; ++j) sum += static_cast<double>(std::abs(block[i * ld + j]));
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

// Zeros where nothing of the factor is: what lies there came from the device.
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
    : matrix_(device, p, kernel, width),
      width_(width),
      block_(static_cast<std::size_t>(width * width) * element_size(p.precision)) {
  for (const GemmProblem& of_kernel : products_by_kernel(p, kernel, width)) {
    KernelParams any_size = kernel;
    any_size.inline_sizes = false;
    prepare_product(matrix_.device(), any_size, p.precision, of_kernel.op_a, of_kernel.op_b,
                    rows_of(of_kernel, any_size));
  }
  factor_ = std::make_shared<cl::Buffer>(matrix_.device().context.allocate(
      static_cast<std::size_t>(width * (leaf + width)) * element_size(p.precision),
      cl::Access::read_only));
  for (Leaving& leaving : leaving_) leaving.block.resize(block_.size());
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
BoundOperand CholeskyOnDevice::panel_at(std::size_t slot, std::int64_t line,
                                        std::int64_t of_panel) const {
  const LapackProblem& p = matrix_.problem();
  const std::size_t pitch = panel_pitch(p, width_), element = element_size(p.precision);
  const auto row = static_cast<std::size_t>(is_lower() ? of_panel : line);
  const auto column = static_cast<std::size_t>(is_lower() ? line : of_panel);
  return matrix_.scratch(slot * panel_bytes(p, width_) + row * pitch + column * element, pitch);
}

HostRect CholeskyOnDevice::block_rect(Interval lines) {
  return rect_of(block_.data(), lines.count, lines.count, width_, matrix_.problem().precision);
}

// The first block on the diagonal is the host's to begin with.
void CholeskyOnDevice::send(std::int64_t first) {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t lines = std::min(width_, p.n - first);
  const std::size_t element = element_size(p.precision);
  for (std::int64_t j = 0; j < lines; ++j) {
    const std::int64_t begin = is_lower() ? j : 0, end = is_lower() ? lines : j + 1;
    std::memcpy(element_of(block_.data(), width_, begin, j, p.precision),
                element_of(p.a, p.lda, first + begin, first + j, p.precision),
                static_cast<std::size_t>(end - begin) * element);
  }
  lines_done_ = first;
  for (std::int64_t line = first; line < p.n; line += strip_lines)
    matrix_.send(strip({line, std::min(strip_lines, p.n - line)}));
}

void CholeskyOnDevice::send_block(Interval panel) {
  const LapackProblem& p = matrix_.problem();
  const std::size_t element = element_size(p.precision);
  invert_leaves(triangle_of(p, block_.data(), width_), {0, panel.count}, leaf, inverses_);
  ill_conditioned_.clear();
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    T* const block = reinterpret_cast<T*>(block_.data());
    clear_other_triangle(block, panel.count, width_, is_lower());
    for (std::int64_t l = 0; l < panel.count; l += leaf) {
      const std::int64_t size = std::min(leaf, panel.count - l);
      const double condition =
          largest_row_sum(block + l * (width_ + 1), size, width_) *
          largest_row_sum(reinterpret_cast<const T*>(inverses_.data()) + l * leaf, size, leaf);
      ill_conditioned_.push_back(!(condition <= harmless_condition));
    }
  });
  // Kernels of the panel before have ended: the block that they led to is back.
  matrix_.send(rect_of(inverses_.data(), panel.count, leaf, leaf, p.precision),
               {factor_, 0, static_cast<std::size_t>(leaf) * element, SharingMode::staged});
  matrix_.send(block_rect(panel),
               {factor_, static_cast<std::size_t>(width_ * leaf) * element,
                static_cast<std::size_t>(width_) * element, SharingMode::staged});
}

// In leaves of the panel's lines, one after another: X = inv(L) B, then what is left of B with it.
// With L^T on the device: of a lower triangle X = op(inverse) B, of an upper one X = B op(inverse).
void CholeskyOnDevice::solve(Interval panel, std::size_t slot) {
  const LapackProblem& p = matrix_.problem();
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
    GemmProblem g;
    g.precision = p.precision;
    g.k = depth;
    g.alpha = alpha;
    g.beta = beta;
    (is_lower() ? g.m : g.n) = lines;
    (is_lower() ? g.n : g.m) = rest;
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
    const BoundOperand b = in_matrix(l), x = panel_at(slot, end, l);
    multiply(1, 0, size, size, inverse, b, x);
    if (ill_conditioned_[static_cast<std::size_t>(l / leaf)]) {
      multiply(-1, 1, size, size, factor_at(l, l), x, b);
      multiply(1, 1, size, size, inverse, b, x);
    }
    // L of the lines that are left, in the columns of these; of an upper triangle the same,
    // mirrored.
    const BoundOperand below = is_lower() ? factor_at(l, l + size) : factor_at(l + size, l);
    if (left > 0) multiply(-1, 1, left, size, below, x, in_matrix(l + size));
  }
}

void CholeskyOnDevice::update(std::size_t slot, std::int64_t depth, const DeviceArea& area) {
  if (area.empty()) return;
  GemmProblem g;
  g.precision = matrix_.problem().precision;
  g.m = area.rows;
  g.n = area.columns;
  g.k = depth;
  g.alpha = -1.0;
  g.beta = 1.0;
  (is_lower() ? g.op_a : g.op_b) = adjoint(g.precision);
  matrix_.multiply(g, panel_at(slot, area.row, 0), panel_at(slot, area.column, 0),
                   matrix_.at(area.row, area.column));
}

void CholeskyOnDevice::apply(Interval panel, Interval next) {
  const LapackProblem& p = matrix_.problem();
  const std::size_t slot = panels_ % leaving_.size();
  wait_for_panel(slot);
  Leaving& leaving = leaving_[slot];
  send_block(panel);
  std::ranges::copy(block_, leaving.block.begin());
  leaving.panel = panel;
  leaving.rows_done = 0;
  ++panels_;
  const DeviceArea below = behind(panel);
  leaving.rows = static_cast<std::size_t>(below.rows);
  solve(panel, slot);

  // First what the host waits for.
  next_ = next;
  is_last_ = next.first + next.count == p.n;
  update(slot, panel.count, {next.first, next.first, next.count, next.count});
  const DeviceArea of_block{next.first, next.first, next.count, next.count};
  if (is_last_) {
    const std::size_t row_bytes = static_cast<std::size_t>(next.count) * element_size(p.precision);
    last_lines_.resize(static_cast<std::size_t>(next.count) * row_bytes);
    matrix_.fetch(of_block,
                  rect_of(last_lines_.data(), next.count, next.count, next.count, p.precision),
                  block_arrived_);
  } else {
    matrix_.fetch(of_block, block_rect(next), block_arrived_);
  }
  matrix_.hasten_results();
  matrix_.fetch(panel_at(slot, panel.first + panel.count, 0), matrix_.on_host(below),
                leaving.rows_done);
  if (is_last_) return;
  update(slot, panel.count, behind(next));
  for (std::int64_t line = next.first + next.count; line < p.n; line += strip_lines)
    update(slot, panel.count, strip({line, std::min(strip_lines, p.n - line)}));
}

// Results come in order, and so do panels.
void CholeskyOnDevice::wait_for_panel(std::size_t slot) {
  Leaving& leaving = leaving_[slot];
  while (leaving.rows_done < leaving.rows) matrix_.wait_for_some_results();
  if (leaving.panel.count == 0) return;
  publish_block(leaving, leaving.panel.count);
  lines_done_ = leaving.panel.first + leaving.panel.count;
  leaving = {{}, 0, 0, std::move(leaving.block)};
}

// So many of its columns, as far as they are stored.
void CholeskyOnDevice::publish_block(const Leaving& leaving, std::int64_t columns) noexcept {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t first = leaving.panel.first, lines = leaving.panel.count;
  for (std::int64_t j = 0; j < columns; ++j) {
    const std::int64_t begin = is_lower() ? j : 0, end = is_lower() ? lines : j + 1;
    const auto at = static_cast<std::size_t>(j * width_ + begin) * element_size(p.precision);
    std::memcpy(element_of(p.a, p.lda, first + begin, first + j, p.precision),
                leaving.block.data() + at,
                static_cast<std::size_t>(end - begin) * element_size(p.precision));
  }
}

void CholeskyOnDevice::keep_last_lines() noexcept {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t lines = next_.count;
  const std::size_t element = element_size(p.precision);
  for (std::int64_t j = 0; j < lines; ++j) {
    const std::int64_t begin = is_lower() ? j : 0, end = is_lower() ? lines : j + 1;
    std::memcpy(element_of(p.a, p.lda, next_.first + begin, next_.first + j, p.precision),
                last_lines_.data() + static_cast<std::size_t>(j * lines + begin) * element,
                static_cast<std::size_t>(end - begin) * element);
  }
}

// The last lines are to be the caller's only when all else is there.
void CholeskyOnDevice::wait_for_next() {
  if (is_last_) {
    finish();
    keep_last_lines();
    return;
  }
  while (block_arrived_ < static_cast<std::size_t>(next_.count)) matrix_.wait_for_some_results();
}

void CholeskyOnDevice::finish() {
  matrix_.finish();
  for (std::size_t i = 0; i < leaving_.size(); ++i) wait_for_panel((panels_ + i) % leaving_.size());
}

std::int64_t CholeskyOnDevice::abandon() noexcept {
  matrix_.drain();
  for (std::size_t i = 0; i < leaving_.size(); ++i) {
    Leaving& leaving = leaving_[(panels_ + i) % leaving_.size()];
    if (leaving.panel.count == 0) continue;
    const auto arrived = static_cast<std::int64_t>(leaving.rows_done);
    if (leaving.rows_done == leaving.rows) {
      publish_block(leaving, leaving.panel.count);
      lines_done_ = leaving.panel.first + leaving.panel.count;
      continue;
    }
    if (arrived > 0) publish_block(leaving, is_lower() ? arrived : leaving.panel.count);
    return arrived;
  }
  return 0;
}

}  // namespace duoblas
