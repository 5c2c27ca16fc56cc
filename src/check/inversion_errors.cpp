#include "check/inversion_errors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>

#include "check/check_numbers.hpp"

namespace duoblas {
namespace {

using Square = std::vector<std::complex<double>>;

// Column by column from the diagonal on: D X = 1 by substitution.
Square inverse_of(const Square& d, std::int64_t size, bool lower) {
  Square x(d.size(), 0);
  for (std::int64_t column = 0; column < size; ++column)
    for (std::int64_t i = column; i >= 0 && i < size; i += lower ? 1 : -1) {
      std::complex<double> rest = i == column ? 1 : 0;
      for (std::int64_t j = lower ? column : i + 1; j < (lower ? i : column + 1); ++j)
        rest -= d[index(i * size + j)] * x[index(j * size + column)];
      x[index(i * size + column)] = rest / d[index(i * size + i)];
    }
  return x;
}

std::vector<double> magnitudes_of(const Square& x, double least) {
  std::vector<double> sizes(x.size());
  std::ranges::transform(x, sizes.begin(),
                         [&](std::complex<double> value) { return one_norm(value) + least; });
  return sizes;
}

std::vector<double> product(const std::vector<double>& x, const std::vector<double>& y,
                            std::int64_t size) {
  std::vector<double> z(x.size(), 0);
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t l = 0; l < size; ++l)
      for (std::int64_t j = 0; j < size; ++j)
        z[index(i * size + j)] += x[index(i * size + l)] * y[index(l * size + j)];
  return z;
}

}  // namespace

template <typename R>
InversionErrors::InversionErrors(const ShapedMatrix<R>& triangular,
                                 const std::vector<Interval>& lines, bool from_left, double least,
                                 const CheckThreads& threads)
    : blocks_(lines.size()) {
  const auto make = [&](std::int64_t which) {
    const Interval& of = lines[index(which)];
    Square d(index(of.count * of.count));
    for (std::int64_t i = 0; i < of.count; ++i)
      for (std::int64_t j = 0; j < of.count; ++j)
        d[index(i * of.count + j)] = triangular.at(of.first + i, of.first + j);
    Block& block = blocks_[index(which)];
    block.lines = of;
    block.inverse = magnitudes_of(inverse_of(d, of.count, triangular.is_lower()), least);
    const std::vector<double> sizes = magnitudes_of(d, 0);
    block.growth = from_left ? product(sizes, block.inverse, of.count)
                             : product(block.inverse, sizes, of.count);
  };
  const auto count = static_cast<std::int64_t>(lines.size());
  threads.share(count, 1, triangular.stored.bytes(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) make(i);
  });
}

const InversionErrors::Block* InversionErrors::block_of(std::int64_t line) const {
  const auto holds = [&](const Block& block) {
    return line >= block.lines.first && line < block.lines.first + block.lines.count;
  };
  const auto found = std::ranges::find_if(blocks_, holds);
  return found == blocks_.end() ? nullptr : &*found;
}

void InversionErrors::widen(std::vector<double>& values) const {
  for (const Block& block : blocks_) {
    const auto first = values.begin() + block.lines.first;
    const std::vector<double> before(first, first + block.lines.count);
    for (std::int64_t i = 0; i < block.lines.count; ++i)
      for (std::int64_t j = 0; j < block.lines.count; ++j)
        first[i] += block.growth_at(i, j) * before[index(j)];
  }
}

template InversionErrors::InversionErrors(const ShapedMatrix<float>&, const std::vector<Interval>&,
                                          bool, double, const CheckThreads&);
template InversionErrors::InversionErrors(const ShapedMatrix<double>&, const std::vector<Interval>&,
                                          bool, double, const CheckThreads&);

}  // namespace duoblas
