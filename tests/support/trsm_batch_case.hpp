// Many trsm in one call as a test case: made from factors, run, each solve checked.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <duoblas/context.hpp>

#include "support/level3_case.hpp"

namespace duoblas::test {

enum class TrsmForm { strided, pointers, grouped };
inline constexpr TrsmForm trsm_forms[] = {TrsmForm::strided, TrsmForm::pointers, TrsmForm::grouped};

struct TrsmBatchFactors {
  Level3Factors one;  ///< a trsm
  std::int64_t count = 1;
  std::int64_t gap = 0;   ///< elements between matrices
  bool shuffled = false;  ///< matrices lie in another order than they are solved in
  bool shared_a = false;  ///< one A for all
};

/// What a front is given; `places` also where the matrices are at equal distances.
template <typename T>
struct TrsmBatchCall {
  Layout layout;
  Side side;
  Uplo uplo;
  Op op;
  Diag diag;
  std::int64_t m, n;
  T alpha;
  const T* a;
  std::int64_t lda, stride_a;
  T* b;
  std::int64_t ldb, stride_b;
  std::vector<const T*> a_places;
  std::vector<T*> b_places;
  std::int64_t count;
};

template <typename T>
using TrsmBatchFront = std::function<void(const TrsmBatchCall<T>&)>;

/// Matrices in one piece of memory, at equal distances, with values around and between them that a
/// solve must not change.
template <typename T>
struct MatricesInARow {
  std::vector<T> memory;
  std::int64_t stride = 0;

  MatricesInARow(const TestMatrix<T>& like, std::int64_t count, std::int64_t gap)
      : memory(static_cast<std::size_t>(gap + count * (like.lines() * like.ld() + gap)),
               nan_value<T>()),
        stride(like.lines() * like.ld() + gap),
        first_(gap) {}
  T* at(std::int64_t number) { return memory.data() + first_ + number * stride; }
  void put(std::int64_t number, const TestMatrix<T>& matrix) {
    for (std::int64_t line = 0; line < matrix.lines(); ++line)
      std::copy_n(&matrix.at(line, 0), matrix.length(), at(number) + line * matrix.ld());
  }
  void get(std::int64_t number, TestMatrix<T>& matrix) {
    for (std::int64_t line = 0; line < matrix.lines(); ++line)
      std::copy_n(at(number) + line * matrix.ld(), matrix.length(), &matrix.at(line, 0));
  }
  bool operator==(const MatricesInARow& other) const {
    return memory.empty() ||
           std::memcmp(memory.data(), other.memory.data(), memory.size() * sizeof(T)) == 0;
  }

 private:
  std::int64_t first_;
};

/// Makes the operands, runs the front, and expects of each solve what expect_right() does.
/// `change`, if given, changes the matrices of a solve first.
template <typename T>
void expect_trsm_batch_right(const TrsmBatchFactors& f, const TrsmBatchFront<T>& front,
                             const std::function<void(Level3Matrices<T>&)>& change = {}) {
  Level3Factors one = f.one;
  one.routine = Routine::trsm;
  SCOPED_TRACE(text(one) + " count=" + std::to_string(f.count) + " gap=" + std::to_string(f.gap) +
               (f.shuffled ? " shuffled" : "") + (f.shared_a ? " shared" : ""));
  std::vector<Level3Matrices<T>> solves;
  std::vector<Level3Reference<T>> references;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(f.count, 1); ++i) {
    one.seed += 7;
    solves.emplace_back(one);
    if (f.shared_a && i > 0) solves.back().a = solves.front().a;
    if (change) change(solves.back());
  }
  for (Level3Matrices<T>& matrices : solves) references.emplace_back(matrices.call(one));
  MatricesInARow<T> a(solves.front().a, f.count, f.gap), b(solves.front().c, f.count, f.gap);
  std::vector<std::int64_t> order(static_cast<std::size_t>(f.count));
  std::iota(order.begin(), order.end(), 0);
  if (f.shuffled) std::shuffle(order.begin(), order.end(), std::mt19937_64(f.count));
  const CallerLevel3 call = solves.front().call(one);
  const Level3Problem& p = call.args;
  TrsmBatchCall<T> given{call.layout,
                         p.side,
                         p.uplo,
                         p.op,
                         p.diag,
                         p.m,
                         p.n,
                         T(),
                         a.at(0),
                         p.lda,
                         f.shared_a ? 0 : a.stride,
                         b.at(0),
                         p.ldc,
                         b.stride,
                         {},
                         {},
                         f.count};
  if constexpr (is_complex_type<T>)
    given.alpha = T(p.alpha);
  else
    given.alpha = static_cast<T>(p.alpha.real());
  for (std::int64_t i = 0; i < f.count; ++i) {
    const std::int64_t at = order[static_cast<std::size_t>(i)];
    Level3Matrices<T>& matrices = solves[static_cast<std::size_t>(i)];
    a.put(at, matrices.a);
    b.put(at, matrices.c);
    given.a_places.push_back(a.at(f.shared_a ? order.front() : at));
    given.b_places.push_back(b.at(at));
  }
  const MatricesInARow<T> old_a = a;
  MatricesInARow<T> expected = b;
  front(given);

  EXPECT_TRUE(a == old_a) << "A was changed";
  for (std::int64_t i = 0; i < f.count; ++i) {
    const std::int64_t at = order[static_cast<std::size_t>(i)];
    Level3Matrices<T>& matrices = solves[static_cast<std::size_t>(i)];
    b.get(at, matrices.c);
    expected.put(at, matrices.c);
    EXPECT_LT(references[static_cast<std::size_t>(i)].scaled_error(), 1.0) << "solve " << i;
  }
  EXPECT_TRUE(b == expected) << "written outside B";
}

/// Through the C++ interface. Groups are of 3 solves, none, 1 and all others.
template <typename T>
void solve_batch(Context& context, const TrsmBatchCall<T>& c, TrsmForm form) {
  if (form == TrsmForm::strided)
    return context.trsm_strided_batched<T>(c.layout, c.side, c.uplo, c.op, c.diag, c.m, c.n,
                                           c.alpha, c.a, c.lda, c.stride_a, c.b, c.ldb, c.stride_b,
                                           c.count);
  if (form == TrsmForm::pointers)
    return context.trsm_batched<T>(c.layout, c.side, c.uplo, c.op, c.diag, c.m, c.n, c.alpha,
                                   c.a_places.data(), c.lda, c.b_places.data(), c.ldb, c.count);
  std::vector<TrsmGroup<T>> groups;
  std::int64_t first = 0;
  for (const std::int64_t wanted : {std::int64_t{3}, std::int64_t{0}, std::int64_t{1}, c.count}) {
    const std::int64_t count = std::min(wanted, c.count - first);
    groups.push_back({c.side, c.uplo, c.op, c.diag, c.m, c.n, c.alpha, c.a_places.data() + first,
                      c.lda, c.b_places.data() + first, c.ldb, count});
    first += count;
  }
  context.trsm_grouped<T>(c.layout, groups);
}

}  // namespace duoblas::test
