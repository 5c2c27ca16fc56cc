// The loops of row_sums.hpp, for the processor that the including file is compiled for. Nothing
// here has a name outside of that file: if a function were shared with other files, the linker
// might take this version, which then runs on processors without these instructions.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "check/row_sums.hpp"

namespace duoblas {
namespace {

template <typename V>
constexpr V smaller(V x, V y) {
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
#elif defined(__AVX2__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif
// Elements that are added to one set of sums before that is added to the total: rounding errors
// grow with the square root of either number only.
constexpr std::int64_t block = 512;

using Doubles [[gnu::vector_size(lanes * sizeof(double))]] = double;
using DoubleBits [[gnu::vector_size(lanes * sizeof(double))]] = std::int64_t;

template <typename R>
struct Lanes {
  using Bits = std::conditional_t<std::is_same_v<R, float>, std::int32_t, std::int64_t>;
  static constexpr int of_maxima = sizeof(Doubles) / sizeof(R);
  using BitVector [[gnu::vector_size(sizeof(Doubles))]] = Bits;
  // A vector in memory: at any address, and beside other views of the same memory.
  using Stored [[gnu::vector_size(lanes * sizeof(R)), gnu::aligned(sizeof(R)), gnu::may_alias]] = R;
  using StoredBits [[gnu::vector_size(sizeof(Doubles)), gnu::aligned(sizeof(R)), gnu::may_alias]] =
      Bits;
  static constexpr Bits without_sign =
      std::is_same_v<R, float> ? Bits(0x7fffffff) : Bits(0x7fffffffffffffff);
};

// Passed by address: GCC warns that the ABI of vector parameters depends on the processor.
#if defined(__aarch64__)
inline void load(const float* from, Doubles& to) {
  to = vcvt_f64_f32(vld1_f32(from));
}
#else
// Floats are named one by one: otherwise GCC 12 converts a vector of them in halves.
template <int... lane>
inline void load(const float* from, Doubles& to, std::integer_sequence<int, lane...>) {
  to = Doubles{static_cast<double>(from[lane])...};
}
inline void load(const float* from, Doubles& to) {
  load(from, to, std::make_integer_sequence<int, lanes>());
}
#endif
inline void load(const double* from, Doubles& to) {
  to = *reinterpret_cast<const Lanes<double>::Stored*>(from);
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
  constexpr int lanes = Lanes<R>::of_maxima;
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
  constexpr int lanes = Lanes<R>::of_maxima;
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

// Beside Sizes: the magnitudes of the products.
constexpr int of_products = 3;

template <int sets, int sizes, typename R>
inline RowSum dots(const R* row, const double* first, const double* second, const double* of_sizes,
                   std::int64_t count) {
  constexpr bool squares = sizes == static_cast<int>(Sizes::squares);
  constexpr bool weighted = sizes == static_cast<int>(Sizes::magnitudes) || squares;
  constexpr int chains = sets == 1 ? smaller(4, 16 / lanes) : 2;
  constexpr int step = chains * lanes;
  constexpr int vectors = lanes < 4 ? 4 / lanes : 1;  // that all places need
  Doubles totals[sets][vectors] = {}, total_size = {};
  std::int64_t i = 0;
  while (i + step <= count) {
    Doubles sums[sets][chains] = {}, size_sums[chains] = {};
    const std::int64_t end = smaller(count, i + block);
    for (; i + step <= end; i += step) {
#pragma GCC unroll 4
      for (int chain = 0; chain < chains; ++chain) {
        const std::int64_t at = i + chain * lanes;
        Doubles values, weight;
        load(row + at, values);
        load(first + at, weight);
        Doubles products = values * weight;
        sums[0][chain] += products;
        if constexpr (sets == 2) {
          load(second + at, weight);
          sums[1][chain] += values * weight;
        }
        if constexpr (sizes == of_products) {
          make_magnitude(products);
          size_sums[chain] += products;
        }
        if constexpr (weighted) {
          load(of_sizes + at, weight);
          if constexpr (squares)
            values *= values;
          else
            make_magnitude(values);
          size_sums[chain] += values * weight;
        }
      }
    }
#pragma GCC unroll 4
    for (int chain = 0; chain < chains; ++chain) {
#pragma GCC unroll 2
      for (int set = 0; set < sets; ++set) totals[set][chain % vectors] += sums[set][chain];
      total_size += size_sums[chain];
    }
  }
  // In variables with constant indices, which stay in registers.
  double places[sets][4] = {}, size = 0;
  const auto add_one = [&](std::int64_t at, int place) {
    const auto value = static_cast<double>(row[at]);
    const double magnitude = value < 0 ? -value : value;
    places[0][place] += value * first[at];
    if constexpr (sets == 2) places[1][place] += value * second[at];
    if constexpr (sizes == of_products)
      size += magnitude * (first[at] < 0 ? -first[at] : first[at]);
    if constexpr (weighted) size += magnitude * (squares ? magnitude : 1) * of_sizes[at];
  };
  for (; i + 4 <= count; i += 4)
#pragma GCC unroll 4
    for (int place = 0; place < 4; ++place) add_one(i + place, place);
  if (i < count) add_one(i, 0);
  if (i + 1 < count) add_one(i + 1, 1);
  if (i + 2 < count) add_one(i + 2, 2);
#pragma GCC unroll 8
  for (int lane = 0; lane < lanes; ++lane) {
#pragma GCC unroll 2
    for (int set = 0; set < sets; ++set)
#pragma GCC unroll 2
      for (int vector = 0; vector < vectors; ++vector)
        places[set][(vector * lanes + lane) % 4] += totals[set][vector][lane];
    size += total_size[lane];
  }
  RowSum sum;
  for (int set = 0; set < sets; ++set)
    for (int place = 0; place < 4; ++place) sum.places[set][place] = places[set][place];
  sum.size = size;
  return sum;
}

template <int at_once, Sizes of, typename R>
inline void add_rows(const R* const* rows, const double* weights, const double* sizes,
                     std::int64_t count, double* __restrict__ sums,
                     double* __restrict__ sums_of_sizes) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Doubles sum, of_sizes;
    load(sums + i, sum);
    if constexpr (of != Sizes::none) load(sums_of_sizes + i, of_sizes);
#pragma GCC unroll 4
    for (int r = 0; r < at_once; ++r) {
      Doubles values;
      load(rows[r] + i, values);
      sum += values * weights[r];
      if constexpr (of == Sizes::magnitudes) make_magnitude(values);
      if constexpr (of == Sizes::squares) values *= values;
      if constexpr (of != Sizes::none) of_sizes += values * sizes[r];
    }
    store(sum, sums + i);
    if constexpr (of != Sizes::none) store(of_sizes, sums_of_sizes + i);
  }
  for (; i < count; ++i) {
#pragma GCC unroll 4
    for (int r = 0; r < at_once; ++r) {
      auto value = static_cast<double>(rows[r][i]);
      sums[i] += value * weights[r];
      if constexpr (of == Sizes::magnitudes) value = value < 0 ? -value : value;
      if constexpr (of == Sizes::squares) value *= value;
      if constexpr (of != Sizes::none) sums_of_sizes[i] += value * sizes[r];
    }
  }
}

template <typename R>
inline void add_row(const R* row, double weight, std::int64_t count, double* sums) {
  add_rows<1, Sizes::none>(&row, &weight, nullptr, count, sums, nullptr);
}

template <typename R>
constexpr RowSums<R> all_sums = {
    column_maxima<R>,
    maximum<R>,
    {{dots<1, 0, R>, dots<1, 1, R>, dots<1, 2, R>}, {dots<2, 0, R>, dots<2, 1, R>, dots<2, 2, R>}},
    dots<1, of_products, R>,
    {add_rows<rows_added_at_once, Sizes::none, R>,
     add_rows<rows_added_at_once, Sizes::magnitudes, R>,
     add_rows<rows_added_at_once, Sizes::squares, R>},
    add_row<R>};

}  // namespace
}  // namespace duoblas
