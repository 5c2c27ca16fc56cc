// Many products as a test case: made from factors, run through any front, each checked whole.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <sstream>
#include <vector>

#include "support/gemm_case.hpp"

namespace duoblas::test {

/// The matrices of one operand in one block of memory. All that is no matrix is a guard.
template <typename T>
class MatrixSeries {
 public:
  /// `gap`: elements between a matrix's last one and the next one's first; negative: the next line.
  MatrixSeries(std::int64_t lines, std::int64_t length, const CaseFactors& f, std::int64_t count,
               std::int64_t gap)
      : lines_(lines), length_(length), ld_(std::max<std::int64_t>(1, length + f.pad)) {
    const std::int64_t extent = lines * length == 0 ? 0 : (lines - 1) * ld_ + length;
    stride_ = gap < 0 ? lines * ld_ : extent + gap;
    count_ = count;
    memory_.assign(static_cast<std::size_t>(std::max<std::int64_t>(count, 1) * stride_ + ld_ +
                                            f.offset + 2 * margin),
                   guard());
    start_ = margin + static_cast<std::size_t>(f.offset);
  }

  T* at(std::int64_t i) { return memory_.data() + start_ + i * stride_; }
  const T* at(std::int64_t i) const { return memory_.data() + start_ + i * stride_; }
  std::int64_t ld() const { return ld_; }
  std::int64_t stride() const { return stride_; }
  const std::vector<T>& memory() const { return memory_; }

  template <typename Make>
  void fill(std::int64_t i, Make&& make) {
    for (std::int64_t line = 0; line < lines_; ++line)
      for (std::int64_t e = 0; e < length_; ++e) at(i)[line * ld_ + e] = make();
  }

  bool guards_untouched() const {
    std::vector<char> inside(memory_.size(), 0);
    for (std::int64_t i = 0; i < count_; ++i)
      for (std::int64_t line = 0; line < lines_; ++line)
        for (std::int64_t e = 0; e < length_; ++e)
          inside[start_ + static_cast<std::size_t>(i * stride_ + line * ld_ + e)] = 1;
    const T expected = guard();
    for (std::size_t at = 0; at < memory_.size(); ++at)
      if (!inside[at] && std::memcmp(&memory_[at], &expected, sizeof(T)) != 0) return false;
    return true;
  }

 private:
  static constexpr std::size_t margin = 16;
  static T guard() { return T(Real<T>(-987654.25)); }

  std::int64_t lines_, length_, ld_, stride_ = 0, count_ = 0;
  std::size_t start_ = 0;
  std::vector<T> memory_;
};

struct BatchFactors {
  CaseFactors one;
  std::int64_t count = 1;
  std::int64_t gap = -1;     ///< of every operand; negative: the next line
  bool shuffled = false;     ///< products take their matrices in another order than that in memory
  bool shared_a = false;     ///< all products have the first A
  std::int64_t nan_at = -1;  ///< the product with NaN in its A; -1: none
};

/// A batch as it is given to a front. The order of products is that of `order`.
template <typename T>
struct BatchCall {
  Call<T> shape;  ///< its pointers are the first product's
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0, ldc = 0;
  T* c = nullptr;
  std::int64_t count = 0;
  std::vector<const T*> a_places, b_places;
  std::vector<T*> c_places;
};

template <typename T>
using BatchFront = std::function<void(const BatchCall<T>&)>;

inline std::string text(const BatchFactors& f) {
  std::ostringstream out;
  out << text(f.one) << " count=" << f.count << " gap=" << f.gap << " shuffled=" << f.shuffled
      << " shared_a=" << f.shared_a;
  return out.str();
}

/// The matrices of a batch, in the caller's storage: random numbers, and NaN in what must not be
/// read and in the A that the factors name.
template <typename T>
struct BatchMatrices {
  BatchMatrices(const BatchFactors& f, std::mt19937_64& engine)
      : a(stored(f, f.one.op_a, f.one.m, f.one.k)),
        b(stored(f, f.one.op_b, f.one.k, f.one.n)),
        c(stored(f, Op::none, f.one.m, f.one.n)) {
    const auto fill = [&engine](MatrixSeries<T>& series, std::int64_t i, bool is_read) {
      if (is_read)
        series.fill(i, [&] { return random_value<T>(engine); });
      else
        series.fill(i, nan_value<T>);
    };
    for (std::int64_t i = 0; i < f.count; ++i) {
      fill(a, i, f.one.alpha != 0);
      fill(b, i, f.one.alpha != 0);
      fill(c, i, f.one.beta != 0);
    }
    if (f.nan_at >= 0) a.fill(f.nan_at, nan_value<T>);
  }

