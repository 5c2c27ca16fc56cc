// Updates of potrf on the device, in strips: so many columns of a lower triangle, or rows of an
// upper one, from the diagonal on. What a strip has of the other triangle is computed too, and
// nobody looks at it.
#include "gpu/cholesky_on_device.hpp"

#include <algorithm>
#include <cstring>

#include "problem/adjoint.hpp"

namespace duoblas {
namespace {

// The part of a strip's flops that is wasted is half its width over its length.
constexpr std::int64_t strip_lines = 1024;

}  // namespace

CholeskyOnDevice::CholeskyOnDevice(const std::shared_ptr<OpenedDevice>& device,
                                   const LapackProblem& p, const KernelParams& kernel,
                                   std::int64_t width)
    : matrix_(device, p, kernel, width) {
  for (const GemmProblem& of_kernel : products_by_kernel(p, kernel, width)) {
    KernelParams any_size = kernel;
    any_size.inline_sizes = false;
    prepare_product(matrix_.device(), any_size, p.precision, of_kernel.op_a, of_kernel.op_b,
                    rows_of(of_kernel, any_size));
  }
}

DeviceArea CholeskyOnDevice::strip(Interval lines) const {
  const std::int64_t length = matrix_.problem().n - lines.first;
  return is_lower() ? DeviceArea{lines.first, lines.first, lines.count, length}
                    : DeviceArea{lines.first, lines.first, length, lines.count};
}

void CholeskyOnDevice::send(std::int64_t first) {
  const std::int64_t n = matrix_.problem().n;
  for (std::int64_t line = first; line < n; line += strip_lines)
    matrix_.send(strip({line, std::min(strip_lines, n - line)}));
}

void CholeskyOnDevice::update(Interval panel, Interval lines) {
  const DeviceArea c = strip(lines);
  GemmProblem g;
  g.precision = matrix_.problem().precision;
  g.m = c.rows;
  g.n = c.columns;
  g.k = panel.count;
  g.alpha = -1.0;
  g.beta = 1.0;
  if (is_lower()) {
    g.op_a = adjoint(g.precision);
    matrix_.multiply(g, matrix_.at(panel.first, c.row), matrix_.at(panel.first, c.column),
                     matrix_.at(c.row, c.column));
  } else {
    g.op_b = adjoint(g.precision);
    matrix_.multiply(g, matrix_.at(c.row, panel.first), matrix_.at(c.column, panel.first),
                     matrix_.at(c.row, c.column));
  }
}

void CholeskyOnDevice::apply(Interval panel, Interval next) {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t end = panel.first + panel.count, rest = p.n - end;
  matrix_.send(is_lower() ? DeviceArea{panel.first, end, panel.count, rest}
                          : DeviceArea{end, panel.first, rest, panel.count});
  update(panel, next);
  next_ = next;
  const DeviceArea area = strip(next);
  const std::size_t row_bytes = static_cast<std::size_t>(area.columns) * element_size(p.precision);
  landing_.resize(static_cast<std::size_t>(area.rows) * row_bytes);
  matrix_.fetch(area,
                {landing_.data(), static_cast<std::size_t>(area.rows), row_bytes, row_bytes,
                 element_size(p.precision)},
                arrived_);
  for (std::int64_t line = next.first + next.count; line < p.n; line += strip_lines)
    update(panel, {line, std::min(strip_lines, p.n - line)});
}

// What is stored of each of LAPACK's columns.
void CholeskyOnDevice::keep_arrived() noexcept {
  const LapackProblem& p = matrix_.problem();
  const DeviceArea area = strip(next_);
  const std::size_t element = element_size(p.precision);
  for (std::int64_t row = 0; row < area.rows; ++row) {
    const std::int64_t begin = is_lower() ? row : 0;
    const std::int64_t end = is_lower() ? area.columns : std::min(row + 1, area.columns);
    std::memcpy(element_of(p.a, p.lda, area.column + begin, area.row + row, p.precision),
                landing_.data() + static_cast<std::size_t>(row * area.columns + begin) * element,
                static_cast<std::size_t>(end - begin) * element);
  }
}

void CholeskyOnDevice::wait_for_next() {
  matrix_.wait_for_results();
  keep_arrived();
}

void CholeskyOnDevice::finish() {
  matrix_.finish();
}

std::int64_t CholeskyOnDevice::abandon() noexcept {
  matrix_.drain();
  return 0;
}

}  // namespace duoblas
