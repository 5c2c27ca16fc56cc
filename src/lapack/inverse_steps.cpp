#include "lapack/inverse_steps.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <new>

#include "cpu/thread_team.hpp"
#include "problem/adjoint.hpp"
#include "problem/caller_gemm.hpp"
#include "problem/caller_level3.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t end_of(Interval lines) {
  return lines.first + lines.count;
}
constexpr Interval between(std::int64_t first, std::int64_t end) {
  return {first, end - first};
}

// Swaps columns in some of the rows only, from the last pivot to the first.
template <typename T>
void swap_columns_of(const LapackProblem& p, std::int64_t first, std::int64_t rows) {
  T* const a = static_cast<T*>(p.a) + first;
  for (std::int64_t j = p.n - 1; j >= 0; --j) {
    const std::int64_t other = p.pivots[j] - 1;
    if (other != j) std::swap_ranges(a + j * p.lda, a + j * p.lda + rows, a + other * p.lda);
  }
}

struct Triangle {
  std::int64_t order = 0;
  Uplo uplo = Uplo::upper;
};

template <typename T>
void copy_triangle(const T* from, std::int64_t from_ld, T* to, std::int64_t to_ld,
                   const Triangle& triangle) {
  for (std::int64_t j = 0; j < triangle.order; ++j) {
    const bool lower = triangle.uplo == Uplo::lower;
    const std::int64_t first = lower ? j : 0, count = lower ? triangle.order - j : j + 1;
    std::copy_n(from + j * from_ld + first, count, to + j * to_ld + first);
  }
}

}  // namespace

InverseSteps::InverseSteps(Engine& engine, const LapackProblem& p, std::int64_t width,
                           const CpuConfig& cpu)
    : engine_(engine),
      p_(p),
      width_(width),
      cpu_(cpu),
      steps_(engine, p_, cpu),
      diagonal_(static_cast<std::size_t>(width * width) * element_size(p.precision)) {
  if (p.routine == LapackRoutine::getri)
    factor_ = PageBlock(static_cast<std::size_t>(p.n * width) * element_size(p.precision));
  multiply_ = [this](const GemmProblem& product) { steps_.multiply(product); };
}

Interval InverseSteps::block_at(std::int64_t first, std::int64_t end) const {
  return between(first, std::min(first + width_, end));
}

// The triangle is worked through line by line: by columns if it is upper, by rows if it is lower.
Block InverseSteps::place(Interval lines, Interval others) const {
  if (is_lower()) return {lines.first, others.first, lines.count, others.count};
  return {others.first, lines.first, others.count, lines.count};
}

// For a triangle that ends at `end`: the product that updates what is behind the block, in the
// lines before it.
GemmProblem InverseSteps::update(Interval block, std::int64_t end) const {
  const Interval before = between(0, block.first), rest = between(end_of(block), end);
  const Block c = place(rest, before), solved = place(block, before), row = place(rest, block);
  return is_lower() ? steps_.product(c, row, Op::none, solved, Op::none)
                    : steps_.product(c, solved, Op::none, row, Op::none);
}

GemmProblem InverseSteps::solved_part(Interval block) const {
  const std::int64_t end = end_of(block);
  CallerGemm call;
  call.layout = Layout::column_major;
  GemmProblem& g = call.args;
  g.precision = p_.precision;
  g.m = p_.n;
  g.n = block.count;
  g.k = p_.n - end;
  g.alpha = -1.0;
  g.beta = 1.0;
  g.a = steps_.at(0, end);
  g.b = element_of(factor_.data(), p_.n, end, 0, p_.precision);
  g.c = steps_.at(0, block.first);
  g.lda = g.ldc = p_.lda;
  g.ldb = p_.n;
  return to_row_major(call);
}