  /// \param order in which the products take their matrices.
  BatchCall<T> call(const BatchFactors& f, const std::vector<std::int64_t>& order) {
    const CaseFactors& one = f.one;
    BatchCall<T> call;
    call.shape = {one.layout,
                  one.op_a,
                  one.op_b,
                  one.m,
                  one.n,
                  one.k,
                  T(static_cast<Real<T>>(one.alpha)),
                  a.at(0),
                  a.ld(),
                  b.at(0),
                  b.ld(),
                  T(static_cast<Real<T>>(one.beta))};
    if constexpr (is_complex_type<T>) {
      if (one.alpha != 0 && one.alpha != 1) call.shape.alpha += T(0, Real<T>(0.3));
      if (one.beta != 0 && one.beta != 1) call.shape.beta -= T(0, Real<T>(0.4));
    }
    call.stride_a = f.shared_a ? 0 : a.stride();
    call.stride_b = b.stride();
    call.stride_c = c.stride();
    call.c = c.at(0);
    call.ldc = c.ld();
    call.count = f.count;
    for (const std::int64_t i : order) {
      call.a_places.push_back(a.at(f.shared_a ? 0 : i));
      call.b_places.push_back(b.at(i));
      call.c_places.push_back(c.at(i));
    }
    return call;
  }

  std::vector<Wide<T>> dense_c(const CaseFactors& one, std::int64_t i) const {
    return dense_op(c.at(i), c.ld(), one.layout, Op::none, one.m, one.n);
  }

  MatrixSeries<T> a, b, c;

 private:
  /// Of an operand that is rows x cols once its op is applied.
  static MatrixSeries<T> stored(const BatchFactors& f, Op op, std::int64_t rows,
                                std::int64_t cols) {
    const bool as_op = (op == Op::none) == (f.one.layout == Layout::row_major);
    return MatrixSeries<T>(as_op ? rows : cols, as_op ? cols : rows, f.one, f.count, f.gap);
  }
};

/// Makes the operands, runs the front, and expects of every product what expect_right() does, and
/// NaN where A has it, in that product alone.
template <typename T>
void expect_batch_right(const BatchFactors& f, const BatchFront<T>& front) {
  SCOPED_TRACE(text(f));
  const CaseFactors& one = f.one;
  std::mt19937_64 engine(one.seed);
  BatchMatrices<T> matrices(f, engine);
  std::vector<std::int64_t> order(static_cast<std::size_t>(f.count));
  std::iota(order.begin(), order.end(), 0);
  if (f.shuffled) std::shuffle(order.begin(), order.end(), engine);
  const BatchCall<T> call = matrices.call(f, order);
  std::vector<std::vector<Wide<T>>> c0;
  for (std::int64_t i = 0; i < f.count; ++i) c0.push_back(matrices.dense_c(one, i));
  const std::vector<T> a_before = matrices.a.memory(), b_before = matrices.b.memory();
  front(call);

  for (std::int64_t i = 0; i < f.count; ++i) {
    SCOPED_TRACE("matrix " + std::to_string(i));
    Call<T> product = call.shape;
    product.a = matrices.a.at(f.shared_a ? 0 : i);
    product.b = matrices.b.at(i);
    const double error =
        scaled_error(product, c0[static_cast<std::size_t>(i)], matrices.dense_c(one, i));
    if (i == f.nan_at && one.m * one.n > 0) {
      EXPECT_FALSE(std::isfinite(error));
    } else {
      EXPECT_LT(error, 1.0);
    }
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_TRUE(matrices.c.guards_untouched()) << "written outside C";
  const auto same = [](const std::vector<T>& x, const std::vector<T>& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
  };
  EXPECT_TRUE(same(matrices.a.memory(), a_before)) << "A was changed";
  EXPECT_TRUE(same(matrices.b.memory(), b_before)) << "B was changed";
}

}  // namespace duoblas::test
