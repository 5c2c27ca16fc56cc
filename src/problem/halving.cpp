#include "problem/halving.hpp"

#include <complex>
#include <utility>

namespace duoblas {
namespace {

/// A row-major block in memory.
struct Block {
  const void* data;
  std::int64_t ld;
  std::int64_t rows;
  std::int64_t cols;
};

struct Pair {
  Block first;
  Block second;
};

Pair rows_at(const Block& x, std::int64_t at, Precision precision) {
  return {{x.data, x.ld, at, x.cols},
          {advanced(x.data, at * x.ld, precision), x.ld, x.rows - at, x.cols}};
}
Pair columns_at(const Block& x, std::int64_t at, Precision precision) {
  return {{x.data, x.ld, x.rows, at}, {advanced(x.data, at, precision), x.ld, x.rows, x.cols - at}};
}

Block block_of(const void* data, std::int64_t ld, StoredShape shape) {
  return {data, ld, shape.rows, shape.cols};
}

/// The transposed op of the mirrored triangle, and of the second factor of syrk.
Op mirror(const Level3Problem& p) {
  return is_hermitian(p.routine) ? Op::conj_transpose : Op::transpose;
}

struct Factor {
  Block block;
  Op op = Op::none;
};

GemmProblem product(const Level3Problem& p, std::complex<double> alpha, const Factor& x,
                    const Factor& y, std::complex<double> beta, const Block& c) {
  GemmProblem g;
  g.precision = p.precision;
  g.op_a = x.op;
  g.op_b = y.op;
  g.m = c.rows;
  g.n = c.cols;
  g.k = x.op == Op::none ? x.block.cols : x.block.rows;
  g.alpha = alpha;
  g.a = x.block.data;
  g.lda = x.block.ld;
  g.b = y.block.data;
  g.ldb = y.block.ld;
  g.beta = beta;
  g.c = const_cast<void*>(c.data);
  g.ldc = c.ld;
  return g;
}

/// A square matrix of which one triangle is stored, as its diagonal blocks and the full one.
struct Triangle {
  Block first;
  Block second;
  Block full;  ///< first.rows x second.rows in the upper triangle, else second.rows x first.rows
};

Triangle triangle_at(const Block& x, Uplo uplo, std::int64_t at, Precision precision) {
  const auto [top, bottom] = rows_at(x, at, precision);
  const auto [top_left, top_right] = columns_at(top, at, precision);
  const auto [bottom_left, bottom_right] = columns_at(bottom, at, precision);
  return {top_left, bottom_right, uplo == Uplo::upper ? top_right : bottom_left};
}

/// The two parts of C that belong to the halves of a triangular or symmetric A.
Pair parts_of(const Block& x, Side side, std::int64_t at, Precision precision) {
  return side == Side::left ? rows_at(x, at, precision) : columns_at(x, at, precision);
}

/// The smaller call on a diagonal block of A (or of C) and the parts that belong to it.
Level3Problem on_part(const Level3Problem& p, const Block& a, const void* b, const Block& c) {
  Level3Problem part = p;
  part.a = a.data;
  part.b = b;
  part.m = c.rows;
  part.n = c.cols;
  part.c = const_cast<void*>(c.data);
  return part;
}

GemmProblem beside(const Level3Problem& p, std::complex<double> alpha, const Factor& of_a,
                   const Block& x, std::complex<double> beta, const Block& c) {
  const Factor other{x, Op::none};
  return p.side == Side::left ? product(p, alpha, of_a, other, beta, c)
                              : product(p, alpha, other, of_a, beta, c);
}

Steps halved_symm(const Level3Problem& p, std::int64_t at) {
  const auto a = triangle_at(block_of(p.a, p.lda, stored_a(p)), p.uplo, at, p.precision);
  const auto b = parts_of(block_of(p.b, p.ldb, stored_b(p)), p.side, at, p.precision);
  const auto c = parts_of(block_of(p.c, p.ldc, stored_c(p)), p.side, at, p.precision);
  // From the left, the upper full block multiplies the second part of B into the first part of C,
  // and its mirror image the first into the second. From the right it is the other way round.
  const Factor as_stored{a.full, Op::none};
  const Factor mirrored{a.full, mirror(p)};
  const bool stored_first = (p.uplo == Uplo::upper) == (p.side == Side::left);
  Steps steps;
  steps.add(beside(p, p.alpha, stored_first ? as_stored : mirrored, b.second, p.beta, c.first));
  steps.add(beside(p, p.alpha, stored_first ? mirrored : as_stored, b.first, p.beta, c.second));
  Level3Problem rest = p;
  rest.beta = 1.0;
  steps.add(on_part(rest, a.first, b.first.data, c.first));
  steps.add(on_part(rest, a.second, b.second.data, c.second));
  return steps;
}

Steps halved_syrk(const Level3Problem& p, std::int64_t at) {
  const bool by_rows = p.op == Op::none;
  const auto split = [&](const void* data, std::int64_t ld) {
    const Block x = block_of(data, ld, stored_a(p));
    return by_rows ? rows_at(x, at, p.precision) : columns_at(x, at, p.precision);
  };
  const auto c = triangle_at(block_of(p.c, p.ldc, stored_c(p)), p.uplo, at, p.precision);
  const Pair a = split(p.a, p.lda);
  const Pair b = has_b(p.routine) ? split(p.b, p.ldb) : a;
  const auto add_product = [&](Steps& steps, std::complex<double> alpha, Pair x, Pair y,
                               std::complex<double> beta) {
    if (p.uplo == Uplo::lower) {
      std::swap(x.first, x.second);
      std::swap(y.first, y.second);
    }
    steps.add(product(p, alpha, {x.first, by_rows ? Op::none : mirror(p)},
                      {y.second, by_rows ? mirror(p) : Op::none}, beta, c.full));
  };
  Steps steps;
  add_product(steps, p.alpha, a, b, p.beta);
  if (is_rank_2k(p.routine))
    add_product(steps, is_hermitian(p.routine) ? std::conj(p.alpha) : p.alpha, b, a, 1.0);
  steps.add(on_part(p, a.first, b.first.data, c.first));
  steps.add(on_part(p, a.second, b.second.data, c.second));
  return steps;
}

Steps halved_in_place(const Level3Problem& p, std::int64_t at) {
  const auto a = triangle_at(block_of(p.a, p.lda, stored_a(p)), p.uplo, at, p.precision);
  auto c = parts_of(block_of(p.c, p.ldc, stored_c(p)), p.side, at, p.precision);
  const bool upper = (p.uplo == Uplo::upper) == (p.op == Op::none);  // that is, op(A)
  // The full block multiplies `source` into `target`.
  const bool to_first = upper == (p.side == Side::left);
  const Level3Problem first = on_part(p, a.first, nullptr, c.first);
  const Level3Problem second = on_part(p, a.second, nullptr, c.second);
  const auto& [target, source] = to_first ? std::pair(first, second) : std::pair(second, first);
  const Block& to = to_first ? c.first : c.second;
  const Block& from = to_first ? c.second : c.first;
  const Factor full{a.full, p.op};
  Steps steps;
  if (p.routine == Routine::trmm) {  // while the source still has its old values
    steps.add(target);
    steps.add(beside(p, p.alpha, full, from, 1.0, to));
    steps.add(source);
  } else {  // once the source is solved
    steps.add(source);
    steps.add(beside(p, -1.0, full, from, p.alpha, to));
    Level3Problem rest = target;
    rest.alpha = 1.0;
    steps.add(rest);
  }
  return steps;
}

}  // namespace

Steps halved(const Level3Problem& p, std::int64_t at) {
  if (updates_triangle(p.routine)) return halved_syrk(p, at);
  return is_in_place(p.routine) ? halved_in_place(p, at) : halved_symm(p, at);
}

Steps split_free_extent(const Level3Problem& p, std::int64_t at) {
  Level3Problem first = p, second = p;
  const auto move = [&](const void* data, std::int64_t ld, bool down) {
    return advanced(data, down ? at * ld : at, p.precision);
  };
  if (updates_triangle(p.routine)) {
    const bool down = p.op != Op::none;
    first.k = at;
    second.k = p.k - at;
    second.a = move(p.a, p.lda, down);
    second.b = move(p.b, p.ldb, down);
    second.beta = 1.0;
  } else {
    const bool down = p.side == Side::right;
    (down ? first.m : first.n) = at;
    (down ? second.m : second.n) -= at;
    second.b = move(p.b, p.ldb, down);
    second.c = const_cast<void*>(move(p.c, p.ldc, down));
  }
  Steps steps;
  steps.add(first);
  steps.add(second);
  return steps;
}

std::int64_t halfway(std::int64_t order) {
  const std::int64_t half = (order + 1) / 2;
  for (const std::int64_t multiple : {128, 32, 8})
    if (order >= 8 * multiple) return (half + multiple - 1) / multiple * multiple;
  return order > 2 ? half : 1;
}

double largest_product_share(Routine routine) {
  const bool two_products = !is_in_place(routine) && has_b(routine);
  return two_products ? 0.25 : 0.5;
}

}  // namespace duoblas