GemmProblem InverseSteps::adjoint_part(Interval block) const {
  const Interval before = between(0, block.first), rest = between(end_of(block), p_.n);
  const Op turned = adjoint(p_.precision);
  const Block c = place(block, before), a = place(rest, before), b = place(rest, block);
  GemmProblem product = is_lower() ? steps_.product(c, b, turned, a, Op::none)
                                   : steps_.product(c, a, Op::none, b, turned);
  product.alpha = 1.0;
  return product;
}

std::vector<GemmProblem> InverseSteps::products() const {
  std::vector<GemmProblem> all;
  for (std::int64_t i = width_; i + width_ < p_.n; i += width_)
    all.push_back(update(block_at(i, p_.n), p_.n));
  if (p_.routine == LapackRoutine::getri) {
    for (std::int64_t end = p_.n - width_; end > 0; end -= width_)
      all.push_back(solved_part(between(std::max<std::int64_t>(0, end - width_), end)));
  } else {
    for (std::int64_t i = width_; i + width_ < p_.n; i += width_)
      all.push_back(adjoint_part(block_at(i, p_.n)));
  }
  return all;
}

void InverseSteps::apply(Routine routine, const Factor& factor, Side side, double alpha,
                         const Target& x) const {
  if (x.rows <= 0 || x.columns <= 0) return;
  CallerLevel3 call;
  call.layout = Layout::column_major;
  Level3Problem& s = call.args;
  s.routine = routine;
  s.precision = p_.precision;
  s.side = side;
  s.uplo = factor.uplo;
  s.op = factor.op;
  s.diag = factor.diag;
  s.m = x.rows;
  s.n = x.columns;
  s.alpha = alpha;
  s.a = factor.triangle;
  s.lda = factor.ld;
  s.c = x.first;
  s.ldc = x.ld;
  engine_.cpu().run(to_row_major(call), cpu_);
}

InverseSteps::Target InverseSteps::target(const Block& block) const {
  return {steps_.at(block.row, block.column), p_.lda, block.rows, block.columns};
}

InverseSteps::Factor InverseSteps::diagonal(Interval block, Op op) const {
  return {steps_.at(block.first, block.first), p_.lda, uplo(), Diag::non_unit, op};
}

// Computed from the right, so that V U is close to 1 if it is with LAPACK's order, and likewise U
// V.
void InverseSteps::invert_diagonal(Interval block) const {
  const Target apart{diagonal_.data(), block.count, block.count, block.count};
  with_element_type(p_.precision, [&](auto zero) {
    using T = decltype(zero);
    T* const ones = static_cast<T*>(apart.first);
    std::fill_n(ones, block.count * block.count, T(0));
    for (std::int64_t i = 0; i < block.count; ++i) ones[i * (block.count + 1)] = T(1);
    apply(Routine::trsm, diagonal(block, Op::none), is_lower() ? Side::left : Side::right, 1,
          apart);
    copy_triangle(ones, block.count, static_cast<T*>(steps_.at(block.first, block.first)), p_.lda,
                  {block.count, uplo()});
  });
}

void InverseSteps::square_diagonal(Interval block) const {
  const Target apart{diagonal_.data(), block.count, block.count, block.count};
  with_element_type(p_.precision, [&](auto zero) {
    using T = decltype(zero);
    T* const square = static_cast<T*>(apart.first);
    T* const own = static_cast<T*>(steps_.at(block.first, block.first));
    std::fill_n(square, block.count * block.count, T(0));
    copy_triangle(own, p_.lda, square, block.count, {block.count, uplo()});
    apply(Routine::trmm, diagonal(block, adjoint(p_.precision)),
          is_lower() ? Side::left : Side::right, 1, apart);
    copy_triangle(square, block.count, own, p_.lda, {block.count, uplo()});
    for (std::int64_t i = 0; i < block.count; ++i)
      own[i * (p_.lda + 1)] = T(std::real(own[i * (p_.lda + 1)]));
  });
}

