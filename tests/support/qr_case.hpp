// Matrices for QR, and the errors of their factors by the measures of LAPACK's own tests, which
// allow 30 (LAPACK Working Note 41).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/lapack_case.hpp"

namespace duoblas::test {

/// A (m x n) and its factors by geqrf.
template <typename T>
struct Orthogonal {
  Orthogonal(std::int64_t rows, std::int64_t columns, std::int64_t pad, std::uint64_t seed)
      : a(columns, rows, pad, 1),
        factors(a),
        tau(static_cast<std::size_t>(std::min(rows, columns)) + 1, T(-77)) {
    a.randomise(seed);
    factors = a;
  }
  std::int64_t rows() const { return a.length(); }
  std::int64_t columns() const { return a.lines(); }
  std::int64_t reflectors() const { return std::min(rows(), columns()); }

  LapackProblem problem(LapackRoutine routine = LapackRoutine::geqrf) {
    LapackProblem p;
    p.routine = routine;
    p.precision = precision_of<T>;
    p.m = rows();
    p.n = columns();
    p.a = factors.data();
    p.lda = factors.ld();
    p.tau = tau.data();
    return p;
  }

  Columns<T> a, factors;
  std::vector<T> tau;  ///< and one more, which must stay unwritten
};

/// c = Q c, or Q^H c, one reflector after another.
template <typename T>
void reflect(const Orthogonal<T>& q, bool turned, Columns<InDoubles<T>>& c) {
  using W = InDoubles<T>;
  const std::int64_t count = q.reflectors();
  for (std::int64_t step = 0; step < count; ++step) {
    const std::int64_t k = turned ? step : count - 1 - step;
    const auto v = [&](std::int64_t i) { return i == k ? W(1) : W(q.factors.at(k, i)); };
    for (std::int64_t j = 0; j < c.lines(); ++j) {
      W sum = 0;
      for (std::int64_t i = k; i < q.rows(); ++i) sum += conj_of(v(i)) * c.at(j, i);
      const W tau(q.tau[static_cast<std::size_t>(k)]);
      sum *= turned ? conj_of(tau) : tau;
      for (std::int64_t i = k; i < q.rows(); ++i) c.at(j, i) -= sum * v(i);
    }
  }
}

/// ||A - Q R|| / (m ||A|| eps)
template <typename T>
double qr_error(const Orthogonal<T>& q) {
  using W = InDoubles<T>;
  Columns<W> r(q.columns(), q.rows());
  for (std::int64_t j = 0; j < q.columns(); ++j)
    for (std::int64_t i = 0; i < q.rows(); ++i) r.at(j, i) = i <= j ? W(q.factors.at(j, i)) : W(0);
  reflect(q, false, r);
  const auto of_a = [&](auto i, auto j) { return W(q.a.at(j, i)); };
  return scaled<T>(
      norm(q.rows(), q.columns(), [&](auto i, auto j) { return r.at(j, i) - of_a(i, j); }),
      std::max(q.rows(), q.columns()), norm(q.rows(), q.columns(), of_a));
}

/// ||X - Y|| / (rows ||Y|| eps)
template <typename T, typename U>
double difference(const Columns<T>& x, const Columns<U>& y) {
  const auto of = [](const auto& matrix) {
    return [&](auto i, auto j) { return InDoubles<T>(matrix.at(j, i)); };
  };
  const double of_y = norm(y.length(), y.lines(), of(y));
  return scaled<T>(
      norm(y.length(), y.lines(), [&](auto i, auto j) { return of(x)(i, j) - of(y)(i, j); }),
      y.length(), of_y);
}

/// geqrf by the CPU BLAS's LAPACK.
template <typename T>
Orthogonal<T> factorised(Engine& engine, std::int64_t rows, std::int64_t columns, std::int64_t pad,
                         std::uint64_t seed) {
  Orthogonal<T> q(rows, columns, pad, seed);
  engine.cpu().run(q.problem(), engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
  return q;
}

}  // namespace duoblas::test
