#include "gpu/lapack/solve_on_device.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/adjoint.hpp"
#include "problem/element_types.hpp"
#include "problem/rounding.hpp"
#include "problem/triangle_condition.hpp"

namespace duoblas {
namespace {

std::size_t pitch_of(std::int64_t columns, Precision precision) {
  return device_pitch(static_cast<std::size_t>(columns) * element_size(precision));
}

// A division may have a finite result where the divisor's inverse has none.
void require_finite(const DenseBlock& inverses, const TriangleLeaf& leaf, std::int64_t width,
                    Precision precision) {
  const double size = with_element_type(precision, [&](auto zero) {
    const auto* const all = reinterpret_cast<const decltype(zero)*>(inverses.data());
    return largest_row_sum(all + leaf.first * width, leaf.size, width);
  });
  if (!std::isfinite(size))
    throw UnsuitedNumbers("the inverse of a pivot is too large a number; the CPU has to solve");
}

}  // namespace

std::size_t solve_bytes(const LapackProblem& p) {
  return 2 * static_cast<std::size_t>(p.right_sides) * pitch_of(p.n, p.precision);
}

SolveOnDevice::SolveOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                             const KernelParams& kernel, std::int64_t width)
    : own_(std::make_unique<MatrixOnDevice>(device, p, kernel, width)),
      matrix_(*own_),
      p_(p),
      width_(width),
      side_pitch_(pitch_of(p.n, p.precision)) {
  prepare(kernel);
}

SolveOnDevice::SolveOnDevice(MatrixOnDevice& of_factors, const LapackProblem& solve,
                             const KernelParams& kernel, std::int64_t width,
                             std::int64_t panels_end)
    : matrix_(of_factors),
      p_(solve),
      width_(width),
      panels_end_(panels_end),
      sides_(std::make_shared<cl::Buffer>(
          of_factors.device().context.allocate(solve_bytes(solve), cl::Access::read_write))),
      side_pitch_(pitch_of(solve.n, solve.precision)) {
  matrix_.queues().results.reserve(solve_bytes(solve));
  prepare(kernel);
}

void SolveOnDevice::prepare(const KernelParams& kernel) {
  prepare_products(matrix_.device(), p_, kernel, width_);
  if (exchanges_rows(p_)) prepare_exchange(matrix_.device(), p_.precision);
}

// Of two copies of the right-hand sides.
BoundOperand SolveOnDevice::sides(int copy, std::int64_t side, std::int64_t row) const {
  const auto line = static_cast<std::size_t>(copy * p_.right_sides + side);
  const std::size_t offset =
      line * side_pitch_ + static_cast<std::size_t>(row) * element_size(p_.precision);
  if (sides_) return {sides_, offset, side_pitch_, SharingMode::staged};
  return matrix_.scratch(offset, side_pitch_);
}

BoundOperand SolveOnDevice::of_triangle(const std::shared_ptr<const cl::Buffer>& buffer,
                                        std::int64_t line) const {
  const std::size_t row = static_cast<std::size_t>(width_) * element_size(p_.precision);
  return {buffer, static_cast<std::size_t>(line) * row, row, SharingMode::staged};
}

