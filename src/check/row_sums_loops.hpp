// The loops of row_sums.hpp, for the processor that the including file is compiled for. Nothing
// here has a name outside of that file: if a function were shared with other files, the linker
// might take this version, which then runs on processors without these instructions.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "check/row_sums.hpp"

namespace duoblas {
namespace {

template <typename V>
inline V smaller(V x, V y) {
  return y < x ? y : x;
}
template <typename V>
inline V larger(V x, V y) {
  return x < y ? y : x;
}

// Vectors of the processor's own width. GCC 12 splits wider ones badly (AVX2: 2.4 ns per element
// instead of 0.3).
#if defined(__AVX512F__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
// Sums that are independent of each other.
constexpr int chains = 16 / lanes;
// Elements that are added to one set of sums before that is added to the total: rounding errors
// grow with the square root of either number only.
constexpr std::int64_t block = 512;

using Doubles [[gnu::vector_size(lanes * sizeof(double))]] = double;
using DoubleBits [[gnu::vector_size(lanes * sizeof(double))]] = std::int64_t;

template <typename R>
struct Lanes {
  using Bits = std::conditional_t<std::is_same_v<R, float>, std::int32_t, std::int64_t>;
  using BitVector [[gnu::vector_size(lanes * sizeof(R))]] = Bits;
  // A vector in memory: at any address, and beside other views of the same memory.
  using Stored [[gnu::vector_size(lanes * sizeof(R)), gnu::aligned(sizeof(R)), gnu::may_alias]] = R;
  using StoredBits
      [[gnu::vector_size(lanes * sizeof(R)), gnu::aligned(sizeof(R)), gnu::may_alias]] = Bits;
  static constexpr Bits without_sign =
      std::is_same_v<R, float> ? Bits(0x7fffffff) : Bits(0x7fffffffffffffff);
};

// Passed by address: GCC warns that the ABI of vector parameters depends on the processor. (It
// splits a memcpy into halves here.)
template <typename R>
inline void load(const R* from, Doubles& to) {
  to = __builtin_convertvector(*reinterpret_cast<const typename Lanes<R>::Stored*>(from), Doubles);
}
inline void store(const Doubles& from, double* to) {
  *reinterpret_cast<Lanes<double>::Stored*>(to) = from;
}

inline void make_magnitude(Doubles& values) {
  values =
      reinterpret_cast<Doubles>(reinterpret_cast<DoubleBits>(values) & Lanes<double>::without_sign);
}

// The bits of magnitudes sort in the same order as the magnitudes, with NaN at the end.
template <typename R>
inline typename Lanes<R>::Bits magnitude_bits(R value) {
  typename Lanes<R>::Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & Lanes<R>::without_sign;
}

template <typename R>
inline R value_of(typename Lanes<R>::Bits bits) {
  R value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename R>
inline void column_maxima(const R* row, std::int64_t count, R* maxima) {
  using Bits = typename Lanes<R>::BitVector;
  using Stored = typename Lanes<R>::StoredBits;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Bits here = *reinterpret_cast<const Stored*>(row + i) & Lanes<R>::without_sign;
    auto* const known = reinterpret_cast<Stored*>(maxima + i);
    const Bits before = *known;
    *known = here > before ? here : before;
  }
  for (; i < count; ++i)
    maxima[i] = value_of<R>(larger(magnitude_bits(row[i]), magnitude_bits(maxima[i])));
}

template <typename R>
inline R maximum(const R* row, std::int64_t count) {
  using Bits = typename Lanes<R>::BitVector;
  Bits largest = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Bits here =
        *reinterpret_cast<const typename Lanes<R>::StoredBits*>(row + i) & Lanes<R>::without_sign;
    largest = here > largest ? here : largest;
  }
  typename Lanes<R>::Bits of_all = 0;
  for (int lane = 0; lane < lanes; ++lane) of_all = larger(of_all, largest[lane]);
  for (; i < count; ++i) of_all = larger(of_all, magnitude_bits(row[i]));
  return value_of<R>(of_all);
}

template <bool with_magnitude, typename R>
inline RowSum dot(const R* row, const double* weights, std::int64_t count) {
  constexpr int step = chains * lanes;
  Doubles total = {}, total_magnitude = {};
  std::int64_t i = 0;
  while (i + step <= count) {
    Doubles sums[chains] = {}, of_magnitudes[chains] = {};
    const std::int64_t end = smaller(count, i + block);
    for (; i + step <= end; i += step) {
#pragma GCC unroll 4
      for (int chain = 0; chain < chains; ++chain) {
        Doubles products, weight;
        load(row + i + chain * lanes, products);
        load(weights + i + chain * lanes, weight);
        products *= weight;
        sums[chain] += products;
        if constexpr (with_magnitude) {
          make_magnitude(products);
          of_magnitudes[chain] += products;
        }
      }
    }
#pragma GCC unroll 4
    for (int chain = 0; chain < chains; ++chain) {
      total += sums[chain];
      total_magnitude += of_magnitudes[chain];
    }
  }
  RowSum sum;
  for (; i < count; ++i) {
    const double product = static_cast<double>(row[i]) * weights[i];
    sum.places[i % 4] += product;
    if constexpr (with_magnitude) sum.magnitude += product < 0 ? -product : product;
  }
  for (int lane = 0; lane < lanes; ++lane) {
    sum.places[lane % 4] += total[lane];
    sum.magnitude += total_magnitude[lane];
  }
  return sum;
}

template <typename R>
inline TwoRowSums two_dots(const R* row, const double* first, const double* second,
                           const double* magnitudes, std::int64_t count) {
  constexpr int pair = 2;
  constexpr int step = pair * lanes;
  Doubles totals[2] = {}, total_magnitude = {};
  std::int64_t i = 0;
  while (i + step <= count) {
    Doubles firsts[pair] = {}, seconds[pair] = {}, of_magnitudes[pair] = {};
    const std::int64_t end = smaller(count, i + block);
    for (; i + step <= end; i += step) {
#pragma GCC unroll 2
      for (int chain = 0; chain < pair; ++chain) {
        const std::int64_t at = i + chain * lanes;
        Doubles values, weight;
        load(row + at, values);
        load(first + at, weight);
        firsts[chain] += values * weight;
        load(second + at, weight);
        seconds[chain] += values * weight;
        load(magnitudes + at, weight);
        make_magnitude(values);
        of_magnitudes[chain] += values * weight;
      }
    }
    totals[0] += firsts[0] + firsts[1];
    totals[1] += seconds[0] + seconds[1];
    total_magnitude += of_magnitudes[0] + of_magnitudes[1];
  }
  TwoRowSums sum;
  for (; i < count; ++i) {
    const auto value = static_cast<double>(row[i]);
    sum.first += value * first[i];
    sum.second += value * second[i];
    sum.magnitude += (value < 0 ? -value : value) * magnitudes[i];
  }
  for (int lane = 0; lane < lanes; ++lane) {
    sum.first += totals[0][lane];
    sum.second += totals[1][lane];
    sum.magnitude += total_magnitude[lane];
  }
  return sum;
}

template <typename R>
inline void add_rows(const R* const* rows, const double* weights, const double* magnitudes,
                     std::int64_t count, double* sums, double* sums_of_magnitudes) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Doubles sum, of_magnitudes;
    load(sums + i, sum);
    load(sums_of_magnitudes + i, of_magnitudes);
#pragma GCC unroll 4
    for (int r = 0; r < rows_added_at_once; ++r) {
      Doubles values;
      load(rows[r] + i, values);
      sum += values * weights[r];
      make_magnitude(values);
      of_magnitudes += values * magnitudes[r];
    }
    store(sum, sums + i);
    store(of_magnitudes, sums_of_magnitudes + i);
  }
  for (; i < count; ++i) {
    for (int r = 0; r < rows_added_at_once; ++r) {
      const auto value = static_cast<double>(rows[r][i]);
      sums[i] += value * weights[r];
      sums_of_magnitudes[i] += (value < 0 ? -value : value) * magnitudes[r];
    }
  }
}

