#include "tuner/measured_problem.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <random>

#include "os/page_block.hpp"

namespace duoblas {
namespace {

// Uniform in [-1, 1) with every bit of the mantissa in use: with fewer, sums would be exact and
// show no error. std::uniform_real_distribution may differ between libraries.
template <typename Real>
Real random_value(std::mt19937_64& random) {
  constexpr int bits = std::numeric_limits<Real>::digits;
  const auto whole = static_cast<std::int64_t>(random() >> (64 - bits));
  constexpr auto half = std::int64_t{1} << (bits - 1);
  return static_cast<Real>(whole - half) / static_cast<Real>(half);
}

template <typename Real>
void fill_random(void* data, std::size_t bytes, std::mt19937_64& random) {
  auto* values = static_cast<Real*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(Real); ++i) values[i] = random_value<Real>(random);
}

void fill(Precision precision, void* data, std::size_t bytes, std::mt19937_64& random) {
  if (is_double(precision))
    fill_random<double>(data, bytes, random);
  else
    fill_random<float>(data, bytes, random);
}

template <typename Real>
void fill_nan(void* data, std::size_t bytes) {
  auto* values = static_cast<Real*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(Real); ++i)
    values[i] = std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace

void MeasuredProblem::Free::operator()(void* memory) const noexcept {
  std::free(memory);
}

MeasuredProblem::Memory MeasuredProblem::allocate(std::size_t bytes) {
  Memory memory(allocate_pages(bytes));
  if (!memory && bytes != 0) throw std::bad_alloc();
  return memory;
}

MeasuredProblem::MeasuredProblem(CallerGemm call, unsigned seed, std::int64_t padding) {
  GemmProblem& p = call.args;
  const bool by_rows = call.layout == Layout::row_major;
  const auto lines = [&](std::int64_t rows, std::int64_t cols) { return by_rows ? rows : cols; };
  const auto bytes = [&](std::int64_t rows, std::int64_t cols, std::int64_t ld) {
    return static_cast<std::size_t>(lines(rows, cols) * ld) * element_size(p.precision);
  };
  const auto leading = [&](std::int64_t rows, std::int64_t cols) {
    return std::max<std::int64_t>(1, by_rows ? cols : rows) + padding;
  };
  p.lda = leading(stored_rows_a(p), stored_cols_a(p));
  p.ldb = leading(stored_rows_b(p), stored_cols_b(p));
  p.ldc = leading(p.m, p.n);
  const std::size_t a_bytes = bytes(stored_rows_a(p), stored_cols_a(p), p.lda);
  const std::size_t b_bytes = bytes(stored_rows_b(p), stored_cols_b(p), p.ldb);
  c_bytes_ = bytes(p.m, p.n, p.ldc);
  a_ = allocate(a_bytes);
  b_ = allocate(b_bytes);
  c_ = allocate(c_bytes_);
  std::mt19937_64 random(seed);
  fill(p.precision, a_.get(), a_bytes, random);
  fill(p.precision, b_.get(), b_bytes, random);
  fill(p.precision, c_.get(), c_bytes_, random);
  if (!p.overwrites_c()) {
    old_c_ = allocate(c_bytes_);
    std::memcpy(old_c_.get(), c_.get(), c_bytes_);
  }
  p.a = a_.get();
  p.b = b_.get();
  p.c = c_.get();
  problem_ = to_row_major(call);
}

void MeasuredProblem::poison_c() {
  if (is_double(problem_.precision))
    fill_nan<double>(c_.get(), c_bytes_);
  else
    fill_nan<float>(c_.get(), c_bytes_);
}

void MeasuredProblem::restore_c() {
  if (old_c_) std::memcpy(c_.get(), old_c_.get(), c_bytes_);
}

CallerGemm row_major_call(Precision precision, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                          std::int64_t k) {
  CallerGemm call;
  call.args.precision = precision;
  call.args.op_a = op_a;
  call.args.op_b = op_b;
  call.args.m = m;
  call.args.n = n;
  call.args.k = k;
  return call;
}

}  // namespace duoblas