void InverseSteps::add_square(Interval block, Interval rest) const {
  if (rest.count == 0) return;
  CallerLevel3 call;
  call.layout = Layout::column_major;
  Level3Problem& s = call.args;
  s.routine = is_complex(p_.precision) ? Routine::herk : Routine::syrk;
  s.precision = p_.precision;
  s.uplo = uplo();
  s.op = is_lower() ? adjoint(p_.precision) : Op::none;
  s.m = s.n = block.count;
  s.k = rest.count;
  s.beta = 1.0;
  const Block a = place(rest, block);
  s.a = steps_.at(a.row, a.column);
  s.c = steps_.at(block.first, block.first);
  s.lda = s.ldc = p_.lda;
  engine_.cpu().run(to_row_major(call), cpu_);
}

void InverseSteps::invert_triangle(std::int64_t end) {
  for (std::int64_t i = 0; i < end; i += width_) {
    const Interval block = block_at(i, end), before = between(0, i);
    const Interval rest = between(end_of(block), end);
    apply(Routine::trsm, diagonal(block, Op::none), is_lower() ? Side::left : Side::right, 1,
          target(place(block, before)));
    if (i > 0 && rest.count > 0) multiply_(update(block, end));
    invert_diagonal(block);
    apply(Routine::trmm, diagonal(block, Op::none), is_lower() ? Side::right : Side::left, -1,
          target(place(rest, block)));
  }
}

// The inverse gets L's place, where V has zeros.
void InverseSteps::take_factor(Interval block) {
  const std::size_t size = element_size(p_.precision);
  for (std::int64_t j = block.first; j < end_of(block); ++j) {
    const auto bytes = static_cast<std::size_t>(p_.n - j - 1) * size;
    if (bytes == 0) continue;
    void* const below = steps_.at(j + 1, j);
    std::memcpy(element_of(factor_.data(), p_.n, j + 1, j - block.first, p_.precision), below,
                bytes);
    std::memset(below, 0, bytes);
  }
}

void InverseSteps::solve(std::int64_t end) {
  for (; end > 0; end = std::max<std::int64_t>(0, end - width_)) {
    const Interval block = between(std::max<std::int64_t>(0, end - width_), end);
    take_factor(block);
    if (end < p_.n) multiply_(solved_part(block));
    const Factor of_l{element_of(factor_.data(), p_.n, block.first, 0, p_.precision), p_.n,
                      Uplo::lower, Diag::unit, Op::none};
    apply(Routine::trsm, of_l, Side::right, 1, target({0, block.first, p_.n, block.count}));
  }
}

void InverseSteps::multiply_by_adjoint() {
  for (std::int64_t i = 0; i < p_.n; i += width_) {
    const Interval block = block_at(i, p_.n), before = between(0, i);
    const Interval rest = between(end_of(block), p_.n);
    apply(Routine::trmm, diagonal(block, adjoint(p_.precision)),
          is_lower() ? Side::left : Side::right, 1, target(place(block, before)));
    if (i > 0 && rest.count > 0) multiply_(adjoint_part(block));
    square_diagonal(block);
    add_square(block, rest);
  }
}

void InverseSteps::run() {
  if (p_.routine == LapackRoutine::getri) return run_before(p_.n);
  invert_triangle(p_.n);
  multiply_by_adjoint();
}

void InverseSteps::run_before(std::int64_t end) {
  invert_triangle(end);
  solve(end);
  swap_columns();
}

void InverseSteps::swap_columns() {
  std::unique_ptr<ThreadTeam> team;
  try {
    team = team_for(cpu_, engine_.cpu().limits());
  } catch (const std::bad_alloc&) {
    // One thread does all of it.
  }
  const int threads = team ? team->size() : 1;
  const std::int64_t each = (p_.n + threads - 1) / threads;
  const auto swap = [&](int thread) {
    const std::int64_t first = thread * each, rows = std::min(each, p_.n - first);
    if (rows > 0)
      with_element_type(p_.precision,
                        [&](auto zero) { swap_columns_of<decltype(zero)>(p_, first, rows); });
  };
  if (team)
    team->run(threads, swap);
  else
    swap(0);
}

}  // namespace duoblas
