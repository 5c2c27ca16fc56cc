#include "cli/selftest/guarded_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "cli/text_table.hpp"
#include "os/page_advice.hpp"
#include "problem/op_letter.hpp"
#include "tuner/verify.hpp"

namespace duoblas::cli::selftest {
namespace {

constexpr std::size_t guard_bytes = 256;

// Every bit of the mantissa is in use: with fewer, sums would be exact and show no error.
template <typename Real>
void fill(char* data, std::size_t bytes, std::mt19937_64& random) {
  constexpr int digits = std::numeric_limits<Real>::digits;
  constexpr auto half = std::int64_t{1} << (digits - 1);
  auto* values = reinterpret_cast<Real*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(Real); ++i) {
    const auto whole = static_cast<std::int64_t>(random() >> (64 - digits));
    values[i] = static_cast<Real>(whole - half) / static_cast<Real>(half);
  }
}

void fill(Precision precision, char* data, std::size_t bytes, std::mt19937_64& random) {
  if (is_double(precision))
    fill<double>(data, bytes, random);
  else
    fill<float>(data, bytes, random);
}

void fill_nan(Precision precision, char* data, std::size_t bytes) {
  if (is_double(precision))
    std::fill_n(reinterpret_cast<double*>(data), bytes / sizeof(double),
                std::numeric_limits<double>::quiet_NaN());
  else
    std::fill_n(reinterpret_cast<float*>(data), bytes / sizeof(float),
                std::numeric_limits<float>::quiet_NaN());
}

std::size_t matrix_bytes(Precision precision, std::int64_t rows, std::int64_t ld) {
  return static_cast<std::size_t>(rows * ld) * element_size(precision);
}

}  // namespace

std::string describe(const ProductCase& product) {
  std::string text = std::string(1, letter(product.op_a)) + letter(product.op_b) + " " +
                     std::to_string(product.m) + "x" + std::to_string(product.n) + "x" +
                     std::to_string(product.k);
  if (product.padding > 0) text += ", padded";
  if (product.offset > 0) text += ", offset";
  if (product.beta == std::complex<double>(0.0)) text += ", C NaN and beta 0";
  return text;
}

std::string ProductResult::text() const {
  std::string text;
  if (!(error < 1))
    text = std::isfinite(error) ? "error of " + significant(error, 3) + " roundoffs"
                                : "result that is not finite";
  if (!rest_intact)
    text += std::string(text.empty() ? "" : ", and ") + "memory outside of C was written";
  return text;
}

void ProductTally::add(const ProductResult& result, const std::string& what) {
  ++products_;
  largest_ = std::max(largest_, result.error);
  if (!result.right() && wrong_++ == 0) first_wrong_ = what + ": " + result.text();
}

Finding ProductTally::finding() const {
  return {
      wrong_ > 0 ? Found::wrong : Found::ok,
      first_wrong_,
      {{"products", products_}, {"wrong", wrong_}, {"largest_error", number_or_null(largest_)}}};
}

GuardedProduct::GuardedProduct(const ProductCase& product, unsigned seed) {
  GemmProblem& p = problem_;
  p.precision = product.precision;
  p.op_a = product.op_a;
  p.op_b = product.op_b;
  p.m = product.m;
  p.n = product.n;
  p.k = product.k;
  p.alpha = product.alpha;
  p.beta = product.beta;
  p.lda = stored_cols_a(p) + product.padding;
  p.ldb = stored_cols_b(p) + product.padding;
  p.ldc = p.n + product.padding;
  const std::size_t offset = static_cast<std::size_t>(product.offset) * element_size(p.precision);
  std::mt19937_64 random(seed);
  const auto input = [&](std::int64_t rows, std::int64_t ld) {
    const std::size_t bytes = matrix_bytes(p.precision, rows, ld);
    std::vector<char> values(offset + bytes);
    fill(p.precision, values.data() + offset, bytes, random);
    return make_block(product.memory, values);
  };
  a_ = input(stored_rows_a(p), p.lda);
  b_ = input(stored_rows_b(p), p.ldb);
  p.a = a_.get() + offset;
  p.b = b_.get() + offset;

  // A page's worth before C where it begins a page, so that what is before it is watched too.
  const std::size_t lead = product.memory == MemoryKind::heap ? guard_bytes : page_bytes();
  c_at_ = lead + offset;
  const std::size_t c_bytes = matrix_bytes(p.precision, p.m, p.ldc);
  before_.assign(c_at_ + c_bytes + guard_bytes, '\x5a');
  fill(p.precision, before_.data() + c_at_, c_bytes, random);
  if (p.overwrites_c()) {
    for (std::int64_t row = 0; row < p.m; ++row)
      fill_nan(p.precision, before_.data() + c_at_ + matrix_bytes(p.precision, row, p.ldc),
               matrix_bytes(p.precision, 1, p.n));
  }
  c_ = make_block(writable(product.memory), before_);
  p.c = c_.get() + c_at_;
}

void GuardedProduct::reset() {
  std::memcpy(c_.get(), before_.data(), before_.size());
}

ProductResult GuardedProduct::check() const {
  const GemmProblem& p = problem_;
  ProductResult result;
  const void* old_c = before_.data() + c_at_;
  result.error = scaled_error(p, old_c, rows_to_verify(p, p.m / 2, 1));
  // Without the elements of C, the block must be what it was.
  std::vector<char> now(c_.get(), c_.get() + before_.size());
  for (std::int64_t row = 0; row < p.m; ++row) {
    const std::size_t at = c_at_ + matrix_bytes(p.precision, row, p.ldc);
    std::memcpy(now.data() + at, before_.data() + at, matrix_bytes(p.precision, 1, p.n));
  }
  result.rest_intact = std::memcmp(now.data(), before_.data(), now.size()) == 0;
  return result;
}

std::vector<ProductCase> edge_cases(Precision precision, Op op_a, Op op_b) {
  const bool complex = is_complex(precision);
  ProductCase uneven{precision, op_a, op_b, 149, 275, 67};
  uneven.alpha = {-0.7, complex ? 0.3 : 0.0};
  uneven.beta = {1.3, complex ? -0.4 : 0.0};
  uneven.padding = 3;
  uneven.offset = 1;
  ProductCase whole{precision, op_a, op_b, 192, 128, 64};
  ProductCase tiny{precision, op_a, op_b, 5, 3, 7};
  tiny.padding = 1;
  ProductCase thin{precision, op_a, op_b, 17, 1, 33};
  thin.alpha = 2.0;
  thin.beta = -1.0;
  return {uneven, whole, tiny, thin};
}

std::vector<std::pair<Op, Op>> all_ops(Precision precision) {
  std::vector<std::pair<Op, Op>> pairs;
  for (const Op a : {Op::none, Op::transpose, Op::conj_transpose})
    for (const Op b : {Op::none, Op::transpose, Op::conj_transpose})
      if (is_complex(precision) || (a != Op::conj_transpose && b != Op::conj_transpose))
        pairs.emplace_back(a, b);
  return pairs;
}

}  // namespace duoblas::cli::selftest