// Its diagonal blocks, inverted and as they are, below one another. As rows of the device L is an
// upper triangle.
SolveOnDevice::Triangle SolveOnDevice::sent_triangle(Uplo uplo, Op op, Diag diag) {
  const Level3Problem triangle =
      solve_with({Side::right, uplo, op, diag}, p_.precision, p_.a, p_.lda);
  DenseBlock inverses, block;
  const std::vector<TriangleLeaf> leaves =
      invert_in_leaves(triangle, {0, p_.n}, width_, correctable_condition(p_.precision), inverses,
                       &matrix_.queues().copiers);
  const std::size_t bytes = static_cast<std::size_t>(p_.n * width_) * element_size(p_.precision);
  const auto buffer = [&] {
    return std::make_shared<cl::Buffer>(
        matrix_.device().context.allocate(bytes, cl::Access::read_only));
  };
  Triangle sent{uplo, op, buffer(), nullptr, {}};
  const auto rect = [&](const DenseBlock& from, std::int64_t rows, std::int64_t columns) {
    return rect_of(from.data(), rows, columns, columns, p_.precision);
  };
  matrix_.send(rect(inverses, p_.n, width_), of_triangle(sent.inverses, 0));
  sent.leaves.resize(static_cast<std::size_t>(parts(p_.n, width_)));
  for (const TriangleLeaf& leaf : leaves) {
    sent.leaves[static_cast<std::size_t>(leaf.first / width_)].push_back(leaf);
    if (!leaf.is_ill_conditioned) continue;
    require_finite(inverses, leaf, width_, p_.precision);
    complete_a(triangle, {leaf.first, leaf.size}, block);
    if (!sent.blocks) sent.blocks = buffer();
    matrix_.send(rect(block, leaf.size, leaf.size), of_triangle(sent.blocks, leaf.first));
  }
  // What is between a block's leaves. The blocks of Cholesky's panels have stayed with the host.
  for (std::int64_t i = 0; i < panels_end_; i += width_)
    if (sent.leaves[static_cast<std::size_t>(i / width_)].size() > 1)
      matrix_.send({i, i, std::min(width_, p_.n - i), std::min(width_, p_.n - i)});
  return sent;
}

// Rows of the device are LAPACK's columns: L is an upper triangle there.
void SolveOnDevice::send(std::int64_t) {
  if (p_.routine == LapackRoutine::potrs) {
    send_stored_triangle();
    const bool is_lower = p_.uplo == Uplo::lower;
    const Uplo there = is_lower ? Uplo::upper : Uplo::lower;
    const Op turned = adjoint(p_.precision);
    first_ = sent_triangle(there, is_lower ? Op::none : turned, Diag::non_unit);
    second_ = sent_triangle(there, is_lower ? turned : Op::none, Diag::non_unit);
    return;
  }
  matrix_.send({panels_end_, panels_end_, p_.n - panels_end_, p_.n - panels_end_});
  first_ = sent_triangle(Uplo::upper, p_.op, Diag::unit);
  second_ = sent_triangle(Uplo::lower, p_.op, Diag::non_unit);
  if (p_.op == Op::none)
    send_swaps();
  else
    std::swap(first_, second_);
}

// In strips, and what those have of the other triangle.
void SolveOnDevice::send_stored_triangle() {
  constexpr std::int64_t columns_of_strip = 1024;
  for (std::int64_t first = panels_end_; first < p_.n; first += columns_of_strip) {
    const std::int64_t count = std::min(columns_of_strip, p_.n - first);
    if (p_.uplo == Uplo::lower)
      matrix_.send({first, first, count, p_.n - first});
    else
      matrix_.send({first, panels_end_, count, first + count - panels_end_});
  }
}

void SolveOnDevice::send_swaps() {
  for (std::int64_t i = 0; i < p_.n; i += width_) {
    RowMoves moves = row_moves(i, std::min(width_, p_.n - i), p_.pivots + i);
    auto sent = matrix_.send_bytes(moves.moves.data(), moves.moves.size() * sizeof(std::int32_t));
    swaps_.push_back({std::move(moves), std::move(sent)});
  }
}

// Those of some rows, which go from the first copy to the second.
void SolveOnDevice::swap_rows(Interval strip, Interval rows) {
  matrix_.start_after_sent();
  for (std::int64_t first = rows.first; first < rows.first + rows.count; first += width_) {
    const auto& [moves, sent] = swaps_[static_cast<std::size_t>(first / width_)];
    matrix_.note(
        submit_exchange(matrix_.device(), p_.precision, strip.count, moves,
                        {sides(0, strip.first, 0), sides(1, strip.first, first), sent.get(), 0}));
  }
}