template <typename R>
inline void add_with_squares(const R* row, double weight, double of_squares, std::int64_t count,
                             double* sums, double* squares) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Doubles values, sum, of_values;
    load(row + i, values);
    load(sums + i, sum);
    load(squares + i, of_values);
    sum += values * weight;
    of_values += values * values * of_squares;
    store(sum, sums + i);
    store(of_values, squares + i);
  }
  for (; i < count; ++i) {
    const auto value = static_cast<double>(row[i]);
    sums[i] += value * weight;
    squares[i] += value * value * of_squares;
  }
}

template <typename R>
inline double dot_of_squares(const R* row, const double* weights, std::int64_t count) {
  constexpr int step = chains * lanes;
  Doubles total = {}, sums[chains] = {};
  std::int64_t i = 0;
  for (; i + step <= count; i += step)
#pragma GCC unroll 4
    for (int chain = 0; chain < chains; ++chain) {
      Doubles values, weight;
      load(row + i + chain * lanes, values);
      load(weights + i + chain * lanes, weight);
      sums[chain] += values * values * weight;
    }
  for (int chain = 0; chain < chains; ++chain) total += sums[chain];
  double sum = 0;
  for (; i < count; ++i)
    sum += static_cast<double>(row[i]) * static_cast<double>(row[i]) * weights[i];
  for (int lane = 0; lane < lanes; ++lane) sum += total[lane];
  return sum;
}

template <typename R>
constexpr RowSums<R> all_sums = {column_maxima<R>,    maximum<R>,       dot<false, R>,
                                 dot<true, R>,        two_dots<R>,      add_rows<R>,
                                 add_with_squares<R>, dot_of_squares<R>};

}  // namespace
}  // namespace duoblas