void SolveOnDevice::solve_leaf(const Triangle& triangle, const TriangleLeaf& leaf, Interval strip,
                               int from) {
  GemmProblem g = product_of(p_.precision, strip.count, leaf.size, leaf.size, 1, 0);
  g.op_b = triangle.op;
  const BoundOperand acc = sides(from, strip.first, leaf.first),
                     done = sides(1 - from, strip.first, leaf.first),
                     inverse = of_triangle(triangle.inverses, leaf.first);
  matrix_.multiply(g, acc, inverse, done);
  if (!leaf.is_ill_conditioned) return;
  g.alpha = -1.0;
  g.beta = 1.0;
  matrix_.multiply(g, done, of_triangle(triangle.blocks, leaf.first), acc);
  g.alpha = 1.0;
  matrix_.multiply(g, acc, inverse, done);
}

// What is solved for, from the `rest` in copy `to`.
void SolveOnDevice::subtract(const Triangle& triangle, Interval solved, Interval rest,
                             Interval strip, int from, int to) {
  GemmProblem g = product_of(p_.precision, strip.count, rest.count, solved.count, -1, 1);
  g.op_b = triangle.op;
  matrix_.multiply(g, sides(1 - from, strip.first, solved.first),
                   triangle.op != Op::none ? matrix_.at(rest.first, solved.first)
                                           : matrix_.at(solved.first, rest.first),
                   sides(to, strip.first, rest.first));
}

void SolveOnDevice::solve_block(const Triangle& triangle, Interval block, Interval strip,
                                int from) {
  const auto& leaves = triangle.leaves[static_cast<std::size_t>(block.first / width_)];
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const TriangleLeaf& leaf = leaves[triangle.ascends() ? i : leaves.size() - 1 - i];
    const std::int64_t end = leaf.first + leaf.size;
    solve_leaf(triangle, leaf, strip, from);
    subtract(triangle, {leaf.first, leaf.size},
             triangle.ascends() ? Interval{end, block.first + block.count - end}
                                : Interval{block.first, leaf.first - block.first},
             strip, from, from);
  }
}

// Where rows of L are where all swaps left them, these come before the solve.
void SolveOnDevice::solve(const Triangle& triangle, Interval strip, int from, bool swaps) {
  const std::int64_t blocks = (p_.n + width_ - 1) / width_;
  for (std::int64_t step = 0; step < blocks; ++step) {
    const std::int64_t first = (triangle.ascends() ? step : blocks - 1 - step) * width_;
    const Interval block{first, std::min(width_, p_.n - first)};
    const std::int64_t end = first + block.count;
    const bool is_panel = first < panels_end_;
    if (swaps && is_panel) swap_rows(strip, block);
    if (swaps && first == panels_end_) swap_rows(strip, {first, p_.n - first});
    solve_block(triangle, block, strip, from);
    subtract(triangle, block, triangle.ascends() ? Interval{end, p_.n - end} : Interval{0, first},
             strip, from, swaps && is_panel ? 0 : from);
  }
}

void SolveOnDevice::apply(Interval, Interval strip) {
  const HostRect host = rect_of(element_of(p_.b, p_.ldb, 0, strip.first, p_.precision), strip.count,
                                p_.n, p_.ldb, p_.precision);
  matrix_.send(host, sides(0, strip.first, 0));
  const int from = exchanges_rows(p_) ? 1 : 0;
  solve(first_, strip, from, exchanges_rows(p_));
  solve(second_, strip, 1 - from, false);
  matrix_.fetch(sides(from, strip.first, 0), host, arrived_.emplace_back(0), false);
  matrix_.queues().results.advance();
}

std::int64_t SolveOnDevice::abandon() noexcept {
  matrix_.drain();
  std::size_t all = 0;
  for (const std::size_t arrived : arrived_) all += arrived;
  return static_cast<std::int64_t>(all);
}

}  // namespace duoblas
